// One step of binary erosion or dilation.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/ndimage/binary_params.h"

namespace gpunp {
namespace binary {

// Quotients of numbers below 2^32 take a quarter of the time.
GPUNP_HD int64_t quotient(int64_t a, int64_t b) {
    return ((a | b) >> 32) == 0 ? (int64_t)((uint32_t)a / (uint32_t)b) : a / b;
}

// Whether all offsets of a pixel are inside of the image.
GPUNP_HD bool is_inner(const BinaryParams& p, int64_t i) {
    bool inner = true;
    for (int k = p.ndim - 1; k >= 0; k--) {
        const int64_t next = k > 0 ? quotient(i, p.shape[k]) : 0, at = i - next * p.shape[k];
        inner &= at + p.low[k] >= 0 && at + p.high[k] < p.shape[k];
        i = next;
    }
    return inner;
}
GPUNP_HD bool is_inside(const BinaryParams& p, int64_t i, const int32_t* steps) {
    for (int k = p.ndim - 1; k >= 0; k--) {
        const int64_t next = k > 0 ? quotient(i, p.shape[k]) : 0, at = i - next * p.shape[k] + steps[k];
        if (at < 0 || at >= p.shape[k]) return false;
        i = next;
    }
    return true;
}

GPUNP_HD int value_after(const BinaryParams& p, int64_t i) {
    const uint8_t* x = p.image + i;
    const int own = *x != 0;
    if ((p.mask && !p.mask[i]) || (p.center && own == p.sought)) return own;
    if (is_inner(p, i)) {
        for (int o = 0; o < p.count; o++)
            if ((x[p.flat[o]] != 0) == p.sought) return p.sought;
    } else {
        for (int o = 0; o < p.count; o++) {
            const int value = is_inside(p, i, p.steps + (int64_t)o * p.ndim) ? x[p.flat[o]] != 0 : p.border;
            if (value == p.sought) return p.sought;
        }
    }
    return 1 - p.sought;
}

#if GPUNP_ON_DEVICE

// Eight adjacent pixels, a byte each.
struct Pixels {
    uint32_t low, high;
};
__device__ __forceinline__ Pixels load_pixels(const uint8_t* at) {
    const uint32_t* words = reinterpret_cast<const uint32_t*>((size_t)at & ~(size_t)3);
    const unsigned shift = ((unsigned)(size_t)at & 3) * 8;
    const uint32_t first = words[0], second = words[1];
    if (shift == 0) return {first, second};
    return {__funnelshift_r(first, second, shift), __funnelshift_r(second, words[2], shift)};
}
// The top bit of each byte: whether the byte is not zero. Other bits are arbitrary.
__device__ __forceinline__ uint32_t nonzero(uint32_t bytes) {
    return ((bytes & 0x7f7f7f7f) + 0x7f7f7f7f) | bytes;
}
__device__ __forceinline__ uint32_t as_bytes(uint32_t top_bits) {
    return top_bits >> 7 & 0x01010101;
}
__device__ __forceinline__ Pixels as_booleans(Pixels x) {
    return {as_bytes(nonzero(x.low)), as_bytes(nonzero(x.high))};
}

// The values of eight adjacent pixels, none of which depends on pixels outside of the image.
__device__ __forceinline__ Pixels eight_after(const BinaryParams& p, int64_t i) {
    const uint8_t* x = p.image + i;
    Pixels found = p.sought ? Pixels{0, 0} : Pixels{~0u, ~0u};
    for (int o = 0; o < p.count; o++) {
        const Pixels other = load_pixels(x + p.flat[o]);
        if (p.sought) {
            found.low |= other.low;
            found.high |= other.high;
        } else {
            found.low &= nonzero(other.low);
            found.high &= nonzero(other.high);
        }
    }
    found = p.sought ? as_booleans(found) : Pixels{as_bytes(found.low), as_bytes(found.high)};
    if (p.mask) {
        const Pixels mask = as_booleans(load_pixels(p.mask + i)), own = as_booleans(load_pixels(x));
        found.low = (found.low & mask.low) | (own.low & ~mask.low);
        found.high = (found.high & mask.high) | (own.high & ~mask.high);
    }
    return found;
}

__device__ __forceinline__ void binary_step(const BinaryParams& p) {
    const int64_t threads = (int64_t)gridDim.x * BINARY_BLOCK, width = p.shape[p.ndim - 1];
    bool changed = false;
    for (int64_t i = 8 * ((int64_t)blockIdx.x * BINARY_BLOCK + threadIdx.x); i < p.size; i += 8 * threads) {
        // Four bytes are read at a time, so the last pixels of the image are not among those of the others.
        const bool is_row = i + p.reach <= p.size && i - quotient(i, width) * width + 8 <= width;
        if (is_row && is_inner(p, i) && is_inner(p, i + 7)) {
            const Pixels value = eight_after(p, i);
            if (p.changed) {
                const Pixels own = as_booleans(load_pixels(p.image + i));
                changed |= value.low != own.low || value.high != own.high;
            }
            *reinterpret_cast<uint2*>(p.out + i) = make_uint2(value.low, value.high);
            continue;
        }
        for (int64_t k = i; k < i + 8 && k < p.size; k++) {
            const int value = value_after(p, k);
            if (p.changed) changed |= value != (p.image[k] != 0);
            p.out[k] = (uint8_t)value;
        }
    }
    if (p.changed && changed) *(volatile uint32_t*)p.changed = 1;
}
#define GPUNP_BINARY_STEP                                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::BINARY_BLOCK) \
        binary_step(const __grid_constant__::gpunp::BinaryParams p) {   \
        ::gpunp::binary::binary_step(p);                                \
    }
#else
inline void binary_step(const void* params) {
    const BinaryParams& p = *static_cast<const BinaryParams*>(params);
    parallel_for(p.size, grain_of(16), [&](int64_t begin, int64_t end) {
        bool changed = false;
        for (int64_t i = begin; i < end; i++) {
            const int value = value_after(p, i);
            changed |= value != (p.image[i] != 0);
            p.out[i] = (uint8_t)value;
        }
        if (p.changed && changed) __atomic_store_n(p.changed, 1, __ATOMIC_RELAXED);
    });
}
#define GPUNP_BINARY_STEP GPUNP_HOST_KERNEL(binary_step, ::gpunp::binary::binary_step);
#endif

}  // namespace binary
}  // namespace gpunp
