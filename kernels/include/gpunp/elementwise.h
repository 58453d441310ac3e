// The elementwise skeleton: one functor, its device variants and its host loop.
//
// A functor names its stored types I0, I1, I2, O0, O1 (`none` where absent), nin, nout, and has
//   static void apply(a, b, c, x, y, status)
// over the types that arithmetic happens in.
#pragma once
#include "gpunp/cast.h"
#include "gpunp/elementwise_params.h"
#include "gpunp/kernel.h"
#include "gpunp/math.h"

namespace gpunp {

struct none {};

template <>
struct compute_type<none> {
    using type = none;
};

template <class T>
struct dtype_of;
#define GPUNP_DTYPE_OF(type, code)         \
    template <>                            \
    struct dtype_of<type> {                \
        static constexpr int value = code; \
    };
GPUNP_DTYPE_OF(bool_, BOOL)
GPUNP_DTYPE_OF(i1, I1)
GPUNP_DTYPE_OF(u1, U1)
GPUNP_DTYPE_OF(i2, I2)
GPUNP_DTYPE_OF(u2, U2)
GPUNP_DTYPE_OF(i4, I4)
GPUNP_DTYPE_OF(u4, U4)
GPUNP_DTYPE_OF(i8, I8)
GPUNP_DTYPE_OF(u8, U8)
GPUNP_DTYPE_OF(f2, F2)
GPUNP_DTYPE_OF(f4, F4)
GPUNP_DTYPE_OF(f8, F8)
GPUNP_DTYPE_OF(c8, C8)
GPUNP_DTYPE_OF(c16, C16)
#undef GPUNP_DTYPE_OF

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

// Elements of one thread's vector: 16 bytes of the largest operand and at most 8, or 32 bytes where
// another operand is a quarter of it or less: few bytes a thread would cost more instructions than time.
template <class F>
GPUNP_HD constexpr int vector_width() {
    constexpr int sizes[] = {size_of<typename F::I0>(), size_of<typename F::I1>(), size_of<typename F::I2>(),
                             size_of<typename F::O0>(), size_of<typename F::O1>()};
    int largest = 1, smallest = 16;
    for (int size : sizes) {
        largest = larger(largest, size);
        if (size > 0 && size < smallest) smallest = size;
    }
    const int width = largest == 1 ? 8 : 16 / largest;
    return largest >= 4 * smallest ? 2 * width : width;
}

// Functors of the representation take halves as stored; all others take float.
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

template <class S, int V>
struct alignas(sizeof(S) * V < 16 ? sizeof(S) * V : 16) vector {
    S at[V];
};

}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/elementwise_device.h"
#else
#include "gpunp/elementwise_host.h"
#endif
