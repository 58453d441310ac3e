// Which of the blocks that share some work is done last: it sees what all of them have stored.
#pragma once
#include "gpunp/config.h"

#if GPUNP_ON_DEVICE
namespace gpunp {

// By all threads of each of `blocks` blocks, after their stores. True in the block that comes last, whose
// loads then see the stores of all, if they do not come from the read-only cache. The counter is zero before,
// and again after. The arguments are references so that one thread loads them, behind the barrier.
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
