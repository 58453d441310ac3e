// Sums over the lanes of a warp.
#pragma once
#include "gpunp/config.h"

#if GPUNP_ON_DEVICE
namespace gpunp {

// The sum over the lanes up to this one; all lanes take part.
template <class T>
__device__ __forceinline__ T sum_up_to_lane(T value, int lane) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const T before = __shfl_up_sync(~0u, value, step);
        if (lane >= step) value += before;
    }
    return value;
}

}  // namespace gpunp
#endif
