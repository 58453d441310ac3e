// Binary search in sorted elements, and linear interpolation between sorted points.
//
// The top levels of the search are a tree in shared memory in breadth-first order, which spreads the
// accesses of a level over the banks. The steps of a search are branch-free.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/kernel.h"
#include "gpunp/math/real.h"
#include "gpunp/sorting/search_key.h"
#include "gpunp/sorting/search_params.h"

namespace gpunp {
namespace searching {

// Type of an index into the sorted elements: 32 bits in the PLAIN kernels, where it is sufficient.
template <bool PLAIN>
struct search_index {
    using type = int64_t;
};
template <>
struct search_index<true> {
    using type = int32_t;
};

// The sorted elements as keys. With a DTYPE they are plain: contiguous, without a sorter, of that dtype, and
// fewer than 2 ** 30. Otherwise they may be strided, ordered by a sorter, or descending (read in reverse).
template <class K, int DTYPE = -1>
struct Sorted {
    static constexpr bool PLAIN = DTYPE >= 0;
    using Index = typename search_index<PLAIN>::type;

    const SearchParams& p;
    bool descends;

    GPUNP_HD explicit Sorted(const SearchParams& params) : p(params), descends(false) {
        if (!PLAIN && p.mode == SEARCH_BINS && p.n > 1) descends = at((Index)p.n - 1) < at(0);
    }
    GPUNP_HD K at(Index i) const {
        if (PLAIN) return load_key<K>(p.a + (int64_t)i * (int)sizeof(K), DTYPE);
        int64_t place = descends ? p.n - 1 - i : i;
        if (p.sorter) {
            place = p.sorter[place];
            if (place < 0 || place >= p.n) {
                math::report(p.status, GPUNP_STATUS_INDEX_OUT_OF_BOUNDS);
                place = 0;
            }
        }
        return load_key<K>(p.a + place * p.a_stride, p.a_dtype);
    }
    // The key at i, or the greatest key past the end. The load is unconditional (its index is clamped), so
    // that several can be in flight.
    GPUNP_HD K at_or_end(Index i) const {
        const Index last = (Index)p.n - 1;
        if (last < 0) return key_traits<K>::greatest();
        const K element = at(i < last ? i : last);
        return i <= last ? element : key_traits<K>::greatest();
    }
    GPUNP_HD K query(int64_t i) const {
        if (PLAIN) return load_key<K>(p.v + i * (int)sizeof(K), DTYPE);
        return load_key<K>(p.v + i * p.v_item, p.v_dtype);
    }
    // Whether an element sorts before the insertion point of the query x.
    GPUNP_HD bool before(const K& element, const K& x) const {
        return element < x || (p.right && element == x);
    }
    // A search of `levels` steps yields positions up to 2 ** levels - 1. If it stops at the last element, one
    // more comparison decides; hence n = 2 ** levels needs no extra level.
    GPUNP_HD Index finish(Index low, const K& x) const {
        const Index last = (Index)p.n - 1;
        return low < last || last < 0 ? (last < 0 ? 0 : low) : last + (before(at(last), x) ? 1 : 0);
    }
    GPUNP_HD void write(int64_t i, Index place, const K& x) const {
        if (p.mode == SEARCH_FOUND) {
            const bool found = place < (Index)p.n && at(place) == x && !key_traits<K>::is_nan(x, p.v_dtype);
            ((bool*)p.out)[i] = found != (p.invert != 0);
        } else {
            ((int64_t*)p.out)[i] = descends ? p.n - place : place;
        }
    }
    GPUNP_HD void check(int64_t i) const {
        if (at(i + 1) < at(i)) math::report(p.status, GPUNP_STATUS_NOT_MONOTONIC);
    }
};

// The number of points <= x, given the result of the search levels; see Sorted::finish.
GPUNP_HD int64_t finish_points(const InterpParams& p, int64_t low, double x) {
    const int64_t last = p.n - 1;
    return low < last ? low : last + (p.xp[last] <= x ? 1 : 0);
}

// NumPy's arithmetic for one part (real or imaginary) of a value between two points.
GPUNP_HD double interpolate(double x, double x0, double x1, double y0, double y1, double slope) {
    double y = slope * (x - x0) + y0;
    if (y != y) {
        y = slope * (x - x1) + y1;
        if (y != y && y0 == y1) y = y0;
    }
    return y;
}

// The points of interp: in global memory, or interleaved (xp, then the parts of fp) in shared memory.
template <int PARTS>
struct Points {
    const InterpParams& p;
    const double* staged;  // interleaved points in shared memory, or null

    GPUNP_HD double xp(int64_t j) const { return staged ? staged[j * (1 + PARTS)] : p.xp[j]; }
    GPUNP_HD double fp(int64_t j, int part) const {
        return staged ? staged[j * (1 + PARTS) + 1 + part] : p.fp[j * PARTS + part];
    }
    // Writes the result for x; `above` is the number of points <= x.
    GPUNP_HD void write(int64_t i, int64_t above, double x) const {
        double* out = p.out + i * PARTS;
        const int64_t j = above > 0 ? above - 1 : 0;
        const double x0 = xp(j);
        if (x != x) {
            // As in NumPy, a single point gives its own value even for NaN.
            for (int k = 0; k < PARTS; k++) out[k] = p.n == 1 ? fp(0, k) : k ? 0 : x;
        } else if (x < x0) {
            for (int k = 0; k < PARTS; k++) out[k] = p.has_left ? p.left[k] : fp(0, k);
        } else if (j == p.n - 1 && x > x0) {
            for (int k = 0; k < PARTS; k++) out[k] = p.has_right ? p.right[k] : fp(j, k);
        } else if (j == p.n - 1 || x0 == x) {
            for (int k = 0; k < PARTS; k++) out[k] = fp(j, k);
        } else {
            const double x1 = xp(j + 1);
            // NumPy divides by x1 - x0 for real fp, and multiplies by its reciprocal for complex fp.
            const double inverse = PARTS == 2 ? 1.0 / (x1 - x0) : 0.0;
            for (int k = 0; k < PARTS; k++) {
                const double y0 = fp(j, k), y1 = fp(j + 1, k);
                const double slope = PARTS == 2 ? (y1 - y0) * inverse : (y1 - y0) / (x1 - x0);
                out[k] = interpolate(x, x0, x1, y0, y1, slope);
            }
        }
    }
};

}  // namespace searching
}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/sorting/search_device.h"
#else
#include "gpunp/sorting/search_host.h"
#endif
