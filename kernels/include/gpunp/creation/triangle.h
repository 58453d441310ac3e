// Matrices with zeros above or below a diagonal.
#pragma once
#include "gpunp/creation/params.h"
#include "gpunp/kernel.h"

#if !GPUNP_ON_DEVICE
#include <string.h>

#include "gpunp/common/host_pool.h"
#endif

namespace gpunp {

#if GPUNP_ON_DEVICE

// 32-bit division is several times faster than 64-bit division.
__device__ __forceinline__ int64_t divide_row(int64_t a, int64_t b) {
    return ((a | b) >> 32) == 0 ? (int64_t)((uint32_t)a / (uint32_t)b) : a / b;
}

// A mask of the elements of a word whose bits in `keep` are set.
template <int BYTES>
__device__ __forceinline__ uint32_t word_mask(uint32_t keep, int word) {
    if (BYTES >= 4) return keep >> (word * 4 / BYTES) & 1 ? 0xffffffffu : 0;
    uint32_t mask = 0;
#pragma unroll
    for (int i = 0; i < 4 / BYTES; i++)
        if (keep >> (word * 4 / BYTES + i) & 1) mask |= (BYTES == 1 ? 0xffu : 0xffffu) << (8 * BYTES * i);
    return mask;
}

template <class T>
__device__ __forceinline__ void triangle(const TriangleParams& p) {
    constexpr int BYTES = sizeof(T), V = 16 / BYTES, EACH = TRIANGLE_EACH;
    const int64_t start = (int64_t)blockIdx.x * (TRIANGLE_BLOCK * EACH * V) + threadIdx.x * V;
    uint4 v[EACH];
    uint32_t keep[EACH];  // one bit per element
#pragma unroll
    for (int u = 0; u < EACH; u++) {
        const int64_t i = start + u * TRIANGLE_BLOCK * V;
        v[u] = {};
        keep[u] = 0;
        if (i >= p.size) continue;
        int64_t row = divide_row(i, p.columns), column = i - row * p.columns;
        if (row >= p.rows) row -= divide_row(row, p.rows) * p.rows;
        if (column + V <= p.columns) {
            // Number of elements left of the diagonal; for a lower triangle, left of or on it.
            const int64_t left = p.diagonal + row - column + (p.lower ? 1 : 0);
            const uint32_t before = left <= 0 ? 0 : left >= V ? (1u << V) - 1 : (1u << left) - 1;
            keep[u] = p.lower ? before : before ^ ((1u << V) - 1);
        } else {
#pragma unroll 1
            for (int k = 0; k < V; k++) {
                if (p.lower ? column - row <= p.diagonal : column - row >= p.diagonal) keep[u] |= 1u << k;
                if (++column < p.columns) continue;
                column = 0;
                if (++row == p.rows) row = 0;
            }
        }
        // Vectors that become all zero are not read. The last vector may be partial.
        if (keep[u] && i + V <= p.size) v[u] = *reinterpret_cast<const uint4*>(p.source + i * BYTES);
    }
#pragma unroll
    for (int u = 0; u < EACH; u++) {
        const int64_t i = start + u * TRIANGLE_BLOCK * V;
        if (i + V <= p.size) {
            v[u].x &= word_mask<BYTES>(keep[u], 0);
            v[u].y &= word_mask<BYTES>(keep[u], 1);
            v[u].z &= word_mask<BYTES>(keep[u], 2);
            v[u].w &= word_mask<BYTES>(keep[u], 3);
            *reinterpret_cast<uint4*>(p.out + i * BYTES) = v[u];
        } else {
            for (int k = 0; i + k < p.size; k++)
                reinterpret_cast<T*>(p.out)[i + k] =
                    keep[u] >> k & 1 ? reinterpret_cast<const T*>(p.source)[i + k] : T{};
        }
    }
}
#define GPUNP_TRIANGLE(symbol, T)                                            \
    extern "C" __global__ void __launch_bounds__(::gpunp::TRIANGLE_BLOCK, 3) \
        symbol(const __grid_constant__::gpunp::TriangleParams p) {           \
        ::gpunp::triangle<T>(p);                                             \
    }

#else

template <class T>
void triangle(const void* params) {
    const TriangleParams& p = *static_cast<const TriangleParams*>(params);
    const T* source = reinterpret_cast<const T*>(p.source);
    T* out = reinterpret_cast<T*>(p.out);
    parallel_for(p.columns ? p.size / p.columns : 0, grain_of(p.columns), [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; line++) {
            const int64_t i = line * p.columns, row = line % p.rows;
            // For a lower triangle, the first column right of the diagonal; for an upper one, that on it.
            int64_t at = row + p.diagonal + (p.lower ? 1 : 0);
            at = at < 0 ? 0 : at > p.columns ? p.columns : at;
            if (p.lower) {
                memcpy(out + i, source + i, (size_t)at * sizeof(T));
                memset(out + i + at, 0, (size_t)(p.columns - at) * sizeof(T));
            } else {
                memset(out + i, 0, (size_t)at * sizeof(T));
                memcpy(out + i + at, source + i + at, (size_t)(p.columns - at) * sizeof(T));
            }
        }
    });
}
#define GPUNP_TRIANGLE(symbol, T) GPUNP_HOST_KERNEL(symbol, ::gpunp::triangle<T>);

#endif

}  // namespace gpunp
