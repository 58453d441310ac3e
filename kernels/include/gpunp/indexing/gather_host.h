// Host gathers and scatters: in the order of the elements, so that the last of repeated indices wins.
#pragma once
#include "gpunp/status.h"

namespace gpunp {

// Coordinates that step through `shape`, and byte offsets that follow them.
template <int OFFSETS>
struct Odometer {
    int64_t at[GATHER_DIMS] = {};
    int64_t offset[OFFSETS] = {};

    // Advances the first `ndim` dimensions by one element, the last dimension fastest; `stride(k, d)` in
    // bytes.
    template <class Strides>
    void step(const int64_t* shape, int ndim, int offsets, Strides stride) {
        for (int d = ndim - 1; d >= 0; d--) {
            const bool carry = ++at[d] == shape[d];
            for (int k = 0; k < offsets; k++) offset[k] += (carry ? 1 - shape[d] : 1) * stride(k, d);
            if (!carry) return;
            at[d] = 0;
        }
    }
};

// Whether all indices are in bounds, which is known before anything is moved.
inline bool check_indices(const GatherParams& p) {
    if (p.mode != INDEX_RAISE) return true;
    for (int k = 0; k < p.indices; k++) {
        // Dimensions along which the index array is repeated are checked only once.
        int64_t shape[GATHER_DIMS], strides[GATHER_DIMS], count = 1;
        int ndim = 0;
        for (int d = 0; d < p.ndim; d++) {
            if (p.index_strides[k][d] == 0) continue;
            shape[ndim] = p.shape[d];
            strides[ndim++] = p.index_strides[k][d];
            count *= p.shape[d];
        }
        Odometer<1> walk;
        for (int64_t i = 0; i < count; i++) {
            const int64_t at = load_index(p.index[k] + walk.offset[0], p.index_bytes[k]);
            if (at < -p.extent[k] || at >= p.extent[k]) {
                *p.status |= GPUNP_STATUS_INDEX_OUT_OF_BOUNDS;
                *p.report = {at, k};
                return false;
            }
            walk.step(shape, ndim, 1, [&](int, int d) { return strides[d]; });
        }
    }
    return true;
}

template <class U, bool writing>
void move_host(const void* params) {
    const GatherParams& p = *static_cast<const GatherParams*>(params);
    if (!check_indices(p)) return;
    const int last = p.ndim - 1;
    const int64_t inner = p.shape[last];
    const int offsets = p.indices + 2;
    bool fixed = true;  // indices are constant along the last dimension
    for (int k = 0; k < p.indices; k++) fixed = fixed && p.index_strides[k][last] == 0;
    auto stride = [&](int k, int d) {
        return k == 0 ? p.indexed_strides[d] : k == 1 ? p.dense_strides[d] : p.index_strides[k - 2][d];
    };
    auto indexed_at = [&](const int64_t* offset, int64_t j) {
        char* at = p.indexed + offset[0] + j * p.indexed_strides[last];
        for (int k = 0; k < p.indices; k++) {
            const int64_t raw =
                load_index(p.index[k] + offset[k + 2] + j * p.index_strides[k][last], p.index_bytes[k]);
            at += indexed_offset(p, k, normal_index(raw, p.extent[k], p.mode));
        }
        return at;
    };
    const bool packed = p.indexed_strides[last] == (int64_t)sizeof(U) &&
                        p.dense_strides[last] == (int64_t)sizeof(U) && !p.dense_period;
    const bool alone = p.indices == 1 && !p.flat_ndim && p.mode == INDEX_RAISE;
    Odometer<GATHER_INDICES + 2> walk;
    for (int64_t done = 0; done < p.size; done += inner) {
        const char* run = fixed ? indexed_at(walk.offset, 0) : nullptr;
        char* dense = p.dense ? p.dense + walk.offset[1] : nullptr;
        if (fixed && packed && dense) {
            __builtin_memcpy(writing ? const_cast<char*>(run) : dense, writing ? dense : run,
                             inner * sizeof(U));
            walk.step(p.shape, last, offsets, stride);
            continue;
        }
        for (int64_t j = 0; j < inner; j++) {
            char* at;
            if (fixed) {
                at = const_cast<char*>(run) + j * p.indexed_strides[last];
            } else if (alone) {
                int64_t raw =
                    load_index(p.index[0] + walk.offset[2] + j * p.index_strides[0][last], p.index_bytes[0]);
                raw += raw < 0 ? p.extent[0] : 0;
                at = p.indexed + walk.offset[0] + j * p.indexed_strides[last] + raw * p.multiplier[0];
            } else {
                at = indexed_at(walk.offset, j);
            }
            if (!writing) {
                *(U*)(dense + j * p.dense_strides[last]) = *(const U*)at;
            } else if (!dense) {
                *(U*)at = *(const U*)p.scalar;
            } else {
                const int64_t value = p.dense_period ? (done + j) % p.dense_period : j;
                *(U*)at = *(const U*)(dense + value * p.dense_strides[last]);
            }
        }
        walk.step(p.shape, last, offsets, stride);
    }
}

inline void claim_host(const void* params) {
    check_indices(*static_cast<const GatherParams*>(params));
}

}  // namespace gpunp

// One function serves every variant.
#define GPUNP_GATHER(bytes, U)                                         \
    GPUNP_HOST_KERNEL(gather_##bytes, (::gpunp::move_host<U, false>)); \
    GPUNP_HOST_KERNEL(scatter_##bytes, (::gpunp::move_host<U, true>));
#define GPUNP_CLAIM GPUNP_HOST_KERNEL(gather_claim, ::gpunp::claim_host);
