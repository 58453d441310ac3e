// Kinds of the scalar types that kernels written by users compute with.
#pragma once
#include "gpunp/config.h"

namespace gpunp {
namespace custom {

enum class Kind { OTHER, INTEGER, FLOATING };

template <class T>
constexpr Kind kind = Kind::OTHER;
#define GPUNP_KIND(T, K) \
    template <>          \
    inline constexpr Kind kind<T> = Kind::K;
// All C++ types, since int64_t is `long` or `long long`.
GPUNP_KIND(bool, INTEGER)
GPUNP_KIND(char, INTEGER)
GPUNP_KIND(signed char, INTEGER)
GPUNP_KIND(unsigned char, INTEGER)
GPUNP_KIND(short, INTEGER)
GPUNP_KIND(unsigned short, INTEGER)
GPUNP_KIND(int, INTEGER)
GPUNP_KIND(unsigned int, INTEGER)
GPUNP_KIND(long, INTEGER)
GPUNP_KIND(unsigned long, INTEGER)
GPUNP_KIND(long long, INTEGER)
GPUNP_KIND(unsigned long long, INTEGER)
GPUNP_KIND(float, FLOATING)
GPUNP_KIND(double, FLOATING)
#undef GPUNP_KIND

template <bool condition, class R = void>
struct enable {};
template <class R>
struct enable<true, R> {
    using type = R;
};

// Real types that mix with complex<T>.
template <class S>
constexpr bool is_scalar = kind<S> != Kind::OTHER;

// Return types that exist only for the named kinds (SFINAE).
template <class T, class R = T>
using if_integer = typename enable<kind<T> == Kind::INTEGER, R>::type;
template <class T, class R = T>
using if_arithmetic = typename enable<kind<T> != Kind::OTHER, R>::type;
template <class S, class R>
using if_scalar = typename enable<is_scalar<S>, R>::type;

template <class T>
GPUNP_HD T value_of();  // for decltype only

// The type of an expression of A and B as C++ promotes it; equal types stay, also those below int.
template <class A, class B>
using common_t = decltype(true ? value_of<A>() : value_of<B>());

// The floating-point type of functions of A and B: of two integers, double.
template <class A, class B, Kind K = kind<common_t<A, B>>>
struct floating {};
template <class A, class B>
struct floating<A, B, Kind::FLOATING> {
    using type = common_t<A, B>;
};
template <class A, class B>
struct floating<A, B, Kind::INTEGER> {
    using type = double;
};
template <class A, class B>
using floating_t = typename floating<A, B>::type;

}  // namespace custom
}  // namespace gpunp
