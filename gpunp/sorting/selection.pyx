"""Selection: elements of given ranks in rows, and partition of rows by a rank, without sorting."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Buffer, Device, check_status
from gpunp.dtype_codes cimport I8, is_complex, is_inexact, is_signed
from gpunp.status cimport GPUNP_STATUS_QUANTILE_OUT_OF_RANGE

from gpunp.device import register_report

register_report(GPUNP_STATUS_QUANTILE_OUT_OF_RANGE, ValueError,
                "Quantiles must be in the range [0, 1], and percentiles in the range [0, 100]")

cdef extern from "gpunp/sorting/selection_params.h" namespace "gpunp":
    enum:
        SELECT_UNSIGNED, SELECT_SIGNED, SELECT_FLOAT
        SELECTION_RANKS, SELECTION_DIGIT, SELECTION_BINS, SELECTION_BLOCK, SELECTION_TILE
        SELECTION_COUNTING_BLOCKS, SELECTION_SPLITTING_BLOCKS, SELECTION_SHORT, SELECTION_SHORT_ROWS
        SELECTION_WINDOW_LENGTH, SELECTION_WINDOW_BLOCKS, SELECTION_WINDOW_TILE
        SELECTION_SAMPLE, SELECTION_SAMPLE_BLOCK, SELECTION_WITHIN_BLOCKS, SELECTION_WINDOW_ITEMS
    struct SelectionRank:
        int64_t rest
    struct SelectionSegment:
        int64_t offset
    struct SelectionWindows:
        uint64_t ticket
    struct SelectionParams:
        const char* data
        char* out
        int64_t* indices
        int64_t rows, length
        int64_t rank[16]
        const int64_t* ranks
        int64_t rank_stride, row_stride
        int64_t out_stride
        uint32_t* status
        int32_t num_ranks
        int32_t kind
        int32_t nan_wins
        int32_t partition
        int32_t level, last
        int32_t slots
        int32_t blocks
        int64_t tiles
        char* scratch[2]
        int64_t* scratch_indices[2]
        uint64_t* bins
        uint64_t* cursors
        uint32_t* finished
        uint32_t* nan_flags
        uint64_t* tickets
        uint64_t* lookback
        SelectionRank* found
        SelectionSegment* segments
        SelectionWindows* windows
        uint64_t* window_lookback
        int64_t window_tiles

cdef enum:
    # Bytes of static shared memory of the kernel for rows, and the bytes per block available without opt-in.
    ROW_OWN_BYTES = 3 << 10
    USUAL_SHARED = 48 << 10
    # Most rows times ranks, and most bytes of rows, in one batch of the kernels whose blocks share rows.
    BATCH_BINS = 512
    BATCH_BYTES = 1 << 30

# Most ranks in one call of `select` and `partition`, and most ranks of `partition` on CUDA.
MOST_RANKS = SELECTION_RANKS
MOST_CUDA_KTH = 1


cdef int _kind(int code) noexcept:
    if is_inexact(code):
        return SELECT_FLOAT
    return SELECT_SIGNED if is_signed(code) else SELECT_UNSIGNED


cdef int _describe(SelectionParams* p, ndarray rows, ranks) except -1:
    """Fill in the parameters that `select` and `partition` have in common."""
    cdef ndarray on_device
    cdef int j
    if rows.ndim_ != 2 or not rows.c_contiguous or is_complex(rows.code) or rows.size_ == 0:
        raise ValueError(f"selection: rows must be 2-d, real, contiguous and non-empty, not {rows.dtype} {rows.shape}")
    memset(p, 0, sizeof(SelectionParams))
    p.data = rows.data_ptr()
    p.rows = rows.shape_[0]
    p.length = rows.shape_[1]
    p.kind = _kind(rows.code)
    if isinstance(ranks, ndarray):
        on_device = ranks
        if on_device.code != I8 or on_device.ndim_ != 2 or on_device.device_ is not rows.device_:
            raise ValueError("selection: ranks on the device must be int64, of shape (ranks, rows)")
        p.num_ranks = on_device.shape_[0]
        p.ranks = <const int64_t*>on_device.data_ptr()
        p.rank_stride = on_device.strides_[0] // 8
        p.row_stride = 0 if on_device.shape_[1] == 1 else on_device.strides_[1] // 8
    else:
        p.num_ranks = len(ranks)
        if p.num_ranks <= SELECTION_RANKS:
            for j in range(p.num_ranks):
                p.rank[j] = ranks[j]
    if not 1 <= p.num_ranks <= SELECTION_RANKS:
        raise ValueError(f"selection: the number of ranks must be 1 to {SELECTION_RANKS}, got {p.num_ranks}")
    return 0


def takes(ndarray rows not None, Py_ssize_t count):
    """Whether selecting ``count`` ranks is faster than sorting the rows."""
    return count <= rows.device_.tuning.selection_ranks


def select(ndarray rows not None, ranks, bint nan_wins=False):
    """The elements that would be at ``ranks`` in the sorted rows.

    Parameters
    ----------
    rows : ndarray
        2-d, C-contiguous, not complex, not empty.
    ranks : sequence of int or ndarray
        At most `MOST_RANKS`, non-negative. An int64 array has shape (ranks, rows), or one column if the ranks
        are the same for all rows; a rank beyond the row is reported by the next call.
    nan_wins : bool
        Whether a row with a NaN gives NaN for every rank.

    Returns
    -------
    ndarray
        The elements, of shape (ranks, rows).
    """
    cdef SelectionParams p
    cdef Py_ssize_t[2] shape
    cdef ndarray out
    check_status(rows.device_)
    _describe(&p, rows, ranks)
    p.status = rows.device_.report_word("quantile")
    shape[0] = p.num_ranks
    shape[1] = p.rows
    out = new_array(rows.code, 2, shape, rows.device_)
    p.out = out.data_ptr()
    p.out_stride = p.rows
    p.nan_wins = nan_wins
    _run(&p, rows)
    return out


def partition(ndarray rows not None, ranks, ndarray out not None):
    """Write the partitioned rows to ``out``.

    Parameters
    ----------
    rows, out : ndarray
        2-d, of equal shapes and dtypes, C-contiguous, not complex, not empty, without common memory.
    ranks : sequence of int
        Non-negative: one on CUDA, at most `MOST_RANKS` on the CPU.
    """
    _partition(rows, ranks, out, False)


def argpartition(ndarray rows not None, ranks, ndarray out not None):
    """Write the positions of the partitioned elements to ``out``, which is int64; see `partition`."""
    _partition(rows, ranks, out, True)


cdef int _partition(ndarray rows, ranks, ndarray out, bint indices) except -1:
    cdef SelectionParams p
    check_status(rows.device_)
    _describe(&p, rows, ranks)
    if (out.ndim_ != 2 or out.shape_[0] != p.rows or out.shape_[1] != p.length or not out.c_contiguous
            or out.code != (I8 if indices else rows.code)):
        raise ValueError(f"selection: out ({out.dtype}, {out.shape}) does not fit rows ({rows.dtype}, {rows.shape})")
    if not rows.device_.is_cpu and p.num_ranks > MOST_CUDA_KTH:
        raise ValueError(f"selection: partition by {p.num_ranks} ranks; CUDA supports {MOST_CUDA_KTH}")
    p.partition = True
    p.status = rows.device_.report_word("partition")
    if indices:
        p.indices = <int64_t*>out.data_ptr()
    else:
        p.out = out.data_ptr()
    return _run(&p, rows)


cdef int _run(SelectionParams* p, ndarray rows) except -1:
    """Launch: one block per row if a row fits its shared memory; otherwise all blocks share each row."""
    cdef Device device = rows.device_
    cdef str width = f"u{rows.itemsize_}"
    cdef unsigned int block = SELECTION_BLOCK
    cdef size_t nbytes = p.length * rows.itemsize_
    if not device.is_cpu and (nbytes > <size_t>device.tuning.selection_row_bytes
                              or nbytes + ROW_OWN_BYTES > device.shared_memory_per_block):
        return _run_shared(p, rows, width)
    if p.rows > 0x7fffffff:
        raise ValueError(f"selection: an array of shape {rows.shape} has too many rows for one call")
    if not device.is_cpu and p.length <= SELECTION_SHORT:
        # Shared memory for the keys in their original order and sorted, with an odd row stride.
        nbytes = 2 * SELECTION_SHORT_ROWS * (p.length | 1) * rows.itemsize_
        return device.launch(device.kernel(f"selection_{width}", f"selection_short_{width}"),
                             <unsigned int>((p.rows + SELECTION_SHORT_ROWS - 1) // SELECTION_SHORT_ROWS), 1, 1,
                             SELECTION_SHORT_ROWS, <unsigned int>nbytes, p, sizeof(SelectionParams))
    if USUAL_SHARED - ROW_OWN_BYTES < nbytes <= USUAL_SHARED:
        # With the static part this exceeds the default limit: a larger dynamic size makes `launch` opt in.
        nbytes = USUAL_SHARED + 16
    while block > 32 and block * 8 > p.length:
        block //= 2
    return device.launch(device.kernel(f"selection_{width}", f"selection_rows_{width}"),
                         <unsigned int>p.rows, 1, 1, block, <unsigned int>nbytes, p, sizeof(SelectionParams))


cdef int _run_shared(SelectionParams* p, ndarray rows, str width) except -1:
    """Process batches of rows, one digit after the other."""
    cdef Device device = rows.device_
    cdef int64_t all_rows = p.rows, first = 0, batch
    cdef int64_t row_bytes = p.length * rows.itemsize_
    cdef const char* data = p.data
    cdef char* out = p.out
    cdef int64_t* indices = p.indices
    cdef const int64_t* ranks = p.ranks
    batch = min(max(BATCH_BINS // p.num_ranks, 1), max(BATCH_BYTES // row_bytes, 1), all_rows)
    p.tiles = (p.length + SELECTION_TILE - 1) // SELECTION_TILE
    while first < all_rows:
        p.rows = min(batch, all_rows - first)
        p.data = data + first * row_bytes
        if ranks != NULL:
            p.ranks = ranks + first * p.row_stride
        if indices != NULL:
            p.indices = indices + first * p.length
        elif p.partition:
            p.out = out + first * row_bytes
        else:
            p.out = out + first * rows.itemsize_
        _run_batch(p, device, rows.itemsize_, width)
        first += p.rows
    return 0


cdef int _run_batch(SelectionParams* p, Device device, int itemsize, str width) except -1:
    cdef int levels = (8 * itemsize + SELECTION_DIGIT - 1) // SELECTION_DIGIT
    cdef int level
    # Sampling pays off only for long rows whose keys take more than one level.
    cdef bint windows = levels > 1 and p.length >= SELECTION_WINDOW_LENGTH
    cdef bint few
    cdef Buffer _state = _allocate_state(p, device, levels, windows)
    cdef Buffer _scratch = _allocate_scratch(p, device, itemsize, levels - 1 + windows)
    if windows:
        _run_windows(p, device, itemsize, width)
    histogram = device.kernel(f"selection_{width}", f"selection_histogram_{width}")
    split = device.kernel(f"selection_{width}", f"selection_split_{width}")
    for level in range(levels):
        p.level = level
        p.last = level == levels - 1
        p.slots = 1 if level == 0 and not windows else p.num_ranks
        # After windows usually few elements are left.
        few = windows and level > 0
        _share(p, device.multiprocessors * (1 if few else SELECTION_COUNTING_BLOCKS))
        device.launch(histogram, p.rows * p.slots * p.blocks, 1, 1, SELECTION_BLOCK, 0, p,
                      sizeof(SelectionParams))
        if p.partition or not p.last:
            _share(p, device.multiprocessors * (1 if few else SELECTION_SPLITTING_BLOCKS))
            device.launch(split, p.rows * p.slots * p.blocks, 1, 1, SELECTION_BLOCK, 0, p,
                          sizeof(SelectionParams))
    return 0


cdef int _run_windows(SelectionParams* p, Device device, int itemsize, str width) except -1:
    """Narrow the ranks down, in one pass, to windows between two keys of a sample."""
    cdef unsigned int sampled = min(4, itemsize) * SELECTION_SAMPLE
    # Each warp stages up to twice the elements that its threads load at once.
    cdef unsigned int staged = min(4, itemsize) * SELECTION_BLOCK * SELECTION_WINDOW_ITEMS * 2
    sample = device.kernel(f"selection_{width}", f"selection_sample_{width}")
    device.launch(sample, p.rows * p.num_ranks * 2, 1, 1, SELECTION_SAMPLE_BLOCK, sampled, p,
                  sizeof(SelectionParams))
    p.slots = 1
    if p.partition:
        staged = 0
        once = device.kernel(f"selection_{width}", f"selection_apart_{width}")
    else:
        once = device.kernel(f"selection_{width}", f"selection_within_{width}")
    _share(p, device.multiprocessors * (SELECTION_WINDOW_BLOCKS if p.partition else SELECTION_WITHIN_BLOCKS))
    if p.partition and p.blocks > 1:
        # One more block, which does the prefix sums for the others.
        p.blocks += 1
    return device.launch(once, p.rows * p.blocks, 1, 1, SELECTION_BLOCK, staged, p, sizeof(SelectionParams))


cdef void _share(SelectionParams* p, int64_t blocks) noexcept:
    """Set the number of blocks per segment: the row's share of ``blocks``, but at most one block per tile.

    Segments of later levels are usually small, and most are empty.
    """
    p.blocks = <int32_t>max(min(p.tiles, blocks // p.rows), 1)


cdef Buffer _allocate_state(SelectionParams* p, Device device, int levels, bint windows):
    """Allocate the state that blocks share; most of it must start at zero."""
    cdef int64_t slots = p.rows * p.num_ranks
    cdef int64_t words = levels * slots * (SELECTION_BINS + 1) + levels * p.rows
    cdef int64_t looks = levels * p.rows * 3 * p.tiles if p.partition else 0
    cdef int64_t window_tiles = (p.length + SELECTION_WINDOW_TILE - 1) // SELECTION_WINDOW_TILE
    cdef int64_t window_looks = p.rows * 3 * window_tiles if windows and p.partition else 0
    cdef size_t window_bytes = p.rows * sizeof(SelectionWindows) if windows else 0
    cdef size_t zeroed = (8 * (words + looks + window_looks) + window_bytes
                          + (levels + 1) * slots * sizeof(SelectionSegment)
                          + 4 * (levels * slots + p.rows) + 7) // 8 * 8
    cdef Buffer state = device.allocate(zeroed + (levels + 1) * slots * sizeof(SelectionRank))
    cdef char* at = <char*>state.ptr
    device.fill_bytes(at, 0, zeroed)
    p.bins = <uint64_t*>at
    p.cursors = p.bins + levels * slots * SELECTION_BINS
    p.tickets = p.cursors + levels * slots
    p.lookback = p.tickets + levels * p.rows
    p.window_lookback = p.lookback + looks
    p.window_tiles = window_tiles
    at = <char*>(p.window_lookback + window_looks)
    p.windows = <SelectionWindows*>at if windows else NULL
    p.segments = <SelectionSegment*>(at + window_bytes)
    p.finished = <uint32_t*>(p.segments + (levels + 1) * slots)
    p.nan_flags = p.finished + levels * slots
    p.found = <SelectionRank*>(<char*>state.ptr + zeroed)
    return state


cdef Buffer _allocate_scratch(SelectionParams* p, Device device, int itemsize, int moves):
    """Allocate up to two copies of the rows (and positions), between which segments move from level to level."""
    cdef int copies = min(moves, 2)
    cdef size_t elements = p.rows * p.length
    cdef size_t copy_bytes = (elements * itemsize + 15) // 16 * 16
    cdef Buffer scratch
    cdef char* at
    if copies == 0:
        return None
    scratch = device.allocate(copies * (copy_bytes + (8 * elements if p.indices != NULL else 0)))
    at = <char*>scratch.ptr
    p.scratch[0] = at
    p.scratch[1] = at + copy_bytes
    if p.indices != NULL:
        p.scratch_indices[0] = <int64_t*>(at + copies * copy_bytes)
        p.scratch_indices[1] = p.scratch_indices[0] + elements
    return scratch
