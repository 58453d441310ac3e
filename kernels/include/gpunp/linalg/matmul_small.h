// Products of two small matrices: launching this kernel takes less host time than a library's choice of a
// kernel.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/linalg/matmul_params.h"
#include "gpunp/linalg/scalar.h"

namespace gpunp {

namespace matmul_small {

template <class T>
GPUNP_HD void element(const MatmulSmallParams& p, int index) {
    const int row = index / p.n, column = index - row * p.n;
    const T* a = static_cast<const T*>(p.a) + row * p.k;
    const T* b = static_cast<const T*>(p.b) + column;
    T sum{};
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
    for (int d = 0; d < p.k; d++) sum = linalg::fused(a[d], b[d * p.n], sum);
    static_cast<T*>(p.c)[index] = sum;
}

}  // namespace matmul_small
}  // namespace gpunp

#if GPUNP_ON_DEVICE
#define GPUNP_MATMUL_SMALL(symbol, T)                                             \
    extern "C" __global__ void __launch_bounds__(::gpunp::MATMUL_SMALL_BLOCK)     \
        symbol(const __grid_constant__::gpunp::MatmulSmallParams p) {             \
        const int index = blockIdx.x * ::gpunp::MATMUL_SMALL_BLOCK + threadIdx.x; \
        if (index < p.m * p.n) ::gpunp::matmul_small::element<T>(p, index);       \
    }
#else
namespace gpunp {
template <class T>
void multiply_small(const void* params) {
    const MatmulSmallParams& p = *static_cast<const MatmulSmallParams*>(params);
    for (int index = 0; index < p.m * p.n; index++) matmul_small::element<T>(p, index);
}
}  // namespace gpunp
#define GPUNP_MATMUL_SMALL(symbol, T) GPUNP_HOST_KERNEL(symbol, ::gpunp::multiply_small<T>);
#endif
