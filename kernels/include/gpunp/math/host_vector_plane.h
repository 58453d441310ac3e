// Lengths and angles in the plane for blocks of elements of the host; see host_vector.h.
#pragma once
#include "gpunp/math/host_vector_coefficients.h"
#include "gpunp/math/real.h"

namespace gpunp {
namespace math {
namespace lanes {

// The bits of a double that keep the leading 21 or 26 bits of its fraction.
constexpr uint64_t SIGN = 1ull << 63, LEADING_21 = ~0ull << 32, LEADING_26 = ~0ull << 27;
GPUNP_LANE double kept(double x, uint64_t bits) {
    return from_bits((uint64_t)(bits_of(x) & bits));
}

GPUNP_LANE double magnitude(double x) {
    return from_bits((uint64_t)(bits_of(x) & ~SIGN));
}
GPUNP_LANE float magnitude(float x) {
    return from_bits(bits_of(x) & 0x7fffffffu);
}

// Negative unless a magnitude is zero or from 2^-450 to 2^450.
GPUNP_LANE int64_t beyond_ordinary(double x) {
    constexpr int64_t least = (int64_t)(1023 - 450) << 52, greatest = (int64_t)(1023 + 450) << 52;
    const int64_t bits = (int64_t)(bits_of(x) & ~SIGN);
    return ((bits - least) | (greatest - bits)) & ~(bits - 1);
}
GPUNP_LANE int64_t beyond_ordinary(double a, double b) {
    return (beyond_ordinary(a) | beyond_ordinary(b)) >> 63;
}
// Infinity and NaN.
GPUNP_LANE int32_t beyond_ordinary(float a, float b) {
    constexpr int32_t greatest = 0x7f7fffff, magnitudes = 0x7fffffff;
    return ((greatest - (int32_t)(bits_of(a) & magnitudes)) |
            (greatest - (int32_t)(bits_of(b) & magnitudes))) >>
           31;
}

// The rounding error of x * x = square, from the leading 26 bits of x and the rest.
GPUNP_LANE double square_error(double x, double square) {
    const double high = kept(x, LEADING_26), low = x - high;
    return ((high * high - square) + 2.0 * high * low) + low * low;
}
// The length of (a, b), unless one of them is beyond the ordinary, with an error of little more than half an
// ulp.
GPUNP_LANE double hypot(double a, double b) {
    const double x = magnitude(a), y = magnitude(b), great = x > y ? x : y, little = x < y ? x : y;
    const double xx = great * great, yy = little * little, h = __builtin_sqrt(xx + yy), hh = h * h;
    // One step of Newton's method from x^2 + y^2 - h^2, nearly exact (Borges 2020, ACM TOMS 47(1), 9).
    const double rest =
        (((xx - hh) + yy) + square_error(little, yy)) + (square_error(great, xx) - square_error(h, hh));
    const double twice = 2.0 * h;
    return h + rest / (twice > 0x1p-500 ? twice : 0x1p-500);
}
// The same without a division, with errors below 0.86 ulp: the squares of the leading 26 bits are exact, the
// rests and the rounding error of the sum are added to it.
GPUNP_LANE double length(double a, double b) {
    const double x = magnitude(a), y = magnitude(b), great = x > y ? x : y, little = x < y ? x : y;
    const double great_high = kept(great, LEADING_26), little_high = kept(little, LEADING_26);
    const double xx = great_high * great_high, yy = little_high * little_high, sum = xx + yy;
    const double rests =
        (great - great_high) * (great + great_high) + (little - little_high) * (little + little_high);
    return __builtin_sqrt(sum + (rests + (yy - (sum - xx))));
}
// In double, squares of floats are exact and do not overflow.
GPUNP_LANE float hypot(float a, float b) {
    const double x = a, y = b;
    return (float)__builtin_sqrt(x * x + y * y);
}
GPUNP_LANE float length(float a, float b) {
    return hypot(a, b);
}

inline double library_length(double a, double b) {
    const double infinity = from_bits((uint64_t)0x7ff0000000000000ull);
    const double x = magnitude(a), y = magnitude(b);
    if (x == infinity || y == infinity) return infinity;  // the other may be NaN
    if (x != x || y != y) return x + y;
    // Powers of two keep the squares and their rounding errors in range.
    const double great = x < y ? y : x, scale = great < 0x1p-400 ? 0x1p600 : great > 0x1p400 ? 0x1p-600 : 1;
    return hypot(x * scale, y * scale) * (1 / scale);
}
inline float library_length(float a, float b) {
    const float infinity = from_bits((uint32_t)0x7f800000u);
    return magnitude(a) == infinity || magnitude(b) == infinity ? infinity : a + b;
}
template <class T>
inline T one_length(T a, T b) {
    return beyond_ordinary(a, b) ? library_length(a, b) : length(a, b);
}
template <class T>
inline T one_hypot(T a, T b) {
    return beyond_ordinary(a, b) ? library_length(a, b) : hypot(a, b);
}

// All bits if x is negative.
GPUNP_LANE uint64_t if_negative(double x) {
    return (uint64_t)((int64_t)bits_of(x) >> 63);
}

// The angle of the point (x, y): a multiple of pi / 4 and, with a sign, the arctangent of p / q, which is at
// most tan(pi / 8). By masks: compilers would make of conditions a division for each case.
struct Direction {
    double p, p_low, q, q_low, eighths;
    uint64_t sign;

    GPUNP_LANE Direction(double y, double x) {
        const double a = magnitude(y), b = magnitude(x), little = a < b ? a : b;
        double great = a > b ? a : b;
        great = great > 0x1p-1000 ? great : 0x1p-1000;  // may be zero
        const uint64_t diagonal = if_negative(TAN_PI_8 * great - little);
        const double less = kept(great, diagonal), more = kept(little, diagonal);
        p = little - less;
        q = great + more;
        // What rounding took from them.
        p_low = little - (p + less);
        q_low = more - (q - great);
        const double k = magnitude(kept(2.0, if_negative(b - a)) - kept(1.0, diagonal));
        eighths = magnitude(kept(4.0, if_negative(x)) - k);
        sign = (bits_of(x) ^ bits_of(b - a)) & SIGN;
    }
    GPUNP_LANE double with_sign(double r) const { return from_bits((uint64_t)(bits_of(r) ^ sign)); }
};

GPUNP_LANE double angle(double y, double x) {
    const Direction d(y, x);
    // The quotient as a leading part and a rest.
    const double inverse = 1.0 / d.q, r = d.p * inverse;
    const double high = kept(r, LEADING_21), q_high = kept(d.q, LEADING_21),
                 q_rest = (d.q - q_high) + d.q_low;
    const double low = inverse * (((d.p - high * q_high) - high * q_rest) + d.p_low);
    const double z = r * r, rest = d.with_sign(low + r * z * horner_in_halves(z, atan_f8));
    const double turned = d.eighths * PI_4_HIGH, main = d.with_sign(high), sum = turned + main;
    return __builtin_copysign(sum + ((main - (sum - turned)) + (rest + d.eighths * PI_4_LOW)), y);
}
GPUNP_LANE float angle(float y, float x) {
    const Direction d(y, x);
    const double r = d.p / d.q, z = r * r, angle = d.with_sign(r + r * z * horner_in_halves(z, atan_f4));
    return __builtin_copysignf((float)(d.eighths * (PI_4_HIGH + PI_4_LOW) + angle), y);
}
inline double library_angle(double y, double x) {
    return ::atan2(y, x);
}
inline float library_angle(float y, float x) {
    return (float)::atan2((double)y, (double)x);
}
template <class T>
inline T one_angle(T y, T x) {
    return beyond_ordinary(y, x) ? library_angle(y, x) : angle(y, x);
}

}  // namespace lanes

// A block of a function of two arguments, whose elements are STRIDE apart. A piece with elements beyond the
// ordinary is computed one by one; `out` may be an argument.
#define GPUNP_PLANE_BLOCK(name)                                                                           \
    template <int STRIDE, class T>                                                                        \
    void name##_block(const T* x, const T* y, T* out, int64_t count) {                                    \
        constexpr int64_t PIECE = 256;                                                                    \
        T first[PIECE], second[PIECE];                                                                    \
        for (int64_t start = 0; start < count; start += PIECE) {                                          \
            const int64_t n = count - start < PIECE ? count - start : PIECE;                              \
            const T *a = x + start * STRIDE, *b = y + start * STRIDE;                                     \
            T* to = out + start;                                                                          \
            auto rare = lanes::beyond_ordinary((T)1, (T)1);                                               \
            for (int64_t i = 0; i < n; i++) rare |= lanes::beyond_ordinary(a[i * STRIDE], b[i * STRIDE]); \
            if (rare) {                                                                                   \
                for (int64_t i = 0; i < n; i++) first[i] = a[i * STRIDE];                                 \
                for (int64_t i = 0; i < n; i++) second[i] = b[i * STRIDE];                                \
                for (int64_t i = 0; i < n; i++) to[i] = lanes::one_##name(first[i], second[i]);           \
                continue;                                                                                 \
            }                                                                                             \
            _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) to[i] =                                  \
                lanes::name(a[i * STRIDE], b[i * STRIDE]);                                                \
        }                                                                                                 \
    }
GPUNP_PLANE_BLOCK(angle)
GPUNP_PLANE_BLOCK(length)
GPUNP_PLANE_BLOCK(hypot)
#undef GPUNP_PLANE_BLOCK

}  // namespace math
}  // namespace gpunp
