// Constants of the block functions: splits of logarithms and of pi, and polynomials near the best ones (from
// expansions in Chebyshev polynomials), lowest coefficient first.
#pragma once

namespace gpunp {
namespace math {
namespace lanes {

// The high parts have few bits: their products with exponents are exact.
constexpr double LOG2_E = 1.4426950408889634;
constexpr double LN2_HIGH_F8 = 0x1.62e42fefa38p-1, LN2_LOW_F8 = 0x1.ef35793c7673p-45;
constexpr double LN2_HIGH_F4 = 0x1.62e4p-1, LN2_LOW_F4 = 0x1.7f7d1cf79abcap-20;
constexpr double LOG2_E_HIGH_F8 = 0x1.71547p+0, LOG2_E_LOW_F8 = 0x1.94ae0bf85ddf4p-22;
constexpr double LOG2_E_HIGH_F4 = 0x1.714p+0, LOG2_E_LOW_F4 = 0x1.47652b82fe177p-12;
constexpr double LOG10_E_HIGH_F8 = 0x1.bcb7bp-2, LOG10_E_LOW_F8 = 0x1.526e50e32a6abp-26;
constexpr double LOG10_E_HIGH_F4 = 0x1.bcap-2, LOG10_E_LOW_F4 = 0x1.7b1526e50e32ap-14;
constexpr double LOG10_2_HIGH_F8 = 0x1.34413509f78p-2, LOG10_2_LOW_F8 = 0x1.fef311f12b358p-46;
constexpr double LOG10_2_HIGH_F4 = 0x1.344p-2, LOG10_2_LOW_F4 = 0x1.3509f79fef312p-18;

// 2 / (3 ln(2)) and what rounding it has lost; ln(2), its leading 21 bits and the rest.
constexpr double POWER_BASE = 0x1.ec709dc3a03fdp-1, POWER_BASE_REST = 0x1.d27f05548af0cp-55;
constexpr double LN2 = 0x1.62e42fefa39efp-1, LN2_LEADING = 0x1.62e42p-1, LN2_REST = 0x1.fdf473de6af28p-22;

constexpr double LN2_LEADING_F4 = 0x1.62ep-1, LN2_REST_F4 = 0x1.0bfbe8e7bcd5ep-15;

// Multiples of the first two parts of pi / 2 are exact up to 2 ** 20.
constexpr double TWO_OVER_PI = 0.63661977236758134;
constexpr double HALF_PI_1 = 0x1.921fb544p+0, HALF_PI_2 = 0x1.0b4611a6p-34, HALF_PI_3 = 0x1.3198a2e037073p-69;
constexpr double TRIGONOMETRIC_LIMIT = 1e6;
// The same for float32, exact up to 2 ** 8: magnitudes up to NEAR_ANGLES are less than 2 ** 8 * pi / 2.
constexpr float HALF_PI_1_F4 = 0x1.921e00p+0f, HALF_PI_2_F4 = 0x1.b54400p-16f, HALF_PI_3_F4 = 0x1.0b4612p-34f;
constexpr float NEAR_ANGLES = 400;

// (exp(r) - 1 - r) / r ** 2 for |r| <= ln(2) / 2.
constexpr float exp_f4[] = {0.500000001346581f,  0.16666666681623232f,   0.041666464925285904f,
                            0.0083333109254809f, 0.0013933649996309251f, 0.00019890990824673654f};
constexpr double exp_f8[] = {0.5,
                             0.1666666666666667,
                             0.04166666666666667,
                             0.008333333333326136,
                             0.0013888888888883748,
                             0.00019841269874820627,
                             2.4801587325547743e-05,
                             2.7557255400206422e-06,
                             2.75572736431103e-07,
                             2.5105217004720745e-08,
                             2.0914686968086876e-09};
// exp by steps of 1/8 (float32) or 1/16 of a power of two: 2 ** (j / 8) or 2 ** (j / 16), and what rounding
// has taken from it. (exp(r) - 1 - r) / r ** 2 for |r| <= ln(2) / 16 or ln(2) / 32.
constexpr float exp_step_f4[] = {1.0f,
                                 1.0905077457427979f,
                                 1.1892070770263672f,
                                 1.2968395948410034f,
                                 1.4142135381698608f,
                                 1.5422108173370361f,
                                 1.6817928552627563f,
                                 1.8340080976486206f};
constexpr float exp_step_rest_f4[] = {0,
                                      -1.3077539939843064e-08f,
                                      3.797635272917432e-08f,
                                      -4.018999533172973e-08f,
                                      2.4203234971764687e-08f,
                                      8.070904833346049e-09f,
                                      -2.4755326677450284e-08f,
                                      -1.1239277952768134e-08f};
constexpr float exp_near_f4[] = {0.5f, 0.16667844355106354f, 0.04166863113641739f};
constexpr double exp_step_f8[][2] = {{1.0, 0},
                                     {1.0442737824274138, 8.551889705537965e-17},
                                     {1.0905077326652577, -3.046782079812471e-17},
                                     {1.1387886347566916, 8.912812676025408e-17},
                                     {1.189207115002721, 3.982015231465646e-17},
                                     {1.241857812073484, 4.658027591836937e-17},
                                     {1.2968395546510096, 2.5382502794888315e-17},
                                     {1.3542555469368927, 7.70094837980299e-17},
                                     {1.4142135623730951, -9.667293313452913e-17},
                                     {1.4768261459394993, -3.483994556892796e-17},
                                     {1.5422108254079407, 7.949834809697621e-17},
                                     {1.6104903319492543, 2.4707192569797888e-17},
                                     {1.681792830507429, 8.199010020581497e-17},
                                     {1.7562521603732995, 2.960140695448873e-17},
                                     {1.8340080864093424, 3.283107224245627e-17},
                                     {1.9152065613971474, -1.0619946056195963e-16}};
constexpr double exp_near_f8[] = {0.5, 0.16666666665290997, 0.04166666666494708, 0.00833345015626253,
                                  0.0013889034917359318};
// log by mantissas next to 1 + j / 16: -log(c) for a c of 7 bits near 1 / (1 + j / 16), as a multiple of
// 2 ** -42 and a rest. The last 18 bits of the rest, which do not matter, are the first 18 bits of c.
// (log(1 + r) - r) / r ** 2 for -0.0335 <= r <= 0.0353.
constexpr double log_step_f8[][2] = {{0, 0x0.000000000ffc0p-1022},
                                     {0x1.08598b59e4000p-4, -0x1.7e5dd7008ffb8p-46},
                                     {0x1.da72763844000p-4, 0x1.a89401fa8ffb2p-46},
                                     {0x1.5bf406b544000p-3, -0x1.27023eb68ffacp-46},
                                     {0x1.d1037f2656000p-3, -0x1.84a7e75b8ffa6p-47},
                                     {0x1.1178e8227e000p-2, 0x1.1ef78ce2cffa2p-44},
                                     {0x1.522ae0738a000p-2, 0x1.ebe708164ff9cp-45},
                                     {0x1.7fafa3bd81000p-2, 0x1.46fb79bf8ff98p-44},
                                     {0x1.973a343135000p-2, 0x1.ab73b16c0ff96p-44},
                                     {0x1.c7ff9c7455000p-2, 0x1.324911f58ff92p-44},
                                     {0x1.fb358af7a5000p-2, -0x1.def40b87cff8ep-44},
                                     {0x1.0ae76e2d05800p-1, -0x1.82de51de0ff8cp-44},
                                     {0x1.269621134d800p-1, 0x1.c93c1df5cff88p-44},
                                     {0x1.35028ad9d9000p-1, -0x1.bd1f01ab8ff86p-44},
                                     {0x1.43d9ff2f92000p-1, 0x1.e267b0b80ff84p-44},
                                     {0x1.5af405c364800p-1, 0x1.dfa63ac10ff81p-45}};
constexpr double log_near_f8[] = {-0.4999999999999985,  0.3333333333334057,   -0.2500000000404599,
                                  0.1999999994129347,   -0.16666649474716366, 0.14285825470061472,
                                  -0.12523434407750117, 0.11060743778060991};
// (log((1 + s) / (1 - s)) - 2 s) / s ** 3 in z = s ** 2, for mantissas between the roots of 1/2 and 2.
constexpr float log_f4[] = {0.6666666655404201f, 0.4000012221181065f, 0.28550778633191964f,
                            0.23331614471843498f};
constexpr double log_f8[] = {0.666666666666667,   0.3999999999989889, 0.28571428626253836,
                             0.22222211089379496, 0.1818289243253687, 0.15331611722055008,
                             0.14617807153417325};
// (log((1 + s) / (1 - s)) * 3 / (2 s) - 3 - z) / z ** 2 in z = s ** 2, for the same mantissas.
constexpr double power_f8[] = {0.6,
                               0.4285714285714405,
                               0.3333333333248383,
                               0.272727275030892,
                               0.23076892443777647,
                               0.20002207040770967,
                               0.1755935450923681,
                               0.17584767935814777};
// Powers of float32: log2((1 + s) / (1 - s)) / s in z = s ** 2, and (2 ** f - 1) / f for |f| <= 1/2.
constexpr double log2_single[] = {2.885390081777851,   0.961796694112265,   0.5770779426602745,
                                  0.41220922406437344, 0.31990680366410335, 0.2828850255666951};
constexpr double exp2_single[] = {0.6931471805599453,    0.24022650922288757,  0.055504108839096185,
                                  0.009618056678524637,  0.001333350238616277, 0.0001546144469856913,
                                  1.5297323760701075e-05};
// (sin(x) - x) / x ** 3 and (cos(x) - 1 + x ** 2 / 2) / x ** 4 in z = x ** 2, for |x| <= pi / 4.
constexpr float sin_f4[] = {-0.16666666663849675f, 0.008333331872526864f, -0.00019840085556195348f,
                            2.724977294115182e-06f};
constexpr float cos_f4[] = {0.041666666664316516f, -0.0013888887670194634f, 2.480059939299715e-05f,
                            -2.730083162069671e-07f};
constexpr double sin_f8[] = {-0.16666666666666666,  0.008333333333330943,    -0.0001984126983674956,
                             2.755731609787775e-06, -2.5051130870968297e-08, 1.591805913698281e-10};
constexpr double cos_f8[] = {0.041666666666666664,   -0.0013888888888887393, 2.4801587298760048e-05,
                             -2.755731726880539e-07, 2.0876145659059344e-09, -1.1382588535352522e-11};

// (atan(x) - x) / x ** 3 in z = x ** 2, for |x| <= tan(pi / 8).
constexpr double atan_f4[] = {-0.3333333333144073, 0.19999998917287984,  -0.14285612511340912,
                              0.11107495134432346, -0.09028983484413358, 0.07135325031857727,
                              -0.04043224634751892};
constexpr double atan_f8[] = {-0.3333333333333333,  0.1999999999999552,   -0.14285714284666542,
                              0.11111111015256292,  -0.09090904578121085, 0.07692183190760651,
                              -0.0666451144646022,  0.05858148904795124,  -0.050854496960392584,
                              0.039231657085083686, -0.019176885636589053};
// pi / 4 in two parts; multiples of the first one by up to 4 are exact.
constexpr double TAN_PI_8 = 0.41421356237309503;
constexpr double PI_4_HIGH = 0x1.921fb54442cp-1, PI_4_LOW = 0x1.18469898cc517p-45;

// Calls would keep loops from being vectorized.
#define GPUNP_LANE __attribute__((always_inline)) inline

// Recursive, because loops that are not unrolled keep the loop around them from being vectorized.
template <int FIRST = 0, class T, int N>
GPUNP_LANE T horner(T x, const T (&c)[N]) {
    if constexpr (FIRST + 1 == N)
        return c[FIRST];
    else
        return horner<FIRST + 1>(x, c) * x + c[FIRST];
}

template <int FIRST, class T, int N>
GPUNP_LANE T every_second(T square, const T (&c)[N]) {
    if constexpr (FIRST + 2 >= N)
        return c[FIRST];
    else
        return every_second<FIRST + 2>(square, c) * square + c[FIRST];
}
// By even and odd powers, which processors compute side by side.
template <class T, int N>
GPUNP_LANE T horner_in_halves(T x, const T (&c)[N]) {
    const T square = x * x;
    return every_second<1>(square, c) * x + every_second<0>(square, c);
}

}  // namespace lanes
}  // namespace math
}  // namespace gpunp
