// Parameters of the cross-product kernel; Cython reads this header too.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

struct CrossParams {
    const char* a;
    const char* b;
    char* out;  // contiguous 3-vectors
    int64_t rows;
    int64_t a_row, a_item, b_row, b_item;  // bytes
    int32_t a_dtype, b_dtype, out_dtype;
    int32_t out_item;
    int32_t same;  // nonzero if all operands have the accumulator's dtype, so that nothing is converted
};

}  // namespace gpunp
