// Parameters of the isclose, allclose and array_equal kernels; filled in gpunp/logic/closeness.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int CLOSENESS_DIMS = 8;
constexpr int CLOSENESS_BLOCK = 256;
constexpr int CLOSENESS_EACH = 4;  // vectors of each operand per thread in flight

struct ClosenessParams {
    const char* x;  // null: use x_value
    const char* y;  // null: use y_value
    int64_t size;
    int64_t shape[CLOSENESS_DIMS];  // outermost dimension first; one dimension for contiguous operands
    int64_t x_strides[CLOSENESS_DIMS];
    int64_t y_strides[CLOSENESS_DIMS];
    int32_t ndim;
    int32_t x_dtype, y_dtype;
    int32_t equal;            // only equal elements are close
    int32_t equal_nan;        // NaN is close to NaN
    int32_t tolerance_dtype;  // F2, F4 or F8: dtype in which each element's tolerance is computed
    double rtol, atol;        // rounded to tolerance_dtype
    double x_value[2], y_value[2];
    char* out;            // contiguous bool: whether elements are close; or null, then:
    uint32_t* different;  // initially zero; set if any elements are not close
};

}  // namespace gpunp
