// Transforms of 2 to 32 elements in registers.
#pragma once
#include "gpunp/math/complex_arithmetic.h"

namespace gpunp {
namespace fft {

GPUNP_HD float multiply_add(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
    return fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

GPUNP_HD double multiply_add(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
    return fma(a, b, c);
#else
    return a * b + c;
#endif
}

using math::add;
using math::subtract;

// Fused on the device: the products with twiddle factors need not round as NumPy's do.
template <class T>
GPUNP_HD complex<T> multiply(complex<T> a, complex<T> b) {
    return {multiply_add(a.re, b.re, -(a.im * b.im)), multiply_add(a.re, b.im, a.im * b.re)};
}

// cos(2 pi m / 32) for m in the first quadrant.
GPUNP_HD constexpr double cosine(int m) {
    constexpr double VALUES[] = {1.0,
                                 0.98078528040323044913,
                                 0.92387953251128675613,
                                 0.83146961230254523708,
                                 0.70710678118654752440,
                                 0.55557023301960222474,
                                 0.38268343236508977173,
                                 0.19509032201612826785,
                                 0.0};
    return VALUES[m];
}

// a times exp(-2 pi i m / 32).
template <int M, class T>
GPUNP_HD complex<T> rotate(complex<T> a) {
    if constexpr (M >= 8) {
        return rotate<M - 8>(complex<T>{a.im, -a.re});
    } else if constexpr (M == 0) {
        return a;
    } else if constexpr (M == 4) {
        constexpr T H = (T)cosine(4);
        return {(a.re + a.im) * H, (a.im - a.re) * H};
    } else {
        constexpr T C = (T)cosine(M), S = (T)cosine(8 - M);
        return {multiply_add(a.re, C, a.im * S), multiply_add(a.im, C, -(a.re * S))};
    }
}

template <class T>
GPUNP_HD void transform_2(complex<T>& a, complex<T>& b) {
    const complex<T> sum = add(a, b);
    b = subtract(a, b);
    a = sum;
}

template <class T>
GPUNP_HD void transform_4(complex<T>& a, complex<T>& b, complex<T>& c, complex<T>& d) {
    const complex<T> t0 = add(a, c), t1 = subtract(a, c), t2 = add(b, d), t3 = subtract(b, d);
    a = add(t0, t2);
    c = subtract(t0, t2);
    b = {t1.re + t3.im, t1.im - t3.re};
    d = {t1.re - t3.im, t1.im + t3.re};
}

// Multiplies row K1, of R / 4 elements, by its twiddle factors, after the transforms of four down the
// columns.
template <int R, int K1, class T>
GPUNP_HD void turn_row(complex<T>* v);

// Transforms R elements in place, in natural order.
template <int R, class T>
GPUNP_HD void transform_few(complex<T>* v) {
    if constexpr (R == 2) {
        transform_2(v[0], v[1]);
    } else if constexpr (R == 4) {
        transform_4(v[0], v[1], v[2], v[3]);
    } else if constexpr (R > 4) {
        constexpr int B = R / 4;
        GPUNP_UNROLL
        for (int n = 0; n < B; n++) transform_4(v[n], v[B + n], v[2 * B + n], v[3 * B + n]);
        turn_row<R, 1>(v + B);
        turn_row<R, 2>(v + 2 * B);
        turn_row<R, 3>(v + 3 * B);
        complex<T> y[R];
        GPUNP_UNROLL
        for (int k = 0; k < 4; k++) {
            transform_few<B>(v + k * B);
            GPUNP_UNROLL
            for (int m = 0; m < B; m++) y[k + 4 * m] = v[k * B + m];
        }
        GPUNP_UNROLL
        for (int n = 0; n < R; n++) v[n] = y[n];
    }
}

template <int R, int K1, int N, class T>
GPUNP_HD void turn_from(complex<T>* v) {
    if constexpr (N < R / 4) {
        v[N] = rotate<K1 * N * (32 / R)>(v[N]);
        turn_from<R, K1, N + 1>(v);
    }
}

template <int R, int K1, class T>
GPUNP_HD void turn_row(complex<T>* v) {
    turn_from<R, K1, 1>(v);
}

}  // namespace fft
}  // namespace gpunp
