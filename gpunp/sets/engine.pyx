"""What the searching and set functions launch: searches, bitmaps of integers, runs of equal elements."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Buffer, Device, check_status
from gpunp.dtype_codes cimport F4, F8, I4, I8, U4, U8, is_complex, is_signed
from gpunp.sets.params cimport (
    BITMAP_BLOCK, INTERP_LEVELS, INTERP_STAGED, SEARCH_BINS, SEARCH_BLOCK_LARGE, SEARCH_BLOCK_SMALL,
    SEARCH_EACH, SEARCH_FOUND, SEARCH_INDEX, SEARCH_LEVELS_U4, SEARCH_LEVELS_U8, SEARCH_LEVELS_WIDE,
    SEARCH_MANY, SEARCH_PLAIN, SHARED_COUNTS, UNIQUE_BLOCK,
    BitmapParams, InterpParams, RunsParams, SearchParams)
from gpunp.status cimport GPUNP_STATUS_NOT_MONOTONIC

from gpunp.device import register_report
from gpunp.dtype_codes import NAMES

register_report(GPUNP_STATUS_NOT_MONOTONIC, ValueError,
                "bins must be monotonically increasing or decreasing; sort them")

INDEX, FOUND, BINS = SEARCH_INDEX, SEARCH_FOUND, SEARCH_BINS


cdef str key_of(int code):
    """The key type that elements of a dtype are compared by."""
    if is_complex(code):
        return "wide"
    return "u8" if code in (I8, U8, F8) else "u4"


cdef unsigned int blocks_of(Device device, int64_t elements, int64_t block, int64_t resident) noexcept:
    """Blocks for one element a thread, but no more than the device holds at once."""
    cdef int64_t wanted = (elements + block - 1) // block
    cdef int64_t most = device.multiprocessors * resident
    return <unsigned int>max(<int64_t>1, min(wanted, most))


cdef int _bit_length(int64_t n) noexcept:
    cdef int bits = 0
    while n:
        bits += 1
        n >>= 1
    return bits


cdef int64_t _shared_limit(Device device) except -1:
    """Bytes of shared memory that a block may have, and a multiprocessor about has."""
    return 0 if device.is_cpu else device.shared_memory_per_block


cdef struct Shape:
    # How a search is launched: few levels in shared memory where a block has few queries to use them.
    unsigned int blocks
    unsigned int block
    int tree_levels
    int step_levels


cdef Shape _shape(Device device, int64_t n, int64_t count, int64_t checked, int most, int key_bytes) except *:
    """For ``count`` queries in ``n`` elements, ``checked`` of which are also compared with the next one."""
    cdef Shape shape
    # The last element is asked for apart.
    cdef int levels = _bit_length(n - 1) if n else 0
    cdef int64_t resident, limit = _shared_limit(device)
    if device.is_cpu:
        shape.blocks, shape.block, shape.tree_levels, shape.step_levels = 1, 1, 0, levels
        return shape
    shape.block = SEARCH_BLOCK_LARGE if count >= SEARCH_MANY else SEARCH_BLOCK_SMALL
    shape.tree_levels = min(levels, most)
    if shape.block == SEARCH_BLOCK_SMALL:
        # A small block has a thousandth of the queries at most: a tree that it can fill at once.
        shape.tree_levels = min(shape.tree_levels, 9)
    while (key_bytes << shape.tree_levels) > limit:
        shape.tree_levels -= 1
    shape.step_levels = levels - shape.tree_levels
    resident = min(2048 // shape.block, limit // (key_bytes << shape.tree_levels))
    shape.blocks = blocks_of(device, max(count, checked), shape.block * SEARCH_EACH, max(<int64_t>1, resident))
    return shape


def search(ndarray a not None, ndarray v not None, ndarray out not None, int mode, bint right,
           ndarray sorter=None, bint invert=False, int levels=0):
    """Where each element of ``v`` belongs in ``a``, or whether it is there.

    Parameters
    ----------
    a : ndarray
        One-dimensional, sorted, or sorted by ``sorter`` (int64, contiguous).
    v, out : ndarray
        Contiguous, of one shape; ``out`` is int64, or bool for the mode FOUND.
    mode : int
        INDEX, FOUND or BINS (INDEX in an order of either direction, which is checked).
    levels : int
        How many levels of the search are in shared memory at most; 0 chooses.
    """
    cdef SearchParams p
    cdef Device device = out.device_
    cdef Shape shape
    cdef int most, key_bytes
    check_status(device)
    if out.size_ == 0 and mode != SEARCH_BINS:
        return
    key = key_of(a.code)
    if a.code != v.code:
        # Only the integers of 64 bits are compared across dtypes.
        key = "wide"
    memset(&p, 0, sizeof(p))
    p.a, p.n, p.a_stride = a.data_ptr(), a.size_, a.strides_[0]
    if sorter is not None:
        p.sorter = <const int64_t*>sorter.data_ptr()
    p.v, p.count, p.out = v.data_ptr(), v.size_, out.data_ptr()
    if sorter is not None or mode == SEARCH_BINS:
        p.status = device.report_word("digitize" if mode == SEARCH_BINS else "searchsorted")
    p.a_dtype, p.v_dtype, p.v_item = a.code, v.code, v.itemsize_
    p.mode, p.right, p.invert = mode, right, invert
    if key == "u4":
        most, key_bytes = SEARCH_LEVELS_U4, 4
    elif key == "u8":
        most, key_bytes = SEARCH_LEVELS_U8, 8
    else:
        most, key_bytes = SEARCH_LEVELS_WIDE, 24
    shape = _shape(device, p.n, p.count, p.n if mode == SEARCH_BINS else 0, levels or most, key_bytes)
    p.tree_levels, p.step_levels = shape.tree_levels, shape.step_levels
    kernel = f"search_{key}"
    if (not device.is_cpu and sorter is None and mode != SEARCH_BINS and p.n < SEARCH_PLAIN
            and a.code == v.code and a.code in (I4, I8, F4, F8)
            and p.a_stride == a.itemsize_):
        kernel = f"search_plain_{NAMES[a.code]}"
    device.launch(device.kernel(f"search_{key}", kernel), shape.blocks, 1, 1, shape.block,
                  key_bytes << p.tree_levels, &p, sizeof(p))


def interpolate(ndarray x not None, ndarray xp not None, ndarray fp not None, ndarray out not None, left,
                right):
    """Piecewise linear values at ``x`` through the points; all contiguous, ``fp`` and ``out`` of one dtype.

    ``left`` and ``right`` are complex numbers, or None for the first and the last value.
    """
    cdef InterpParams p
    cdef Device device = out.device_
    cdef Shape shape
    cdef int64_t shared_bytes, staged_bytes
    cdef bint pairs = fp.code != F8
    check_status(device)
    if out.size_ == 0:
        return
    memset(&p, 0, sizeof(p))
    p.x, p.count, p.x_dtype, p.x_item = x.data_ptr(), x.size_, x.code, x.itemsize_
    p.xp, p.fp, p.n = <const double*>xp.data_ptr(), <const double*>fp.data_ptr(), xp.size_
    p.out = <double*>out.data_ptr()
    if left is not None:
        p.has_left, p.left[0], p.left[1] = True, left.real, left.imag
    if right is not None:
        p.has_right, p.right[0], p.right[1] = True, right.real, right.imag
    shape = _shape(device, p.n, p.count, 0, INTERP_LEVELS, 8)
    p.tree_levels, p.step_levels = shape.tree_levels, shape.step_levels
    shared_bytes = 8 << p.tree_levels
    staged_bytes = 8 * (3 if pairs else 2) * p.n
    if p.n <= INTERP_STAGED and p.count // shape.blocks >= p.n:
        if shared_bytes + staged_bytes <= _shared_limit(device):
            p.staged = True
            shared_bytes += staged_bytes
    device.launch(device.kernel("interp", "interp_complex" if pairs else "interp_real"), shape.blocks, 1, 1,
                  shape.block, shared_bytes, &p, sizeof(p))


cdef uint64_t _flip(ndarray x) noexcept:
    """What turns the bits of an integer into its key: the sign bit, where there is one."""
    return (<uint64_t>1 << (8 * x.itemsize_ - 1)) if is_signed(x.code) else 0


cdef void _describe_integers(BitmapParams* p, ndarray x) noexcept:
    memset(p, 0, sizeof(BitmapParams))
    p.x, p.n, p.item, p.flip = x.data_ptr(), x.size_, x.itemsize_, _flip(x)


def find_bounds(ndarray x not None):
    """The least and the greatest key of contiguous integers, of 4 or 8 bytes. Waits for the device."""
    cdef BitmapParams p
    cdef Device device = x.device_
    cdef uint64_t[2] bounds
    cdef Buffer buffer
    check_status(device)
    _describe_integers(&p, x)
    buffer = device.allocate(16)
    device.fill_bytes(buffer.ptr, 0xff, 8)
    device.fill_bytes(<char*>buffer.ptr + 8, 0, 8)
    p.bounds = <uint64_t*>buffer.ptr
    device.launch(device.kernel("unique_bitmap", f"bounds_u{x.itemsize_}"),
                  blocks_of(device, p.n * x.itemsize_ // 32, UNIQUE_BLOCK, 8), 1, 1, UNIQUE_BLOCK, 0, &p,
                  sizeof(p))
    device.copy_to_host(bounds, buffer.ptr, 16)
    return bounds[0], bounds[1]


def mark(ndarray x not None, low, span):
    """The bitmap, as uint32, of contiguous integers whose keys are in [low, low + span)."""
    cdef BitmapParams p
    cdef Device device = x.device_
    cdef ndarray bits
    cdef Py_ssize_t words = (span + 31) // 32
    cdef int64_t limit = _shared_limit(device)
    check_status(device)
    bits = new_array(U4, 1, &words, device)
    device.fill_bytes(bits.data_ptr(), 0, 4 * words)
    if x.size_ == 0:
        return bits
    _describe_integers(&p, x)
    p.low, p.range, p.bits = low, span, <uint32_t*>bits.data_ptr()
    # A bitmap of its own for every block, where there are many more elements than words to add up.
    p.in_shared = 4 * words <= limit and p.n >= 8 * words * device.multiprocessors
    device.launch(device.kernel("unique_bitmap", f"mark_u{x.itemsize_}"),
                  blocks_of(device, p.n * x.itemsize_ // 32, BITMAP_BLOCK,
                            1 if p.in_shared and 8 * words > limit else 2),
                  1, 1, BITMAP_BLOCK, 4 * words if p.in_shared else 0, &p, sizeof(p))
    return bits


def list_members(ndarray bits not None, ndarray ranks not None, low, ndarray values not None):
    """Write the integers of a bitmap in order; ``ranks`` are the running counts (int32) of its words."""
    cdef BitmapParams p
    cdef Device device = bits.device_
    _describe_integers(&p, values)
    p.low, p.range, p.bits = low, 32 * bits.size_, <uint32_t*>bits.data_ptr()
    p.ranks, p.values = <const int32_t*>ranks.data_ptr(), values.data_ptr()
    device.launch(device.kernel("unique_runs", "members"), blocks_of(device, bits.size_, UNIQUE_BLOCK, 8), 1, 1,
                  UNIQUE_BLOCK, 0, &p, sizeof(p))


def look_up(ndarray x not None, ndarray bits not None, ndarray ranks not None, low, Py_ssize_t distinct,
            bint index, bint inverse, bint counts):
    """For members of a bitmap: where each value comes first, the ranks of the elements, and the counts.

    Returns
    -------
    tuple of three ndarray or None
    """
    cdef BitmapParams p
    cdef Device device = x.device_
    cdef ndarray place = None, rank = None, count = None
    cdef unsigned int shared_bytes = 0
    check_status(device)
    _describe_integers(&p, x)
    p.low, p.range, p.bits = low, 32 * bits.size_, <uint32_t*>bits.data_ptr()
    p.ranks, p.distinct = <const int32_t*>ranks.data_ptr(), distinct
    if index:
        place = new_array(I8, 1, &distinct, device)
        p.first = <int64_t*>place.data_ptr()
        device.fill_bytes(p.first, 0x7f, 8 * distinct)
    if inverse:
        rank = new_array(I8, 1, &x.size_, device)
        p.inverse = <int64_t*>rank.data_ptr()
    if counts:
        count = new_array(I8, 1, &distinct, device)
        p.counts = <int64_t*>count.data_ptr()
        device.fill_bytes(p.counts, 0, 8 * distinct)
        if distinct <= SHARED_COUNTS and not device.is_cpu:
            p.in_shared = True
            shared_bytes = 4 * distinct
    if p.n:
        device.launch(device.kernel("unique_runs", "look_up"), blocks_of(device, p.n, UNIQUE_BLOCK, 8), 1, 1,
                      UNIQUE_BLOCK, shared_bytes, &p, sizeof(p))
    return place, rank, count


def is_member(ndarray x not None, ndarray bits not None, low, ndarray out not None, bint invert):
    """Whether each of contiguous integers is in a bitmap, or is not; ``out`` is bool and contiguous."""
    cdef BitmapParams p
    cdef Device device = x.device_
    check_status(device)
    if x.size_ == 0:
        return
    _describe_integers(&p, x)
    p.low, p.range, p.bits = low, 32 * bits.size_, <uint32_t*>bits.data_ptr()
    p.found, p.invert = out.data_ptr(), invert
    device.launch(device.kernel("unique_runs", "look_up"), blocks_of(device, p.n, UNIQUE_BLOCK, 8), 1, 1,
                  UNIQUE_BLOCK, 0, &p, sizeof(p))


def write_runs(ndarray starts not None, ndarray ranks not None, Py_ssize_t runs, ndarray order, ndarray data,
               bint places, bint index, bint inverse):
    """What follows from where runs start.

    Parameters
    ----------
    starts : ndarray of bool
        Or any mask: what it selects is what is written.
    ranks : ndarray of int32 or int64
        Its running counts.
    runs : int
        The last of them.
    order : ndarray of int64 or None
        The number of the element at each place.
    data : ndarray or None
        Contiguous elements by number, whose first of each run is wanted.
    places, index, inverse : bool
        The places of the starts, and their number in all at the end; the numbers of the elements there; and
        the run of every element, by number.

    Returns
    -------
    tuple of four ndarray or None
    """
    cdef RunsParams p
    cdef Device device = starts.device_
    cdef Py_ssize_t more = runs + 1
    cdef ndarray values = None, place = None, number = None, run = None
    check_status(device)
    memset(&p, 0, sizeof(p))
    p.starts, p.n = starts.data_ptr(), starts.size_
    if ranks.itemsize_ == 4:
        p.ranks = <const int32_t*>ranks.data_ptr()
    else:
        p.wide_ranks = <const int64_t*>ranks.data_ptr()
    if order is not None:
        p.order = <const int64_t*>order.data_ptr()
    if data is not None:
        values = new_array(data.code, 1, &runs, device)
        p.data, p.values, p.item = data.data_ptr(), values.data_ptr(), data.itemsize_
    if places:
        place = new_array(I8, 1, &more, device)
        p.places = <int64_t*>place.data_ptr()
    if index:
        number = new_array(I8, 1, &runs, device)
        p.index = <int64_t*>number.data_ptr()
    if inverse:
        run = new_array(I8, 1, starts.shape_, device)
        p.inverse = <int64_t*>run.data_ptr()
    if p.n:
        device.launch(device.kernel("unique_runs", "runs"), blocks_of(device, p.n, UNIQUE_BLOCK, 8), 1, 1,
                      UNIQUE_BLOCK, 0, &p, sizeof(p))
    return values, place, number, run
