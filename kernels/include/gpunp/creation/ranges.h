// Arithmetic progressions: arange and functions based on it.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/common/loop_params.h"
#include "gpunp/creation/params.h"
#include "gpunp/kernel.h"
#include "gpunp/types.h"

namespace gpunp {

// As NumPy's fill: start + i * delta, in the dtype's compute type.
template <class T>
GPUNP_HD T range_element(T start, T delta, int64_t i) {
    using C = compute_t<T>;
    return store_value(tag<T>(), (C)(load_value(start) + (C)i * load_value(delta)));
}
template <class T>
GPUNP_HD complex<T> range_element(complex<T> start, complex<T> delta, int64_t i) {
    return {start.re + (T)i * delta.re, start.im + (T)i * delta.im};
}

#if GPUNP_ON_DEVICE
template <class T>
__device__ __forceinline__ void fill_range(const RangeParams& p) {
    const T start = *reinterpret_cast<const T*>(p.start);
    const T delta = *reinterpret_cast<const T*>(p.delta);
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.size; i += stride)
        static_cast<T*>(p.out)[i] = range_element(start, delta, i);
}
#define GPUNP_RANGE(symbol, T)                                        \
    extern "C" __global__ void __launch_bounds__(::gpunp::LOOP_BLOCK) \
        symbol(const __grid_constant__::gpunp::RangeParams p) {       \
        ::gpunp::fill_range<T>(p);                                    \
    }
#else
template <class T>
void fill_range(const void* params) {
    const RangeParams& p = *static_cast<const RangeParams*>(params);
    const T start = *reinterpret_cast<const T*>(p.start);
    const T delta = *reinterpret_cast<const T*>(p.delta);
    parallel_for(p.size, POOL_GRAIN, [&, start, delta](int64_t begin, int64_t end) {
        T* const out = static_cast<T*>(p.out);
        for (int64_t i = begin; i < end; i++) out[i] = range_element(start, delta, i);
    });
}
#define GPUNP_RANGE(symbol, T) GPUNP_HOST_KERNEL(symbol, ::gpunp::fill_range<T>);
#endif

}  // namespace gpunp
