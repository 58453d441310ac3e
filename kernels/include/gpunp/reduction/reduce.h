// Where the elements of a reduction lie: from a linear index to offsets in bytes.
#pragma once
#include "gpunp/reduction/reduce_params.h"

namespace gpunp {

// The quotient of an index below 2^31 by a dimension's extent.
GPUNP_HD uint32_t divide_index(uint32_t index, const ReduceDim& d) {
#if defined(__CUDA_ARCH__)
    return (__umulhi(index, d.magic) + index) >> d.shift;
#else
    return index / (uint32_t)d.extent;
#endif
}

struct ReduceOffset {
    int64_t in, out, where;
};

// The byte offsets of the element with a linear index over `ndim` dimensions. Out of line on the device,
// where all reductions of a unit share it; callers handle a single dimension themselves.
#if GPUNP_ON_DEVICE
static __device__ __noinline__
#else
inline
#endif
    ReduceOffset reduce_offset(const ReduceDim* dims, int ndim, int64_t index, bool narrow) {
    ReduceOffset at = {0, 0, 0};
    for (int d = 0; d < ndim; d++) {
        const ReduceDim& dim = dims[d];
        int64_t i = index, rest = 0;
        if (d + 1 < ndim) {
            rest = narrow ? (int64_t)divide_index((uint32_t)index, dim) : index / dim.extent;
            i = index - rest * dim.extent;
        }
        at.in += i * dim.stride;
        at.out += i * dim.out_stride;
        at.where += i * dim.where_stride;
        index = rest;
    }
    return at;
}

}  // namespace gpunp
