"""Gathers limited by the L2 cache, by parts of the indexed array.

An array larger than the L2 cache is read window by window, each small enough for the cache. For a smaller array the
cache's request rate is the limit: a cluster's shared memory then serves part of the requests.
"""
from libc.stdint cimport int64_t, uint16_t, uint32_t

from gpunp.device cimport Buffer, Device
from gpunp.indexing.gather cimport PROBE_BLOCK, GatherParams
from gpunp.tuning cimport Tuning

cdef enum:
    # Most positions handled at a time; bounds the workspace.
    MOST_POSITIONS = 1 << 26
    # Most bytes of the array per position: beyond, windows do not pay off.
    BYTES_A_POSITION = 32

cdef str UNIT = "indexing_flat"


cdef bint gather_by_cluster(const GatherParams* p, Device device, int itemsize) except -1:
    cdef const Tuning* tuning = &device.tuning
    if (p.size < tuning.cluster_positions or itemsize != 4 and itemsize != 8 or p.multiplier[0] != itemsize
            or p.dense_strides[0] != itemsize or p.index_strides[0][0] != p.index_bytes[0]
            or not tuning.cluster_array_bytes <= p.extent[0] * itemsize <= tuning.cluster_most_bytes):
        return False
    if gather_hooks.by_cluster == NULL:
        __import__("gpunp.indexing.gather_cluster")  # sets the hook
    return gather_hooks.by_cluster(p, device, itemsize)


cdef bint gather_by_windows(const GatherParams* p, Device device, int itemsize) except -1:
    cdef GatherWindowsParams w
    cdef const Tuning* tuning = &device.tuning
    cdef Buffer buffer
    cdef int64_t extent = p.extent[0], step = p.multiplier[0], count = p.size, tile = WINDOW_BLOCK * WINDOW_EACH
    cdef int64_t most, first, warps, left, takers, orderers
    cdef bint apart = itemsize != 4
    cdef char* at
    if (itemsize != 4 and itemsize != 8 or step < itemsize or extent > 0xffffffff or count < tuning.window_positions
            or extent * step < tuning.window_array_bytes or extent * step > BYTES_A_POSITION * count):
        return False
    w.move = p[0]
    w.move.held_bytes = tuning.held_bytes
    w.shift = 0
    while (step << w.shift) < tuning.window_bytes or extent > <int64_t>MOST_WINDOWS << w.shift:
        w.shift += 1
    if step << w.shift > tuning.window_most_bytes:
        return False
    w.windows = <int>((extent + (<int64_t>1 << w.shift) - 1) >> w.shift)
    # Rounded up to whole tiles, so that threads can move 16 bytes at a time.
    most = (min(count, <int64_t>MOST_POSITIONS) + tile - 1) // tile * tile
    buffer = device.allocate(16 + most * (6 + (itemsize if apart else 0)) + w.windows * (most // tile) * 2)
    w.spread = <uint32_t*>buffer.ptr
    at = <char*>buffer.ptr + 16
    w.records = <uint32_t*>at
    at += 4 * most
    w.values = w.records
    if apart:
        w.values = at
        at += itemsize * most
    w.slots = <uint16_t*>at
    w.ends = w.slots + most
    warps = WINDOW_TAKE_BLOCK // 32 * WINDOW_TILES_A_WARP
    device.launch(device.kernel(UNIT, "windows_probe"), 1, 1, 1, PROBE_BLOCK, 0, &w, sizeof(w))
    split = device.kernel(UNIT, f"windows_split_{itemsize}")
    take = device.kernel(UNIT, f"windows_take_{itemsize}")
    order = device.kernel(UNIT, f"windows_order_{itemsize}")
    for first in range(0, count, most):
        left = min(most, count - first)
        w.move.size = left
        w.tiles = (left + tile - 1) // tile
        takers = w.windows * ((w.tiles + warps - 1) // warps)
        orderers = min(w.tiles, device.multiprocessors * tuning.window_order_blocks)
        device.launch(split, <unsigned int>w.tiles, 1, 1, WINDOW_BLOCK, <unsigned int>(4 * tile), &w, sizeof(w))
        device.launch(take, <unsigned int>takers, 1, 1, WINDOW_TAKE_BLOCK, 0, &w, sizeof(w))
        device.launch(order, <unsigned int>orderers, 1, 1, WINDOW_BLOCK, <unsigned int>(itemsize * tile), &w,
                      sizeof(w))
        w.move.index[0] += left * p.index_strides[0][0]
        w.move.dense += left * p.dense_strides[0]
    return True
