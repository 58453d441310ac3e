// A vector kernel with a short way for blocks that lie inside contiguous operands. For functions of some
// dozen instructions the general way would cost half as many again for each element.
#pragma once
#include "gpunp/ufunc/elementwise.h"

#if GPUNP_ON_DEVICE
namespace gpunp {

// Several elements of one thread: by the functor's own function for them, if it has one.
template <class F, int N>
__device__ __forceinline__ auto apply_together(const typename F::I0 (&x)[N], typename F::O0 (&y)[N],
                                               uint32_t*, int) -> decltype(F::apply_together(x, y)) {
    F::apply_together(x, y);
}
template <class F, int N>
__device__ __forceinline__ void apply_together(const typename F::I0 (&x)[N], typename F::O0 (&y)[N],
                                               uint32_t* status, long) {
    none unused;
#pragma unroll
    for (int i = 0; i < N; i++) apply_stored<F>(x[i], none{}, none{}, y[i], unused, status);
}

template <class F>
__device__ __forceinline__ void run_whole(const ElementwiseParams& p) {
    using S = typename F::I0;
    static_assert(F::nin == 1 && F::nout == 1 && sizeof(S) == sizeof(typename F::O0),
                  "one input of equal size");
    constexpr int V = vector_width<F>(), UNROLL = vectors_at_once<F>();
    const int64_t first = (int64_t)blockIdx.x * (ELEMENTWISE_BLOCK * UNROLL);
    const bool inside = (first + ELEMENTWISE_BLOCK * UNROLL) * V <= p.shape[0];
    if (p.ndim != 1 || p.role[0] != ALIGNED || p.role[1] != ALIGNED || !inside) {
        run_vector<F>(p);
        return;
    }
    const auto* from = reinterpret_cast<const Vector<S, V>*>(p.data[0]) + first + threadIdx.x;
    auto* to = reinterpret_cast<Vector<typename F::O0, V>*>(p.data[1]) + first + threadIdx.x;
    S x[UNROLL * V];
    typename F::O0 y[UNROLL * V];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        const Vector<S, V> v = from[u * ELEMENTWISE_BLOCK];
#pragma unroll
        for (int i = 0; i < V; i++) x[u * V + i] = v.at[i];
    }
    apply_together<F>(x, y, p.status, 0);
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        Vector<typename F::O0, V> v;
#pragma unroll
        for (int i = 0; i < V; i++) v.at[i] = y[u * V + i];
        to[u * ELEMENTWISE_BLOCK] = v;
    }
}

}  // namespace gpunp

#define GPUNP_ELEMENTWISE_WHOLE(symbol, F)                                     \
    extern "C" __global__ void __launch_bounds__(::gpunp::ELEMENTWISE_BLOCK)   \
        symbol##_vector(const __grid_constant__::gpunp::ElementwiseParams p) { \
        ::gpunp::run_whole<F>(p);                                              \
    }
#else
#define GPUNP_ELEMENTWISE_WHOLE GPUNP_ELEMENTWISE_VECTOR
#endif
