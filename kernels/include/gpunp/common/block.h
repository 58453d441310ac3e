// Prefix sums over the threads of a block.
#pragma once
#include "gpunp/common/warp.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace block {

// The sum of `value` over the threads before this one. All threads of the block must call it; `of_warps` is
// shared memory, which may be reused after the next barrier. With OTHERS the block has more than THREADS
// threads, and the values of the excess threads do not count.
template <int THREADS, bool OTHERS = false, class T>
__device__ __forceinline__ T exclusive_sum(T value, T (&of_warps)[THREADS / 32]) {
    static_assert(THREADS % 32 == 0, "whole warps");
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    T sum = value;
    if (!OTHERS || threadIdx.x < THREADS) {
        sum = warp::inclusive_sum(sum, lane);
        if (lane == 31) of_warps[warp] = sum;
    }
    __syncthreads();
    if (!OTHERS || threadIdx.x < THREADS)
#pragma unroll
        for (int w = 0; w < THREADS / 32; w++)
            if (w < warp) sum += of_warps[w];
    return sum - value;
}
// Also gives the sum over all threads in `total`; the sums of the warps are read once for both.
template <int THREADS, class T>
__device__ __forceinline__ T exclusive_sum(T value, T (&of_warps)[THREADS / 32], T& total) {
    static_assert(THREADS % 32 == 0, "whole warps");
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    T sum = warp::inclusive_sum(value, lane);
    if (lane == 31) of_warps[warp] = sum;
    __syncthreads();
    sum -= value;
    total = 0;
#pragma unroll
    for (int w = 0; w < THREADS / 32; w++) {
        const T other = of_warps[w];
        if (w < warp) sum += other;
        total += other;
    }
    return sum;
}

}  // namespace block
}  // namespace gpunp
#endif
