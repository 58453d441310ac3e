// The elementwise skeleton: one functor, its device variants and its host loop.
//
// A functor names its stored types I0, I1, I2, O0, O1 (`none` where absent), nin, nout, and has
//   static void apply(a, b, c, x, y, status)
// over the compute types.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/common/vector.h"
#include "gpunp/kernel.h"
#include "gpunp/math.h"
#include "gpunp/ufunc/elementwise_params.h"

namespace gpunp {

struct none {};

template <>
struct compute_type<none> {
    using type = none;
};

template <class T>
GPUNP_HD constexpr int size_of() {
    return sizeof(T);
}
template <>
GPUNP_HD constexpr int size_of<none>() {
    return 0;
}

GPUNP_HD constexpr int larger(int a, int b) {
    return a > b ? a : b;
}

// Bytes of the largest and of the smallest operand.
struct Sizes {
    int largest, smallest;
};
template <class F>
GPUNP_HD constexpr Sizes sizes_of() {
    constexpr int sizes[] = {size_of<typename F::I0>(), size_of<typename F::I1>(), size_of<typename F::I2>(),
                             size_of<typename F::O0>(), size_of<typename F::O1>()};
    Sizes all = {1, 16};
    for (int size : sizes) {
        all.largest = larger(all.largest, size);
        if (size > 0 && size < all.smallest) all.smallest = size;
    }
    return all;
}

// Elements of one thread's vector, and vectors that it loads before it computes.
template <class F>
GPUNP_HD constexpr int vector_width() {
    constexpr Sizes sizes = sizes_of<F>();
    return elementwise_width(sizes.largest, sizes.smallest);
}

template <class F>
GPUNP_HD constexpr int vectors_each() {
    return elementwise_vectors(sizes_of<F>().largest);
}

// Functors on the bit representation take halves as stored; all others take float.
template <class S, bool stored>
struct operand_type {
    using type = compute_t<S>;
};
template <class S>
struct operand_type<S, true> {
    using type = S;
};
template <class F, class S>
using operand_t = typename operand_type<S, F::stored_half>::type;

template <class S, class C>
GPUNP_HD C from_stored(S x, tag<C>) {
    return x;
}
GPUNP_HD float from_stored(half x, tag<float>) {
    return to_float(x);
}

}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/ufunc/elementwise_device.h"
#else
#include "gpunp/ufunc/elementwise_host.h"
#endif
