// Whether elements are equal or close within tolerances: elementwise, or for all of them in one pass.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/common/host_pool.h"
#include "gpunp/common/vector.h"
#include "gpunp/kernel.h"
#include "gpunp/logic/closeness_params.h"
#include "gpunp/math/closeness.h"

namespace gpunp {
namespace closeness {

// |x - y| <= atol + rtol |y| as NumPy computes it. D is the dtype of x - y and, unless Mixed, of y.
template <class D, bool Mixed>
struct Close {
    using Native = D;
    using C = compute_t<D>;
    using Parts = parts<C>;
    using R = typename Parts::real;
    static constexpr int own_dtype = dtype_of<D>::value == F2 ? F2 : F8;
    const R rtol, atol;
    const int tolerance_dtype;
    const bool equal, equal_nan;

    GPUNP_HD explicit Close(const ClosenessParams& p)
        : rtol((R)p.rtol),
          atol((R)p.atol),
          tolerance_dtype(p.tolerance_dtype),
          equal(p.equal),
          equal_nan(p.equal_nan) {}
    GPUNP_HD bool operator()(C x, C y) const {
        return is_within<own_dtype>(x, y, rtol, atol, Mixed ? tolerance_dtype : own_dtype, !equal, equal_nan);
    }
    static GPUNP_HD C load(const char* at, int dtype, const double (&value)[2]) {
        return at ? load_as<C>(at, dtype) : Parts::made(value);
    }
};

// Integers of any two dtypes.
struct Same {
    using C = i8;
    using Native = i8;
    const bool wide;  // exactly one operand is uint64: then a negative number has no equal

    GPUNP_HD explicit Same(const ClosenessParams& p) : wide((p.x_dtype == U8) != (p.y_dtype == U8)) {}
    GPUNP_HD bool operator()(i8 x, i8 y) const { return x == y && !(wide && x < 0); }
    static GPUNP_HD i8 load(const char* at, int dtype, const double (&)[2]) { return load_as<i8>(at, dtype); }
};

// Byte offsets of the elements at index i, in C order of the shape.
struct Places {
    int64_t x, y;
};
template <class N>
GPUNP_HD Places places_of(const ClosenessParams& p, N i) {
    int64_t x = 0, y = 0;
    for (int d = p.ndim - 1; d >= 0; d--) {
        const N extent = (N)p.shape[d], rest = d == 0 ? 0 : i / extent;
        const int64_t at = (int64_t)(i - rest * extent);
        x += at * p.x_strides[d];
        y += at * p.y_strides[d];
        i = rest;
    }
    return {x, y};
}

#if GPUNP_ON_DEVICE
// Threads stop once any thread has found a difference. Volatile, because other blocks write the flag.
__device__ __forceinline__ bool is_told(const ClosenessParams& p) {
    return p.different && *(volatile uint32_t*)p.different;
}
__device__ __forceinline__ void tell(const ClosenessParams& p) {
    *(volatile uint32_t*)p.different = 1;
}

// Contiguous operands of one dtype, by vectors if both are aligned to 16 bytes.
template <class S, class Test>
__device__ __forceinline__ void compare_contiguous(const ClosenessParams& p) {
    using C = typename Test::C;
    constexpr int U = CLOSENESS_EACH, V = 16 / sizeof(S);
    const Test test(p);
    const S *x = (const S*)p.x, *y = (const S*)p.y;
    const bool aligned = (((uintptr_t)x | (uintptr_t)y) & 15) == 0;
    const int64_t vectors = aligned ? p.size / V : 0;
    const int64_t step = (int64_t)gridDim.x * (CLOSENESS_BLOCK * U);
    for (int64_t first = (int64_t)blockIdx.x * (CLOSENESS_BLOCK * U) + threadIdx.x; first < vectors;
         first += step) {
        const bool told = is_told(p);
        Vector<S> a[U], b[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int64_t i = first + u * CLOSENESS_BLOCK < vectors ? first + u * CLOSENESS_BLOCK : first;
            a[u] = load_vector_once(x + i * V);
            b[u] = load_vector_once(y + i * V);
        }
        bool all = true;
#pragma unroll
        for (int u = 0; u < U; u++) {
            unsigned char close[V];
#pragma unroll
            for (int k = 0; k < V; k++) {
                close[k] = test(convert<C>(a[u].at[k]), convert<C>(b[u].at[k]));
                all = all && close[k];
            }
            const int64_t i = first + u * CLOSENESS_BLOCK;
            if (p.out && i < vectors) __builtin_memcpy(__builtin_assume_aligned(p.out + i * V, V), close, V);
        }
        if (p.out) continue;
        if (!all) tell(p);
        if (!all || told) return;
    }
    const int64_t threads = (int64_t)gridDim.x * CLOSENESS_BLOCK;
    int64_t i = vectors * V + (int64_t)blockIdx.x * CLOSENESS_BLOCK + threadIdx.x;
#pragma unroll 4
    for (; i < p.size; i += threads) {
        const bool close = test(convert<C>(x[i]), convert<C>(y[i]));
        if (p.out)
            p.out[i] = close;
        else if (!close)
            tell(p);
    }
}

// Compares `size` bytes of both operands.
__device__ __forceinline__ void compare_bytes(const ClosenessParams& p) {
    constexpr int U = CLOSENESS_EACH;
    const bool aligned = (((uintptr_t)p.x | (uintptr_t)p.y) & 15) == 0;
    const int64_t vectors = aligned ? p.size / 16 : 0;
    const int64_t step = (int64_t)gridDim.x * (CLOSENESS_BLOCK * U);
    for (int64_t first = (int64_t)blockIdx.x * (CLOSENESS_BLOCK * U) + threadIdx.x; first < vectors;
         first += step) {
        const bool told = is_told(p);
        uint4 a[U], b[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int64_t i = first + u * CLOSENESS_BLOCK < vectors ? first + u * CLOSENESS_BLOCK : first;
            a[u] = __ldcs((const uint4*)p.x + i);
            b[u] = __ldcs((const uint4*)p.y + i);
        }
        uint32_t apart = 0;
#pragma unroll
        for (int u = 0; u < U; u++)
            apart |= (a[u].x ^ b[u].x) | (a[u].y ^ b[u].y) | (a[u].z ^ b[u].z) | (a[u].w ^ b[u].w);
        if (apart) tell(p);
        if (apart || told) return;
    }
    const int64_t threads = (int64_t)gridDim.x * CLOSENESS_BLOCK;
    int64_t i = vectors * 16 + (int64_t)blockIdx.x * CLOSENESS_BLOCK + threadIdx.x;
#pragma unroll 4
    for (; i < p.size; i += threads)
        if (p.x[i] != p.y[i]) tell(p);
}

// Loads an element at an offset: of the test's own dtype if Native, otherwise of any dtype.
template <class Test, bool Native>
__device__ __forceinline__ typename Test::C load_element(const char* at, int64_t offset, int dtype,
                                                         const double (&value)[2]) {
    if constexpr (Native) {
        if (at) return convert<typename Test::C>(*(const typename Test::Native*)(at + offset));
        return Test::load(nullptr, dtype, value);
    }
    return Test::load(at ? at + offset : nullptr, dtype, value);
}

template <class Test, class N, bool Native>
__device__ __forceinline__ void compare_as(const ClosenessParams& p) {
    using C = typename Test::C;
    constexpr int U = Native ? CLOSENESS_EACH : 1;
    const Test test(p);
    const int64_t step = (int64_t)gridDim.x * (CLOSENESS_BLOCK * U);
    for (int64_t first = (int64_t)blockIdx.x * (CLOSENESS_BLOCK * U) + threadIdx.x; first < p.size;
         first += step) {
        const bool told = is_told(p);
        C x[U], y[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int64_t i = first + u * CLOSENESS_BLOCK;
            const Places at = places_of(p, (N)(i < p.size ? i : first));
            x[u] = load_element<Test, Native>(p.x, at.x, p.x_dtype, p.x_value);
            y[u] = load_element<Test, Native>(p.y, at.y, p.y_dtype, p.y_value);
        }
        bool all = true;
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool close = test(x[u], y[u]);
            all = all && close;
            if (p.out && first + u * CLOSENESS_BLOCK < p.size) p.out[first + u * CLOSENESS_BLOCK] = close;
        }
        if (p.out) continue;
        if (!all) tell(p);
        if (!all || told) return;
    }
}
template <class Test>
__device__ __forceinline__ void compare_any(const ClosenessParams& p) {
    constexpr int own = dtype_of<typename Test::Native>::value;
    const bool native = (!p.x || p.x_dtype == own) && (!p.y || p.y_dtype == own);
    if (p.size >= 0x7fffffff)
        compare_as<Test, uint64_t, false>(p);
    else if (native)
        compare_as<Test, uint32_t, true>(p);
    else
        compare_as<Test, uint32_t, false>(p);
}
#define GPUNP_CLOSENESS_KERNEL(symbol, call)                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::CLOSENESS_BLOCK) \
        symbol(const __grid_constant__::gpunp::ClosenessParams p) {        \
        call;                                                              \
    }
#else
template <class At>
void compare_each(const ClosenessParams& p, At close_at) {
    constexpr int BLOCK = 1024;  // elements between looks at the flag
    parallel_for(p.size, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        for (int64_t start = begin; start < end; start += BLOCK) {
            const int64_t stop = end - start < BLOCK ? end : start + BLOCK;
            if (p.out) {
                for (int64_t i = start; i < stop; i++) p.out[i] = close_at(i);
                continue;
            }
            if (__atomic_load_n(p.different, __ATOMIC_RELAXED)) return;
            int apart = 0;
            for (int64_t i = start; i < stop; i++) apart |= !close_at(i);
            if (apart) __atomic_store_n(p.different, 1, __ATOMIC_RELAXED);
        }
    });
}

template <class S, class Test>
void compare_contiguous(const ClosenessParams& p) {
    using C = typename Test::C;
    const Test test(p);
    const S *x = (const S*)p.x, *y = (const S*)p.y;
    if constexpr (std::is_arithmetic_v<S>) {
        if (p.equal && !p.equal_nan) {
            compare_each(p, [x, y](int64_t i) { return x[i] == y[i]; });
            return;
        }
    }
    compare_each(p, [&](int64_t i) { return test(convert<C>(x[i]), convert<C>(y[i])); });
}

inline void compare_bytes(const ClosenessParams& p) {
    *p.different = 0;
    parallel_for(p.size, 1 << 17, [&](int64_t begin, int64_t end) {
        for (int64_t start = begin; start < end; start += 1 << 14) {
            if (__atomic_load_n(p.different, __ATOMIC_RELAXED)) return;
            const int64_t count = end - start < 1 << 14 ? end - start : 1 << 14;
            if (__builtin_memcmp(p.x + start, p.y + start, (size_t)count) != 0)
                __atomic_store_n(p.different, 1, __ATOMIC_RELAXED);
        }
    });
}

template <class Test>
void compare_any(const ClosenessParams& p) {
    const Test test(p);
    compare_each(p, [&](int64_t i) {
        const Places at = places_of(p, (uint64_t)i);
        return test(Test::load(p.x ? p.x + at.x : nullptr, p.x_dtype, p.x_value),
                    Test::load(p.y ? p.y + at.y : nullptr, p.y_dtype, p.y_value));
    });
}
#define GPUNP_CLOSENESS_KERNEL(symbol, call)                                   \
    static void symbol##_host(const void* params) {                            \
        const auto& p = *static_cast<const ::gpunp::ClosenessParams*>(params); \
        call;                                                                  \
    }                                                                          \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#endif

}  // namespace closeness
}  // namespace gpunp

#define GPUNP_CLOSENESS(name, S, D) \
    GPUNP_CLOSENESS_KERNEL(         \
        close_contiguous_##name,    \
        (::gpunp::closeness::compare_contiguous<S, ::gpunp::closeness::Close<D, false>>(p)))
#define GPUNP_CLOSENESS_ANY(name, D)         \
    GPUNP_CLOSENESS_KERNEL(close_any_##name, \
                           (::gpunp::closeness::compare_any<::gpunp::closeness::Close<D, true>>(p)))
#define GPUNP_SAME                                                           \
    GPUNP_CLOSENESS_KERNEL(same_bytes, ::gpunp::closeness::compare_bytes(p)) \
    GPUNP_CLOSENESS_KERNEL(same_any, ::gpunp::closeness::compare_any<::gpunp::closeness::Same>(p))
