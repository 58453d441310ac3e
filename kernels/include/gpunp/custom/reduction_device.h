// Device variants of a user's reduction, and the kernel around them.
#pragma once
#include "gpunp/custom/reduction_columns.h"
#include "gpunp/custom/reduction_general.h"
#include "gpunp/custom/reduction_rows.h"

namespace gpunp {
namespace custom {

template <class Op, int VARIANT, unsigned REPEATED, class Params>
__device__ __forceinline__ void reduce(const Params& p) {
    if constexpr (VARIANT == REDUCTION_ROWS)
        reduce_rows<Op, REPEATED>(p);
    else if constexpr (VARIANT == REDUCTION_COLUMNS)
        reduce_columns<Op, REPEATED>(p);
    else
        reduce_general<Op>(p);
}

// Blocks that must fit on a multiprocessor, which bounds the registers per thread: 64 suffice for rows of few
// inputs and small accumulators.
template <class Op, int VARIANT, unsigned REPEATED>
constexpr int resident_blocks = VARIANT == REDUCTION_ROWS && sizeof(typename Op::Acc) <= 8 &&
                                        Steps<Op, REPEATED>::ROW_BYTES * Steps<Op, REPEATED>::ROW_UNROLL <= 64
                                    ? 4
                                    : 0;

}  // namespace custom
}  // namespace gpunp

// The kernel `name`; the size of `name`_partial is that of a partial result.
#define GPUNP_REDUCTION(name, Op, variant, repeated, ndim)                                                  \
    extern "C" {                                                                                            \
    __device__ unsigned char name##_partial[sizeof(::gpunp::custom::Words<::gpunp::custom::Part<Op>>)];     \
    __global__ void __launch_bounds__(::gpunp::custom::REDUCTION_BLOCK,                                     \
                                      ::gpunp::custom::resident_blocks<Op, variant, repeated>)              \
        name(const __grid_constant__::gpunp::custom::ReductionParams<Op::Inputs::COUNT, Op::Outputs::COUNT, \
                                                                     ndim, Op::GIVEN>                       \
                 p) {                                                                                       \
        ::gpunp::custom::reduce<Op, variant, repeated>(p);                                                  \
    }                                                                                                       \
    }
