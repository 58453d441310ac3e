// How a thread folds the elements that it reads: a Stream is its running state.
#pragma once
#include "gpunp/reduction/reduce_accumulators.h"
#include "gpunp/reduction/reduce_elements.h"

namespace gpunp {
namespace reduction {

// Fused on the device only: on the host a call of fma costs far more than its rounding is worth.
GPUNP_HD double multiply_add(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
    return ::fma(a, b, c);
#else
    return a * b + c;
#endif
}

// Combines N values in a balanced tree, which keeps the chains of roundings short.
template <class Op, int N>
GPUNP_HD typename Op::Acc fold_tree(const typename Op::Acc* a) {
    if constexpr (N == 1) {
        return a[0];
    } else {
        return Op::combine(fold_tree<Op, N / 2>(a), fold_tree<Op, N - N / 2>(a + N / 2));
    }
}

// The index of element n of a batch, whose groups of V neighbors are `step` apart.
template <int V>
GPUNP_HD int64_t batch_index(int64_t first, int64_t step, int n) {
    return first + (n / V) * step + n % V;
}

template <class Op, class Acc = typename Op::Acc>
struct Stream {
    using C = typename Op::C;
    Acc total;

    GPUNP_HD void start() { total = Op::identity(); }
    GPUNP_HD void push(C x, int64_t, const ReduceParams& p) { total = Op::combine(total, Op::map(x, p)); }
    // Elements are converted where they are used: a converted batch would take many registers.
    template <int N, int V, bool Ascending = false, class X>
    GPUNP_HD void push_batch(const X (&x)[N], int64_t, int64_t, const ReduceParams& p) {
        Acc a[N];
        GPUNP_UNROLL
        for (int n = 0; n < N; n++) a[n] = Op::map(convert<C>(x[n]), p);
        total = Op::combine(total, fold_tree<Op, N>(a));
    }
    GPUNP_HD Acc finish() const { return total; }
};

template <class Op, class T>
struct Stream<Op, Best<T>> {
    using C = typename Op::C;
    Best<T> best;

    GPUNP_HD void start() { best = Op::identity(); }
    GPUNP_HD void push(C x, int64_t index, const ReduceParams& p) {
        const C one[1] = {x};
        push_batch<1, 1>(one, index, 0, p);
    }
    // Finds the best value by a chain of maxima, then its first place in the batch: a small constant, so that
    // the 64-bit index is computed once per batch. `Ascending`: elements arrive in the order of their
    // indices.
    template <int N, int V, bool Ascending = false, class X>
    GPUNP_HD void push_batch(const X (&x)[N], int64_t first, int64_t step, const ReduceParams& p) {
        C y[N];
        GPUNP_UNROLL
        for (int n = 0; n < N; n++) y[n] = convert<C>(x[n]);
        bool nothing = false;
        if (p.flags & REDUCE_SKIP_NAN) {
            nothing = true;
            GPUNP_UNROLL
            for (int n = 0; n < N; n++) {
                const bool nan = math::isnan(y[n]);
                y[n] = nan ? Op::Order::template worst<C>() : y[n];
                nothing &= nan;
            }
        }
        C top = y[0];
        GPUNP_UNROLL
        for (int n = 1; n < N; n++) top = Op::Order::best_of(top, y[n]);
        int place = 0;
        GPUNP_UNROLL
        for (int n = N - 1; n > 0; n--) place = Op::Order::reaches(y[n], top) ? n : place;
        place = Op::Order::reaches(y[0], top) ? 0 : place;
        if (math::isnan(top)) {
            GPUNP_UNROLL
            for (int n = N - 1; n >= 0; n--) place = math::isnan(y[n]) ? n : place;
        }
        const int64_t index = batch_index<V>(first, step, place);
        if constexpr (Ascending) {
            // All earlier elements have smaller indices, so an equal value does not replace the best.
            const bool found =
                !nothing && (best.index & BEST_OF_NOTHING || Op::Order::better(top, best.value));
            if (found) best = {top, index};
            return;
        }
        best = Op::combine(best, {top, nothing ? index | BEST_OF_NOTHING : index});
    }
    GPUNP_HD Best<T> finish() const { return best; }
};

// Sums of x - k and (x - k)^2 in double, where k, the mean of the first batch, is near the data. For n
// elements in batches of N the precision falls at most by a factor of 1 + n/N, because the first batch
// counts.
template <class Op>
struct Stream<Op, Moments> {
    double shift, sum, squares;
    int count;

    GPUNP_HD void start() {
        shift = sum = squares = 0;
        count = 0;
    }
    GPUNP_HD void push(double x, int64_t, const ReduceParams& p) {
        const double one[1] = {x};
        push_batch<1, 1>(one, 0, 0, p);
    }
    template <int N, int V, bool Ascending = false, class X>
    GPUNP_HD void push_batch(const X (&x)[N], int64_t, int64_t, const ReduceParams& p) {
        const bool all = !(p.flags & REDUCE_SKIP_NAN);
        if (count == 0) {
            double total = 0;
            int numbers = 0;
            GPUNP_UNROLL
            for (int n = 0; n < N; n++) {
                const double y = convert<double>(x[n]);
                const bool skip = skipped(y, p);
                total += skip ? 0 : y;
                numbers += !skip;
            }
            // A value near the mean suffices, and a division is slow.
            shift = all ? total * (1.0 / N) : numbers ? total / numbers : 0;
        }
        if (all) {
            GPUNP_UNROLL
            for (int n = 0; n < N; n++) {
                const double d = convert<double>(x[n]) - shift;
                sum += d;
                squares = multiply_add(d, d, squares);
            }
            count += N;
            return;
        }
        GPUNP_UNROLL
        for (int n = 0; n < N; n++) {
            const double y = convert<double>(x[n]);
            bool skip = skipped(y, p);
            double d = skip ? 0 : y - shift;
            sum += d;
            squares = multiply_add(d, d, squares);
            count += !skip;
        }
    }
    GPUNP_HD Moments finish() const {
        if (count == 0) return {0, 0, 0};
        double n = count, mean = sum / n, rest = squares - sum * mean;
        return {n, shift + mean, rest < 0 ? 0 : rest};
    }
};

template <class Op>
struct Stream<Op, ComplexMoments> {
    complex<double> shift, sum;
    double squares;
    int count;

    GPUNP_HD void start() {
        shift = sum = {0, 0};
        squares = 0;
        count = 0;
    }
    GPUNP_HD void push(complex<double> x, int64_t, const ReduceParams& p) {
        if (skipped(x, p)) return;
        if (count == 0) shift = x;
        double re = x.re - shift.re, im = x.im - shift.im;
        sum = {sum.re + re, sum.im + im};
        squares = multiply_add(re, re, multiply_add(im, im, squares));
        count++;
    }
    template <int N, int V, bool Ascending = false, class X>
    GPUNP_HD void push_batch(const X (&x)[N], int64_t, int64_t, const ReduceParams& p) {
        GPUNP_UNROLL
        for (int n = 0; n < N; n++) push(convert<complex<double>>(x[n]), 0, p);
    }
    GPUNP_HD ComplexMoments finish() const {
        if (count == 0) return {0, 0, 0, 0};
        double n = count, re = sum.re / n, im = sum.im / n, rest = squares - sum.re * re - sum.im * im;
        return {n, shift.re + re, shift.im + im, rest < 0 ? 0 : rest};
    }
};

}  // namespace reduction
}  // namespace gpunp
