"""Launches of searches in sorted elements, for positions, membership and interpolated values."""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport F4, F8, I4, I8, U8, is_complex
from gpunp.status cimport GPUNP_STATUS_NOT_MONOTONIC

from gpunp.device import register_report
from gpunp.dtype_codes import NAMES

register_report(GPUNP_STATUS_NOT_MONOTONIC, ValueError,
                "bins must be monotonically increasing or decreasing; sort them")

cdef extern from "gpunp/sorting/search_params.h" namespace "gpunp":
    enum:
        SEARCH_BLOCK_LARGE, SEARCH_BLOCK_SMALL, SEARCH_MANY, SEARCH_EACH, SEARCH_PLAIN
        SEARCH_LEVELS_U4, SEARCH_LEVELS_U8, SEARCH_LEVELS_WIDE, INTERP_LEVELS, INTERP_STAGED
        SEARCH_INDEX, SEARCH_FOUND, SEARCH_BINS
    struct SearchParams:
        const char* a
        int64_t n
        int64_t a_stride
        const int64_t* sorter
        const char* v
        int64_t count
        char* out
        uint32_t* status
        int32_t a_dtype, v_dtype
        int32_t v_item
        int32_t mode
        int32_t right
        int32_t invert
        int32_t tree_levels
        int32_t step_levels
    struct InterpParams:
        const char* x
        int64_t count
        const double* xp
        const double* fp
        int64_t n
        double* out
        double left[2]
        double right[2]
        int32_t x_dtype, x_item
        int32_t has_left, has_right
        int32_t tree_levels, step_levels
        int32_t staged

INDEX, FOUND, BINS = SEARCH_INDEX, SEARCH_FOUND, SEARCH_BINS


cdef str key_of(int code):
    """The key type by which elements of a dtype are compared."""
    if is_complex(code):
        return "wide"
    return "u8" if code in (I8, U8, F8) else "u4"


cdef unsigned int blocks_of(Device device, int64_t elements, int64_t block, int64_t resident) noexcept:
    """Number of blocks for one element per thread, but at most ``resident`` per multiprocessor."""
    cdef int64_t wanted = (elements + block - 1) // block
    cdef int64_t most = device.multiprocessors * resident
    return <unsigned int>max(<int64_t>1, min(wanted, most))


cdef int _bit_length(int64_t n) noexcept:
    cdef int bits = 0
    while n:
        bits += 1
        n >>= 1
    return bits


cdef int64_t shared_limit(Device device) except -1:
    """Most bytes of shared memory per block, which is about that of a multiprocessor."""
    return 0 if device.is_cpu else device.shared_memory_per_block


cdef struct Shape:
    # Launch shape of a search; the fewer queries a block has, the fewer tree levels it loads to shared memory.
    unsigned int blocks
    unsigned int block
    int tree_levels
    int step_levels


cdef Shape _shape(Device device, int64_t n, int64_t count, int64_t checked, int most, int key_bytes) except *:
    """The shape for ``count`` queries in ``n`` elements, of which ``checked`` are also tested for order."""
    cdef Shape shape
    # The kernels compare with the last element separately.
    cdef int levels = _bit_length(n - 1) if n else 0
    cdef int64_t resident, limit = shared_limit(device)
    if device.is_cpu:
        shape.blocks, shape.block, shape.tree_levels, shape.step_levels = 1, 1, 0, levels
        return shape
    shape.block = SEARCH_BLOCK_LARGE if count >= SEARCH_MANY else SEARCH_BLOCK_SMALL
    shape.tree_levels = min(levels, most)
    if shape.block == SEARCH_BLOCK_SMALL:
        # Each small block has few queries: limit the tree to what the block loads at once.
        shape.tree_levels = min(shape.tree_levels, 9)
    while (key_bytes << shape.tree_levels) > limit:
        shape.tree_levels -= 1
    shape.step_levels = levels - shape.tree_levels
    resident = min(device.tuning.search_threads // shape.block, limit // (key_bytes << shape.tree_levels))
    shape.blocks = blocks_of(device, max(count, checked), shape.block * SEARCH_EACH, max(<int64_t>1, resident))
    return shape


def search(ndarray a not None, ndarray v not None, ndarray out not None, int mode, bint right,
           ndarray sorter=None, bint invert=False, int levels=0):
    """Find the position of each element of ``v`` in sorted ``a``, or whether it occurs there.

    Parameters
    ----------
    a : ndarray
        One-dimensional and sorted, or sorted by ``sorter`` (int64, contiguous).
    v, out : ndarray
        Contiguous, of equal shapes; ``out`` is int64, or bool for the mode FOUND.
    mode : int
        INDEX, FOUND, or BINS (like INDEX, with ascending or descending ``a``, whose order is checked).
    levels : int
        Most levels of the search tree in shared memory; 0 chooses.
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
        # Only 64-bit integers are compared across dtypes.
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
        most, key_bytes = SEARCH_LEVELS_WIDE, 16
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
    """Interpolate linearly at ``x`` between the points (``xp``, ``fp``), into ``out``.

    All arrays must be contiguous, ``fp`` and ``out`` of one dtype. ``left`` and ``right`` are complex numbers, or None
    for the first and the last value.
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
        if shared_bytes + staged_bytes <= shared_limit(device):
            p.staged = True
            shared_bytes += staged_bytes
    device.launch(device.kernel("interp", "interp_complex" if pairs else "interp_real"), shape.blocks, 1, 1,
                  shape.block, shared_bytes, &p, sizeof(p))
