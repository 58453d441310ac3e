// Metrics: what a coordinate of two points adds to the sums of the pair, and the distance that these give.
//
// Coordinates that are zero in both points add nothing, so that tiles can be filled up with zeros.
#pragma once
#include "gpunp/spatial/pairs_params.h"

namespace gpunp {
namespace spatial {

struct One {
    double s = 0;
};
struct Two {
    double s = 0, t = 0;
};
struct Three {
    double both = 0, first = 0, second = 0;
};

GPUNP_HD double magnitude(double x) {
    return ::fabs(x);
}
GPUNP_HD_CALLED double power_of(double x, double p) {
    return ::pow(x, p);
}
GPUNP_HD_CALLED double logarithm_of(double x) {
    return ::log(x);
}

// Euclidean and squared Euclidean distances, from exact differences.
struct Squares {
    using Sums = One;
    static constexpr int ROWS = 4, COLUMNS = 8;
    GPUNP_HD static void add(Sums& a, double x, double y, double, const PairsParams&) {
        const double d = x - y;
#if GPUNP_ON_DEVICE
        a.s = ::fma(d, d, a.s);
#else
        a.s += d * d;
#endif
    }
    GPUNP_HD static void add_weighted(Sums& a, double x, double y, double w, const PairsParams&) {
        const double d = x - y;
        a.s += w * (d * d);
    }
    GPUNP_HD static double distance(const Sums& a, const PairsParams& p, int64_t, int64_t) {
        return p.form == FORM_ROOT ? ::sqrt(a.s) : a.s;
    }
};

// City blocks.
struct Absolutes {
    using Sums = One;
    static constexpr int ROWS = 4, COLUMNS = 8;
    GPUNP_HD static void add(Sums& a, double x, double y, double, const PairsParams&) {
        a.s += magnitude(x - y);
    }
    GPUNP_HD static void add_weighted(Sums& a, double x, double y, double w, const PairsParams&) {
        a.s += w * magnitude(x - y);
    }
    GPUNP_HD static double distance(const Sums& a, const PairsParams&, int64_t, int64_t) { return a.s; }
};

// Chebyshev's distance. Differences that are NaN do not count, as in SciPy.
struct Greatest {
    using Sums = One;
    static constexpr int ROWS = 4, COLUMNS = 8;
    GPUNP_HD static void add(Sums& a, double x, double y, double, const PairsParams&) {
        const double d = magnitude(x - y);
        a.s = d > a.s ? d : a.s;
    }
    GPUNP_HD static void add_weighted(Sums& a, double x, double y, double w, const PairsParams&) {
        const double d = magnitude(x - y);
        a.s = w > 0 && d > a.s ? d : a.s;
    }
    GPUNP_HD static double distance(const Sums& a, const PairsParams&, int64_t, int64_t) { return a.s; }
};

// Minkowski's distance for a power that is not 1, 2 or infinite.
struct Powers {
    using Sums = One;
    static constexpr int ROWS = 2, COLUMNS = 2;
    GPUNP_HD static void add(Sums& a, double x, double y, double, const PairsParams& p) {
        const double d = magnitude(x - y);
        // Also where the power of zero is not zero: tiles are filled up with zeros.
        if (d != 0) a.s += power_of(d, p.power);
    }
    GPUNP_HD static void add_weighted(Sums& a, double x, double y, double w, const PairsParams& p) {
        const double d = magnitude(x - y);
        if (d != 0) a.s += w * power_of(d, p.power);
    }
    GPUNP_HD static double distance(const Sums& a, const PairsParams& p, int64_t, int64_t) {
        return power_of(a.s, 1 / p.power);
    }
};

struct Canberra {
    using Sums = One;
    static constexpr int ROWS = 4, COLUMNS = 4;
    GPUNP_HD static double term(double x, double y) {
        const double sum = magnitude(x) + magnitude(y);
        return magnitude(x - y) / (sum == 0 ? 1 : sum);
    }
    GPUNP_HD static void add(Sums& a, double x, double y, double, const PairsParams&) { a.s += term(x, y); }
    GPUNP_HD static void add_weighted(Sums& a, double x, double y, double w, const PairsParams&) {
        a.s += w * term(x, y);
    }
    GPUNP_HD static double distance(const Sums& a, const PairsParams&, int64_t, int64_t) { return a.s; }
};

struct BrayCurtis {
    using Sums = Two;
    static constexpr int ROWS = 4, COLUMNS = 4;
    GPUNP_HD static void add(Sums& a, double x, double y, double, const PairsParams&) {
        a.s += magnitude(x - y);
        a.t += magnitude(x + y);
    }
    GPUNP_HD static void add_weighted(Sums& a, double x, double y, double w, const PairsParams&) {
        a.s += w * magnitude(x - y);
        a.t += w * magnitude(x + y);
    }
    GPUNP_HD static double distance(const Sums& a, const PairsParams&, int64_t, int64_t) { return a.s / a.t; }
};

struct Hamming {
    using Sums = One;
    static constexpr int ROWS = 4, COLUMNS = 8;
    GPUNP_HD static void add(Sums& a, double x, double y, double, const PairsParams&) {
        a.s += x != y ? 1.0 : 0.0;
    }
    GPUNP_HD static void add_weighted(Sums& a, double x, double y, double w, const PairsParams&) {
        a.s += x != y ? w : 0.0;
    }
    GPUNP_HD static double distance(const Sums& a, const PairsParams& p, int64_t, int64_t) {
        return a.s / p.total;
    }
};

// Dissimilarities of truth values, from the weights of where both, only the first and only the second are
// true.
struct Truths {
    using Sums = Three;
    static constexpr int ROWS = 4, COLUMNS = 4;
    GPUNP_HD static void add(Sums& a, double x, double y, double, const PairsParams& p) {
        add_weighted(a, x, y, 1, p);
    }
    GPUNP_HD static void add_weighted(Sums& a, double x, double y, double w, const PairsParams&) {
        const double both = x * y;
        a.both += w * both;
        a.first += w * (x - both);
        a.second += w * (y - both);
    }
    GPUNP_HD static double distance(const Sums& a, const PairsParams& p, int64_t, int64_t) {
        const double unequal = a.first + a.second;
        switch (p.form) {
            case FORM_DICE:
                return unequal / (2 * a.both + unequal);
            case FORM_JACCARD:
                return unequal == 0 ? 0 : unequal / (a.both + unequal);
            case FORM_ROGERS_TANIMOTO:
                return 2 * unequal / (p.total + unequal);
            case FORM_RUSSELL_RAO:
                return (p.total - a.both) / p.total;
            case FORM_SOKAL_SNEATH:
                return 2 * unequal / (a.both + 2 * unequal);
            default:
                break;
        }
        // Yule's.
        const double half = a.first * a.second;
        return half == 0 ? 0 : 2 * half / (a.both * (p.total - a.both - unequal) + half);
    }
};

// The Jensen-Shannon distance of rows whose sums are one.
struct JensenShannon {
    using Sums = One;
    static constexpr int ROWS = 2, COLUMNS = 2;
    GPUNP_HD static void add(Sums& a, double x, double y, double, const PairsParams&) {
        const double mean = (x + y) * 0.5;
        if (x > 0) a.s += x * logarithm_of(x / mean);
        if (y > 0) a.s += y * logarithm_of(y / mean);
    }
    GPUNP_HD static double distance(const Sums& a, const PairsParams&, int64_t, int64_t) {
        return ::sqrt(a.s * 0.5);
    }
};

// One minus the cosine of the angle.
struct Cosine {
    using Sums = One;
    static constexpr int ROWS = 4, COLUMNS = 8;
    GPUNP_HD static void add(Sums& a, double x, double y, double, const PairsParams&) {
#if GPUNP_ON_DEVICE
        a.s = ::fma(x, y, a.s);
#else
        a.s += x * y;
#endif
    }
    GPUNP_HD static double distance(const Sums& a, const PairsParams& p, int64_t i, int64_t j) {
        const double cosine = a.s / (p.x_lengths[i] * p.y_lengths[j]);
        return 1 - (cosine > 1 ? 1 : cosine < -1 ? -1 : cosine);
    }
};

// The same metrics for few points of y: tiles of 128 by 16 or 128 by 64 pairs.
template <class Metric, int WIDTH>
struct Narrow : Metric {
    static constexpr int ROWS = 8, COLUMNS = WIDTH;
};
using NarrowSquares = Narrow<Squares, 1>;
using NarrowAbsolutes = Narrow<Absolutes, 1>;
using NarrowGreatest = Narrow<Greatest, 1>;
using NarrowCosine = Narrow<Cosine, 1>;
using MediumSquares = Narrow<Squares, 4>;

template <class Metric, bool WEIGHTED>
GPUNP_HD void add_coordinate(typename Metric::Sums& a, double x, double y, double w, const PairsParams& p) {
    if constexpr (WEIGHTED)
        Metric::add_weighted(a, x, y, w, p);
    else
        Metric::add(a, x, y, w, p);
}

// The place of the pair i < j among those of m points.
GPUNP_HD int64_t condensed_place(int64_t m, int64_t i, int64_t j) {
    return i * (2 * m - i - 1) / 2 + (j - i - 1);
}

}  // namespace spatial
}  // namespace gpunp
