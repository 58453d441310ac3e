// Trees of points: how they are built, and distances from points and boxes.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/spatial/tree_params.h"

namespace gpunp {
namespace spatial {

// Norms: what a coordinate's difference adds to a length, in powers, and the length. `Period` is that of the
// coordinate, or 0.
struct SquaresNorm {
    GPUNP_HD static double add(const Tree&, double sum, double d) { return sum + d * d; }
    GPUNP_HD static double length(const Tree&, double sum) { return ::sqrt(sum); }
};
struct AnyNorm {
    GPUNP_HD static double add(const Tree& t, double sum, double d) {
        switch (t.norm) {
            case NORM_SUM:
                return sum + d;
            case NORM_SQUARES:
                return sum + d * d;
            case NORM_GREATEST:
                return d > sum ? d : sum;
            default:
                return sum + ::pow(d, t.power);
        }
    }
    GPUNP_HD static double length(const Tree& t, double sum) {
        switch (t.norm) {
            case NORM_SQUARES:
                return ::sqrt(sum);
            case NORM_POWERS:
                return ::pow(sum, 1 / t.power);
            default:
                return sum;
        }
    }
};

// The distance of a coordinate from an interval, 0 within it.
GPUNP_HD double outside(double x, double low, double high) {
    const double below = low - x, above = x - high;
    const double d = below > above ? below : above;
    return d > 0 ? d : 0;
}

// A query: its coordinates are in registers if there are D, else (D = 0) in memory.
template <int D, class Norm>
struct Query {
    static constexpr int KEPT = D > 0 ? D : 1;
    double kept[KEPT];
    const double* at;

    GPUNP_HD Query(const Tree& t, const double* x) : at(x) {
        if constexpr (D > 0) {
            GPUNP_UNROLL
            for (int c = 0; c < D; c++) kept[c] = x[c];
        }
    }
    GPUNP_HD static int dimensions(const Tree& t) { return D > 0 ? D : t.dimensions; }
    GPUNP_HD double coordinate(int c) const {
        if constexpr (D > 0)
            return kept[c];
        else
            return at[c];
    }
    GPUNP_HD static double period(const Tree& t, int c) {
        if constexpr (D > 0)
            return 0;
        else
            return t.period ? t.period[c] : 0;
    }

    GPUNP_HD double from_point(const Tree& t, int64_t i) const {
        const int n = dimensions(t);
        const double* y = t.points + i * n;
        double sum = 0;
        GPUNP_UNROLL
        for (int c = 0; c < n; c++) {
            double d = ::fabs(coordinate(c) - y[c]);
            const double around = period(t, c);
            if (around > 0 && around - d < d) d = around - d;
            sum = Norm::add(t, sum, d);
        }
        return sum;
    }
    // The least distance from the points of a box; infinite if it has none.
    GPUNP_HD double from_box(const Tree& t, int64_t box) const {
        const int n = dimensions(t);
        const double* low = t.boxes + box * 2 * n;
        double sum = 0;
        GPUNP_UNROLL
        for (int c = 0; c < n; c++) {
            const double x = coordinate(c), around = period(t, c);
            double d = outside(x, low[c], low[n + c]);
            if (around > 0) {
                d = ::fmin(d, outside(x - around, low[c], low[n + c]));
                d = ::fmin(d, outside(x + around, low[c], low[n + c]));
            }
            sum = Norm::add(t, sum, d);
        }
        return sum;
    }
    // A distance that no point of a box exceeds; minus infinity if it has none.
    GPUNP_HD double to_box(const Tree& t, int64_t box) const {
        const int n = dimensions(t);
        const double* low = t.boxes + box * 2 * n;
        if (!(low[0] <= low[n])) return -HUGE_VAL;
        double sum = 0;
        GPUNP_UNROLL
        for (int c = 0; c < n; c++) {
            const double x = coordinate(c), around = period(t, c);
            double d = ::fmax(::fabs(x - low[c]), ::fabs(x - low[n + c]));
            if (around > 0 && d > around / 2) d = around / 2;
            sum = Norm::add(t, sum, d);
        }
        return sum;
    }
};

// The boxes that a query has put off. It is in local memory, which the driver allocates for all threads that
// the GPU can hold: so it is small.
struct Stack {
    uint32_t box[TREE_DEPTH];
    int size = 0;

    GPUNP_HD void push(int64_t b) { box[size++] = (uint32_t)b; }
    GPUNP_HD int64_t pop() { return box[--size]; }
};
// The same with their distances.
struct OrderedStack : Stack {
    double distance[TREE_DEPTH];

    GPUNP_HD void push(int64_t b, double d) {
        distance[size] = d;
        Stack::push(b);
    }
    // The distance of the box that was popped last.
    GPUNP_HD double popped() const { return distance[size]; }
};

// The points of a leaf: from `begin` to `end`.
GPUNP_HD int64_t leaf_begin(const Tree& t, int64_t box) {
    return (box - t.leaves) * TREE_LEAF;
}
GPUNP_HD int64_t leaf_end(const Tree& t, int64_t box) {
    const int64_t end = (box - t.leaves + 1) * TREE_LEAF;
    return end < t.n ? end : t.n;
}

// The cell of a point on Morton's curve: the bits of the coordinates in turn.
GPUNP_HD void curve_code(const CurveParams& p, int64_t i) {
    const double* x = p.points + i * p.dimensions;
    const int used = p.dimensions < TREE_CODE_BITS ? p.dimensions : (int)TREE_CODE_BITS;
    const double cells = (double)((int64_t)1 << p.bits), scale = p.scale[0];
    int64_t code = 0;
    for (int bit = p.bits - 1; bit >= 0; bit--) {
        for (int c = 0; c < used; c++) {
            const double cell = (x[c] - p.low[c]) * scale;
            // Queries may be outside of the cells, or NaN.
            const int64_t at = cell >= cells ? ((int64_t)1 << p.bits) - 1 : cell > 0 ? (int64_t)cell : 0;
            code = code << 1 | (at >> bit & 1);
        }
    }
    p.code[i] = code;
}

GPUNP_HD void split_key(const SplitsParams& p, int64_t i) {
    const int64_t node = i / p.size;
    const double *low = p.low + node * p.dimensions, *high = p.high + node * p.dimensions;
    int widest = 0;
    for (int c = 1; c < p.dimensions; c++)
        if (high[c] - low[c] > high[widest] - low[widest]) widest = c;
    const double width = high[widest] - low[widest];
    const double share = width > 0 ? (p.points[i * p.dimensions + widest] - low[widest]) / width : 0;
    const int64_t cells = (int64_t)1 << p.bits;
    // A width that overflows has shares that are NaN or zero: the points stay in their order.
    const double cell = share * (double)cells;
    const int64_t key = node << p.bits | (cell >= (double)(cells - 1) ? cells - 1
                                          : cell > 0                  ? (int64_t)cell
                                                                      : 0);
    if (p.narrow)
        reinterpret_cast<int32_t*>(p.key)[i] = (int32_t)key;
    else
        reinterpret_cast<int64_t*>(p.key)[i] = key;
}

GPUNP_HD void make_box(const BoxesParams& p, int64_t i) {
    const int64_t box = p.first + i;
    const int n = p.dimensions;
    double* out = p.boxes + box * 2 * n;
    const double *first, *second;
    int64_t count, step;
    if (box >= p.leaves) {
        const int64_t begin = (box - p.leaves) * TREE_LEAF;
        count = p.n - begin < TREE_LEAF ? p.n - begin : (int64_t)TREE_LEAF;
        first = second = p.points + begin * n;
        step = n;
    } else {
        count = 2;
        first = p.boxes + box * 4 * n;
        second = first + n;
        step = 2 * n;
    }
    for (int c = 0; c < n; c++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int64_t k = 0; k < count; k++) {
            low = ::fmin(low, first[k * step + c]);
            high = ::fmax(high, second[k * step + c]);
        }
        out[c] = low;
        out[n + c] = high;
    }
}

#if GPUNP_ON_DEVICE
// A kernel that calls a function for each index below a count; its grid is large enough or loops.
#define GPUNP_TREE_KERNEL(name, Params, count, ...)                                                   \
    extern "C" __global__ void __launch_bounds__(::gpunp::TREE_BLOCK)                                 \
        tree_##name(const __grid_constant__::gpunp::Params p) {                                       \
        const int64_t all = count, step = (int64_t)gridDim.x * ::gpunp::TREE_BLOCK;                   \
        for (int64_t i = (int64_t)blockIdx.x * ::gpunp::TREE_BLOCK + threadIdx.x; i < all; i += step) \
            ::gpunp::spatial::__VA_ARGS__(p, i);                                                      \
    }
#else
#define GPUNP_TREE_KERNEL(name, Params, count, ...)                              \
    static void tree_all_##name(const void* params) {                            \
        const ::gpunp::Params& p = *static_cast<const ::gpunp::Params*>(params); \
        const int64_t all = count;                                               \
        for (int64_t i = 0; i < all; i++) ::gpunp::spatial::__VA_ARGS__(p, i);   \
    }                                                                            \
    GPUNP_HOST_KERNEL(tree_##name, tree_all_##name);
#endif

}  // namespace spatial
}  // namespace gpunp
