// Gather from more memory than the L2 cache holds: tiles of indices are sorted by window of the indexed
// array, each window is gathered while the cache holds it, and each tile then restores the order of its
// elements.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/indexing/gather_flat.h"
#include "gpunp/indexing/gather_windows_params.h"

#if GPUNP_ON_DEVICE

namespace gpunp {

constexpr int WINDOW_TILE = WINDOW_BLOCK * WINDOW_EACH;

__device__ __forceinline__ void probe_windows(const GatherWindowsParams& w) {
    const uint32_t spread = probe_places(w.move);
    if (threadIdx.x == 0) *w.spread = spread;
}

template <class I>
__device__ __forceinline__ void load_tile(const GatherParams& p, int64_t first, int valid,
                                          uint32_t (&at)[WINDOW_EACH], bool& outside) {
    const int64_t step = p.index_strides[0][0];
    I raw[WINDOW_EACH];
#pragma unroll
    for (int j = 0; j < WINDOW_EACH; j++) {
        const int k = j * WINDOW_BLOCK;
        raw[j] = k < valid ? __ldcs((const I*)(p.index[0] + (first + k) * step)) : (I)0;
    }
#pragma unroll
    for (int j = 0; j < WINDOW_EACH; j++) {
        const int64_t normal = normal_index((int64_t)raw[j], p.extent[0], p.mode);
        outside = outside || normal < 0;
        at[j] = normal < 0 ? 0 : (uint32_t)normal;
    }
}

// Gathers a tile without sorting it.
template <class U>
__device__ __forceinline__ void gather_tile(const GatherParams& p) {
    const int64_t first = (int64_t)blockIdx.x * WINDOW_TILE + threadIdx.x;
    const int valid = (int)min((int64_t)WINDOW_TILE, p.size - first);
    bool outside = false;
    uint32_t at[WINDOW_EACH];
    if (p.index_bytes[0] == 8)
        load_tile<long long>(p, first, valid, at, outside);
    else
        load_tile<int32_t>(p, first, valid, at, outside);
    // As many elements at a time as fit in registers.
    constexpr int EACH = sizeof(U) == 4 ? WINDOW_EACH : WINDOW_EACH / 2;
#pragma unroll
    for (int part = 0; part < WINDOW_EACH; part += EACH) {
        U value[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) value[j] = *(const U*)(p.indexed + at[part + j] * p.multiplier[0]);
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int k = (part + j) * WINDOW_BLOCK;
            if (k < valid) *(U*)(p.dense + (first + k) * p.dense_strides[0]) = value[j];
        }
    }
    if (outside) report_index(p);
}

// Sorts a tile of indices by window, and stores the sorted indices, the slot of each position in the tile,
// and the end of each window's records.
template <class U>
__device__ __forceinline__ void split_windows(const GatherWindowsParams& w) {
    extern __shared__ __align__(16) unsigned char window_bytes[];
    __shared__ uint32_t counts[MOST_WINDOWS], starts[MOST_WINDOWS];
    const GatherParams& p = w.move;
    const int tid = threadIdx.x, lane = tid & 31;
    if (*w.spread != PLACES_APART) return gather_tile<U>(p);
    uint32_t* stage = reinterpret_cast<uint32_t*>(window_bytes);
    const int64_t first = (int64_t)blockIdx.x * WINDOW_TILE;
    const int valid = (int)min((int64_t)WINDOW_TILE, p.size - first) - tid;
    if (tid < MOST_WINDOWS) counts[tid] = 0;
    uint32_t at[WINDOW_EACH];
    uint16_t rank[WINDOW_EACH];
    int64_t raw[WINDOW_EACH];
    bool outside = false;
#pragma unroll
    for (int j = 0; j < WINDOW_EACH; j++)
        raw[j] = j * WINDOW_BLOCK < valid ? raw_place(p, first + tid + j * WINDOW_BLOCK) : 0;
#pragma unroll
    for (int j = 0; j < WINDOW_EACH; j++) {
        const int64_t normal = normal_index(raw[j], p.extent[0], p.mode);
        outside = outside || normal < 0;
        at[j] = normal < 0 ? 0 : (uint32_t)normal;
    }
    if (outside) report_index(p);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < WINDOW_EACH; j++)
        if (j * WINDOW_BLOCK < valid) rank[j] = (uint16_t)atomicAdd(&counts[at[j] >> w.shift], 1u);
    __syncthreads();
    if (tid < 32) {
        const uint32_t a = counts[2 * lane], b = counts[2 * lane + 1];
        const uint32_t before = warp::inclusive_sum(a + b, lane) - a - b;
        starts[2 * lane] = before;
        starts[2 * lane + 1] = before + a;
    }
    __syncthreads();
    if (tid < w.windows) w.ends[tid * w.tiles + blockIdx.x] = (uint16_t)(starts[tid] + counts[tid]);
#pragma unroll
    for (int j = 0; j < WINDOW_EACH; j++) {
        if (j * WINDOW_BLOCK >= valid) break;
        const uint32_t to = starts[at[j] >> w.shift] + rank[j];
        stage[to] = at[j];
        __stcs((unsigned short*)w.slots + first + tid + j * WINDOW_BLOCK, (unsigned short)to);
    }
    __syncthreads();
    // Whole vectors may be written: the records have room beyond the end of the last tile.
    uint4* to = reinterpret_cast<uint4*>(w.records + first);
    const uint4* from = reinterpret_cast<const uint4*>(stage);
#pragma unroll
    for (int j = 0; j < WINDOW_EACH / 4; j++)
        __stcs(to + j * WINDOW_BLOCK + tid, from[j * WINDOW_BLOCK + tid]);
}

// Each warp gathers one window's records of one tile at a time. The blocks of a window are consecutive, so
// that they run together.
template <class U>
__device__ __forceinline__ void take_windows(const GatherWindowsParams& w) {
    constexpr int EACH = 8, WARPS = WINDOW_TAKE_BLOCK / 32;
    const GatherParams& p = w.move;
    const int lane = threadIdx.x & 31;
    if (*w.spread != PLACES_APART) return;
    const unsigned blocks = gridDim.x / w.windows, window = blockIdx.x / blocks;
    int64_t tile = (int64_t)(blockIdx.x - window * blocks) * WARPS + (threadIdx.x >> 5);
    for (; tile < w.tiles; tile += (int64_t)blocks * WARPS) {
        const int begin = window ? w.ends[(window - 1) * w.tiles + tile] : 0;
        const int end = w.ends[window * w.tiles + tile];
        const uint32_t* records = w.records + tile * WINDOW_TILE;
        U* values = reinterpret_cast<U*>(w.values) + tile * WINDOW_TILE;
        for (int i = begin + lane; i < end; i += 32 * EACH) {
            uint32_t at[EACH];
            U value[EACH];
#pragma unroll
            for (int j = 0; j < EACH; j++) at[j] = i + j * 32 < end ? __ldcs(records + i + j * 32) : 0;
#pragma unroll
            for (int j = 0; j < EACH; j++)
                if (i + j * 32 < end) value[j] = *(const U*)(p.indexed + at[j] * p.multiplier[0]);
#pragma unroll
            for (int j = 0; j < EACH; j++)
                if (i + j * 32 < end) __stcs(values + i + j * 32, value[j]);
        }
    }
}

// Restores the order of each tile's elements, through shared memory.
template <class U>
__device__ __forceinline__ void order_windows(const GatherWindowsParams& w) {
    extern __shared__ __align__(16) unsigned char window_bytes[];
    const GatherParams& p = w.move;
    if (*w.spread != PLACES_APART) return;
    U* stage = reinterpret_cast<U*>(window_bytes);
    const int tid = threadIdx.x;
    for (int64_t tile = blockIdx.x; tile < w.tiles; tile += gridDim.x) {
        if (tile != blockIdx.x) __syncthreads();
        const int64_t first = tile * WINDOW_TILE;
        const int held = (int)min((int64_t)WINDOW_TILE, p.size - first);
        const U* values = reinterpret_cast<const U*>(w.values) + first;
        const unsigned short* slots = (const unsigned short*)w.slots + first;
        unsigned short slot[WINDOW_EACH];
#pragma unroll
        for (int j = 0; j < WINDOW_EACH; j++) {
            const int at = j * WINDOW_BLOCK + tid;
            if (at < held) {
                stage[at] = __ldcs(values + at);
                slot[j] = __ldcs(slots + at);
            }
        }
        __syncthreads();
        char* out = p.dense + (first + tid) * p.dense_strides[0];
#pragma unroll
        for (int j = 0; j < WINDOW_EACH; j++)
            if (j * WINDOW_BLOCK + tid < held)
                *(U*)(out + j * WINDOW_BLOCK * p.dense_strides[0]) = stage[slot[j]];
    }
}

}  // namespace gpunp

#define GPUNP_WINDOWS_KERNEL(symbol, threads, blocks, call)                \
    extern "C" __global__ void __launch_bounds__(::gpunp::threads, blocks) \
        symbol(const __grid_constant__::gpunp::GatherWindowsParams p) {    \
        call;                                                              \
    }
#define GPUNP_WINDOWS GPUNP_WINDOWS_KERNEL(windows_probe, PROBE_BLOCK, 1, ::gpunp::probe_windows(p))
#define GPUNP_WINDOWS_OF(bytes, U)                                                                \
    GPUNP_WINDOWS_KERNEL(windows_split_##bytes, WINDOW_BLOCK, 4, ::gpunp::split_windows<U>(p))    \
    GPUNP_WINDOWS_KERNEL(windows_take_##bytes, WINDOW_TAKE_BLOCK, 6, ::gpunp::take_windows<U>(p)) \
    GPUNP_WINDOWS_KERNEL(windows_order_##bytes, WINDOW_BLOCK, 4, ::gpunp::order_windows<U>(p))
#else
// The host gathers one element after another.
#define GPUNP_WINDOWS
#define GPUNP_WINDOWS_OF(bytes, U)
#endif
