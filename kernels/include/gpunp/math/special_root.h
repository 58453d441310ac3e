// Roots of increasing functions of a positive number: parameters of distributions.
#pragma once
#include "gpunp/math/special_evaluate.h"

namespace gpunp {
namespace math {
namespace special {

constexpr int ROOT_LIMIT = 300;

// The bounds of degrees of freedom of t and of F distributions, and the start of the search, as in SciPy.
constexpr double LEAST_DEGREES = 1e-100, MOST_DEGREES = 1e10, MOST_FISHER_DEGREES = 1e100, DEGREES_START = 5;

// How far a tail of a distribution is from its goal, as a function that increases with the distribution
// function. The logarithm is nearly linear far from the root, too.
GPUNP_HD double tail_excess(double tail, double goal, bool upper) {
    double excess = ::log(tail / goal);
    return upper ? -excess : excess;
}

// The points of Chandrupatla's method (1997): the root is between a and b, and c is the point before.
struct Bracket {
    double a, at_a, b, at_b, c, at_c;
};

// Take up the value at a point inside the bracket.
GPUNP_HD void shrink(Bracket& s, double x, double value) {
    if ((value < 0) == (s.at_a < 0)) {
        s.c = s.a;
        s.at_c = s.at_a;
    } else {
        s.c = s.b;
        s.at_c = s.at_b;
        s.b = s.a;
        s.at_b = s.at_a;
    }
    s.a = x;
    s.at_a = value;
}

// The next point: by inverse quadratic interpolation where that is safe, else in the middle, which is the
// geometric one of a wide bracket. `least` is the smallest distance from the ends, as a part of the bracket.
GPUNP_HD double next_point(const Bracket& s, double least) {
    double ratio = s.a / s.b;
    if (ratio > 0 && (ratio > 4 || ratio < 0.25)) return ::sqrt(s.a) * ::sqrt(s.b);
    double xi = (s.a - s.b) / (s.c - s.b), phi = (s.at_a - s.at_b) / (s.at_c - s.at_b), part = 0.5;
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi) {
        double first = s.at_a / (s.at_b - s.at_a) * (s.at_c / (s.at_b - s.at_c));
        double second = s.at_a / (s.at_c - s.at_a) * (s.at_b / (s.at_c - s.at_b));
        part = first + (s.c - s.a) / (s.b - s.a) * second;
    }
    part = ::fmin(1 - least, ::fmax(least, part));
    return s.a + part * (s.b - s.a);
}

// The root of an increasing function f in [low, high], 0 <= low; one of the bounds if the root is beyond it.
// From the start, which is inside, the search goes away by factors that grow.
template <class F>
GPUNP_HD_CALLED double root_of_increasing(F f, double start, double low, double high) {
    Bracket s = {start, 0, start, 0, start, 0};
    double x = start, factor = 1.25;
    bool bracketed = false;
    for (int n = 0; n < ROOT_LIMIT; ++n) {
        double value = f(x);
        if (value == 0 || value != value) return value == 0 ? x : value;
        if (bracketed) {
            shrink(s, x, value);
        } else if (n > 0 && (value < 0) != (s.at_a < 0)) {
            bracketed = true;
            s = {x, value, s.a, s.at_a, s.a, s.at_a};
        } else {
            if ((value < 0 && x >= high) || (value > 0 && x <= low)) return x;
            s.a = x;
            s.at_a = value;
            x = value < 0 ? ::fmin(x * factor, high) : x < 1e-290 ? low : ::fmax(x / factor, low);
            factor = ::fmin(factor * factor, 1e20);
            continue;
        }
        bool first = ::fabs(s.at_a) < ::fabs(s.at_b);
        double best = first ? s.a : s.b, least = 2.3e-16 * ::fabs(best) / ::fabs(s.b - s.a);
        if (least > 0.5 || s.a == s.b) return best;
        x = next_point(s, least);
    }
    return s.a;
}

// The root of a function that increases or decreases from low to high; a bound if there is no root between
// them. f.sign is 1.
template <class F>
GPUNP_HD_CALLED double root_of_monotone(F f, double start, double low, double high) {
    double at_low = f(low), at_high = f(high);
    if (at_high < at_low) {
        f.sign = -1;
        at_low = -at_low;
        at_high = -at_high;
    }
    if (at_low > 0 || at_high < 0) return at_low > 0 ? low : high;
    return root_of_increasing(f, start, low, high);
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
