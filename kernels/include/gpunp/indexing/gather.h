// Moves elements by index arrays: gather reads from the indexed places, scatter writes to them.
//
// Elements are moved by their size; runs of contiguous elements move as wider elements.
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/indexing/gather_params.h"
#include "gpunp/kernel.h"

namespace gpunp {

GPUNP_HD int64_t load_index(const char* p, int bytes) {
    return bytes == 8 ? *(const int64_t*)p : (int64_t)*(const int32_t*)p;
}

// Python's modulo. Not inlined, because a 64-bit division is long.
GPUNP_HD_CALLED int64_t wrapped_index(int64_t at, int64_t extent) {
    at %= extent;
    return at < 0 ? at + extent : at;
}

// The index, normalized by `mode` to 0 <= at < extent, or -1 if it is out of bounds.
GPUNP_HD int64_t normal_index(int64_t at, int64_t extent, int mode) {
    if (mode == INDEX_RAISE) {
        if (at < 0) at += extent;
        return at < 0 || at >= extent ? -1 : at;
    }
    if (mode == INDEX_CLIP) return at < 0 ? 0 : at >= extent ? extent - 1 : at;
    return at >= 0 && at < extent ? at : wrapped_index(at, extent);
}

// The byte offset of the element with flat index `at` in C order.
GPUNP_HD_CALLED int64_t flat_offset(const GatherParams& p, int64_t at) {
    int64_t offset = 0;
    for (int d = p.flat_ndim - 1; d >= 0; d--) {
        const int64_t rest = d == 0 ? 0 : at / p.flat_shape[d];
        offset += (at - rest * p.flat_shape[d]) * p.flat_strides[d];
        at = rest;
    }
    return offset;
}

GPUNP_HD int64_t indexed_offset(const GatherParams& p, int k, int64_t at) {
    return p.flat_ndim ? flat_offset(p, at) : at * p.multiplier[k];
}

// Multiplicative hash; the factor is 2^64 divided by the golden ratio.
GPUNP_HD uint64_t hashed(uint64_t x) {
    x ^= x >> 32;
    x *= 0x9e3779b97f4a7c15ull;
    return x ^ (x >> 29);
}

}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/indexing/gather_device.h"
#else
#include "gpunp/indexing/gather_host.h"
#endif
