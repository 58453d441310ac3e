// Exponentials, logarithms, powers, circular and hyperbolic functions of complex<T>, with NumPy's values.
#pragma once
#include "gpunp/custom/complex.h"

namespace gpunp {
namespace custom {

// Called, not inlined: each has hundreds of instructions.
#define GPUNP_OF_COMPLEX(name, function)            \
    template <class T>                              \
    GPUNP_HD_CALLED complex<T> name(complex<T> z) { \
        return math::function(stored(z));           \
    }
GPUNP_OF_COMPLEX(exp, exp)
GPUNP_OF_COMPLEX(log, log)
GPUNP_OF_COMPLEX(log10, log10)
GPUNP_OF_COMPLEX(sqrt, sqrt)
GPUNP_OF_COMPLEX(sin, sin)
GPUNP_OF_COMPLEX(cos, cos)
GPUNP_OF_COMPLEX(tan, tan)
GPUNP_OF_COMPLEX(sinh, sinh)
GPUNP_OF_COMPLEX(cosh, cosh)
GPUNP_OF_COMPLEX(tanh, tanh)
GPUNP_OF_COMPLEX(asin, arcsin)
GPUNP_OF_COMPLEX(acos, arccos)
GPUNP_OF_COMPLEX(atan, arctan)
GPUNP_OF_COMPLEX(asinh, arcsinh)
GPUNP_OF_COMPLEX(acosh, arccosh)
GPUNP_OF_COMPLEX(atanh, arctanh)
#undef GPUNP_OF_COMPLEX

template <class T>
GPUNP_HD_CALLED complex<T> power(complex<T> a, complex<T> b) {
    return math::power(stored(a), stored(b));
}
template <class A, class B>
GPUNP_HD complex<promoted_t<A, B>> pow(const complex<A>& a, const complex<B>& b) {
    return power<promoted_t<A, B>>(a, b);
}
template <class T, class S>
GPUNP_HD complex_with<T, S> pow(const complex<T>& a, const S& b) {
    using R = promoted_t<T, S>;
    if constexpr (kind<S> == Kind::INTEGER) {
        // As math::power, in line, so that pow(z, 2) becomes a product.
        const double n = (double)b;
        if (n == 0) return {1, 0};
        if (n > -100 && n < 100) {
            const R undefined = math::libm<R>::nan();
            if (a == 0) return n > 0 ? complex<R>(0) : complex<R>(undefined, undefined);
            return math::integer_power(stored(complex<R>(a)), (int)n);
        }
    }
    return power<R>(a, b);
}
template <class T, class S>
GPUNP_HD complex_with<T, S> pow(const S& a, const complex<T>& b) {
    return power<promoted_t<T, S>>(a, b);
}

// From length and angle.
template <class A, class B>
GPUNP_HD complex<floating_t<A, B>> polar(const A& length, const B& angle) {
    using R = floating_t<A, B>;
    R sine, cosine;
    math::libm<R>::sincos((R)angle, &sine, &cosine);
    return {(R)length * cosine, (R)length * sine};
}
template <class A>
GPUNP_HD complex<floating_t<A, A>> polar(const A& length) {
    return {(floating_t<A, A>)length};
}

}  // namespace custom
}  // namespace gpunp

using gpunp::custom::polar;
