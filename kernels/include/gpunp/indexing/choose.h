// Kernels of choose, and of the conversions between flat indices and coordinates.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/common/loop_params.h"
#include "gpunp/indexing/choose_params.h"
#include "gpunp/indexing/gather.h"
#include "gpunp/indexing/mask_params.h"

namespace gpunp {

// The choice for an element, counted from the first of this launch; -1 if it belongs to another launch or is
// out of bounds.
GPUNP_HD int64_t chosen(const ChooseParams& p, const char* index, bool& outside) {
    const int64_t at = normal_index(load_index(index, p.index_bytes), p.choices, p.mode);
    // NumPy's choose rejects negative indices with mode='raise'.
    outside = at < 0 || (p.mode == INDEX_RAISE && load_index(index, p.index_bytes) < 0);
    return outside || at < p.first || at >= p.first + p.count ? -1 : at - p.first;
}

template <class U>
GPUNP_HD bool choose_element(const ChooseParams& p, int64_t i) {
    int64_t at[CHOOSE_DIMS] = {}, left = i, index = 0;
    for (int d = p.ndim - 1; d >= 0; d--) {
        const int64_t rest = d == 0 ? 0 : left / p.shape[d];
        at[d] = left - rest * p.shape[d];
        index += at[d] * p.index_strides[d];
        left = rest;
    }
    bool outside;
    const int64_t k = chosen(p, p.index + index, outside);
    if (k < 0) return !outside;
    int64_t offset = 0;
    for (int d = 0; d < p.ndim; d++) offset += at[d] * p.strides[k][d];
    ((U*)p.out)[i] = *(const U*)(p.data[k] + offset);
    return true;
}

// Writes the coordinates of flat index number i; returns whether it is in bounds.
GPUNP_HD bool unravel_element(const RavelParams& p, int64_t i) {
    int64_t at = p.flat[i];
    const bool inside = at >= 0 && at < p.total;
    for (int k = 0; k < p.ndim; k++) {
        // The last axis varies fastest in C order.
        const int d = p.f_order ? k : p.ndim - 1 - k;
        const int64_t rest = at / p.shape[d];
        p.coordinates[d * p.size + i] = inside ? at - rest * p.shape[d] : 0;
        at = rest;
    }
    return inside;
}

// Writes the flat index of coordinates number i; returns whether they are in bounds.
GPUNP_HD bool ravel_element(const RavelParams& p, int64_t i) {
    int64_t number = 0;
    bool inside = true;
    for (int k = 0; k < p.ndim; k++) {
        const int d = p.f_order ? p.ndim - 1 - k : k;
        const int64_t raw = p.coordinates[d * p.size + i];
        // Unlike indices, coordinates must not be negative.
        const int64_t at =
            p.mode[d] == INDEX_RAISE && raw < 0 ? -1 : normal_index(raw, p.shape[d], p.mode[d]);
        inside = inside && at >= 0;
        number = number * p.shape[d] + at;
    }
    p.flat[i] = inside ? number : 0;
    return inside;
}

}  // namespace gpunp

#if GPUNP_ON_DEVICE
#define GPUNP_EACH(symbol, Params, call, bit)                                      \
    extern "C" __global__ void __launch_bounds__(::gpunp::LOOP_BLOCK)              \
        symbol(const __grid_constant__::gpunp::Params p) {                         \
        const int64_t i = (int64_t)blockIdx.x * ::gpunp::LOOP_BLOCK + threadIdx.x; \
        if (i < p.size && !call(p, i)) atomicOr(p.status, bit);                    \
    }
#else
#define GPUNP_EACH(symbol, Params, call, bit)                                               \
    static void symbol##_host(const void* params) {                                         \
        const ::gpunp::Params& p = *static_cast<const ::gpunp::Params*>(params);            \
        ::gpunp::parallel_with(p, p.size, ::gpunp::grain_of(4),                             \
                               [](const ::gpunp::Params& own, int64_t begin, int64_t end) { \
                                   for (int64_t i = begin; i < end; i++) {                  \
                                       if (call(own, i)) continue;                          \
                                       *own.status |= bit;                                  \
                                       return;                                              \
                                   }                                                        \
                               });                                                          \
    }                                                                                       \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#endif
#define GPUNP_CHOOSE(bytes, U) \
    GPUNP_EACH(choose_##bytes, ChooseParams, ::gpunp::choose_element<U>, GPUNP_STATUS_CHOICE)
#define GPUNP_RAVEL                                                                     \
    GPUNP_EACH(unravel, RavelParams, ::gpunp::unravel_element, GPUNP_STATUS_FLAT_INDEX) \
    GPUNP_EACH(ravel, RavelParams, ::gpunp::ravel_element, GPUNP_STATUS_COORDINATE)
