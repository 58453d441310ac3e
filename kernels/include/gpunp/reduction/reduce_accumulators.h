// Accumulators of reductions beyond plain numbers, and how results are written.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/common/limits.h"
#include "gpunp/math/comparison.h"
#include "gpunp/math/complex_arithmetic.h"
#include "gpunp/math/complex_comparison.h"
#include "gpunp/math/elementary.h"
#include "gpunp/math/floating.h"
#include "gpunp/math/integer.h"
#include "gpunp/reduction/reduce.h"

namespace gpunp {

// A sum and the number of its terms.
template <class T>
struct Counted {
    T sum;
    int64_t count;
};

// Count, mean and sum of squared deviations, which Chan's formula combines without cancellation.
struct Moments {
    double count, mean, deviations;
};
struct ComplexMoments {
    double count, re, im, deviations;  // the mean is re + i im
};

template <class C>
struct moments_of {
    using type = Moments;
};
template <>
struct moments_of<c16> {
    using type = ComplexMoments;
};
template <class C>
using moments_t = typename moments_of<C>::type;

// The best value so far and its index.
template <class T>
struct Best {
    T value;
    int64_t index;
};
// Set in the index as long as only NaN has been seen (nanargmin, nanargmax).
constexpr int64_t BEST_OF_NOTHING = (int64_t)1 << 62;
constexpr int64_t BEST_INDEX = BEST_OF_NOTHING - 1;

namespace reduction {

template <class T>
GPUNP_HD T zero() {
    return T{};
}
template <class T>
GPUNP_HD T one() {
    return convert<T>(1);
}
template <class T>
GPUNP_HD T lowest() {
    return limits<T>::lowest();
}
template <class T>
GPUNP_HD T highest() {
    return limits<T>::highest();
}
// The identity of fmax and fmin.
template <class T>
GPUNP_HD T not_a_number() {
    return convert<T>(math::from_bits((uint64_t)0x7ff8000000000000ull));
}
template <>
GPUNP_HD c8 not_a_number<c8>() {
    return {not_a_number<f4>(), not_a_number<f4>()};
}
template <>
GPUNP_HD c16 not_a_number<c16>() {
    return {not_a_number<f8>(), not_a_number<f8>()};
}

template <class C>
GPUNP_HD bool skipped(C x, const ReduceParams& p) {
    return (p.flags & REDUCE_SKIP_NAN) && math::isnan(x);
}
// x, or `other` if x is a NaN to be skipped.
template <class C>
GPUNP_HD C kept(C x, C other, const ReduceParams& p) {
    return skipped(x, p) ? other : x;
}

template <class C>
GPUNP_HD C squared_magnitude(C x) {
    return x * x;
}
template <class T>
GPUNP_HD T squared_magnitude(complex<T> x) {
    return x.re * x.re + x.im * x.im;
}

template <class T>
GPUNP_HD Counted<T> count_one(T x, const ReduceParams& p) {
    if (skipped(x, p)) return {T{}, 0};
    return {x, 1};
}
template <class T>
GPUNP_HD Counted<T> join(Counted<T> a, Counted<T> b) {
    return {math::add(a.sum, b.sum), a.count + b.count};
}

GPUNP_HD Moments join(Moments a, Moments b) {
    double n = a.count + b.count;
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    double share = b.count / n, delta = b.mean - a.mean;
    return {n, a.mean + delta * share, a.deviations + b.deviations + delta * delta * (a.count * share)};
}
GPUNP_HD ComplexMoments join(ComplexMoments a, ComplexMoments b) {
    double n = a.count + b.count;
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    double share = b.count / n, re = b.re - a.re, im = b.im - a.im;
    return {n, a.re + re * share, a.im + im * share,
            a.deviations + b.deviations + (re * re + im * im) * (a.count * share)};
}

// A NaN is better than any number; numbers compare by `Order`.
template <class Order>
struct NanFirst {
    template <class T>
    static GPUNP_HD bool better(T a, T b) {
        return Order::before(a, b) || (math::isnan(a) && !math::isnan(b));
    }
    template <class T>
    static GPUNP_HD T best_of(T a, T b) {
        return better(b, a) ? b : a;
    }
    // Whether x is as good as `top`, the best of several values, which must not be NaN.
    template <class T>
    static GPUNP_HD bool reaches(T x, T top) {
        return !Order::before(top, x);
    }
};
struct Greatest : NanFirst<Greatest> {
    using NanFirst<Greatest>::best_of;
    template <class T>
    static GPUNP_HD bool before(T a, T b) {
        return math::greater(a, b);
    }
    template <class T>
    static GPUNP_HD T worst() {
        return lowest<T>();
    }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    static GPUNP_HD f4 best_of(f4 a, f4 b) {
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
        return a;
    }
#endif
};
struct Least : NanFirst<Least> {
    using NanFirst<Least>::best_of;
    template <class T>
    static GPUNP_HD bool before(T a, T b) {
        return math::less(a, b);
    }
    template <class T>
    static GPUNP_HD T worst() {
        return highest<T>();
    }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    static GPUNP_HD f4 best_of(f4 a, f4 b) {
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
        return a;
    }
#endif
};
// The better of two; equal values go to the smaller index.
template <class Order, class T>
GPUNP_HD Best<T> better(Best<T> a, Best<T> b) {
    int64_t nothing = a.index & b.index & BEST_OF_NOTHING;
    int64_t i = a.index & BEST_INDEX, j = b.index & BEST_INDEX;
    bool second = Order::better(b.value, a.value) || (!Order::better(a.value, b.value) && j < i);
    return {second ? b.value : a.value, (second ? j : i) | nothing};
}

// The value of `initial=` in the accumulator's type.
template <class C>
GPUNP_HD C initial_value(const ReduceParams& p) {
    if constexpr (math::is_floating<C>) {
        return (C)p.initial[0];
    } else if constexpr (math::is_real<C>) {
        return (C)p.initial_integer;
    } else {
        return {(typename C::value_type)p.initial[0], (typename C::value_type)p.initial[1]};
    }
}

// NumPy divides by a complex count: an infinite part makes the other one NaN.
GPUNP_HD c16 divide_parts(c16 a, double n) {
    return {(a.re + a.im * 0.0) / n, (a.im - a.re * 0.0) / n};
}

// The real result of an accumulator: divided, then its square root, as the flags say.
template <class C>
GPUNP_HD C finished(C x, const ReduceParams& p) {
    if constexpr (math::is_floating<C>) {
        if (p.flags & (REDUCE_DIVIDE | REDUCE_SQRT)) {
            double y = x;
            if (p.flags & REDUCE_DIVIDE) y /= p.divisor;
            if (p.flags & REDUCE_SQRT) y = ::sqrt(y);
            return (C)y;
        }
    }
    return x;
}

// Writes a result in the output's dtype, which has the kind of the value; integers keep their low bits.
template <class C>
GPUNP_HD void store_result(char* out, C x, const ReduceParams& p) {
    if constexpr (math::is_floating<C>) {
        const double y = finished((double)x, p);
        if (p.out_dtype == F4)
            *(f4*)out = (f4)y;
        else if (p.out_dtype == F8)
            *(f8*)out = y;
        else
            *(f2*)out = to_half(y);
    } else if constexpr (math::is_real<C>) {
        switch (p.out_dtype) {
            case BOOL:
            case I1:
            case U1:
                *(u1*)out = (u1)x;
                break;
            case I2:
            case U2:
                *(u2*)out = (u2)x;
                break;
            case I4:
            case U4:
                *(u4*)out = (u4)x;
                break;
            default:
                *(u8*)out = (u8)x;
        }
    } else {
        c16 y = {x.re, x.im};
        if (p.flags & REDUCE_DIVIDE) y = divide_parts(y, p.divisor);
        if (p.out_dtype == C8)
            *(c8*)out = convert<c8>(y);
        else
            *(c16*)out = y;
    }
}
template <class T>
GPUNP_HD void store_result(char* out, Counted<T> a, const ReduceParams& p) {
    double n = (double)a.count;
    if constexpr (math::is_floating<T>) {
        store_result(out, (double)a.sum / n, p);
    } else {
        store_result(out, divide_parts(c16{a.sum.re, a.sum.im}, n), p);
    }
}
// With no degrees of freedom, gives 0/0 or x/0 as NumPy does, and NaN if NaN is skipped.
GPUNP_HD void store_variance(char* out, double count, double deviations, const ReduceParams& p) {
    double freedom = count - p.correction;
    if (freedom <= 0) {
        freedom = 0;
        if (p.flags & REDUCE_SKIP_NAN) deviations = 0;
    }
    store_result(out, deviations / freedom, p);
}
GPUNP_HD void store_result(char* out, Moments a, const ReduceParams& p) {
    store_variance(out, a.count, a.deviations, p);
}
GPUNP_HD void store_result(char* out, ComplexMoments a, const ReduceParams& p) {
    store_variance(out, a.count, a.deviations, p);
}
template <class T>
GPUNP_HD void store_result(char* out, Best<T> a, const ReduceParams&) {
    *(i8*)out = a.index & BEST_OF_NOTHING ? -1 : a.index;
}

}  // namespace reduction
}  // namespace gpunp
