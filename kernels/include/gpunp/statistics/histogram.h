// Histograms: the bin of a value, and weighted sums that do not depend on the order of additions.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/kernel.h"
#include "gpunp/statistics/histogram_params.h"

namespace gpunp {
namespace histogram {

// Rounds a double to a floating dtype and back.
GPUNP_HD double rounded(double x, int dtype) {
    if (dtype == F8) return x;
    if (dtype == F4) return (double)(float)x;
    return (double)to_float(to_half(x));
}

// Division in the precision of a dtype: rounding the double quotient of floats or halves gives the same bits.
GPUNP_HD double divided(double a, double b, int dtype) {
    return rounded(a / b, dtype);
}

// NumPy's arithmetic for uniform bins: a guess by division, corrected by comparison with the edges.
template <class E>
GPUNP_HD_CALLED int64_t exact_bin(const UniformBins* bins, const E* edges, double x, int edge_dtype) {
    const UniformBins& u = *bins;
    const double t = rounded(divided(rounded(x - u.first, edge_dtype), u.denominator, u.division) *
                                 rounded((double)u.bins, u.division),
                             u.division);
    int64_t i = truncate_to_i8(t);
    if (i >= u.bins) i = u.bins - 1;
    if (i < 0) i = 0;
    if (i > 0 && x < (double)load_value(edges[i])) i--;
    if (i != u.bins - 1 && x >= (double)load_value(edges[i + 1])) i++;
    return i;
}

// Bins of equal width: a multiplication decides, except near an edge. E is the type of the edges.
template <class E>
struct UniformSource {
    using C = compute_t<E>;
    static constexpr int dtype = sizeof(E) == 8 ? F8 : sizeof(E) == 4 ? F4 : F2;
    const UniformBins* u;
    const E* edges;
    C first, last, scale, tolerance, rest;

    GPUNP_HD explicit UniformSource(const CountParams& p)
        : u(p.uniform), edges(static_cast<const E*>(p.edges)) {
        first = (C)u->first;
        last = (C)u->last;
        scale = (C)u->scale;
        tolerance = (C)u->tolerance;
        rest = (C)1 - tolerance;
    }
    GPUNP_HD int64_t bin(C x) const {
        if (!(x >= first && x <= last)) return -1;
        const C f = (x - first) * scale;
        const int i = (int)f;
        const C part = f - (C)i;
        if (part > tolerance && part < rest) return i;
        return exact_bin<E>(u, edges, (double)x, dtype);
    }
};

// Bins between increasing edges, by bisection in the type C in which values and edges are compared.
template <class C>
struct EdgeSource {
    const C* edges;
    int64_t bins;

    GPUNP_HD explicit EdgeSource(const CountParams& p)
        : edges(static_cast<const C*>(p.edges)), bins(p.bins) {}
    GPUNP_HD int64_t bin(C x) const {
        // Negated, so that NaN is excluded.
        if (!(x >= edges[0] && x <= edges[bins])) return -1;
        if (x == edges[bins]) return bins - 1;
        int64_t low = 0, high = bins;  // edges[low] <= x < edges[high]
        while (high - low > 1) {
            const int64_t middle = (low + high) >> 1;
            if (edges[middle] <= x)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
};

GPUNP_HD void combine_index(const CountParams& p, int64_t i, int64_t bin) {
    if (p.combine) {
        const int64_t before = p.index[i];
        bin = before < 0 || bin < 0 ? -1 : before * p.bins + bin;
    }
    p.index[i] = (int32_t)bin;
}

// The edges of uniform bins: numpy.linspace in the precision of EdgesParams::line_dtype.
struct Line {
    double first, last, delta, step;
    int64_t bins;
    int dtype;

    GPUNP_HD double at(int64_t i) const {
        if (i == bins) return last;
        const double k = rounded((double)i, dtype);
        const double y = step != 0 ? rounded(k * step, dtype)
                                   : rounded(divided(k, rounded((double)bins, dtype), dtype) * delta, dtype);
        return rounded(y + first, dtype);
    }
};

// Outer edges from the extents of the data, or as given; equal extents are widened by 0.5 to either side.
GPUNP_HD void outer_edges(const EdgesParams& p, double& first, double& last, double& denominator) {
    if (!p.extents) {
        first = p.first;
        last = p.last;
        denominator = p.denominator;
        return;
    }
    const int dtype = p.extents_dtype;
    first = load_as<double>(p.extents, dtype);
    switch (dtype) {
        case U8: {
            const u8* x = reinterpret_cast<const u8*>(p.extents);
            last = (double)x[1];
            denominator = (double)(x[1] - x[0]);
            break;
        }
        case I8: {
            const i8* x = reinterpret_cast<const i8*>(p.extents);
            last = (double)x[1];
            denominator = (double)((u8)x[1] - (u8)x[0]);
            break;
        }
        default: {
            const int item = dtype <= U1 ? 1 : dtype <= U2 || dtype == F2 ? 2 : dtype == F8 ? 8 : 4;
            last = load_as<double>(p.extents + item, dtype);
            denominator = rounded(last - first, p.line_dtype);
        }
    }
    if (denominator == 0) {
        first = rounded(first - 0.5, p.line_dtype);
        last = rounded(last + 0.5, p.line_dtype);
        denominator = rounded(last - first, p.line_dtype);
    }
}

GPUNP_HD Line edge_line(const EdgesParams& p, double first, double last) {
    Line line{first, last, 0, 0, p.bins, p.line_dtype};
    line.delta = rounded(last - first, p.line_dtype);
    line.step = divided(line.delta, rounded((double)p.bins, p.line_dtype), p.line_dtype);
    return line;
}

// The tolerance if it is small enough that only the nearest edge is in question, otherwise 1.
GPUNP_HD double certain(double tolerance) {
    return tolerance < 0.25 ? tolerance : 1.0;
}

GPUNP_HD void describe_bins(const EdgesParams& p, double first, double last, double denominator) {
    UniformBins u;
    u.first = rounded(first, p.edge_dtype);
    u.last = rounded(last, p.edge_dtype);
    u.denominator = rounded(denominator, p.division);
    u.scale = (double)p.bins / denominator;
    u.bins = p.bins;
    u.division = p.division;
    u.padding = 0;
    // Exceeds the sum of all rounding errors of the edges, NumPy's index and ours; halves always compare.
    const double largest = fabs(first) > fabs(last) ? fabs(first) : fabs(last);
    const double epsilon = p.edge_dtype == F8 ? 2.220446049250313e-16 : 1.1920928955078125e-7;
    const double bins = (double)p.bins, ratio = largest / denominator;
    u.tolerance = p.edge_dtype == F2 ? 1.0 : certain(bins * epsilon * (4 + 4 * ratio));
    // Halves have 11 significant bits, floats 24: the error that the edges' type or float adds.
    const double coarse = p.edge_dtype == F2 ? 0x1p-10 : 0x1p-23;
    const bool usual = denominator > 1e-30 && denominator < 1e30 && u.scale > 1e-30 && u.scale < 1e30;
    u.narrow = usual ? certain(bins * coarse * (2.75 + 1.75 * ratio)) : 1.0;
    u.wide = usual ? certain(bins * (0x1p-22 + 0x1p-52 * (4 + 4 * ratio))) : 1.0;
    *p.uniform = u;
}

// Sums of weights as integers: each weight is split into two limbs relative to the largest exponent of its
// bin, and integer addition is associative. Keys are biased exponents plus one; 0 means no nonzero weight.
constexpr uint32_t SPECIAL = 2048;  // key of a bin that holds an infinity or NaN

GPUNP_HD uint64_t bits_of(double x) {
#if defined(__CUDA_ARCH__)
    return (uint64_t)__double_as_longlong(x);
#else
    uint64_t bits;
    __builtin_memcpy(&bits, &x, 8);
    return bits;
#endif
}

GPUNP_HD uint32_t exponent_key(double w) {
    const uint32_t e = (uint32_t)(bits_of(w) >> 52) & 0x7ffu;
    if (w == 0) return 0;
    return e == 0 ? 2 : e + 1;  // subnormals share the least exponent
}

GPUNP_HD double power_of_two(int k) {
    const uint64_t bits = (uint64_t)(k + 1023) << 52;
#if defined(__CUDA_ARCH__)
    return __longlong_as_double((long long)bits);
#else
    double x;
    __builtin_memcpy(&x, &bits, 8);
    return x;
#endif
}

// x * 2^k in two steps, because k may exceed the exponent range of a double.
GPUNP_HD double scaled(double x, int k) {
    const int half_way = k / 2;
    return x * power_of_two(half_way) * power_of_two(k - half_way);
}

// The shift that scales every weight of a bin below 2^bits.
GPUNP_HD int limb_shift(uint32_t key, int bits) {
    return bits - ((int)key - 1 - 1022);
}

struct Limbs {
    int64_t high, low;
};

GPUNP_HD Limbs split(double w, uint32_t key, int bits) {
    const double s = scaled(w, limb_shift(key, bits));
    const int64_t high = (int64_t)s;
    return {high, (int64_t)((s - (double)high) * power_of_two(bits))};
}

// Flags of special weights: 1, 2 and 4 for +infinity, -infinity and NaN.
GPUNP_HD uint64_t special_bit(double w) {
    return w != w ? 4 : w - w == 0 ? 0 : w > 0 ? 1 : 2;
}

GPUNP_HD double joined(uint32_t key, uint64_t high, uint64_t low, int bits) {
    if (key == 0) return 0;
    if (key == SPECIAL) {
        const double infinity = scaled(1.0, 1023) * 2;
        return low & 4 || (low & 3) == 3 ? infinity - infinity : low & 1 ? infinity : -infinity;
    }
    const int64_t carry = (int64_t)low >> bits;
    const uint64_t rest = low & ((1ull << bits) - 1);
    const double sum = (double)((int64_t)high + carry) + (double)rest * power_of_two(-bits);
    return scaled(sum, -limb_shift(key, bits));
}

}  // namespace histogram
}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/statistics/histogram_device.h"
#else
#include "gpunp/statistics/histogram_host.h"
#endif

#define GPUNP_EXTENT(name, T) GPUNP_HISTOGRAM_KERNEL(extent_##name, ExtentParams, extent<T>(p))
#define GPUNP_COUNT_VALUES(name, T) \
    GPUNP_HISTOGRAM_KERNEL(count_values_##name, CountParams, count_values<T>(p))
// On a GPU, kernels of histogram_buckets.h and the one above do this.
#if GPUNP_ON_DEVICE
#define GPUNP_EXTENT_COUNTS(name, T)
#else
#define GPUNP_EXTENT_COUNTS(name, T) \
    GPUNP_HISTOGRAM_KERNEL(extent_counts_##name, BucketParams, extent_counts<T>(p))
#endif
#define GPUNP_COUNT_UNIFORM(name, T, E) \
    GPUNP_HISTOGRAM_KERNEL(count_uniform_##name, CountParams, (count_uniform<T, E>(p)))
#define GPUNP_COUNT_EDGES(name, C) GPUNP_HISTOGRAM_KERNEL(count_edges_##name, CountParams, count_edges<C>(p))
#define GPUNP_LOCATE_UNIFORM(name, E) \
    GPUNP_HISTOGRAM_KERNEL(locate_uniform_##name, CountParams, (locate<compute_t<E>, UniformSource<E>>(p)))
#define GPUNP_LOCATE_EDGES(name, C) \
    GPUNP_HISTOGRAM_KERNEL(locate_edges_##name, CountParams, (locate<C, EdgeSource<C>>(p)))
#define GPUNP_MAKE_EDGES(symbol) GPUNP_HISTOGRAM_KERNEL(symbol, EdgesParams, make_edges(p))
#define GPUNP_CHECK_EDGES(symbol) GPUNP_HISTOGRAM_KERNEL(symbol, CheckParams, check_edges(p))
