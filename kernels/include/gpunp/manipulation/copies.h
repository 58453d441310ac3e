// Multiple copies of contiguous arrays: tile, and repeat of single elements or of larger parts.
//
// Blocks that write the copies of one part run at about the same time, so that DRAM is read only once.
#pragma once
#include "gpunp/manipulation/axis_maps.h"

namespace gpunp {

constexpr int COPIES_BLOCK = 256;
constexpr int COPIES_UNROLL = 2;

struct CopiesAxis {
    int64_t extent;  // of the source
    int64_t stride;  // of the result, in elements
    int64_t apart;   // elements of the result from one copy along this axis to the next
    uint32_t times;
    uint32_t magic, shift;  // to divide an index below 2^31 by `extent`
    uint32_t unused;
};

struct CopiesParams {
    const char* source;
    char* out;
    int64_t size;   // elements of the source, below 2^31
    int64_t limit;  // elements of the result; with one axis, the last copy may be truncated
    uint32_t copies;
    int32_t ndim;
    CopiesAxis axes[MAX_MAPPED_AXES];
};

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

// Repeats every element of a contiguous array `times` times.
struct RepeatEvenlyParams {
    const char* source;
    char* out;
    int64_t size;  // elements of the result, below 2^31
    uint32_t times, magic, shift;
    uint32_t unused;
};

#if !GPUNP_ON_DEVICE

// Finds multiplier and shift for the division of numbers below 2^31.
inline void set_magic(int64_t divisor, uint32_t& magic, uint32_t& shift) {
    shift = 0;
    while ((int64_t)1 << shift < divisor) shift++;
    magic = (uint32_t)(((int64_t)1 << 32) * (((int64_t)1 << shift) - divisor) / divisor + 1);
}

// Whether a map's source is C-contiguous.
inline bool is_dense(const MapParams& p, int size) {
    int64_t step = size;
    for (int d = p.ndim - 1; d >= 0; d--) {
        if (p.axes[d].length == 1) continue;
        if (p.axes[d].stride != step) return false;
        step *= p.axes[d].length;
    }
    return true;
}

// Plans a map that consists of whole copies of the source or of its axes, with elements of `size` bytes.
// Returns the number of blocks, or 0 if the map is not of this kind or other kernels are as fast.
inline int64_t plan_copies(const MapParams& p, int size, CopiesParams& c) {
    // Minimum contiguous bytes of a copy and minimum bytes of the source for which this is worthwhile.
    constexpr int64_t WIDE = 256, LONG = 1 << 16, MOST = 0x7fffffff;
    if (size < 4 || !is_dense(p, size)) return 0;
    int64_t inner = 1, beside = 0, copies = 1;
    c.size = 1;
    for (int d = p.ndim - 1; d >= 0; d--) {
        const AxisMap& m = p.axes[d];
        CopiesAxis& axis = c.axes[d];
        int64_t times = 1;
        axis.extent = m.length;
        axis.stride = axis.apart = inner;
        if (m.rule == CYCLE && m.offset == 0 && (m.extent % m.length == 0 || p.ndim == 1)) {
            times = (m.extent + m.length - 1) / m.length;
            axis.apart = m.length * inner;
        } else if (m.rule == DIVIDE) {
            times = m.offset;
            axis.stride = times * inner;
        } else if (m.rule == STRAIGHT && m.length == 1) {
            times = m.extent;
        } else if (m.rule != STRAIGHT) {
            return 0;
        }
        if (beside == 0 && times > 1) beside = axis.apart;
        c.size *= m.length;
        if (times > MOST || copies * times > MOST || c.size > MOST) return 0;
        copies *= times;
        axis.times = (uint32_t)times;
        set_magic(m.length, axis.magic, axis.shift);
        inner *= m.extent;
    }
    if (copies < 2 || beside * size < WIDE || c.size * size < LONG) return 0;
    c.source = p.source, c.out = p.out, c.limit = p.size, c.copies = (uint32_t)copies, c.ndim = p.ndim;
    const int64_t blocks =
        (c.size + COPIES_BLOCK * COPIES_UNROLL - 1) / (COPIES_BLOCK * COPIES_UNROLL) * copies;
    return blocks > MOST ? 0 : blocks;
}

// The same for a map that repeats single elements.
inline int64_t plan_repeats(const MapParams& p, int size, RepeatEvenlyParams& r) {
    const AxisMap& last = p.axes[p.ndim - 1];
    const int64_t times = last.rule == DIVIDE ? last.offset : last.length == 1 ? last.extent : 0;
    if (times == 0 || p.size > 0x7fffffff || !is_dense(p, size)) return 0;
    if (last.rule != DIVIDE && last.rule != STRAIGHT) return 0;
    for (int d = 0; d < p.ndim - 1; d++)
        if (p.axes[d].rule != STRAIGHT || p.axes[d].length != p.axes[d].extent) return 0;
    r.source = p.source, r.out = p.out, r.size = p.size, r.times = (uint32_t)times;
    set_magic(r.times, r.magic, r.shift);
    const int64_t each = COPIES_BLOCK * COPIES_UNROLL * (16 / size);
    return (r.size + each - 1) / each;
}

#endif

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
    for (uint32_t which = 0; which < p.copies; which++) {
        const int64_t start = copy_start(p, which);
        const T* from = reinterpret_cast<const T*>(p.source);
        for (int64_t row = 0; row * last.extent < p.size; row++, from += last.extent) {
            int64_t at = start, i = row;
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
    }
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
    const T* from = reinterpret_cast<const T*>(p.source);
    T* to = reinterpret_cast<T*>(p.out);
    for (int64_t i = 0; i < p.size; i += p.times, from++)
        for (uint32_t k = 0; k < p.times; k++) *to++ = *from;
}
#define GPUNP_REPEAT_EVENLY(symbol, T) GPUNP_HOST_KERNEL(symbol, ::gpunp::repeat_evenly<T>);

#endif

}  // namespace gpunp
