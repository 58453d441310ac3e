// Atomic functions of types for which CUDA C++ has none, and on the host those that it has.
#pragma once
#include "gpunp/custom/prelude.h"

namespace gpunp {
namespace custom {

// The words by which numbers are exchanged.
template <int BYTES>
struct atomic_word;
template <>
struct atomic_word<4> {
    using type = unsigned int;
};
template <>
struct atomic_word<8> {
    using type = unsigned long long;
};

#if !GPUNP_ON_DEVICE
template <>
struct atomic_word<1> {
    using type = unsigned char;
};
template <>
struct atomic_word<2> {
    using type = unsigned short;
};
#endif

// The type of a value to be converted to T, from which T is not deduced.
template <class T>
struct given {
    using type = T;
};
template <class T>
using given_t = typename given<T>::type;

// Defined where a kernel uses them.
template <class T>
struct complex;
struct float16;
template <class F>
constexpr bool is_float16 = false;
template <>
inline constexpr bool is_float16<float16> = true;

// Replaces the value at p by change(value); returns the value before.
template <class T, class Change>
GPUNP_HD T change_atomically(T* p, const Change& change) {
    using Word = typename atomic_word<sizeof(T)>::type;
    Word* words = (Word*)p;
    Word before = *(volatile Word*)words;
    for (;;) {
        T value;
        __builtin_memcpy(&value, &before, sizeof(T));
        const T changed = change(value);
        Word word;
        __builtin_memcpy(&word, &changed, sizeof(T));
#if GPUNP_ON_DEVICE
        const Word found = atomicCAS(words, before, word);
        if (found == before) return value;
        before = found;
#else
        if (__atomic_compare_exchange_n(words, &before, word, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            return value;
        }
#endif
    }
}

}  // namespace custom
}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/custom/atomic_device.h"
#else
#include "gpunp/custom/atomic_host.h"
#endif

// Each part by itself. Returns the value before.
template <class T>
GPUNP_HD gpunp::custom::complex<T> atomicAdd(gpunp::custom::complex<T>* p,
                                             gpunp::custom::given_t<gpunp::custom::complex<T>> v) {
    return {atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)};
}
