// Direct convolution: out[k] = sum over j of w[j] * x[k + start - j], for indices inside x.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/math/convolve_params.h"

namespace gpunp {
namespace convolution {

template <class T>
GPUNP_HD T fused(T a, T b, T sum) {
#if defined(__CUDA_ARCH__)
    if constexpr (!math::is_integer<T>) return fma(a, b, sum);
#endif
    return sum + a * b;
}
// Unsigned arithmetic wraps, whereas signed overflow is undefined in C++.
GPUNP_HD i4 fused(i4 a, i4 b, i4 sum) {
    return (i4)((u4)sum + (u4)a * (u4)b);
}
GPUNP_HD i8 fused(i8 a, i8 b, i8 sum) {
    return (i8)((u8)sum + (u8)a * (u8)b);
}
template <class T>
GPUNP_HD complex<T> fused(complex<T> a, complex<T> b, complex<T> sum) {
    return {fused(-a.im, b.im, fused(a.re, b.re, sum.re)), fused(a.im, b.re, fused(a.re, b.im, sum.im))};
}

template <class A>
GPUNP_HD A conjugated(A x, bool) {
    return x;
}
template <class T>
GPUNP_HD complex<T> conjugated(complex<T> x, bool conjugate) {
    return {x.re, conjugate ? -x.im : x.im};
}

template <class A>
GPUNP_HD A load_x(const ConvolveParams& p, int64_t i) {
    return conjugated(load_as<A>(p.x + i * p.x_stride, p.x_dtype), p.conjugate_x);
}
template <class A>
GPUNP_HD A load_w(const ConvolveParams& p, int64_t j) {
    return conjugated(load_as<A>(p.w + j * p.w_stride, p.w_dtype), p.conjugate_w);
}

#if GPUNP_ON_DEVICE
constexpr int EACH = 8;  // outputs per thread, and taps per unrolled group
constexpr int THREADS = CONVOLVE_BLOCK;
static_assert(THREADS * EACH == CONVOLVE_TILE, "the threads of a block cover its outputs");

template <class A>
constexpr int code = -1;
template <>
constexpr int code<i4> = I4;
template <>
constexpr int code<i8> = I8;
template <>
constexpr int code<f4> = F4;
template <>
constexpr int code<f8> = F8;
template <>
constexpr int code<c8> = C8;
template <>
constexpr int code<c16> = C16;

// One padding element after every eight avoids bank conflicts between adjacent threads.
__device__ __forceinline__ int padded(int i) {
    return i + (i >> 3);
}

template <class A>
__device__ __forceinline__ void convolve(const ConvolveParams& p) {
    constexpr int SPAN = CONVOLVE_TILE + CONVOLVE_TAPS;
    __shared__ alignas(16) char memory[(SPAN + SPAN / 8 + 1) * sizeof(A)];
    __shared__ alignas(16) char tap_memory[CONVOLVE_TAPS * sizeof(A)];
    A* xs = reinterpret_cast<A*>(memory);
    A* ws = reinterpret_cast<A*>(tap_memory);
    const int64_t tile = (int64_t)blockIdx.x * CONVOLVE_TILE;
    const int64_t first_tap = (int64_t)blockIdx.y * p.split_taps;
    const int64_t last_tap = first_tap + p.split_taps < p.taps ? first_tap + p.split_taps : p.taps;
    const int t = threadIdx.x;
    A sum[EACH] = {};
    for (int64_t j0 = first_tap; j0 < last_tap; j0 += CONVOLVE_TAPS) {
        const int taps = (int)(last_tap - j0 < CONVOLVE_TAPS ? last_tap - j0 : CONVOLVE_TAPS);
        const int groups = (taps + EACH - 1) / EACH;
        const int span = CONVOLVE_TILE + groups * EACH - 1;
        // The index in x of xs[0].
        const int64_t origin = tile + p.start - j0 - (groups * EACH - 1);
        if (origin >= p.length || origin + span <= 0) continue;
        const bool inside = origin >= 0 && origin + span <= p.length;
        __syncthreads();
        if (inside && p.x_dtype == code<A> && p.x_stride == sizeof(A)) {
            const A* from = reinterpret_cast<const A*>(p.x) + origin;
#pragma unroll 3
            for (int q = t; q < span; q += THREADS) xs[padded(q)] = conjugated(from[q], p.conjugate_x);
        } else {
            for (int q = t; q < span; q += THREADS) {
                const int64_t i = origin + q;
                xs[padded(q)] = i >= 0 && i < p.length ? load_x<A>(p, i) : A{};
            }
        }
        for (int j = t; j < taps; j += THREADS) ws[j] = load_w<A>(p, j0 + j);
        __syncthreads();
        if (inside) {
            for (int g = 0; g < groups; g++) {
                const A* window = xs + 9 * (t + groups - 1 - g);
                A x[2 * EACH - 1];
#pragma unroll
                for (int e = 0; e < 2 * EACH - 1; e++) x[e] = window[e + (e >> 3)];
                const int left = taps - g * EACH;
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    if (j >= left) break;
                    const A w = ws[g * EACH + j];
#pragma unroll
                    for (int o = 0; o < EACH; o++) sum[o] = fused(w, x[o + EACH - 1 - j], sum[o]);
                }
            }
        } else {
            // At the ends, products with elements outside x are skipped: infinity * 0 would give NaN.
            for (int j = 0; j < taps; j++) {
                const A w = ws[j];
                const int shift = groups * EACH - 1 - j;
#pragma unroll
                for (int o = 0; o < EACH; o++) {
                    const int q = t * EACH + o + shift;
                    const int64_t i = origin + q;
                    if (i >= 0 && i < p.length) sum[o] = fused(w, xs[padded(q)], sum[o]);
                }
            }
        }
    }
    // Through shared memory, so that writes are coalesced.
    __syncthreads();
#pragma unroll
    for (int o = 0; o < EACH; o++) xs[9 * t + o] = sum[o];
    __syncthreads();
    for (int q = t; q < CONVOLVE_TILE; q += THREADS) {
        const int64_t k = tile + q;
        if (k >= p.outputs) break;
        if (p.partials)
            reinterpret_cast<A*>(p.partials)[blockIdx.y * p.outputs + k] = xs[padded(q)];
        else
            store_as<A>(p.out + k * p.out_item, p.out_dtype, xs[padded(q)]);
    }
}

#define GPUNP_CONVOLVE(name, A)                                             \
    extern "C" __global__ void __launch_bounds__(::gpunp::CONVOLVE_BLOCK)   \
        convolve_##name(const __grid_constant__::gpunp::ConvolveParams p) { \
        ::gpunp::convolution::convolve<A>(p);                               \
    }
#else
// By tiles of outputs and of taps; the inner loop runs over outputs, so that compilers vectorize it.
template <class A>
void convolve(const void* params) {
    constexpr int TILE = 512;
    const ConvolveParams& p = *static_cast<const ConvolveParams*>(params);
    const bool packed = p.x_dtype == dtype_of<A>::value && p.x_stride == (int64_t)sizeof(A) && !p.conjugate_x;
    const bool plain = p.out_dtype == dtype_of<A>::value && p.out_item == (int64_t)sizeof(A);
    const int64_t tiles = (p.outputs + TILE - 1) / TILE;
    parallel_for(tiles, grain_of(p.taps < 64 ? 64 * TILE : p.taps * TILE), [&](int64_t begin, int64_t end) {
        A buffer[2 * TILE], ws[TILE], sum[TILE];
        for (int64_t tile = begin * TILE; tile < p.outputs && tile < end * TILE; tile += TILE) {
            const int count = (int)(p.outputs - tile < TILE ? p.outputs - tile : TILE);
            for (int o = 0; o < count; o++) sum[o] = A{};
            for (int64_t j0 = 0; j0 < p.taps; j0 += TILE) {
                const int taps = (int)(p.taps - j0 < TILE ? p.taps - j0 : TILE);
                const int64_t origin = tile + p.start - j0 - (taps - 1);
                const int span = count + taps - 1;
                const int low = (int)(origin < 0 ? (-origin < span ? -origin : span) : 0);
                const int high = (int)(p.length - origin < span ? p.length - origin : span);
                if (low >= high) continue;
                const A* xs = buffer;
                if (packed)
                    xs = reinterpret_cast<const A*>(p.x) + origin;
                else
                    for (int q = low; q < high; q++) buffer[q] = load_x<A>(p, origin + q);
                for (int j = 0; j < taps; j++) ws[j] = load_w<A>(p, j0 + j);
                for (int j = 0; j < taps; j++) {
                    const int shift = taps - 1 - j;
                    const A w = ws[j];
                    const int from = low - shift > 0 ? low - shift : 0;
                    const int to = high - shift < count ? high - shift : count;
#pragma GCC ivdep
                    for (int o = from; o < to; o++) sum[o] = fused(w, xs[o + shift], sum[o]);
                }
            }
            if (plain)
                __builtin_memcpy((void*)(p.out + tile * p.out_item), (const void*)sum, count * sizeof(A));
            else
                for (int o = 0; o < count; o++)
                    store_as<A>(p.out + (tile + o) * p.out_item, p.out_dtype, sum[o]);
        }
    });
}

#define GPUNP_CONVOLVE(name, A) GPUNP_HOST_KERNEL(convolve_##name, ::gpunp::convolution::convolve<A>);
#endif

}  // namespace convolution
}  // namespace gpunp
