// Multiple copies of contiguous arrays: tile, and repeat of single elements or of larger parts.
//
// Blocks that write the copies of one part run at about the same time, so that DRAM is read only once.
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/kernel.h"
#include "gpunp/manipulation/copies_params.h"

#if !GPUNP_ON_DEVICE
#include <string.h>

#include "gpunp/common/host_pool.h"
#endif

namespace gpunp {

#if GPUNP_ON_DEVICE
#define GPUNP_ROLLED _Pragma("unroll 1")
#else
#define GPUNP_ROLLED
#endif

// The start of copy number `which`, in elements of the result.
GPUNP_HD int64_t copy_start(const CopiesParams& p, uint32_t which) {
    int64_t start = 0;
    GPUNP_ROLLED
    for (int d = p.ndim - 1; d >= 0; d--) {
        const uint32_t rest = which / p.axes[d].times;
        start += (which - rest * p.axes[d].times) * p.axes[d].apart;
        which = rest;
    }
    return start;
}

#if GPUNP_ON_DEVICE

template <class T>
__device__ __forceinline__ void write_copies(const CopiesParams& p) {
    const uint32_t part = blockIdx.x / p.copies, which = blockIdx.x - part * p.copies;
    const uint32_t first = part * (COPIES_BLOCK * COPIES_UNROLL) + threadIdx.x;
    T v[COPIES_UNROLL];
#pragma unroll
    for (int u = 0; u < COPIES_UNROLL; u++) {
        const uint32_t i = first + u * COPIES_BLOCK;
        if (i < p.size) v[u] = reinterpret_cast<const T*>(p.source)[i];
    }
    const int64_t start = copy_start(p, which);
#pragma unroll
    for (int u = 0; u < COPIES_UNROLL; u++) {
        uint32_t i = first + u * COPIES_BLOCK;
        if (i >= p.size) break;
        int64_t at = start;
#pragma unroll 1
        for (int d = p.ndim - 1; d > 0; d--) {
            const CopiesAxis& axis = p.axes[d];
            const uint32_t rest = (__umulhi(i, axis.magic) + i) >> axis.shift;
            at += (i - rest * (uint32_t)axis.extent) * axis.stride;
            i = rest;
        }
        at += i * p.axes[0].stride;
        if (at < p.limit) reinterpret_cast<T*>(p.out)[at] = v[u];
    }
}
#define GPUNP_COPIES(symbol, T)                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::COPIES_BLOCK) \
        symbol(const __grid_constant__::gpunp::CopiesParams p) {        \
        ::gpunp::write_copies<T>(p);                                    \
    }

#else

template <class T>
void write_copies(const void* params) {
    const CopiesParams& p = *static_cast<const CopiesParams*>(params);
    const CopiesAxis& last = p.axes[p.ndim - 1];
    if (p.size == 0) return;
    const int64_t rows = (p.size + last.extent - 1) / last.extent;
    parallel_for(rows * p.copies, grain_of(last.extent), [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; unit++) {
            const int64_t row = unit % rows;
            const T* from = reinterpret_cast<const T*>(p.source) + row * last.extent;
            int64_t at = copy_start(p, (uint32_t)(unit / rows)), i = row;
            for (int d = p.ndim - 2; d >= 0; d--) {
                const int64_t rest = d == 0 ? 0 : i / p.axes[d].extent;
                at += (i - rest * p.axes[d].extent) * p.axes[d].stride;
                i = rest;
            }
            const int64_t count = p.limit - at < last.extent ? p.limit - at : last.extent;
            T* to = reinterpret_cast<T*>(p.out) + at;
            if (last.stride == 1)
                memcpy(to, from, (size_t)count * sizeof(T));
            else
                for (int64_t k = 0; k < last.extent; k++) to[k * last.stride] = from[k];
        }
    });
}
#define GPUNP_COPIES(symbol, T) GPUNP_HOST_KERNEL(symbol, ::gpunp::write_copies<T>);

#endif

#if GPUNP_ON_DEVICE

template <class T>
__device__ __forceinline__ void repeat_evenly(const RepeatEvenlyParams& p) {
    constexpr int V = Vector<T>::WIDTH;
    const T* source = reinterpret_cast<const T*>(p.source);
    const uint32_t size = (uint32_t)p.size;
    const uint32_t first = (blockIdx.x * (COPIES_BLOCK * COPIES_UNROLL) + threadIdx.x) * V;
    Vector<T> v[COPIES_UNROLL];
#pragma unroll
    for (int u = 0; u < COPIES_UNROLL; u++) {
        const uint32_t i = first + u * (COPIES_BLOCK * V);
        if (i >= size) break;
        uint32_t at = (__umulhi(i, p.magic) + i) >> p.shift;
        uint32_t turn = i - at * p.times;
        const uint32_t last = (size - 1 - i > V - 1 ? V - 1 : size - 1 - i) + turn;
        if (p.times >= V) {
            const T here = source[at];
            const T next = last >= p.times ? source[at + 1] : here;
#pragma unroll
            for (int k = 0; k < V; k++) v[u].at[k] = turn + k >= p.times ? next : here;
        } else {
#pragma unroll
            for (int k = 0; k < V; k++) {
                if (k > 0 && ++turn == p.times) {
                    turn = 0;
                    if (i + k < size) at++;
                }
                v[u].at[k] = source[at];
            }
        }
    }
#pragma unroll
    for (int u = 0; u < COPIES_UNROLL; u++) {
        const uint32_t i = first + u * (COPIES_BLOCK * V);
        T* out = reinterpret_cast<T*>(p.out) + i;
        if (i + V <= size) {
            uint4 bits;
            memcpy(&bits, &v[u], 16);
            *reinterpret_cast<uint4*>(out) = bits;
        } else {
#pragma unroll
            for (int k = 0; k < V; k++)
                if (i + k < size) out[k] = v[u].at[k];
        }
    }
}
#define GPUNP_REPEAT_EVENLY(symbol, T)                                  \
    extern "C" __global__ void __launch_bounds__(::gpunp::COPIES_BLOCK) \
        symbol(const __grid_constant__::gpunp::RepeatEvenlyParams p) {  \
        ::gpunp::repeat_evenly<T>(p);                                   \
    }

#else

template <class T>
void repeat_evenly(const void* params) {
    const RepeatEvenlyParams& p = *static_cast<const RepeatEvenlyParams*>(params);
    const int64_t times = p.times;
    parallel_for(p.size / times, grain_of(times), [&](int64_t begin, int64_t end) {
        const T* __restrict from = reinterpret_cast<const T*>(p.source);
        T* __restrict to = reinterpret_cast<T*>(p.out);
        if (times == 2) {
            for (int64_t i = begin; i < end; i++) to[2 * i] = to[2 * i + 1] = from[i];
            return;
        }
        to += begin * times;
        for (int64_t i = begin; i < end; i++)
            for (int64_t k = 0; k < times; k++) *to++ = from[i];
    });
}
#define GPUNP_REPEAT_EVENLY(symbol, T) GPUNP_HOST_KERNEL(symbol, ::gpunp::repeat_evenly<T>);

#endif

}  // namespace gpunp
