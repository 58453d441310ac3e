// Sequential folds of any binary function along an axis, for the ufunc methods reduce, accumulate, reduceat
// and at.
//
// A functor F has: T, the type in which the unit computes; dtype, its code; and apply(op, loop_dtype, a, b,
// status), which covers every function of the unit.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/kernel.h"
#include "gpunp/math.h"
#include "gpunp/reduction/fold_params.h"

#if GPUNP_ON_DEVICE
#define GPUNP_IN_LINE __device__ __forceinline__
#define GPUNP_OUT_OF_LINE static __device__ __noinline__
#else
#define GPUNP_IN_LINE inline
#define GPUNP_OUT_OF_LINE static inline
#endif

namespace gpunp {

template <class T>
struct alignas(16) FoldValue {
    T at;
};

template <class T>
GPUNP_OUT_OF_LINE T fold_load(const char* p, int dtype) {
    return load_as<T>(p, dtype);
}
template <class T>
GPUNP_OUT_OF_LINE void fold_store(char* p, int dtype, T value) {
    store_as<T>(p, dtype, value);
}

// The value after a round trip through `dtype`.
template <class T>
GPUNP_OUT_OF_LINE T fold_round(T value, int dtype) {
    FoldValue<complex<double>> memory;
    store_as<T>((char*)&memory, dtype, value);
    return load_as<T>((const char*)&memory, dtype);
}

template <class F>
GPUNP_IN_LINE typename F::T fold_step(const FoldParams& p, typename F::T a, typename F::T b) {
    typename F::T r = F::apply(p.op, p.loop_dtype, a, b, p.status);
    return p.round_steps ? fold_round(r, p.loop_dtype) : r;
}

GPUNP_IN_LINE void fold_offsets(const FoldParams& p, int64_t lane, const char*& in, char*& out,
                                const char*& mask) {
    for (int d = p.ndim - 1; d >= 0; d--) {
        int64_t rest = d == 0 ? 0 : lane / p.shape[d];
        int64_t at = lane - rest * p.shape[d];
        in += at * p.in_strides[d];
        out += at * p.out_strides[d];
        mask += at * p.mask_strides[d];
        lane = rest;
    }
}

// The range [first, end) of a segment; false if reduceat's indices are out of bounds.
GPUNP_IN_LINE bool fold_bounds(const FoldParams& p, int64_t segment, int64_t& first, int64_t& end) {
    if (p.starts) {
        first = p.starts[segment];
        end = segment + 1 < p.segments ? p.starts[segment + 1] : p.length;
        if (first < 0 || first >= p.length || end < 0 || end > p.length ||
            (end == p.length && segment + 1 < p.segments))
            return false;
        if (end <= first) end = first + 1;
    } else {
        first = segment * p.chunk;
        end = first + p.chunk < p.length ? first + p.chunk : p.length;
    }
    return true;
}

template <class F>
struct Folding {
    using T = typename F::T;
    const FoldParams& p;
    T sum;
    bool has;

    GPUNP_IN_LINE void take(T value) {
        sum = has ? fold_step<F>(p, sum, value) : value;
        has = true;
    }
    // Folds the elements first, first + step, ... of one lane.
    GPUNP_IN_LINE void run(const char* in, char* out, const char* mask, int64_t first, int64_t end,
                           int64_t step) {
        const bool own = p.in_dtype == F::dtype;
        int64_t k = first;
        if (own && !p.mask && !p.emit_all) {
            // Four loads in flight: the steps themselves are a serial chain.
            for (; k + 3 * step < end; k += 4 * step) {
                T x[4];
                for (int i = 0; i < 4; i++) x[i] = *(const T*)(in + (k + i * step) * p.in_stride);
                for (int i = 0; i < 4; i++) take(x[i]);
            }
        }
        for (; k < end; k += step) {
            if (p.mask && !mask[k * p.mask_stride]) continue;
            const char* q = in + k * p.in_stride;
            take(own ? *(const T*)q : fold_load<T>(q, p.in_dtype));
            if (p.emit_all) put(out + k * p.out_stride, sum);
        }
    }
    GPUNP_IN_LINE void put(char* q, T value) {
        if (p.out_dtype == F::dtype)
            *(T*)q = value;
        else
            fold_store<T>(q, p.out_dtype, value);
    }
};

}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/reduction/fold_device.h"
#else
#include "gpunp/reduction/fold_host.h"
#endif
