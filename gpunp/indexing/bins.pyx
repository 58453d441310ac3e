"""Scatters to more memory than the L2 cache holds: positions are sorted into bins, settled in shared memory.

Ascending indices need no bins. If a sample looks ascending, elements move without bins, and the kernels of the bins
return at once unless that pass found disorder. Indices that occupy few places need no bins either: their targets are
claimed in the L2 cache.
"""
from libc.stdint cimport uint16_t, uint32_t

from gpunp.device cimport Buffer, Device
from gpunp.indexing.gather cimport GATHER_BLOCK, GATHER_EACH, INDEX_RAISE, PROBE_BLOCK, GatherParams

cdef str UNIT = "indexing_flat"


cdef bint scatter_by_bins(const GatherParams* p, Device device, int itemsize) except -1:
    cdef ScatterBinsParams b
    cdef Buffer buffer
    cdef Py_ssize_t count = p.size, tile_bytes, key_bytes, head
    cdef unsigned int shared, few
    cdef bint scalar = p.dense == NULL, carried
    cdef str kind
    # Bins pay off from a number of bytes on: of the elements written if the value is a scalar, otherwise of the
    # claims (4 bytes per target) that make the last of repeated positions win.
    if (p.mode != INDEX_RAISE or count >= 0xffffffff
            or p.extent[0] * (itemsize if scalar else 4)
            < (device.tuning.bins_array_bytes if scalar else device.tuning.bins_claim_bytes)):
        return False
    b.move = p[0]
    b.move.held_bytes = device.tuning.held_bytes
    b.bins = <int>min((p.extent[0] + BIN_TARGETS - 1) // BIN_TARGETS, <Py_ssize_t>MOST_BINS + 1)
    if b.bins > MOST_BINS:
        return False
    b.item_bytes = itemsize
    carried = not scalar and itemsize <= 4
    key_bytes = 0 if scalar else 8 if carried else 4
    # Per position a tile holds the target (4 bytes), the value if carried, and the position in the tile.
    tile_bytes = BIN_BLOCK * BIN_EACH * (4 + (4 if carried else 0) + (2 if key_bytes else 0))
    shared = <unsigned int>(b.bins * 8 + tile_bytes)
    if max(shared, <unsigned int>(BIN_TARGETS * key_bytes)) > <size_t>device.shared_memory_per_block:
        return False
    head = (2 * b.bins + 2) * 4
    buffer = device.allocate(count * (key_bytes + 2) + head)
    b.keys = buffer.ptr
    b.starts = <uint32_t*>(<char*>buffer.ptr + count * key_bytes)
    b.cursors = b.starts + b.bins + 1
    b.spread = b.cursors + b.bins
    b.targets = <uint16_t*>(<char*>b.starts + head)
    device.fill_bytes(b.cursors, 0, b.bins * 4)
    # Claims reuse the memory of the records.
    b.takes_few = scalar or 4 * p.extent[0] + 16 <= count * key_bytes
    b.move.claims = <char*>buffer.ptr
    b.move.crowded = True
    b.tiles = (count + BIN_BLOCK * BIN_EACH - 1) // (BIN_BLOCK * BIN_EACH)
    device.launch(device.kernel(UNIT, "bins_probe"), 1, 1, 1, PROBE_BLOCK, 0, &b, sizeof(b))
    device.launch(device.kernel(UNIT, f"bins_ordered_{itemsize}"),
                  <unsigned int>((count + GATHER_BLOCK * GATHER_EACH - 1) // (GATHER_BLOCK * GATHER_EACH)),
                  1, 1, GATHER_BLOCK, 0, &b, sizeof(b))
    if b.takes_few:
        few = <unsigned int>(device.multiprocessors * device.tuning.bins_few_blocks)
        if not scalar:
            device.launch(device.kernel(UNIT, "bins_clear_claims"), few, 1, 1, GATHER_BLOCK, 0, &b, sizeof(b))
            device.launch(device.kernel(UNIT, "bins_claim_few"), few, 1, 1, GATHER_BLOCK, 0, &b, sizeof(b))
        device.launch(device.kernel(UNIT, f"bins_settle_few_{itemsize}"), few, 1, 1, GATHER_BLOCK, 0, &b, sizeof(b))
    device.launch(device.kernel(UNIT, "bins_count"),
                  <unsigned int>min(b.tiles, device.multiprocessors * device.tuning.bins_count_blocks),
                  1, 1, BIN_BLOCK, b.bins * 4, &b, sizeof(b))
    device.launch(device.kernel(UNIT, "bins_start"), 1, 1, 1, BIN_BLOCK, 0, &b, sizeof(b))
    kind = "value" if carried else "position" if key_bytes else "scalar"
    device.launch(device.kernel(UNIT, "bins_fill_" + kind), <unsigned int>b.tiles, 1, 1, BIN_BLOCK,
                  shared, &b, sizeof(b))
    device.launch(device.kernel(UNIT, f"bins_settle_{kind}_{itemsize}"), b.bins, 1, 1, BIN_SETTLE_BLOCK,
                  <unsigned int>(BIN_TARGETS * key_bytes), &b, sizeof(b))
    return True
