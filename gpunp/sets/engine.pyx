"""Launches of the set functions: bitmaps of integers, and runs of equal elements."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Buffer, Device, check_status
from gpunp.dtype_codes cimport BOOL, I8, U4, is_integer, is_signed
from gpunp.sets.params cimport BITMAP_BLOCK, SHARED_COUNTS, UNIQUE_BLOCK, BitmapParams, RunsParams
from gpunp.sorting.search cimport blocks_of, shared_limit

cdef enum:
    # Most bits of a bitmap per element, and the number of bits that are always allowed.
    BITS_EACH = 32
    FEW_BITS = 1 << 16


cdef uint64_t _flip(ndarray x) noexcept:
    """The mask that turns an integer into its unsigned key by XOR: the sign bit of signed integers, or 0."""
    return (<uint64_t>1 << (8 * x.itemsize_ - 1)) if is_signed(x.code) else 0


cdef void _describe_integers(BitmapParams* p, ndarray x) except *:
    memset(p, 0, sizeof(BitmapParams))
    p.x, p.n, p.item, p.flip = x.data_ptr(), x.size_, x.itemsize_, _flip(x)


def bitmap_range(ndarray x not None):
    """(low, span) of the keys of contiguous elements, or None if a bitmap of them does not pay off.

    Waits for the device if the range is not that of the dtype.
    """
    cdef Device device = x.device_
    if x.code != BOOL and not is_integer(x.code):
        return None
    if x.itemsize_ <= 2:
        return 0, 1 << (8 * x.itemsize_)
    if x.size_ < device.tuning.bitmap_elements:
        return None
    low, high = _find_bounds(x)
    span = high - low + 1
    most = min(8 * device.tuning.bitmap_bytes, max(<int64_t>FEW_BITS, BITS_EACH * x.size_))
    return (low, span) if span <= most else None


cdef tuple _find_bounds(ndarray x):
    """The least and the greatest key of integers of 4 or 8 bytes."""
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
                  blocks_of(device, p.n * x.itemsize_ // 32, UNIQUE_BLOCK, device.tuning.loop_blocks), 1, 1,
                  UNIQUE_BLOCK, 0, &p, sizeof(p))
    device.copy_to_host(bounds, buffer.ptr, 16)
    return bounds[0], bounds[1]


def mark(ndarray x not None, low, span):
    """The bitmap, as uint32 words, of contiguous integers whose keys are in [low, low + span)."""
    cdef BitmapParams p
    cdef Device device = x.device_
    cdef ndarray bits
    cdef Py_ssize_t words = (span + 31) // 32
    cdef int64_t limit = shared_limit(device)
    check_status(device)
    bits = new_array(U4, 1, &words, device)
    device.fill_bytes(bits.data_ptr(), 0, 4 * words)
    if x.size_ == 0:
        return bits
    _describe_integers(&p, x)
    p.low, p.range, p.bits = low, span, <uint32_t*>bits.data_ptr()
    # Each block has its own bitmap in shared memory if there are many more elements than words to merge.
    p.in_shared = (4 * words <= limit
                   and p.n >= device.tuning.bitmap_elements_per_word * words * device.multiprocessors)
    device.launch(device.kernel("unique_bitmap", f"mark_u{x.itemsize_}"),
                  blocks_of(device, p.n * x.itemsize_ // 32, BITMAP_BLOCK,
                            1 if p.in_shared and 8 * words > limit else device.tuning.bitmap_blocks),
                  1, 1, BITMAP_BLOCK, 4 * words if p.in_shared else 0, &p, sizeof(p))
    return bits


def list_members(ndarray bits not None, ndarray ranks not None, low, ndarray values not None):
    """Write the members of a bitmap in order; ``ranks`` are the running counts (int32) of the bits per word."""
    cdef BitmapParams p
    cdef Device device = bits.device_
    _describe_integers(&p, values)
    p.low, p.range, p.bits = low, 32 * bits.size_, <uint32_t*>bits.data_ptr()
    p.ranks, p.values = <const int32_t*>ranks.data_ptr(), values.data_ptr()
    device.launch(device.kernel("unique_runs", "members"),
                  blocks_of(device, bits.size_, UNIQUE_BLOCK, device.tuning.loop_blocks), 1, 1, UNIQUE_BLOCK, 0, &p,
                  sizeof(p))


def look_up(ndarray x not None, ndarray bits not None, ndarray ranks not None, low, Py_ssize_t distinct,
            bint index, bint inverse, bint counts):
    """First index of each member of a bitmap, the ranks of the elements, and the counts.

    Returns
    -------
    tuple of three ndarray or None
        None for results that are not requested.
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
        device.launch(device.kernel("unique_runs", "look_up"),
                      blocks_of(device, p.n, UNIQUE_BLOCK, device.tuning.loop_blocks), 1, 1, UNIQUE_BLOCK,
                      shared_bytes, &p, sizeof(p))
    return place, rank, count


def is_member(ndarray x not None, ndarray bits not None, low, ndarray out not None, bint invert):
    """Whether each of contiguous integers is in a bitmap (``invert``: is not); ``out`` is contiguous bool."""
    cdef BitmapParams p
    cdef Device device = x.device_
    check_status(device)
    if x.size_ == 0:
        return
    _describe_integers(&p, x)
    p.low, p.range, p.bits = low, 32 * bits.size_, <uint32_t*>bits.data_ptr()
    p.found, p.invert = out.data_ptr(), invert
    device.launch(device.kernel("unique_runs", "look_up"),
                  blocks_of(device, p.n, UNIQUE_BLOCK, device.tuning.loop_blocks), 1, 1, UNIQUE_BLOCK, 0, &p,
                  sizeof(p))


def write_runs(ndarray starts not None, ndarray ranks not None, Py_ssize_t runs, ndarray order, ndarray data,
               *, bint places=False, bint index=False, bint inverse=False):
    """Results that follow from the starts of runs in sorted order.

    Parameters
    ----------
    starts : ndarray of bool
        The starts of runs, or any mask of the elements to write.
    ranks : ndarray of int32 or int64
        The running counts of ``starts``.
    runs : int
        The last running count.
    order : ndarray of int64 or None
        The element number at each position.
    data : ndarray or None
        Contiguous elements by number; the first of each run is written.
    places, index, inverse : bool
        Whether to write the positions of the starts, with the number of elements at the end; the element
        numbers at the starts; and the run of each element, by number.

    Returns
    -------
    tuple of four ndarray or None
        Values, places, index and inverse; None for results that are not requested.
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
        device.launch(device.kernel("unique_runs", "runs"),
                      blocks_of(device, p.n, UNIQUE_BLOCK, device.tuning.loop_blocks), 1, 1, UNIQUE_BLOCK, 0, &p,
                      sizeof(p))
    return values, place, number, run
