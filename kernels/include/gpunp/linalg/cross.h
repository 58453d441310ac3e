// Cross products of 3-vectors in one pass, rounded as by NumPy.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/common/host_pool.h"
#include "gpunp/common/loop_params.h"
#include "gpunp/kernel.h"
#include "gpunp/linalg/cross_params.h"
#include "gpunp/math/complex_arithmetic.h"
#include "gpunp/math/floating.h"
#include "gpunp/math/integer.h"

namespace gpunp {
namespace vectors {

// a * b - c * d. With `halves` each product is rounded to float16 first, as in NumPy.
template <class A>
GPUNP_HD A difference(A a, A b, A c, A d, bool halves) {
    A x = math::multiply(a, b), y = math::multiply(c, d);
    if constexpr (sizeof(A) == 4 && !math::is_integer<A>) {
        if (halves) return to_float(to_half(x)) - to_float(to_half(y));
    }
    return math::subtract(x, y);
}

template <class A>
GPUNP_HD void cross_row(const CrossParams& p, int64_t i) {
    A a[3], b[3];
    const char* at_a = p.a + i * p.a_row;
    const char* at_b = p.b + i * p.b_row;
    for (int k = 0; k < 3; k++) {
        a[k] = p.same ? *reinterpret_cast<const A*>(at_a + k * p.a_item)
                      : load_as<A>(at_a + k * p.a_item, p.a_dtype);
        b[k] = p.same ? *reinterpret_cast<const A*>(at_b + k * p.b_item)
                      : load_as<A>(at_b + k * p.b_item, p.b_dtype);
    }
    for (int k = 0; k < 3; k++) {
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        const A c = difference(a[u], b[v], a[v], b[u], p.out_dtype == F2);
        if (p.same)
            reinterpret_cast<A*>(p.out)[3 * i + k] = c;
        else
            store_as<A>(p.out + (3 * i + k) * p.out_item, p.out_dtype, c);
    }
}

}  // namespace vectors
}  // namespace gpunp

#if GPUNP_ON_DEVICE
#define GPUNP_CROSS(name, A)                                                                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::LOOP_BLOCK)                              \
        cross_##name(const __grid_constant__::gpunp::CrossParams p) {                              \
        const int64_t threads = (int64_t)gridDim.x * blockDim.x;                                   \
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.rows; i += threads) \
            ::gpunp::vectors::cross_row<A>(p, i);                                                  \
    }
#else
#define GPUNP_CROSS(name, A)                                                                   \
    static void cross_##name##_host(const void* params) {                                      \
        const ::gpunp::CrossParams& p = *static_cast<const ::gpunp::CrossParams*>(params);     \
        ::gpunp::parallel_each(p, p.rows, 12, [](const ::gpunp::CrossParams& own, int64_t i) { \
            ::gpunp::vectors::cross_row<A>(own, i);                                            \
        });                                                                                    \
    }                                                                                          \
    GPUNP_HOST_KERNEL(cross_##name, cross_##name##_host);
#endif
