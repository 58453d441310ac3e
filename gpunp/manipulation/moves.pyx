"""Launches of the kernels that only move elements: pieces joined, axes mapped."""
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from gpunp.array.axes cimport merge_into
from gpunp.array.ndarray cimport INLINE_NDIM, MAX_NDIM, ndarray, new_array
from gpunp.array.strides cimport c_strides, f_strides, is_c_contiguous, is_f_contiguous, product
from gpunp.device cimport Device, Kernel, check_status
from gpunp.manipulation.params cimport (
    COPIES_BLOCK, CYCLE, DIVIDE, FEW_PIECES, MAP_BLOCK, MAP_UNROLL, MAX_MAPPED_AXES, MAX_PIECES,
    MIRROR, MIRROR_EDGES, NARROW_PIECE, NARROW_ROW, NEAREST, OUTSIDE, PIECE_BLOCK, PIECE_TILE, STRAIGHT,
    AxisMap, CopiesParams, FewPiecesParams, MapParams, PiecesParams, RepeatEvenlyParams,
    find_stretch, piece_tiles, plan_copies, plan_repeats, shorten)
from gpunp.ufunc.copying cimport copy_hooks

from gpunp.array.convert import install_join

cdef enum:
    # Patterns of fewer elements are short.
    SHORT_PATTERN = 256
    # As in kernels/include/gpunp/manipulation/axis_maps_stretch.h. Its kernels are for rows from so many bytes on, of
    # which so many are not in the stretch; they count columns in 32 bits.
    STRETCH_TILES = 2
    LEAST_ROW = 4096
    MOST_OUTSIDE = 128
    MOST_COLUMNS = 1 << 30

# Rule names -> kernel constants, for gpunp.manipulation.axis_maps.
RULES = {"straight": STRAIGHT, "cycle": CYCLE, "nearest": NEAREST, "mirror": MIRROR,
         "mirror_edges": MIRROR_EDGES, "divide": DIVIDE, "outside": OUTSIDE}


cdef bint _rows_of(ndarray a, int axis, Py_ssize_t* row_bytes, Py_ssize_t* pitch) noexcept:
    """Whether an array is evenly spaced rows of contiguous bytes, where a row spans the axes from ``axis`` on."""
    cdef int inner = a.ndim_ - axis
    cdef Py_ssize_t rows
    row_bytes[0] = pitch[0] = a.itemsize_ * product(inner, a.shape_ + axis)
    return a.c_contiguous or (is_c_contiguous(inner, a.shape_ + axis, a.strides_ + axis, a.itemsize_)
                              and merge_into(axis, 1, a.shape_, a.strides_, 1, &rows, pitch) >= 0)


cdef int _launch_pieces(Device device, PiecesParams* p) except -1:
    cdef Kernel kernel
    cdef long long average, groups, shortest = PIECE_TILE
    cdef int k
    if p.count == 0:
        return 0
    if device.is_cpu:
        kernel = device.kernel("manipulation", "concatenate_pieces")
        device.launch(kernel, 1, 1, 1, 1, 0, p, sizeof(PiecesParams))
        return 0
    for k in range(p.count):
        shortest = min(shortest, p.offset[k + 1] - p.offset[k])
    if (p.rows > 1 and p.pitch <= NARROW_ROW and shortest < NARROW_PIECE
            and p.offset[0] == 0 and p.offset[p.count] == p.pitch):
        # Whole rows, a multiple of 16 of them, so that each block's result starts aligned.
        p.group_rows = PIECE_TILE // p.pitch // 16 * 16
        groups = (p.rows + p.group_rows - 1) // p.group_rows
        return _launch_table(device, True, groups, p)
    p.group_rows = 1
    if p.rows > 1:
        # Group enough rows that an average piece fills a tile.
        average = (p.offset[p.count] - p.offset[0]) // p.count + 1
        p.group_rows = min(p.rows, max(1, PIECE_TILE // average))
    p.tile[0] = 0
    for k in range(p.count):
        p.tile[k + 1] = p.tile[k] + <int>piece_tiles(p.offset[k + 1] - p.offset[k], p.group_rows)
    p.group_tiles = p.tile[p.count]
    groups = (p.rows + p.group_rows - 1) // p.group_rows
    return _launch_table(device, False, groups * p.group_tiles, p)


cdef int _launch_table(Device device, bint narrow, long long blocks, PiecesParams* p) except -1:
    """Launch with the smaller parameter struct if the pieces fit it."""
    cdef FewPiecesParams few
    if p.count > FEW_PIECES:
        device.launch(device.kernel("manipulation", "concatenate_narrow" if narrow else "concatenate_pieces"),
                      <unsigned int>blocks, 1, 1, PIECE_BLOCK, 0, p, sizeof(PiecesParams))
        return 0
    shorten(p[0], few)
    device.launch(
        device.kernel("manipulation", "concatenate_narrow_few" if narrow else "concatenate_pieces_few"),
        <unsigned int>blocks, 1, 1, PIECE_BLOCK, 0, &few, sizeof(FewPiecesParams))
    return 0


cdef int _join_into(ndarray out, object parts, int axis) except -1:
    """Write parts side by side into the rows of C-contiguous ``out``; their dtype must be that of ``out``."""
    cdef PiecesParams params
    cdef Py_ssize_t row_bytes = 0, pitch = 0, step = out.itemsize_
    cdef ndarray part
    cdef int d
    for d in range(axis + 1, out.ndim_):
        step *= out.shape_[d]
    params.out = out.data_ptr()
    params.rows = 1
    for d in range(axis):
        params.rows *= out.shape_[d]
    params.pitch = step * out.shape_[axis]
    params.count = 0
    params.offset[0] = 0
    for item in parts:
        if type(item) is int:
            # A gap of `item` positions along the axis, which the caller fills.
            _launch_pieces(out.device_, &params)
            row_bytes = item
            params.offset[0] = params.offset[params.count] + row_bytes * step
            params.count = 0
            continue
        part = <ndarray>item
        if not _rows_of(part, axis, &row_bytes, &pitch):
            raise ValueError("join_into: a part does not consist of rows of contiguous bytes")
        if row_bytes == 0:
            continue
        params.source[params.count] = part.data_ptr()
        params.source_pitch[params.count] = pitch
        params.count += 1
        params.offset[params.count] = params.offset[params.count - 1] + row_bytes
        if params.count == MAX_PIECES:
            _launch_pieces(out.device_, &params)
            params.offset[0] = params.offset[params.count]
            params.count = 0
    return _launch_pieces(out.device_, &params)


def join(arrays, axis=0, bint new_axis=False):
    """Join arrays of one dtype in one launch; None if the arguments need the general implementation.

    ``new_axis`` stacks the arrays along a new axis.
    """
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef Py_ssize_t row_bytes = 0, pitch = 0
    cdef ndarray first, part
    cdef bint fortran = True
    cdef int d, ndim, at
    if type(arrays) is not tuple and type(arrays) is not list or len(arrays) == 0 or type(axis) is not int:
        return None
    head = arrays[0]
    if type(head) is not ndarray:
        return None
    first = <ndarray>head
    ndim = first.ndim_ + new_axis
    if ndim == 0 or ndim > MAX_NDIM or not -ndim <= <Py_ssize_t>axis < ndim:
        return None
    at = axis
    if at < 0:
        at += ndim
    for d in range(ndim):
        shape[d] = 0 if d == at else first.shape_[d - (new_axis and d > at)]
    for item in arrays:
        if type(item) is not ndarray:
            return None
        part = <ndarray>item
        if part.code != first.code or part.ndim_ != first.ndim_ or part.device_ is not first.device_:
            return None
        for d in range(part.ndim_):
            if part.shape_[d] != first.shape_[d] and (new_axis or d != at):
                return None
        fortran = fortran and part.f_contiguous and not part.c_contiguous
        if not _rows_of(part, at, &row_bytes, &pitch):
            return None
        shape[at] += 1 if new_axis else part.shape_[at]
    if fortran:
        return None
    check_status(first.device_)
    cdef ndarray out = new_array(first.code, ndim, shape, first.device_)
    if out.size_:
        _join_into(out, arrays, at)
    return out


def are_rows(ndarray part not None, int axis):
    """Whether `join_into` accepts a part."""
    cdef Py_ssize_t row_bytes = 0, pitch = 0
    return bool(_rows_of(part, axis, &row_bytes, &pitch))


def join_into(ndarray out not None, list parts not None, int axis):
    """Write parts side by side into a C-contiguous array of their dtype; an int skips so many positions."""
    check_status(out.device_)
    if out.size_:
        _join_into(out, parts, axis)


cdef void _simplify(AxisMap* m) noexcept nogil:
    """Replace a rule by the cheapest one with the same effect."""
    if m.rule == DIVIDE:
        if m.offset == 1:
            m.rule = STRAIGHT
    elif m.offset == 0 and m.extent == m.length:
        m.rule = STRAIGHT
    if m.length == 1 and m.rule != OUTSIDE:
        m.rule = STRAIGHT
        m.stride = 0


cdef int _merge_maps(AxisMap* axes, int ndim) noexcept nogil:
    """Drop axes of one element, merge straight axes into the next outer one, and return how many are left.

    `merge_axes` does not apply: merging also scales the length and the offset of the outer axis's rule.
    """
    cdef int d, last = -1
    cdef AxisMap* outer
    for d in range(ndim):
        if axes[d].rule == STRAIGHT and axes[d].extent == 1:
            continue
        if last >= 0 and axes[d].rule == STRAIGHT:
            outer = &axes[last]
            if (outer.rule in (STRAIGHT, CYCLE, OUTSIDE)
                    and outer.stride == axes[d].stride * axes[d].extent):
                outer.extent *= axes[d].extent
                outer.length *= axes[d].extent
                outer.offset *= axes[d].extent
                outer.stride = axes[d].stride
                continue
        last += 1
        axes[last] = axes[d]
    if last < 0:
        last = 0
        axes[0].rule = STRAIGHT
        axes[0].extent = axes[0].length = 1
        axes[0].stride = axes[0].offset = 0
    return last + 1


cdef int _widen(MapParams* p, int itemsize) noexcept nogil:
    """Move neighboring elements as one wider element if alignment allows it; returns the element size."""
    cdef AxisMap* inner = &p.axes[p.ndim - 1]
    cdef int size = 16, d, times
    cdef bint even
    if inner.stride != itemsize or inner.rule not in (STRAIGHT, CYCLE, OUTSIDE):
        return itemsize
    while size > itemsize:
        times = size // itemsize
        even = (<size_t>p.source % size == 0 and inner.extent % times == 0
                and (inner.rule == STRAIGHT or inner.length % times == 0 and inner.offset % times == 0))
        for d in range(p.ndim - 1):
            even = even and p.axes[d].stride % size == 0
        if even:
            inner.extent //= times
            inner.length //= times
            inner.offset //= times
            inner.stride = size
            p.size //= times
            return size
        size //= 2
    return itemsize


def mapped(ndarray source not None, tuple shape, list rules, bytes constants=None):
    """A new C-ordered array that reads, on each axis, the source index that a rule gives for the result's index.

    ``rules`` holds (rule, offset) per axis; ``constants`` holds two elements per axis, which stand before and
    after the source on axes with rule "outside". None if more axes are left after merging than a launch takes.
    """
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef AxisMap axes[MAX_NDIM]
    cdef MapParams params
    cdef int d, i, ndim = source.ndim_, size = source.itemsize_
    cdef const char* values
    for d in range(ndim):
        dims[d] = shape[d]
        rule, offset = rules[d]
        axes[d].extent = dims[d]
        axes[d].length = source.shape_[d]
        axes[d].stride = source.strides_[d]
        axes[d].offset = offset
        axes[d].rule = rule
        axes[d].constant = 2 * d
        _simplify(&axes[d])
    params.ndim = _merge_maps(axes, ndim)
    if params.ndim > MAX_MAPPED_AXES:
        return None
    check_status(source.device_)
    cdef ndarray out = new_array(source.code, ndim, dims, source.device_)
    if out.size_ == 0:
        return out
    for d in range(params.ndim):
        params.axes[d] = axes[d]
        if axes[d].rule == OUTSIDE:
            # Repeated to 16 bytes: the kernel may move wider elements.
            values = constants
            for i in range(0, 16, size):
                memcpy(&params.constants[2 * d][i], values + axes[d].constant * size, size)
                memcpy(&params.constants[2 * d + 1][i], values + (axes[d].constant + 1) * size, size)
            params.axes[d].constant = 2 * d
    _launch_map(out, source, &params)
    return out


def stretch_length(ndarray pattern not None, Py_ssize_t size):
    """The number of elements to which a short pattern is first repeated, if it is repeated to ``size``; or 0.

    That many elements are whole vectors.
    """
    cdef Py_ssize_t whole = 16 * pattern.size_
    if size <= pattern.device_.tuning.tile_elements or not 1 < pattern.size_ < SHORT_PATTERN:
        return 0
    return (pattern.device_.tuning.tile_stretch_elements + whole - 1) // whole * whole


cdef bint _is_plain(const MapParams* params, int size) noexcept:
    """Whether all but a few elements of each row are copied from neighboring elements, in the same order."""
    cdef const AxisMap* last = &params.axes[params.ndim - 1]
    return (size >= 4 and params.ndim > 1 and last.stride == size and LEAST_ROW <= last.extent * size
            and last.extent <= MOST_COLUMNS and (last.extent - (params.end - params.begin)) * size <= MOST_OUTSIDE)


cdef int _launch_map(ndarray out, ndarray source, MapParams* params) except -1:
    cdef Device device = out.device_
    cdef CopiesParams copies
    cdef RepeatEvenlyParams repeats
    cdef int size
    cdef long long chunks
    params.source = source.data_ptr()
    params.out = out.data_ptr()
    params.size = out.size_
    size = _widen(params, out.itemsize_)
    chunks = plan_copies(params[0], size, copies)
    if chunks:
        return device.launch(device.kernel("manipulation", _COPIES_SYMBOLS[size]), <unsigned int>chunks, 1, 1,
                             COPIES_BLOCK, 0, &copies, sizeof(copies))
    chunks = plan_repeats(params[0], size, repeats)
    if chunks:
        return device.launch(device.kernel("manipulation", _REPEAT_SYMBOLS[size]), <unsigned int>chunks, 1, 1,
                             COPIES_BLOCK, 0, &repeats, sizeof(repeats))
    find_stretch(params[0])
    cdef bint plain = not device.is_cpu and _is_plain(params, size)
    cdef Kernel kernel = device.kernel("manipulation", _MAP_SYMBOLS[size] + ("_stretch" if plain else ""))
    if device.is_cpu:
        device.launch(kernel, 1, 1, 1, 1, 0, params, sizeof(MapParams))
        return 0
    chunks = (params.size * size + 15) // 16
    cdef long long each = MAP_BLOCK * MAP_UNROLL * (STRETCH_TILES if plain else 1)
    device.launch(kernel, <unsigned int>((chunks + each - 1) // each), 1, 1, MAP_BLOCK, 0, params,
                  sizeof(MapParams))
    return 0


cdef bint _copy_backwards(ndarray target, ndarray source) except -1:
    """Copy from a reversed last axis, one vector per thread; False if the layouts do not fit."""
    cdef AxisMap axes[MAX_NDIM]
    cdef MapParams params
    cdef int d, last = source.ndim_ - 1
    while last >= 0 and source.shape_[last] == 1:
        last -= 1
    if last < 0 or source.strides_[last] != -source.itemsize_ or not target.c_contiguous:
        return False
    # The kernel writes whole 16-byte vectors.
    if <size_t>target.address() % 16:
        return False
    if source.ndim_ != target.ndim_ or source.code != target.code or source.size_ != target.size_:
        return False
    for d in range(source.ndim_):
        axes[d].extent = axes[d].length = source.shape_[d]
        axes[d].stride = source.strides_[d]
        axes[d].offset = 0
        axes[d].rule = STRAIGHT
    params.ndim = _merge_maps(axes, source.ndim_)
    if params.ndim > MAX_MAPPED_AXES:
        return False
    memcpy(params.axes, axes, params.ndim * sizeof(AxisMap))
    _launch_map(target, source, &params)
    return True


copy_hooks.backwards = _copy_backwards
install_join(join)

_MAP_SYMBOLS = {size: f"map_axes_{size}" for size in (1, 2, 4, 8, 16)}
_COPIES_SYMBOLS = {size: f"copies_{size}" for size in (4, 8, 16)}
_REPEAT_SYMBOLS = {size: f"repeat_evenly_{size}" for size in (1, 2, 4, 8, 16)}


def adopt(ndarray target not None, ndarray source not None, tuple shape, bint f_order):
    """Give an array the memory of a 1-d array and a new shape, for ``ndarray.resize``."""
    cdef int d, ndim = len(shape)
    cdef Py_ssize_t* dims = target.inline_dims
    if ndim > INLINE_NDIM:
        dims = <Py_ssize_t*>malloc(2 * ndim * sizeof(Py_ssize_t))
        if dims == NULL:
            raise MemoryError()
    for d in range(ndim):
        dims[d] = shape[d]
    if target.shape_ != target.inline_dims:
        free(target.shape_)
    target.shape_ = dims
    target.strides_ = dims + ndim
    target.ndim_ = ndim
    target.size_ = source.size_
    if f_order:
        f_strides(ndim, dims, target.itemsize_, target.strides_)
    else:
        c_strides(ndim, dims, target.itemsize_, target.strides_)
    target.c_contiguous = is_c_contiguous(ndim, dims, target.strides_, target.itemsize_)
    target.f_contiguous = is_f_contiguous(ndim, dims, target.strides_, target.itemsize_)
    target.buffer = source.buffer
    target._data = source._data
