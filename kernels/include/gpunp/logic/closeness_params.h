// What the kernels of isclose, allclose and array_equal are told; filled by gpunp/logic/closeness.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int CLOSENESS_DIMS = 8;
constexpr int CLOSENESS_BLOCK = 256;
constexpr int CLOSENESS_EACH = 4;  // vectors of each operand that a thread asks for at once

struct ClosenessParams {
    const char* x;  // null: x_value
    const char* y;  // null: y_value
    int64_t size;
    int64_t shape[CLOSENESS_DIMS];  // from the outermost dimension on; of contiguous operands one
    int64_t x_strides[CLOSENESS_DIMS];
    int64_t y_strides[CLOSENESS_DIMS];
    int32_t ndim;
    int32_t x_dtype, y_dtype;
    int32_t equal;            // only equal elements are close
    int32_t equal_nan;        // NaN is close to NaN
    int32_t tolerance_dtype;  // F2, F4 or F8: what the tolerance of each element is computed in
    double rtol, atol;        // as rounded to it
    double x_value[2], y_value[2];
    char* out;            // bool, contiguous: whether elements are close; or null, and
    uint32_t* different;  // zero: set where elements are not close
};

}  // namespace gpunp
