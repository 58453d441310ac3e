"""The radix sort over the whole device: batches of rows, one pass per digit, long rows in portions."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from gpunp.device cimport Buffer, Device
from gpunp.sorting.params cimport (
    SORT_COUNT_BLOCK, SORT_COUNT_BYTES_u4, SORT_COUNT_BYTES_u8, SORT_COUNT_ITEMS, SORT_DIGITS, SORT_FIRST_BLOCK,
    SORT_FIRST_ITEMS, SORT_KEYS_BLOCK, SORT_KEYS_ITEMS, SORT_PAIRS_BLOCK, SORT_PAIRS_ITEMS, SORT_PORTION,
    SORT_WIDE_BLOCK, SORT_WIDE_ITEMS, SortParams)

# The radix sort processes rows in batches whose digit counts take at most this many bytes.
cdef int64_t BINS_NBYTES = 32 << 20


cdef inline int64_t _round_up(int64_t nbytes) noexcept:
    return (nbytes + 255) // 256 * 256


cdef struct RadixPass:
    # One pass: threads per block, elements per tile, tiles per row, tiles per portion (one launch), portions.
    unsigned int block
    int64_t tile
    int64_t tiles_per_row
    int64_t portion_tiles
    int64_t portions


cdef void _divide(RadixPass* kernel, int64_t length, unsigned int block, int64_t items) noexcept:
    kernel.block = block
    kernel.tile = block * items
    kernel.tiles_per_row = (length + kernel.tile - 1) // kernel.tile
    kernel.portion_tiles = min(kernel.tiles_per_row, <int64_t>SORT_PORTION // kernel.tile)
    kernel.portions = (kernel.tiles_per_row + kernel.portion_tiles - 1) // kernel.portion_tiles


cdef int sort_radix(SortParams* p, Device device) except -1:
    """The radix sort over the whole device: batches of rows, one pass per digit, long rows in portions."""
    cdef SortParams batch
    cdef RadixPass first, other
    cdef int64_t rows, done = 0, key = min(p.itemsize, 8), value = 0, launches, at
    cdef int64_t bins, counters, carry, steps, clear, keys, values
    cdef Buffer space, temporary
    cdef str name = "radix_sweep_keys"
    cdef str unit = "sorting_radix_u4" if key < 8 else "sorting_radix_u8"
    cdef bint own_keys = p.output == NULL
    _divide(&other, p.length, SORT_WIDE_BLOCK, SORT_WIDE_ITEMS)
    first = other
    if p.order_out != NULL:
        value = 4 if p.length <= 0xffffffff else 8
        name = "radix_sweep_pairs" if value == 4 else "radix_sweep_wide"
    if key < 8 and value == 4:
        _divide(&other, p.length, SORT_PAIRS_BLOCK, SORT_PAIRS_ITEMS)
        first = other
    elif key < 8 and value == 0:
        _divide(&other, p.length, SORT_KEYS_BLOCK, SORT_KEYS_ITEMS)
        _divide(&first, p.length, SORT_FIRST_BLOCK, SORT_FIRST_ITEMS)
    rows = max(<int64_t>1, BINS_NBYTES // (p.passes * SORT_DIGITS * 8))
    rows = min(rows, p.rows)
    if max(first.portions, other.portions) > 1:
        # Very long rows one at a time: digit offsets are carried from one portion to the next.
        rows = 1
    launches = first.portions + other.portions * (p.passes - 1)
    p.slots = rows * max(first.portion_tiles, other.portion_tiles)
    # Counters, digit counts and the first lookback region are cleared here; the first launch clears the second.
    counters = _round_up((launches + 1) * 4)
    bins = _round_up(rows * p.passes * SORT_DIGITS * 8)
    clear = counters + bins + p.slots * SORT_DIGITS * 4
    carry = _round_up(max(first.portions, other.portions) * SORT_DIGITS * 8)
    steps = _round_up(rows * p.passes * 4)
    space = device.allocate(counters + bins + 2 * p.slots * SORT_DIGITS * 4 + carry + steps)
    p.counters = <uint32_t*>space.ptr
    p.zeros = p.counters + launches
    p.bins = <uint64_t*>(<char*>space.ptr + counters)
    p.lookback = <uint32_t*>(<char*>space.ptr + counters + bins)
    p.carry = <uint64_t*>(<char*>p.lookback + 2 * p.slots * SORT_DIGITS * 4)
    p.steps = <uint32_t*>(<char*>p.carry + carry)
    keys = _round_up(rows * p.length * key)
    values = _round_up(rows * p.length * value)
    temporary = device.allocate((2 if own_keys else 1) * keys + values)
    at = <int64_t>temporary.ptr
    while done < p.rows:
        batch = p[0]
        batch.rows = min(rows, p.rows - done)
        batch.input = <const char*>p.input + done * p.length * p.itemsize
        if p.output != NULL:
            batch.output = <char*>p.output + done * p.length * p.itemsize
        if p.order_in != NULL:
            batch.order_in = p.order_in + done * p.length
        if p.order_out != NULL:
            batch.order_out = p.order_out + done * p.length
        batch.keys[0] = <void*>at
        batch.keys[1] = <void*>(at + keys) if own_keys else batch.output
        batch.values[0] = <void*>(at + (2 if own_keys else 1) * keys)
        batch.values[1] = batch.order_out
        device.fill_bytes(space.ptr, 0, clear)
        _launch_radix(&batch, device, unit, name, &first, &other)
        done += batch.rows
    return 0


cdef int _launch_radix(SortParams* p, Device device, str unit, str name, const RadixPass* first,
                       const RadixPass* other) except -1:
    cdef unsigned int shared = p.passes * (SORT_COUNT_BYTES_u4 if p.itemsize < 8 else SORT_COUNT_BYTES_u8)
    cdef int64_t chunk = SORT_COUNT_BLOCK * SORT_COUNT_ITEMS
    # All counting blocks are resident at once, to avoid a partial second wave: with more than two digits, shared
    # memory has room for one per multiprocessor.
    cdef int64_t wanted = device.multiprocessors * (device.tuning.sort_count_blocks if p.passes <= 2 else 1)
    cdef int64_t blocks = min((p.length + chunk - 1) // chunk, (wanted + p.rows - 1) // p.rows)
    cdef const RadixPass* now
    p.blocks_per_row = <int32_t>blocks
    device.launch(device.kernel(unit, "radix_count"), <unsigned int>(p.rows * blocks), 1, 1, SORT_COUNT_BLOCK,
                  shared, p, sizeof(p[0]))
    device.launch(device.kernel("sorting_short", "radix_plan"), <unsigned int>p.rows, 1, 1, SORT_DIGITS, 0,
                  p, sizeof(p[0]))
    sweep = device.kernel(unit, name)
    p.launch = 0
    for p.pass_number in range(p.passes):
        now = other if p.pass_number else first
        kernel = sweep
        if p.pass_number == 0 and p.order_out == NULL:
            kernel = device.kernel(unit, "radix_first_keys")
        p.tiles_per_row = now.tiles_per_row
        for p.portion in range(now.portions):
            p.first_tile = p.portion * now.portion_tiles
            p.portion_tiles = min(now.portion_tiles, now.tiles_per_row - p.first_tile)
            device.launch(kernel, <unsigned int>(p.rows * p.portion_tiles), 1, 1, now.block, 0, p,
                          sizeof(p[0]))
            p.launch += 1
    return 0
