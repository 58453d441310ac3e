// Last-block-done: finds which of the blocks that share some work finishes last and sees the stores of all.
#pragma once
#include "gpunp/config.h"

#if GPUNP_ON_DEVICE
namespace gpunp {

// Called by all threads of each of `blocks` blocks, after their stores. True in the block that arrives last,
// whose loads then see the stores of all blocks unless they use the read-only cache. The counter must be
// zero, and is zero again afterwards. The arguments are references so that only one thread loads them, behind
// the barrier.
__device__ __forceinline__ bool is_last_block(uint32_t* const& counters, const uint32_t& blocks,
                                              unsigned counter = 0) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(counters + counter, blocks - 1) == blocks - 1;
    __syncthreads();
    __threadfence();
    return last;
}

}  // namespace gpunp
#endif
