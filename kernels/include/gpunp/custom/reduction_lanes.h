// Shared by the device variants of a user's reduction: folds over the threads of a warp and of a block.
#pragma once
#include "gpunp/common/last_block.h"
#include "gpunp/common/warp.h"
#include "gpunp/custom/reduction_parts.h"

namespace gpunp {
namespace custom {

constexpr int WARP = 32;

// The bytes of a part as words, to be moved between threads and blocks.
template <class P>
struct Words {
    uint32_t at[(sizeof(P) + 3) / 4];

    __device__ __forceinline__ Words() {}
    __device__ __forceinline__ explicit Words(const P& part) {
        at[sizeof(at) / 4 - 1] = 0;
        __builtin_memcpy(at, (const void*)&part, sizeof(P));
    }
    __device__ __forceinline__ P part() const {
        P part;
        __builtin_memcpy((void*)&part, at, sizeof(P));
        return part;
    }
};

// The parts that blocks leave for the last of them.
template <class P>
__device__ __forceinline__ void save_part(const P& part, const ReductionWork& work, int64_t number) {
    ((Words<P>*)work.partials)[number] = Words<P>(part);
}
// Bypasses this multiprocessor's L1 cache.
template <class P>
__device__ __forceinline__ P saved_part(const ReductionWork& work, int64_t number) {
    const uint32_t* from = (const uint32_t*)((const Words<P>*)work.partials + number);
    Words<P> words;
#pragma unroll
    for (int w = 0; w < (int)(sizeof(words) / 4); w++) words.at[w] = __ldcg(from + w);
    return words.part();
}

// Folds groups of up to 32 neighboring threads, in their order.
template <class Op>
__device__ __forceinline__ void fold_lanes(Part<Op>& part, int width) {
    for (int distance = width / 2; distance > 0; distance /= 2) {
        const Words<Part<Op>> words(part);
        part.add(warp::shuffle_down(words, distance, width).part());
    }
}

// Folds groups of `lanes` neighboring threads (a power of two), in their order; the first thread of a group
// has the result.
template <class Op>
__device__ __noinline__ Part<Op> fold_group(Part<Op> part, int lanes) {
    fold_lanes<Op>(part, lanes < WARP ? lanes : WARP);
    if (lanes > WARP) {
        __shared__ Words<Part<Op>> warps[REDUCTION_BLOCK / WARP];
        const int warp = threadIdx.x / WARP, lane = threadIdx.x & (lanes - 1);
        __syncthreads();
        if (threadIdx.x % WARP == 0) warps[warp] = Words<Part<Op>>(part);
        __syncthreads();
        if (lane < WARP) {
            const int count = lanes / WARP;
            if (lane < count)
                part = warps[warp + lane].part();
            else
                part.start();
            fold_lanes<Op>(part, REDUCTION_BLOCK / WARP);
        }
    }
    return part;
}

// The part of another thread of the block. All threads must call it.
template <class P>
__device__ __forceinline__ P part_of(const P& part, int thread) {
    constexpr int ALL = sizeof(Words<P>) / 4, ONCE = ALL < 16 ? ALL : 16;
    __shared__ uint32_t room[ONCE][REDUCTION_BLOCK];
    Words<P> own(part), other;
#pragma unroll
    for (int first = 0; first < ALL; first += ONCE) {
        __syncthreads();
#pragma unroll
        for (int w = first; w < ALL && w < first + ONCE; w++) room[w - first][threadIdx.x] = own.at[w];
        __syncthreads();
#pragma unroll
        for (int w = first; w < ALL && w < first + ONCE; w++) other.at[w] = room[w - first][thread];
    }
    return other.part();
}

// Folds threads `across` apart, in their order; those of lane 0 have the results.
template <class Op>
__device__ __noinline__ Part<Op> fold_strided(Part<Op> part, int lane, int across, int lanes) {
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        const bool takes = lane < distance;
        const Part<Op> other = part_of(part, takes ? threadIdx.x + distance * across : threadIdx.x);
        if (takes) part.add(other);
    }
    return part;
}

}  // namespace custom
}  // namespace gpunp
