// complex<T> of kernels written by users, in the global namespace: the class, its operators, and functions of
// the parts. Same layout as gpunp::complex<T>, to which it converts. complex_functions.h has exp, log, pow,
// ...
#pragma once
#include "gpunp/custom/prelude.h"
#include "gpunp/math/complex.h"

namespace gpunp {
namespace custom {

template <class T>
struct alignas(2 * sizeof(T)) complex {
    using value_type = T;

    T x, y;  // named as in CUDA's float2, which programs for cuComplex.h rely on

    // Left uninitialized, so that arrays in shared memory may have this type.
    complex() = default;
    GPUNP_HD constexpr complex(const T& re, const T& im = T()) : x(re), y(im) {}
    template <class S, class = if_scalar<S, void>>
    GPUNP_HD constexpr complex(const S& re) : x((T)re), y(T()) {}
    template <class U>
    GPUNP_HD constexpr complex(const complex<U>& z) : x((T)z.x), y((T)z.y) {}
    GPUNP_HD constexpr complex(const gpunp::complex<T>& z) : x(z.re), y(z.im) {}
    GPUNP_HD constexpr operator gpunp::complex<T>() const { return {x, y}; }

    GPUNP_HD constexpr T real() const { return x; }
    GPUNP_HD constexpr T imag() const { return y; }
    GPUNP_HD void real(T re) { x = re; }
    GPUNP_HD void imag(T im) { y = im; }

    template <class V>
    GPUNP_HD complex& operator+=(const V& v) {
        return *this = complex(*this + v);
    }
    template <class V>
    GPUNP_HD complex& operator-=(const V& v) {
        return *this = complex(*this - v);
    }
    template <class V>
    GPUNP_HD complex& operator*=(const V& v) {
        return *this = complex(*this * v);
    }
    template <class V>
    GPUNP_HD complex& operator/=(const V& v) {
        return *this = complex(*this / v);
    }
};

// The type to which scalars of type S convert before they meet a complex<T>: integers become T.
template <class T, class S>
using promoted_t = decltype(value_of<T>() + value_of<S>());
template <class T, class S>
using complex_with = if_scalar<S, complex<promoted_t<T, S>>>;

template <class T>
GPUNP_HD gpunp::complex<T> stored(const complex<T>& z) {
    return {z.x, z.y};
}

template <class T>
GPUNP_HD complex<T> operator+(const complex<T>& z) {
    return z;
}
template <class T>
GPUNP_HD complex<T> operator-(const complex<T>& z) {
    return {-z.x, -z.y};
}

template <class A, class B>
GPUNP_HD complex<promoted_t<A, B>> operator+(const complex<A>& a, const complex<B>& b) {
    return {a.x + b.x, a.y + b.y};
}
template <class T, class S>
GPUNP_HD complex_with<T, S> operator+(const complex<T>& a, const S& b) {
    return {a.x + b, a.y};
}
template <class T, class S>
GPUNP_HD complex_with<T, S> operator+(const S& a, const complex<T>& b) {
    return {a + b.x, b.y};
}

template <class A, class B>
GPUNP_HD complex<promoted_t<A, B>> operator-(const complex<A>& a, const complex<B>& b) {
    return {a.x - b.x, a.y - b.y};
}
template <class T, class S>
GPUNP_HD complex_with<T, S> operator-(const complex<T>& a, const S& b) {
    return {a.x - b, a.y};
}
template <class T, class S>
GPUNP_HD complex_with<T, S> operator-(const S& a, const complex<T>& b) {
    return {a - b.x, -b.y};
}

template <class A, class B>
GPUNP_HD complex<promoted_t<A, B>> operator*(const complex<A>& a, const complex<B>& b) {
    using R = promoted_t<A, B>;
    return math::multiply(stored(complex<R>(a)), stored(complex<R>(b)));
}
template <class T, class S>
GPUNP_HD complex_with<T, S> operator*(const complex<T>& a, const S& b) {
    return {a.x * b, a.y * b};
}
template <class T, class S>
GPUNP_HD complex_with<T, S> operator*(const S& a, const complex<T>& b) {
    return {a * b.x, a * b.y};
}

// Called, not inlined, since a kernel has a copy of the operation for each element of a vector.
template <class T>
GPUNP_HD_CALLED complex<T> quotient(complex<T> a, complex<T> b) {
    return math::divide(stored(a), stored(b));
}
template <class A, class B>
GPUNP_HD complex<promoted_t<A, B>> operator/(const complex<A>& a, const complex<B>& b) {
    return quotient<promoted_t<A, B>>(a, b);
}
template <class T, class S>
GPUNP_HD complex_with<T, S> operator/(const complex<T>& a, const S& b) {
    return {a.x / b, a.y / b};
}
template <class T, class S>
GPUNP_HD complex_with<T, S> operator/(const S& a, const complex<T>& b) {
    using R = promoted_t<T, S>;
    return complex<R>(a) / complex<R>(b);
}

template <class A, class B>
GPUNP_HD constexpr bool operator==(const complex<A>& a, const complex<B>& b) {
    return a.x == b.x && a.y == b.y;
}
template <class T, class S>
GPUNP_HD constexpr if_scalar<S, bool> operator==(const complex<T>& a, const S& b) {
    return a.x == b && a.y == 0;
}
template <class T, class S>
GPUNP_HD constexpr if_scalar<S, bool> operator==(const S& a, const complex<T>& b) {
    return b == a;
}
template <class A, class B>
GPUNP_HD constexpr bool operator!=(const complex<A>& a, const complex<B>& b) {
    return !(a == b);
}
template <class T, class S>
GPUNP_HD constexpr if_scalar<S, bool> operator!=(const complex<T>& a, const S& b) {
    return !(a == b);
}
template <class T, class S>
GPUNP_HD constexpr if_scalar<S, bool> operator!=(const S& a, const complex<T>& b) {
    return !(b == a);
}

// NumPy's order: by real part, then by imaginary part.
#define GPUNP_COMPARISON(op, function)                                    \
    template <class T>                                                    \
    GPUNP_HD bool operator op(const complex<T>& a, const complex<T>& b) { \
        return math::function(stored(a), stored(b));                      \
    }
GPUNP_COMPARISON(<, less)
GPUNP_COMPARISON(<=, less_equal)
GPUNP_COMPARISON(>, greater)
GPUNP_COMPARISON(>=, greater_equal)
#undef GPUNP_COMPARISON

#define GPUNP_OF_COMPLEX(R, name, function) \
    template <class T>                      \
    GPUNP_HD R name(const complex<T>& z) {  \
        return math::function(stored(z));   \
    }
GPUNP_OF_COMPLEX(T, abs, absolute)
GPUNP_OF_COMPLEX(bool, isnan, isnan)
GPUNP_OF_COMPLEX(bool, isinf, isinf)
GPUNP_OF_COMPLEX(bool, isfinite, isfinite)
#undef GPUNP_OF_COMPLEX

// As NumPy's minimum and maximum: a NaN propagates.
template <class T>
GPUNP_HD complex<T> min(const complex<T>& a, const complex<T>& b) {
    return math::minimum(stored(a), stored(b));
}
template <class T>
GPUNP_HD complex<T> max(const complex<T>& a, const complex<T>& b) {
    return math::maximum(stored(a), stored(b));
}

template <class T>
GPUNP_HD constexpr T real(const complex<T>& z) {
    return z.x;
}
template <class T>
GPUNP_HD constexpr T imag(const complex<T>& z) {
    return z.y;
}
template <class T>
GPUNP_HD constexpr complex<T> conj(const complex<T>& z) {
    return {z.x, -z.y};
}
// |z|^2.
template <class T>
GPUNP_HD constexpr T norm(const complex<T>& z) {
    return z.x * z.x + z.y * z.y;
}
template <class T>
GPUNP_HD T arg(const complex<T>& z) {
    return math::arctan2(z.y, z.x);
}
// The projection onto the Riemann sphere: all infinities become one, up to the sign of a zero.
template <class T>
GPUNP_HD complex<T> proj(const complex<T>& z) {
    return math::isinf(stored(z)) ? complex<T>(math::libm<T>::infinity(), copysign((T)0, z.y)) : z;
}

// The same for reals, for code that serves both.
template <class S>
GPUNP_HD constexpr if_arithmetic<S> real(S x) {
    return x;
}
template <class S>
GPUNP_HD constexpr if_arithmetic<S> imag(S) {
    return 0;
}
template <class S>
GPUNP_HD constexpr if_arithmetic<S> conj(S x) {
    return x;
}
template <class S>
GPUNP_HD constexpr if_arithmetic<S> norm(S x) {
    return x * x;
}
template <class S>
GPUNP_HD if_arithmetic<S, floating_t<S, S>> arg(S x) {
    return math::arctan2((floating_t<S, S>)0, (floating_t<S, S>)x);
}

}  // namespace custom
}  // namespace gpunp

using gpunp::custom::arg;
using gpunp::custom::complex;
using gpunp::custom::conj;
using gpunp::custom::imag;
using gpunp::custom::norm;
using gpunp::custom::real;

#include "gpunp/custom/complex_functions.h"
