// One step of binary erosion or dilation.
#pragma once
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
__device__ __forceinline__ void binary_step(const BinaryParams& p) {
    const int64_t threads = (int64_t)gridDim.x * BINARY_BLOCK;
    bool changed = false;
#pragma unroll 2
    for (int64_t i = (int64_t)blockIdx.x * BINARY_BLOCK + threadIdx.x; i < p.size; i += threads) {
        const int value = value_after(p, i);
        if (p.changed) changed |= value != (p.image[i] != 0);
        p.out[i] = (uint8_t)value;
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
    bool changed = false;
    for (int64_t i = 0; i < p.size; i++) {
        const int value = value_after(p, i);
        changed |= value != (p.image[i] != 0);
        p.out[i] = (uint8_t)value;
    }
    if (p.changed && changed) *p.changed = 1;
}
#define GPUNP_BINARY_STEP GPUNP_HOST_KERNEL(binary_step, ::gpunp::binary::binary_step);
#endif

}  // namespace binary
}  // namespace gpunp
