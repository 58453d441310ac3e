// packbits and unpackbits of arrays of shape (outer, length, inner), along the middle axis.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/common/loop_params.h"
#include "gpunp/kernel.h"
#include "gpunp/math/packbits_params.h"

namespace gpunp {
namespace packing {

// In wide mode the eight elements of a byte are contiguous: one 8-byte access moves all of them.
constexpr uint64_t ONES = 0x0101010101010101ull;
constexpr uint64_t RISING = 0x8040201008040201ull;   // bit i of byte i
constexpr uint64_t FALLING = 0x0102040810204080ull;  // bit 7 - i of byte i

// 1 for every byte that is not zero.
GPUNP_HD uint64_t not_zero(uint64_t v) {
    return ((((v & (0x7f * ONES)) + 0x7f * ONES) | v) >> 7) & ONES;
}

GPUNP_HD bool element(const char* at, int item) {
    switch (item) {
        case 1:
            return *(const uint8_t*)at != 0;
        case 2:
            return *(const uint16_t*)at != 0;
        case 4:
            return *(const uint32_t*)at != 0;
        default:
            return *(const uint64_t*)at != 0;
    }
}

// Byte i of the packed array.
GPUNP_HD void pack_one(const PackParams& p, int64_t i) {
    if (p.wide) {
        const uint64_t bits = not_zero(reinterpret_cast<const uint64_t*>(p.input)[i]);
        p.output[i] = (char)((bits * (p.little ? FALLING : RISING)) >> 56);
        return;
    }
    const int64_t packed = (p.length + 7) / 8;
    const int64_t inner = i % p.inner, byte = i / p.inner % packed, outer = i / p.inner / packed;
    const char* at = p.input + ((outer * p.length + byte * 8) * p.inner + inner) * p.item;
    const int64_t left = p.length - byte * 8;
    const int count = (int)(left < 8 ? left : 8);
    uint32_t bits = 0;
    for (int k = 0; k < count; k++)
        bits |= (uint32_t)element(at + k * p.inner * p.item, p.item) << (p.little ? k : 7 - k);
    p.output[i] = (char)bits;
}

// Writes eight elements of the unpacked array if accesses are wide, otherwise one.
GPUNP_HD void unpack_one(const PackParams& p, int64_t i) {
    if (p.wide) {
        const uint64_t byte = (uint8_t)p.input[i];
        reinterpret_cast<uint64_t*>(p.output)[i] = not_zero(byte * ONES & (p.little ? RISING : FALLING));
        return;
    }
    const int64_t inner = i % p.inner, bit = i / p.inner % p.count, outer = i / p.inner / p.count;
    uint32_t value = 0;
    if (bit < p.length * 8) {
        const uint8_t byte = (uint8_t)p.input[(outer * p.length + bit / 8) * p.inner + inner];
        value = byte >> (p.little ? bit % 8 : 7 - bit % 8) & 1;
    }
    p.output[i] = (char)value;
}

}  // namespace packing
}  // namespace gpunp

#if GPUNP_ON_DEVICE
#define GPUNP_PACKING(symbol, function)                                                            \
    extern "C" __global__ void __launch_bounds__(::gpunp::LOOP_BLOCK)                              \
        symbol(const __grid_constant__::gpunp::PackParams p) {                                     \
        const int64_t threads = (int64_t)gridDim.x * blockDim.x;                                   \
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.size; i += threads) \
            ::gpunp::packing::function(p, i);                                                      \
    }
#else
#define GPUNP_PACKING(symbol, function)                                                      \
    static void symbol##_host(const void* params) {                                          \
        const ::gpunp::PackParams& p = *static_cast<const ::gpunp::PackParams*>(params);     \
        ::gpunp::parallel_each(p, p.size, 8, [](const ::gpunp::PackParams& own, int64_t i) { \
            ::gpunp::packing::function(own, i);                                              \
        });                                                                                  \
    }                                                                                        \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#endif
