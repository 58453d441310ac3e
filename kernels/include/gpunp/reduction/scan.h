// Inclusive scans along an axis: one pass over memory, with bitwise reproducible results.
//
// A functor F has: A, the accumulator's type; apply(a, b, op); and skipped(), the value that replaces a NaN
// to be skipped.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/kernel.h"
#include "gpunp/math/comparison.h"
#include "gpunp/math/complex_arithmetic.h"
#include "gpunp/math/complex_comparison.h"
#include "gpunp/math/elementary.h"
#include "gpunp/math/integer.h"
#include "gpunp/reduction/scan_params.h"

namespace gpunp {

template <class A>
GPUNP_HD A keep_or_skip(A x, A skipped) {
    return math::isnan(x) ? skipped : x;
}

GPUNP_HD int64_t scan_offset(const ScanParams& p, const int64_t* strides, int64_t row) {
    int64_t offset = 0;
    for (int d = p.ndim - 1; d >= 0; d--) {
        int64_t rest = d == 0 ? 0 : row / p.shape[d];
        offset += (row - rest * p.shape[d]) * strides[d];
        row = rest;
    }
    return offset;
}

}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/reduction/scan_device.h"
#else
#include "gpunp/reduction/scan_host.h"
#endif
