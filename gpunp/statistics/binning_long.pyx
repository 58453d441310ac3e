"""Counts of long data on a GPU: by buckets for many bins, by a guessed range where none is given."""
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Buffer, Device, check_status
from gpunp.dtype_codes cimport F4, F8, I8
from gpunp.statistics.binning cimport describe_weights
from gpunp.statistics.params cimport (
    BUCKET_SLOT_BITS, BUCKET_SLOTS, BUCKET_BITS, BUCKET_BLOCK, BUCKET_ITEMS, BUCKET_COUNT_BLOCK,
    GUESS_BLOCK, GUESS_BLOCKS, GUESS_WARPS, GUESS_RESIDENT, HISTOGRAM_BLOCK, HISTOGRAM_SHARED_COUNTS,
    HISTOGRAM_SHARED_SUMS, BucketParams, GuessParams, UniformBins, WeightBucketParams)

from gpunp.dtype_codes import NAMES
from gpunp.statistics.binning import extent, uniform_edges

cdef enum:
    # Shared memory for the sums of one bucket: a 64-bit sum and a greatest exponent per bin.
    SUMS_NBYTES = 10 << BUCKET_BITS
    # The most bins for a guess: the counters of two blocks then fit into a multiprocessor's shared memory.
    GUESS_BINS = 4096
    # A block has room to keep at most one in this many of its values for the final pass.
    GUESS_KEPT = 6

# The dtypes that the bucket and the guess kernels exist for.
cdef set BUCKETED = {"i2", "u2", "i4", "u4", "i8"}
cdef set GUESSED = {"u1", "i4", "f2", "f4", "f8"}


cdef inline size_t _round_up(size_t nbytes) noexcept:
    return (nbytes + 255) // 256 * 256


cdef class Slots:
    """The number of values in each slot of 4096 consecutive integers: the input of `count_buckets`."""
    cdef Buffer space
    cdef BucketParams params


def extent_and_slots(ndarray values not None):
    """The minimum and maximum as in `extent`, and for long data also a third number and `Slots`, else None.

    The third number counts the values that are close to one near them in memory.
    """
    cdef Device device = values.device_
    cdef BucketParams* p
    cdef Slots slots
    cdef ndarray out
    cdef Py_ssize_t three = 3
    cdef unsigned int blocks
    cdef size_t zeroed
    name = NAMES[values.code]
    if device.is_cpu or values.size_ < device.tuning.bucket_values or name not in BUCKETED:
        return extent(values), None
    check_status(device)
    out = new_array(I8, 1, &three, device)
    slots = Slots()
    p = &slots.params
    memset(p, 0, sizeof(BucketParams))
    blocks = <unsigned int>(device.multiprocessors * device.tuning.extent_blocks)
    zeroed = _round_up(8 * (BUCKET_SLOTS + 1)) + 256
    slots.space = device.allocate(zeroed + 8 * BUCKET_SLOTS + 16 * (blocks + 1))
    device.fill_bytes(slots.space.ptr, 0, zeroed)
    p.extent.counter = <uint32_t*>slots.space.ptr
    p.near = <uint64_t*>slots.space.ptr + 1
    p.starts = <uint64_t*>(<char*>slots.space.ptr + 256)
    p.cursors = <uint64_t*>(<char*>slots.space.ptr + zeroed)
    p.extent.out = p.cursors + BUCKET_SLOTS
    p.extent.partials = p.cursors + BUCKET_SLOTS + 2
    p.extent.values = values.data_ptr()
    p.extent.size = values.size_
    p.found = <int64_t*>out.data_ptr()
    device.launch(device.kernel("histogram_buckets", "extent_slots_" + name), blocks, 1, 1, HISTOGRAM_BLOCK, 0, p,
                  sizeof(BucketParams))
    return out, slots


def can_bucket(ndarray values not None, Py_ssize_t bins, Py_ssize_t greatest, Py_ssize_t near,
               bint weights=False):
    """Whether `count_buckets`, or `weigh_buckets`, can count values up to ``greatest`` and is worthwhile.

    It is not for values close to their neighbors, as in sorted data, which the direct kernels count together.
    """
    cdef int64_t most
    if weights and SUMS_NBYTES > <size_t>values.device_.shared_memory_per_block:
        return False
    most = values.size_ // values.device_.tuning.bucket_values_per_bin
    return (greatest >> BUCKET_SLOT_BITS < BUCKET_SLOTS and near < values.size_ * 2 // 5
            and (HISTOGRAM_SHARED_SUMS if weights else HISTOGRAM_SHARED_COUNTS) < bins <= most)


def count_buckets(ndarray values not None, Slots slots not None, Py_ssize_t bins):
    """Count how often each of 0, 1, ..., bins - 1 occurs among values that are all in this range."""
    cdef Device device = values.device_
    cdef BucketParams* p = &slots.params
    cdef ndarray counts = new_array(I8, 1, &bins, device)
    cdef Buffer places = device.allocate(2 * values.size_)
    cdef int64_t tile = BUCKET_BLOCK * BUCKET_ITEMS
    check_status(device)
    device.fill_bytes(counts.data_ptr(), 0, 8 * bins)
    p.extent.values = values.data_ptr()
    p.places = <uint16_t*>places.ptr
    p.counts = <uint64_t*>counts.data_ptr()
    p.bins = bins
    device.launch(device.kernel("histogram_buckets", "bucket_split_" + NAMES[values.code]),
                  <unsigned int>((values.size_ + tile - 1) // tile), 1, 1, BUCKET_BLOCK, 0, p,
                  sizeof(BucketParams))
    device.launch(device.kernel("histogram_buckets", "bucket_count"), device.multiprocessors, 1, 1,
                  BUCKET_COUNT_BLOCK, 4 << BUCKET_BITS, p, sizeof(BucketParams))
    return counts


def weigh_buckets(ndarray values not None, Slots slots not None, ndarray weights not None, Py_ssize_t bins):
    """Sums of weights by bin as in `weighted`, for values that are all below ``bins``."""
    cdef Device device = values.device_
    cdef WeightBucketParams p
    cdef ndarray out = new_array(F8, 1, &bins, device)
    cdef int item = 4 if weights.code == F4 else 8
    cdef int64_t tile = BUCKET_BLOCK * BUCKET_ITEMS
    cdef size_t places = _round_up(2 * values.size_)
    cdef size_t carried = _round_up(item * values.size_)
    cdef Buffer space = device.allocate(places + carried + 20 * bins)
    cdef unsigned int blocks = <unsigned int>((values.size_ + tile - 1) // tile)
    cdef unsigned int processors = device.multiprocessors
    check_status(device)
    p.bucket = slots.params
    p.bucket.extent.values = values.data_ptr()
    p.bucket.places = <uint16_t*>space.ptr
    p.carried = <char*>space.ptr + places
    describe_weights(&p.sums, values, weights, bins, <char*>space.ptr + places + carried, out)
    kind = "f4" if item == 4 else "f8"
    unit = "histogram_weights"
    device.launch(device.kernel(unit, "weight_split_" + kind), blocks, 1, 1, BUCKET_BLOCK,
                  <unsigned int>(tile * (item + 4)), &p, sizeof(p))
    device.launch(device.kernel(unit, "weight_bucket_keys_" + kind), processors, 1, 1, BUCKET_COUNT_BLOCK,
                  4 << BUCKET_BITS, &p, sizeof(p))
    device.launch(device.kernel(unit, "weight_bucket_limbs_" + kind), processors, 1, 1, BUCKET_COUNT_BLOCK,
                  SUMS_NBYTES, &p, sizeof(p))
    device.launch(device.kernel(unit, "histogram_sums"), <unsigned int>(processors * device.tuning.weigh_blocks), 1, 1,
                  HISTOGRAM_BLOCK, 0, &p.sums, sizeof(p.sums))
    return out


def can_guess(ndarray values not None, Py_ssize_t bins):
    """Whether `count_guessed` is possible and worthwhile."""
    return (not values.device_.is_cpu and values.size_ * values.itemsize_ >= values.device_.tuning.guess_bytes
            and bins <= GUESS_BINS and NAMES[values.code] in GUESSED)


def count_guessed(ndarray values not None, Py_ssize_t bins, dtype):
    """Counts in equal bins over the range of the values, and the edges as the floating ``dtype``."""
    cdef Device device = values.device_
    cdef GuessParams p
    cdef Py_ssize_t two = 2
    cdef Buffer space
    cdef ndarray counts, edges, uniform, extents
    cdef char* at
    cdef size_t zeroed = 256 + _round_up(8 * bins)
    check_status(device)
    counts = new_array(I8, 1, &bins, device)
    extents = new_array(values.code, 1, &two, device)
    memset(&p, 0, sizeof(p))
    p.blocks = device.multiprocessors * GUESS_RESIDENT
    p.room = values.size_ // (p.blocks * GUESS_KEPT)
    p.bins = bins
    space = device.allocate(zeroed + 16 * (GUESS_WARPS + p.blocks) + _round_up(sizeof(UniformBins))
                            + _round_up(4 * p.blocks) + p.blocks * p.room * values.itemsize_)
    at = <char*>space.ptr
    device.fill_bytes(at, 0, zeroed)
    device.fill_bytes(counts.data_ptr(), 0, 8 * bins)
    p.extent.counter = <uint32_t*>at
    p.counter = p.extent.counter + 1
    p.counts = <uint64_t*>(at + 256)
    p.sampled = <double*>(at + zeroed)
    p.extent.partials = p.sampled + 2 * GUESS_WARPS
    at = <char*>p.extent.partials + 16 * p.blocks
    p.guess = <UniformBins*>at
    p.kept_counts = <uint32_t*>(at + _round_up(sizeof(UniformBins)))
    p.kept = <char*>p.kept_counts + _round_up(4 * p.blocks)
    p.extent.values = values.data_ptr()
    p.extent.size = values.size_
    p.extent.out = extents.data_ptr()
    name = NAMES[values.code]
    device.launch(device.kernel("histogram_guess", "guess_range_" + name), GUESS_BLOCKS, 1, 1, GUESS_BLOCK, 0,
                  &p, sizeof(p))
    device.launch(device.kernel("histogram_guess", "guess_count_" + name), p.blocks, 1, 1, GUESS_BLOCK,
                  4 * (bins + 1), &p, sizeof(p))
    edges, uniform = uniform_edges(extents, 0, 0, 0, bins, dtype, dtype, dtype, True)
    p.uniform = <const UniformBins*>uniform.data_ptr()
    p.edges = edges.data_ptr()
    p.out = <uint64_t*>counts.data_ptr()
    device.launch(device.kernel("histogram_guess", "guess_finish_" + name), p.blocks, 1, 1, HISTOGRAM_BLOCK, 4 * bins,
                  &p, sizeof(p))
    return counts, edges
