// Whether two numbers are equal within tolerances, as numpy.isclose computes it.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/math/complex_arithmetic.h"
#include "gpunp/math/complex_comparison.h"
#include "gpunp/math/floating.h"

namespace gpunp {
namespace closeness {

template <class C>
struct parts {
    using real = C;
    static GPUNP_HD C difference(C x, C y) { return x - y; }
    static GPUNP_HD C magnitude(C x) { return x < 0 ? -x : x; }
    static GPUNP_HD bool nan(C x) { return x != x; }
    static GPUNP_HD bool finite(C x) { return x - x == 0; }
    static GPUNP_HD bool same(C x, C y) { return x == y; }
    static GPUNP_HD C made(const double (&v)[2]) { return (C)v[0]; }
};
template <class T>
struct parts<complex<T>> {
    using C = complex<T>;
    using real = T;
    static GPUNP_HD C difference(C x, C y) { return {x.re - y.re, x.im - y.im}; }
    static GPUNP_HD T magnitude(C x) { return x.im == 0 ? parts<T>::magnitude(x.re) : math::absolute(x); }
    static GPUNP_HD bool nan(C x) { return parts<T>::nan(x.re) || parts<T>::nan(x.im); }
    static GPUNP_HD bool finite(C x) { return parts<T>::finite(x.re) && parts<T>::finite(x.im); }
    static GPUNP_HD bool same(C x, C y) { return x.re == y.re && x.im == y.im; }
    static GPUNP_HD C made(const double (&v)[2]) { return {(T)v[0], (T)v[1]}; }
};

// Rounds to a narrower type after each operation. For products and sums of halves and floats in the wider
// type, this gives the same result as the narrower type's own arithmetic.
template <class R>
GPUNP_HD R narrowed(R x, int dtype) {
    if (dtype == F2) return (R)to_float(to_half(x));
    return dtype == F4 ? (R)(float)x : x;
}

// |x - y| <= atol + rtol |y|, or equality. The difference has the dtype `own`, the tolerance `dtype`.
template <int own, class C, class R>
GPUNP_HD bool is_within(C x, C y, R rtol, R atol, int dtype, bool tolerant, bool equal_nan) {
    using Parts = parts<C>;
    const R apart = narrowed(Parts::magnitude(Parts::difference(x, y)), own);
    const R scaled = narrowed(rtol * Parts::magnitude(y), dtype);
    // Nearly all elements are decided here, without a branch.
    if (tolerant & (apart <= narrowed(atol + scaled, dtype)) & Parts::finite(y)) return true;
    return Parts::same(x, y) || (equal_nan && Parts::nan(x) && Parts::nan(y));
}

}  // namespace closeness

namespace math {

// D is the stored type of both numbers; the tolerances are rtol and atol.
template <class D, class C, class R>
GPUNP_HD bool is_close(C x, C y, complex<R> tolerances, bool equal_nan) {
    constexpr int own = dtype_of<D>::value == F2 ? F2 : F8;
    return closeness::is_within<own>(x, y, tolerances.re, tolerances.im, own, true, equal_nan);
}

}  // namespace math
}  // namespace gpunp
