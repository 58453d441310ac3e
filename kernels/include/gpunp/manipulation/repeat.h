// Elements repeated by individual counts: the inclusive sums of the counts are the ends of the runs.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/manipulation/axis_maps.h"
#include "gpunp/manipulation/repeat_params.h"

namespace gpunp {

#if GPUNP_ON_DEVICE

// By a whole warp: the first index whose end lies beyond `position`, with 32 probes per step.
__device__ __forceinline__ int64_t find_run(const int64_t* ends, int64_t length, int64_t position) {
    const int lane = threadIdx.x % 32;
    int64_t low = 0, high = length;  // the answer is in [low, high]
    while (high > low) {
        const int64_t step = (high - low + 31) / 32;
        const int64_t probe = low + (lane + 1) * step - 1;
        const bool beyond = probe >= high || ends[probe] > position;
        const int before = __popc(warp::ballot(!beyond));
        low += before * step;
        if (step == 1) return low;
        if (low + step - 1 < high) high = low + step - 1;
    }
    return low;
}

// Turns markers (the run that starts at a position, otherwise 0) into the run of every position.
__device__ __forceinline__ void spread_markers(uint32_t* run, int tile) {
    constexpr int EACH = REPEAT_TILE / REPEAT_BLOCK;
    __shared__ uint32_t warp_last[REPEAT_BLOCK / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int first = threadIdx.x * EACH;
    uint32_t mine[EACH], largest = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        if (first + i < tile && run[first + i] > largest) largest = run[first + i];
        mine[i] = largest;
    }
    const uint32_t upto = warp::inclusive_scan(
        largest, lane, [](uint32_t before, uint32_t own) { return before > own ? before : own; });
    if (lane == 31) warp_last[warp] = upto;
    uint32_t before = warp::shuffle_up(upto, 1);
    if (lane == 0) before = 0;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        if (warp_last[w] > before) before = warp_last[w];
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (first + i < tile) run[first + i] = mine[i] > before ? mine[i] : before;
    __syncthreads();
}

template <class T>
__device__ __forceinline__ void repeat_counts(const RepeatParams& p) {
    __shared__ uint32_t run[REPEAT_TILE];
    __shared__ int64_t bounds[2];
    const int64_t segment_index = blockIdx.x / p.tiles;
    const int64_t begin = (blockIdx.x - segment_index * p.tiles) * p.tile;
    const int count = (int)(p.total - begin < p.tile ? p.total - begin : p.tile);
    if (threadIdx.x < 64) {
        const int64_t found = find_run(p.ends, p.length, threadIdx.x < 32 ? begin : begin + count - 1);
        if (threadIdx.x % 32 == 0) bounds[threadIdx.x / 32] = found;
    }
    for (int i = threadIdx.x; i < count; i += REPEAT_BLOCK) run[i] = 0;
    __syncthreads();
    const int64_t first = bounds[0], last = bounds[1];
    for (int64_t i = first + 1 + threadIdx.x; i <= last; i += REPEAT_BLOCK) {
        const int64_t start = p.ends[i - 1];
        if (p.ends[i] > start) run[start - begin] = (uint32_t)(i - first);
    }
    __syncthreads();
    spread_markers(run, count);
    const int64_t unit = segment_index * p.segment;
    const int64_t width = p.inner - unit < p.segment ? p.inner - unit : p.segment;
    const int64_t chunk = blockIdx.y * p.outer_chunk;
    const int64_t stop = chunk + p.outer_chunk < p.outer ? chunk + p.outer_chunk : p.outer;
    for (int64_t o = chunk; o < stop; o++) {
        const T* from = reinterpret_cast<const T*>(p.source) + (o * p.length + first) * p.inner + unit;
        T* to = reinterpret_cast<T*>(p.out) + (o * p.total + begin) * p.inner + unit;
        if (width == 1) {
#pragma unroll 4
            for (int i = threadIdx.x; i < count; i += REPEAT_BLOCK)
                to[i * p.inner] = from[(int64_t)run[i] * p.inner];
        } else {
            const uint32_t whole = (uint32_t)(count * width);
#pragma unroll 4
            for (uint32_t e = threadIdx.x; e < whole; e += REPEAT_BLOCK) {
                const uint32_t i = e / (uint32_t)width, c = e - i * (uint32_t)width;
                to[i * p.inner + c] = from[(int64_t)run[i] * p.inner + c];
            }
        }
    }
}
#define GPUNP_REPEAT_COUNTS(symbol, T)                                  \
    extern "C" __global__ void __launch_bounds__(::gpunp::REPEAT_BLOCK) \
        symbol(const __grid_constant__::gpunp::RepeatParams p) {        \
        ::gpunp::repeat_counts<T>(p);                                   \
    }

#else

template <class T>
void repeat_counts(const void* params) {
    const RepeatParams& p = *static_cast<const RepeatParams*>(params);
    const int64_t mean = p.length ? p.total / p.length + 1 : 1;
    parallel_for(p.outer * p.length, grain_of(mean * p.inner), [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; unit++) {
            const int64_t o = unit / p.length, i = unit % p.length, start = i ? p.ends[i - 1] : 0;
            const T* from = reinterpret_cast<const T*>(p.source) + unit * p.inner;
            T* to = reinterpret_cast<T*>(p.out) + (o * p.total + start) * p.inner;
            for (int64_t n = start; n < p.ends[i]; n++, to += p.inner) {
                if (p.inner == 1)
                    *to = *from;
                else
                    memcpy(to, from, (size_t)p.inner * sizeof(T));
            }
        }
    });
}
#define GPUNP_REPEAT_COUNTS(symbol, T) GPUNP_HOST_KERNEL(symbol, ::gpunp::repeat_counts<T>);

#endif

}  // namespace gpunp
