// What the kernel of cross products is told; read by Cython too.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

struct CrossParams {
    const char* a;
    const char* b;
    char* out;  // contiguous rows of three
    int64_t rows;
    int64_t a_row, a_item, b_row, b_item;  // bytes
    int32_t a_dtype, b_dtype, out_dtype;
    int32_t out_item;
    int32_t same;  // all of the accumulator's type: nothing to convert
};

}  // namespace gpunp
