// Windows that slide along an axis: the sums and extrema of adjacent windows, from a run of samples.
#pragma once
#include "gpunp/ndimage/samples.h"
#include "gpunp/ndimage/separable_params.h"

namespace gpunp {
namespace ndimage {

constexpr int RUN = SEPARABLE_RUN;

// Sums in double in SciPy's order of operations, so that sums stored as integers, which truncates them, are
// the same. `sample(i)` is sample i of the run; output k has the window from k on.
struct ExactSum {
    template <class Sample>
    static GPUNP_HD void slide(Sample sample, const SeparableAxis& axis, const double* weights, double* out) {
        const int taps = (int)axis.taps, middle = taps / 2;
        double sum[RUN];
        if (axis.combining == WINDOW_MEAN) {
            GPUNP_UNROLL
            for (int k = 0; k < RUN; k++) sum[k] = 0;
            for (int t = 0; t < taps; t++) {
                GPUNP_UNROLL
                for (int k = 0; k < RUN; k++) sum[k] += sample(t + k);
            }
            GPUNP_UNROLL
            for (int k = 0; k < RUN; k++) out[k] = sum[k] / (double)taps;
            return;
        }
        const bool whole = axis.combining == WINDOW_WEIGHTED;
        const int first = whole ? taps - 1 : middle, count = whole ? taps - 1 : middle;
        GPUNP_UNROLL
        for (int k = 0; k < RUN; k++) sum[k] = sample(first + k) * weights[first];
        if (whole) {
            for (int t = 0; t < count; t++) {
                const double w = weights[t];
                GPUNP_UNROLL
                for (int k = 0; k < RUN; k++) sum[k] += sample(t + k) * w;
            }
        } else {
            const double sign = axis.combining == WINDOW_SYMMETRIC ? 1 : -1;
            for (int t = 0; t < count; t++) {
                const double w = weights[t];
                GPUNP_UNROLL
                for (int k = 0; k < RUN; k++) sum[k] += (sample(t + k) + sign * sample(taps - 1 - t + k)) * w;
            }
        }
        GPUNP_UNROLL
        for (int k = 0; k < RUN; k++) out[k] = sum[k];
    }
};

// Fused on a GPU; the baseline of x86-64, for which the host library is built, has no such instruction.
GPUNP_HD double added_product(double sum, double a, double b) {
#if defined(__CUDA_ARCH__)
    return fma(a, b, sum);
#else
    return sum + a * b;
#endif
}

// Sums in double for results in float32, whose rounding hides the order of operations: samples are read once
// into registers, and products are added by fused operations.
struct QuickSum {
    // Means of windows that share samples: the sum of these, with what each window has before and after them.
    // No sample is subtracted, so that infinities and NaN stay where they belong.
    template <class Sample>
    static GPUNP_HD void means(Sample sample, int taps, double* out) {
        const double factor = 1.0 / taps;
        double shared = sample(RUN - 1), after = 0;
        for (int t = RUN; t < taps; t++) shared += sample(t);
        out[RUN - 1] = shared;
        GPUNP_UNROLL
        for (int k = RUN - 2; k >= 0; k--) out[k] = out[k + 1] + sample(k);
        out[0] *= factor;
        GPUNP_UNROLL
        for (int k = 1; k < RUN; k++) {
            after += sample(taps + k - 1);
            out[k] = (out[k] + after) * factor;
        }
    }
    template <class Sample>
    static GPUNP_HD void slide(Sample sample, const SeparableAxis& axis, const double* weights, double* out) {
        const int taps = (int)axis.taps;
        if (axis.combining == WINDOW_MEAN && taps >= RUN) return means(sample, taps, out);
        double sum[RUN], x[2 * RUN - 1];
        GPUNP_UNROLL
        for (int k = 0; k < RUN; k++) sum[k] = 0;
        GPUNP_UNROLL
        for (int k = 0; k < RUN - 1; k++) x[k] = sample(k);
        int t = 0;
        for (; t + RUN <= taps; t += RUN) {
            GPUNP_UNROLL
            for (int k = 0; k < RUN; k++) x[RUN - 1 + k] = sample(t + RUN - 1 + k);
            GPUNP_UNROLL
            for (int i = 0; i < RUN; i++) {
                const double w = weights[t + i];
                GPUNP_UNROLL
                for (int k = 0; k < RUN; k++) sum[k] = added_product(sum[k], x[k + i], w);
            }
            GPUNP_UNROLL
            for (int k = 0; k < RUN - 1; k++) x[k] = x[k + RUN];
        }
        GPUNP_UNROLL
        for (int i = 0; i < RUN - 1; i++) {
            if (t + i >= taps) break;
            x[RUN - 1 + i] = sample(t + RUN - 1 + i);
            const double w = weights[t + i];
            GPUNP_UNROLL
            for (int k = 0; k < RUN; k++) sum[k] = added_product(sum[k], x[k + i], w);
        }
        GPUNP_UNROLL
        for (int k = 0; k < RUN; k++) out[k] = sum[k];
    }
};

template <class C>
GPUNP_HD C lesser(C a, C b) {
#if defined(__CUDA_ARCH__)
    return sizeof(C) == 4 ? (C)fminf((float)a, (float)b) : (C)fmin((double)a, (double)b);
#else
    return b < a ? b : a;
#endif
}
template <class C>
GPUNP_HD C greater(C a, C b) {
#if defined(__CUDA_ARCH__)
    return sizeof(C) == 4 ? (C)fmaxf((float)a, (float)b) : (C)fmax((double)a, (double)b);
#else
    return b > a ? b : a;
#endif
}

// The least or the greatest sample. Windows of at least RUN samples share the samples that all of them have;
// what they have before and after those is reduced from the inside out.
template <bool MINIMUM>
struct Extremum {
    template <class C>
    static GPUNP_HD C of(C a, C b) {
        return MINIMUM ? lesser(a, b) : greater(a, b);
    }
    template <class C, class Sample>
    static GPUNP_HD void slide(Sample sample, const SeparableAxis& axis, const double*, C* out) {
        const int taps = (int)axis.taps;
        if (taps < RUN) {
            C x[RUN];
            GPUNP_UNROLL
            for (int k = 0; k < RUN; k++) out[k] = x[k] = sample(k);
            for (int t = 1; t < taps; t++) {
                GPUNP_UNROLL
                for (int k = 0; k < RUN - 1; k++) x[k] = x[k + 1];
                x[RUN - 1] = sample(t + RUN - 1);
                GPUNP_UNROLL
                for (int k = 0; k < RUN; k++) out[k] = of(out[k], x[k]);
            }
            return;
        }
        C shared = sample(RUN - 1);
        for (int t = RUN; t < taps; t++) shared = of(shared, (C)sample(t));
        out[RUN - 1] = shared;
        GPUNP_UNROLL
        for (int k = RUN - 2; k >= 0; k--) out[k] = of(out[k + 1], (C)sample(k));
        C after = sample(taps);
        GPUNP_UNROLL
        for (int k = 1; k < RUN; k++) {
            out[k] = of(out[k], after);
            if (k + 1 < RUN) after = of(after, (C)sample(taps + k));
        }
    }
};

}  // namespace ndimage
}  // namespace gpunp
