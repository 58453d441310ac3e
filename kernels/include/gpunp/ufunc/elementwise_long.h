// The elementwise skeleton of long functions: any number of operands, one element per thread.
//
// A functor names its types Inputs and Outputs, lists of the stored types, and has
//   static void apply(a, b, ..., x, y, ...)
// whose inputs are values and whose outputs are references.
#pragma once
#include "gpunp/ufunc/elementwise.h"

namespace gpunp {

template <class... T>
struct types {
    static constexpr int count = sizeof...(T);
};

template <int... K>
struct indices {};
template <int N, int... K>
struct count_to : count_to<N - 1, N - 1, K...> {};
template <int... K>
struct count_to<0, K...> {
    using type = indices<K...>;
};
template <class List>
using indices_of = typename count_to<List::count>::type;

// One object per operand; `get<K>(all)` is that of operand K.
template <int K, class T>
struct Slot {
    T value;
};
template <class Indices, class... T>
struct Slots;
template <int... K, class... T>
struct Slots<indices<K...>, T...> : Slot<K, T>... {};
template <int K, class T>
GPUNP_HD T& get(Slot<K, T>& slot) {
    return slot.value;
}

#if GPUNP_ON_DEVICE

template <class S>
__device__ __forceinline__ S load_operand(const ElementwiseParams& p, int k, int64_t offset) {
    if (p.role[k] == SCALAR) return *reinterpret_cast<const S*>(p.scalar[k]);
    if (p.dtype[k] == dtype_of<S>::value) return *reinterpret_cast<const S*>(p.data[k] + offset);
    return load_any<S>(p.data[k] + offset, p.dtype[k]);
}

template <class S>
__device__ __forceinline__ void store_operand(const ElementwiseParams& p, int k, int64_t offset, S value) {
    if (p.dtype[k] == dtype_of<S>::value)
        *reinterpret_cast<S*>(p.data[k] + offset) = value;
    else
        store_any<S>(p.data[k] + offset, p.dtype[k], value);
}

// Any strides, any dtypes, optionally masked.
template <class F, class... I, class... O, int... K, int... L>
__device__ __forceinline__ void run_long(const ElementwiseParams& p, types<I...>, types<O...>, indices<K...>,
                                         indices<L...>) {
    constexpr int nin = sizeof...(I), nout = sizeof...(O);
    const int64_t index = (int64_t)blockIdx.x * ELEMENTWISE_BLOCK + threadIdx.x;
    if (index >= p.size) return;
    int64_t offset[MAX_OPERANDS + 1] = {};
    row_offsets(p, p.ndim - 1, index, nin + nout, offset);
    if (p.mask && !p.mask[offset[MAX_OPERANDS]]) return;
    Slots<indices<L...>, O...> out;
    F::apply(load_operand<I>(p, K, offset[K])..., get<L>(out)...);
    (store_operand(p, nin + L, offset[nin + L], get<L>(out)), ...);
}

#endif
}  // namespace gpunp

// On the host one function serves every layout.
#if GPUNP_ON_DEVICE
#define GPUNP_ELEMENTWISE_LONG(symbol, F)                                                    \
    extern "C" __global__ void __launch_bounds__(::gpunp::ELEMENTWISE_BLOCK)                 \
        symbol##_strided(const __grid_constant__::gpunp::ElementwiseParams p) {              \
        ::gpunp::run_long<F>(p, F::Inputs{}, F::Outputs{}, ::gpunp::indices_of<F::Inputs>{}, \
                             ::gpunp::indices_of<F::Outputs>{});                             \
    }
#else
#include "gpunp/ufunc/elementwise_long_host.h"
#endif
