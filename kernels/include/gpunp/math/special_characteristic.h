// Characteristic values of the Mathieu and the spheroidal wave equation.
//
// Both are eigenvalues of an operator that is diagonal, with entries T_i, plus a multiplication by a function
// between 0 and `width`: 2q (1 + cos 2x) in Fourier series, c^2 x^2 or c^2 (1 - x^2) in Legendre functions.
// That part is a product of a bidiagonal matrix with its transpose: its diagonal is P_i + Q_i, and the
// squares of its off-diagonal are P_i Q_{i+1}. Pivots of the elimination are kept as P_i + s_i from above and
// Q_i + s_i from below, so that nothing cancels for large q or c (the differential form of the
// quotient-difference algorithm).
#pragma once
#include "gpunp/math/special_operators.h"

namespace gpunp {
namespace math {
namespace special {

// The Fourier series of period pi or 2 pi, even (in cosines) or odd (in sines) in x. DLMF 28.4, with 2q added
// to the characteristic values. Row i belongs to the angle (2 i + shift) x.
struct MathieuBand {
    double q;
    int shift;  // 0: cosines of even multiples; 1: odd multiples; 2: sines of even multiples
    bool sines;

    GPUNP_HD double width() const { return 4 * q; }
    GPUNP_HD double multiple(double i) const { return 2 * i + shift; }
    GPUNP_HD double diagonal(double i) const { return multiple(i) * multiple(i); }
    GPUNP_HD double row_of(double root) const { return (root - shift) / 2; }
    GPUNP_HD double above(double) const { return q; }  // P
    GPUNP_HD double below(double) const { return q; }  // Q
    // Row 0 of even cosines has half the weight of the others: the coefficient counts twice.
    GPUNP_HD double first_weight() const { return shift == 0 ? 0.5 : 1; }
    // The factor of Q in row 0.
    GPUNP_HD double first_factor() const { return shift == 2 ? 1 : shift == 0 || sines ? 0 : 2; }
    // Levels of the harmonic oscillator at the minimum of the cosine are bounds, if q is large.
    GPUNP_HD double bound(double k) const { return 2 * (2 * multiple(k) + 1) * ::sqrt(q) + 1; }
    // The asymptotic expansion for large q (DLMF 28.8.1), or 0 where it is not exact.
    GPUNP_HD double asymptotic(double k) const {
        const double h = ::sqrt(q), s = 2 * multiple(k) + (sines ? -1 : 1), t = s * s;
        if (h < 4e4 * s) return 0;
        return 2 * s * h - (t + 1) / 8 - s * (t + 3) / (128 * h) - (5 * t * t + 34 * t + 9) / (4096 * q);
    }
};

// Legendre functions of order m and degree m + parity + 2 i. The prolate equation has the eigenvalue lambda,
// the oblate one lambda + c^2.
struct SpheroidalBand {
    double m, parity, square;  // c^2
    bool prolate;

    GPUNP_HD double width() const { return square; }
    GPUNP_HD double degree(double i) const { return m + parity + 2 * i; }
    GPUNP_HD double diagonal(double i) const { return degree(i) * (degree(i) + 1); }
    GPUNP_HD double row_of(double root) const { return (root - 0.5 - m - parity) / 2; }
    GPUNP_HD double above(double i) const {
        const double l = degree(i);
        const double a = l + m + 1, b = prolate ? l - m + 1 : l + m + 2;
        return square * (a * b / ((2 * l + 1) * (2 * l + 3)));
    }
    GPUNP_HD double below(double i) const {
        const double l = degree(i);
        if (l == 0) return 0;
        const double a = l - m, b = prolate ? l + m : l - m - 1;
        return square * (a * b / ((2 * l - 1) * (2 * l + 1)));
    }
    GPUNP_HD double first_weight() const { return 1; }
    GPUNP_HD double first_factor() const { return 1; }
    GPUNP_HD double bound(double k) const { return ::sqrt(square) * 2 * (degree(k) + 3) + (m + 1) * (m + 2); }
    // The asymptotic expansion for large c (DLMF 30.9), or 0 where it is not exact.
    GPUNP_HD double asymptotic(double k) const {
        const double c = ::sqrt(square), n = degree(k), o = m * m;
        if (c < 1e4 * (2 * n + 1)) return 0;
        if (prolate) {
            const double q = 2 * (n - m) + 1, t = q * q;
            return q * c + o - (t + 5) / 8 - q * (t + 11 - 32 * o) / (64 * c) -
                   (5 * (t * t + 26 * t + 21) - 384 * o * (t + 1)) / (1024 * square);
        }
        const double q = n + 1 - parity, t = q * q;
        return 2 * q * c - (t - o + 1) / 2 - q * (t - o + 1) / (8 * c) -
               (5 * t * t + 10 * t + 1 - 2 * o * (3 * t + 1) + o * o) / (64 * square);
    }
};

// A series with more coefficients is not summed: its characteristic value is NaN.
constexpr int MOST_ROWS = 1000000;

// An eigenvalue and the rows outside which its vector is below 1e-18 of its largest entry.
struct Characteristic {
    double value;
    double first, last;  // rows first <= i < last
    double middle;       // a row with a large entry of the vector
};

// Returns the number of rows from `row` on, upwards or downwards, after which an entry is negligible.
template <class Band>
GPUNP_HD double decay(const Band& band, double row, int direction, double value) {
    const double half = band.width() / 2;
    double left = 1, i = row;
    for (int count = 0; left > 1e-18 && i >= 0 && count < MOST_ROWS; count++, i += direction) {
        const double t = ::fabs(band.diagonal(i) + half - value) / half;
        if (t > 1) left /= t + ::sqrt((t - 1) * (t + 1));
    }
    return i;
}

struct Pivots {
    double gamma, slope;  // the pivot that remains, a function of the eigenvalue, and its derivative
    int negative;         // pivots below zero: as many eigenvalues are smaller
};

// Eliminates from both ends to `row`.
template <class Band>
GPUNP_HD_CALLED Pivots eliminate(const Band& band, const Characteristic& at, double row, double value) {
    constexpr double TINY = 1e-290;
    Pivots found = {0, 0, 0};
    double weight = at.first == 0 ? band.first_weight() : 1;
    double above = at.first == 0 ? band.first_factor() : 1, above_slope = 0;
    for (double i = at.first; i < row; i++) {
        const double p = band.above(i), q = band.below(i);
        const double s = weight * (band.diagonal(i) - value) + q * above;
        const double slope = q * above_slope - weight;
        double pivot = p + s;
        if (pivot == 0) pivot = TINY;
        found.negative += pivot < 0;
        above = s / pivot;
        above_slope = p / pivot * (slope / pivot);
        weight = 1;
    }
    double below = 1, below_slope = 0;
    for (double i = at.last - 1; i > row; i--) {
        const double p = band.above(i), q = band.below(i);
        const double s = band.diagonal(i) - value + p * below;
        const double slope = p * below_slope - 1;
        double pivot = q + s;
        if (pivot == 0) pivot = TINY;
        found.negative += pivot < 0;
        below = s / pivot;
        below_slope = q / pivot * (slope / pivot);
    }
    const double p = band.above(row), q = band.below(row);
    found.gamma = weight * (band.diagonal(row) - value) + q * above + p * below;
    found.slope = q * above_slope + p * below_slope - weight;
    found.negative += found.gamma < 0;
    return found;
}

// The row in the middle of the oscillating part of the vector: there the diagonal without the value is zero.
template <class Band>
GPUNP_HD double middle_row(const Band& band, const Characteristic& at, double value) {
    const double target = value - band.width() / 2;
    double row = ::floor(band.row_of(target > 0 ? ::sqrt(target) : 0) + 0.5);
    if (row > at.last - 1) row = at.last - 1;
    return row < at.first ? at.first : row;
}

// Returns the eigenvalue with k smaller ones: Newton's method for the pivot that remains, which is Rayleigh's
// quotient for the vector, within bounds from the counts of negative pivots.
template <class Band>
GPUNP_HD_CALLED Characteristic characteristic(const Band& band, double k) {
    const double base = band.diagonal(k);
    Characteristic at = {base, k, k + 1, k};
    if (!(band.width() > 0)) return at;
    double low = base, high = base + band.width();
    double tight = band.bound(k);
    bool is_tight = tight < high;
    if (is_tight) high = tight;
    for (;;) {
        at.first = decay(band, k, -1, low) + 1;
        double top = ::ceil(band.row_of(::sqrt(high)));
        if (top < k) top = k;
        at.last = decay(band, top, 1, high);
        if (!(at.last - at.first < MOST_ROWS)) {
            at.value = libm<double>::nan();
            return at;
        }
        if (!is_tight || eliminate(band, at, k, high).negative + at.first > k) break;
        is_tight = false;
        high = base + band.width();
    }
    // Newton's method starts when the bounds enclose no other eigenvalue.
    bool alone_below =
        k == 0 || band.diagonal(k - 1) + band.width()<low, alone_above = band.diagonal(k + 1)> high;
    double value = base + band.above(k) + band.below(k);
    if (!(value > low && value < high && alone_below && alone_above)) value = low + (high - low) / 2;
    double reference = high - low;
    for (int step = 0; step < 150 && high - low > 3e-16 * value; step++) {
        at.middle = middle_row(band, at, value);
        const Pivots found = eliminate(band, at, at.middle, value);
        const double smaller = found.negative + at.first;
        const bool over = smaller > k;
        (over ? high : low) = value;
        alone_below = alone_below || smaller == k;
        alone_above = alone_above || smaller == k + 1;
        double next = low + (high - low) / 2;
        if (alone_below && alone_above) {
            const double newton = value - found.gamma / found.slope, change = ::fabs(newton - value);
            if (change <= 3e-16 * value) {
                value = newton;
                break;
            }
            // Every second step at least halves the bounds, as Newton's method fails where the entry
            // vanishes.
            const bool slow = step % 2 == 1 && high - low > reference / 2 && change > 1e-6 * value;
            if (newton > low && newton < high && !slow) next = newton;
        }
        if (step % 2 == 1) reference = high - low;
        value = next;
    }
    at.value = value;
    return at;
}

}  // namespace special
}  // namespace math
}  // namespace gpunp
