// erf, erfc and ndtr of the host for blocks of elements; see host_vector.h. Errors are below 4 ulp.
#pragma once
#include "gpunp/math/host_vector.h"

namespace gpunp {
namespace math {
namespace lanes {

// `scaled`: exp(y ** 2) erfc(y) (1 + y) for 0 <= y <= limit, in t = (slope y - center) / (y + center) from -1
// to 1 (Shepherd and Laframboise 1981). `near_zero`: erf(x) / x - 1 in x ** 2 for |x| <= 3/4. Both were
// interpolated at Chebyshev nodes.
template <class T>
struct ErrorFunction;
template <>
struct ErrorFunction<double> {
    static constexpr double limit = 27.3, center = 4, slope = 1.2930402930402930;
    static constexpr double scaled[] = {
        0.71248505454328817,    -0.20202506518716952,   0.10305915050981679,    -0.031018203471204150,
        -0.0064379536792268115, 0.017009534290131062,   -0.013895517330110262,  0.0075651620444286474,
        -0.0029338457048031805, 7.3875973313293502e-4,  -5.8533339862949402e-5, -3.8001019875274372e-5,
        1.4981878942909140e-5,  -2.4443366355857454e-7, -1.2782387121138622e-6, 2.3092070538643425e-7,
        9.1149510736939205e-8,  -3.2202300600065310e-8, -6.2656519448696855e-9, 3.4340195188324626e-9,
        3.4415160110614875e-10, -2.4086152293451763e-10};
    static constexpr double near_zero[] = {
        0.12837916709551257,   -0.37612638903183717,   0.11283791670952596,   -0.026866170644428484,
        0.0052239776154205387, -8.5483261887597527e-4, 1.2055289567541707e-4, -1.4924196305569617e-5,
        1.6430684179741549e-6, -1.5940066854661717e-7, 1.1472499701094692e-8};
};
template <>
struct ErrorFunction<float> {
    static constexpr float limit = 10.1f, center = 3, slope = 1.59405941f;
    static constexpr float scaled[] = {0.774123993f,   -0.213107601f,   0.0567707156f,   0.0117121537f,
                                       -0.0201921248f, 0.00996796045f,  -0.00232105061f, -3.27114227e-5f,
                                       1.53962179e-4f, -1.26003331e-5f, -8.29353405e-6f};
    static constexpr float near_zero[] = {0.128379166f,   -0.376126195f,  0.112833865f,
                                          -0.0268351146f, 0.00511533211f, -6.75647957e-4f};
};

// erfc(x / scale), where scale ** 2 = 1 / per_square, for 0 <= x and with the greatest argument that matters.
template <class T>
GPUNP_LANE T complement(T magnitude, T scale, T per_square) {
    using E = ErrorFunction<T>;
    constexpr bool single = sizeof(T) == 4;
    const T y = clamped(magnitude, (T)0, E::limit * scale), c = E::center * scale;
    const T t = (E::slope * y - c) / (y + c);
    const T scaled = horner_in_halves(t, E::scaled) * scale / (scale + y);
    // exp(-per_square * y ** 2): the square is the exact square of leading bits and a rest.
    const T leading = leading_bits(y);
    const T square = -per_square * (leading * leading), rest = per_square * ((y - leading) * (y + leading));
    const Exponential<T> e(square, (T)LOG2_E, single ? (T)LN2_HIGH_F4 : (T)LN2_HIGH_F8,
                           single ? (T)LN2_LOW_F4 : (T)LN2_LOW_F8, rest);
    const auto half = e.k >> 1;
    return (scaled + scaled * e.q()) * power_of_two<T>(half) * power_of_two<T>(e.k - half);
}

template <class T>
GPUNP_LANE T erfc(T x) {
    const T upper = complement(fabs(x), (T)1, (T)1), lower = (T)2 - upper;
    return x < (T)0 ? lower : upper;
}
template <class T>
GPUNP_LANE T erf(T x) {
    const T magnitude = fabs(x), far = (T)1 - complement(magnitude, (T)1, (T)1);
    const T near = magnitude + magnitude * horner(x * x, ErrorFunction<T>::near_zero);
    return copysign(magnitude < (T)0.75 ? near : far, x);
}
template <class T>
GPUNP_LANE T ndtr(T x) {
    const T tail = (T)0.5 * complement(fabs(x), (T)1.4142135623730951, (T)0.5), rest = (T)1 - tail;
    return x < (T)0 ? tail : rest;
}

}  // namespace lanes

#define GPUNP_ERROR_BLOCK(name)                                                              \
    template <class T>                                                                       \
    void name##_block(const T* x, T* out, int64_t count) {                                   \
        _Pragma("GCC ivdep") for (int64_t i = 0; i < count; i++) out[i] = lanes::name(x[i]); \
    }
GPUNP_ERROR_BLOCK(erf)
GPUNP_ERROR_BLOCK(erfc)
GPUNP_ERROR_BLOCK(ndtr)
#undef GPUNP_ERROR_BLOCK

}  // namespace math
}  // namespace gpunp
