// The incomplete gamma functions in single precision. The exponent of their weight x^a e^-x / gamma(a), whose
// terms cancel, is in two parts of single precision: double precision would take most of the time.
#pragma once
#include "gpunp/math/special_gamma.h"

namespace gpunp {
namespace math {
namespace special {

struct TwoParts {
    float high, low;
};

GPUNP_HD TwoParts sum_in_two(float a, float b) {
    float sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}
GPUNP_HD TwoParts product_in_two(float a, TwoParts b) {
    float product = a * b.high;
    return {product, ::fmaf(a, b.low, ::fmaf(a, b.high, -product))};
}
GPUNP_HD float quick_quotient(float a, float b) {
#if defined(__CUDA_ARCH__)
    return __fdividef(a, b);
#else
    return a / b;
#endif
}

// log(x) of a normal number with an error of 2e-9: 2 artanh((m - 1) / (m + 1)) for x = 2^k m.
GPUNP_HD TwoParts log_in_two(float x) {
    int32_t exponent = (int32_t)(bits_of(x) - 0x3f2aaaabu) >> 23;
    float m = from_bits(bits_of(x) - ((uint32_t)exponent << 23)), k = (float)exponent;
    float above = m - 1, sum = m + 1, sum_low = m - (sum - 1), inverse = quick_quotient(1, sum);
    float s = above * inverse;
    s = ::fmaf(::fmaf(-s, sum, above), inverse, s);
    float low = ::fmaf(-s, sum_low, ::fmaf(-s, sum, above)) * inverse, square = s * s;
    constexpr float c[] = {0.6666667f, 0.4f, 0.2857143f, 0.22222222f, 0.19f};
    float rest = ::fmaf(2.f, low, s * square * horner(square, c));
    TwoParts log = sum_in_two(k * 0.693145751953125f, 2 * s);
    return sum_in_two(log.high, log.low + ::fmaf(k, 1.42860677e-6f, rest));
}

// x^a e^-x / gamma(a) for 1e-3 < a < 100 and 1e-6 < x < 200.
GPUNP_HD float gamma_weight(float a, float x) {
    // Stirling's formula for a + k >= 8, and the product that the recurrence divides by, both with rests.
    float top = a, top_low = 0, product = 1, product_low = 0;
    for (float k = 1; top < 8; k += 1) {
        TwoParts next = product_in_two(product, {top, top_low});
        product_low = ::fmaf(product_low, top, next.low);
        product = next.high;
        top = a + k;
        top_low = a - (top - k);
    }
    TwoParts log_x = log_in_two(x), log_top = log_in_two(top);
    TwoParts power = product_in_two(a, log_x), stirling = product_in_two(top - 0.5f, log_top);
    TwoParts logs = sum_in_two(power.high, -stirling.high), linear = sum_in_two(top, -x);
    TwoParts exponent = sum_in_two(logs.high, linear.high);
    float u = quick_quotient(1, top), v = u * u;
    float series = u * ::fmaf(v, ::fmaf(v, 7.9365e-4f, -2.7777778e-3f), 0.083333333f);
    float low = exponent.low + (linear.low + (logs.low + (power.low - stirling.low)));
    low -= (float)HALF_LOG_TWO_PI + series + top_low * (log_top.high - 0.5f * u);
    exponent = sum_in_two(exponent.high, low);
    float e = ::expf(exponent.high), weight = e * product;
    return ::fmaf(e, product_low, ::fmaf(weight, exponent.low, weight));
}

// P(a, x) by its power series, over the weight. Two terms share a division.
GPUNP_HD float gamma_series_over_weight(float a, float x) {
    float term = 1, sum = 1, next = a;
    do {
        const float after = next + 2;
        next += 1;
        term *= x * quick_reciprocal(next * after);
        sum = ::fmaf(term, after + x, sum);
        term *= x;
        next = after;
    } while (term > sum * 1e-8f);
    return quick_quotient(sum, a);
}

// Q(a, x) by its continued fraction, over the weight: from the end, so that rounding errors shrink. The steps
// leave an error of 2e-8, by experiment.
GPUNP_HD float gamma_fraction_over_weight(float a, float x) {
    float ratio = quick_quotient(a, x), first = x - a + 1;
    float n = ::floorf(4 + quick_quotient(28, x) + 2.5f * ::sqrtf(a) * ratio * ratio), value = first + 2 * n;
    for (; n > 0; n -= 1) value = first + 2 * (n - 1) + quick_quotient(n * (a - n), value);
    return quick_quotient(1, value);
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
