// Host gathers and scatters. Of repeated indices the last one wins: threads share a scatter's targets, not
// its elements.
#pragma once
#include <atomic>

#include "gpunp/common/host_pool.h"
#include "gpunp/status.h"

namespace gpunp {

constexpr int64_t GATHER_RUN = 1 << 13;  // elements of a unit of work

// Coordinates that step through `shape`, and byte offsets that follow them.
template <int OFFSETS>
struct Odometer {
    int64_t at[GATHER_DIMS] = {};
    int64_t offset[OFFSETS] = {};

    // Goes to the element with a linear index.
    template <class Strides>
    void seek(int64_t index, const int64_t* shape, int ndim, int offsets, Strides stride) {
        for (int k = 0; k < offsets; k++) offset[k] = 0;
        for (int d = ndim - 1; d >= 0; d--) {
            at[d] = index % shape[d];
            index /= shape[d];
            for (int k = 0; k < offsets; k++) offset[k] += at[d] * stride(k, d);
        }
    }
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

// Whether any of n indices is out of bounds, or negative.
struct IndexSigns {
    bool outside, negative;
};
// Without branches, so that compilers vectorize it.
template <class I>
inline IndexSigns index_signs(const I* x, int64_t n, int64_t extent) {
    int64_t signs = 0, negative = 0;
    for (int64_t i = 0; i < n; i++) {
        signs |= (int64_t)(x[i] + extent) | (int64_t)(extent - 1 - x[i]);
        negative |= x[i];
    }
    return {signs < 0, negative < 0};
}

// What is known of all indices before anything is moved.
struct CheckedIndices {
    bool valid, maybe_negative;
};
inline CheckedIndices check_indices(const GatherParams& p) {
    if (p.mode != INDEX_RAISE) return {true, true};
    std::atomic<bool> negative{false};
    for (int k = 0; k < p.indices; k++) {
        // Dimensions along which the index array is repeated are checked only once.
        int64_t shape[GATHER_DIMS], strides[GATHER_DIMS], count = 1;
        int ndim = 0;
        bool packed = true;
        for (int d = 0; d < p.ndim; d++) {
            if (p.index_strides[k][d] == 0) continue;
            shape[ndim] = p.shape[d];
            strides[ndim++] = p.index_strides[k][d];
            count *= p.shape[d];
        }
        int64_t dense = p.index_bytes[k];
        for (int d = ndim - 1; d >= 0; d--) {
            packed = packed && strides[d] == dense;
            dense *= shape[d];
        }
        std::atomic<int64_t> first{count};  // of those out of bounds
        parallel_for(count, POOL_GRAIN, [&](int64_t begin, int64_t end) {
            if (packed) {
                const char* from = p.index[k] + begin * p.index_bytes[k];
                const int64_t n = end - begin;
                const IndexSigns signs = p.index_bytes[k] == 8
                                             ? index_signs((const int64_t*)from, n, p.extent[k])
                                             : index_signs((const int32_t*)from, n, p.extent[k]);
                if (signs.negative) negative = true;
                if (!signs.outside) return;
            } else {
                negative = true;
            }
            Odometer<1> walk;
            const auto stride = [&](int, int d) { return strides[d]; };
            walk.seek(begin, shape, ndim, 1, stride);
            for (int64_t i = begin; i < end; i++) {
                const int64_t at = load_index(p.index[k] + walk.offset[0], p.index_bytes[k]);
                if (at < -p.extent[k] || at >= p.extent[k]) {
                    int64_t before = first.load();
                    while (i < before && !first.compare_exchange_weak(before, i)) {
                    }
                    return;
                }
                walk.step(shape, ndim, 1, stride);
            }
        });
        if (first.load() < count) {
            Odometer<1> walk;
            walk.seek(first.load(), shape, ndim, 1, [&](int, int d) { return strides[d]; });
            *p.status |= GPUNP_STATUS_INDEX_OUT_OF_BOUNDS;
            *p.report = {load_index(p.index[k] + walk.offset[0], p.index_bytes[k]), k};
            return {false, true};
        }
    }
    return {true, negative};
}

template <class U, bool writing>
struct Move {
    const GatherParams& p;
    int last;
    bool fixed = true;  // indices are constant along the last dimension
    bool packed, alone;
    bool maybe_negative;  // indices

    Move(const GatherParams& params, bool maybe_negative)
        : p(params), last(params.ndim - 1), maybe_negative(maybe_negative) {
        for (int k = 0; k < p.indices; k++) fixed = fixed && p.index_strides[k][last] == 0;
        packed = p.indexed_strides[last] == (int64_t)sizeof(U) &&
                 p.dense_strides[last] == (int64_t)sizeof(U) && !p.dense_period;
        alone = p.indices == 1 && !p.flat_ndim && p.mode == INDEX_RAISE;
    }
    int64_t stride(int k, int d) const {
        return k == 0 ? p.indexed_strides[d] : k == 1 ? p.dense_strides[d] : p.index_strides[k - 2][d];
    }
    char* indexed_at(const int64_t* offset, int64_t j) const {
        char* at = p.indexed + offset[0] + j * p.indexed_strides[last];
        for (int k = 0; k < p.indices; k++) {
            const int64_t raw =
                load_index(p.index[k] + offset[k + 2] + j * p.index_strides[k][last], p.index_bytes[k]);
            at += indexed_offset(p, k, normal_index(raw, p.extent[k], p.mode));
        }
        return at;
    }
    // Elements [first, end) of a row whose one index array is contiguous, as is the dense side.
    template <class I>
    void run_indices(const int64_t* offset, int64_t first, int64_t end) const {
        const I* index = (const I*)(p.index[0] + offset[2]);
        U* dense = (U*)(p.dense + offset[1]);
        char* indexed = p.indexed + offset[0];
        const int64_t extent = p.extent[0], multiplier = p.multiplier[0];
        if (!maybe_negative && multiplier == (int64_t)sizeof(U)) {
            U* const places = (U*)indexed;
            for (int64_t j = first; j < end; j++) {
                if (writing)
                    places[index[j]] = dense[j];
                else
                    dense[j] = places[index[j]];
            }
            return;
        }
        for (int64_t j = first; j < end; j++) {
            int64_t at = index[j];
            at += extent & (at >> 63);
            U* place = (U*)(indexed + at * multiplier);
            if (writing)
                *place = dense[j];
            else
                dense[j] = *place;
        }
    }
    // Elements [first, end) of the row that starts at the offsets, and that has the linear index `done`.
    void run(const int64_t* offset, int64_t done, int64_t first, int64_t end) const {
        const char* run = fixed ? indexed_at(offset, first) : nullptr;
        char* dense = p.dense ? p.dense + offset[1] : nullptr;
        if (fixed && packed && dense) {
            dense += first * (int64_t)sizeof(U);
            __builtin_memcpy(writing ? const_cast<char*>(run) : dense, writing ? dense : run,
                             (end - first) * sizeof(U));
            return;
        }
        if (!fixed && alone && dense && !p.dense_period && p.indexed_strides[last] == 0 &&
            p.dense_strides[last] == (int64_t)sizeof(U) && p.index_strides[0][last] == p.index_bytes[0]) {
            if (p.index_bytes[0] == 8)
                run_indices<int64_t>(offset, first, end);
            else
                run_indices<int32_t>(offset, first, end);
            return;
        }
        for (int64_t j = first; j < end; j++) {
            char* at;
            if (fixed) {
                at = const_cast<char*>(run) + (j - first) * p.indexed_strides[last];
            } else if (alone) {
                int64_t raw =
                    load_index(p.index[0] + offset[2] + j * p.index_strides[0][last], p.index_bytes[0]);
                raw += raw < 0 ? p.extent[0] : 0;
                at = p.indexed + offset[0] + j * p.indexed_strides[last] + raw * p.multiplier[0];
            } else {
                at = indexed_at(offset, j);
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
    }
    // Rows [begin, end), one for each index, whose elements are side by side.
    void run_rows(int64_t begin, int64_t end) const {
        const size_t bytes = p.shape[1] * sizeof(U);
        for (int64_t i = begin; i < end; i++) {
            int64_t at = load_index(p.index[0] + i * p.index_strides[0][0], p.index_bytes[0]);
            at += p.extent[0] & (at >> 63);
            char* const indexed = p.indexed + i * p.indexed_strides[0] + at * p.multiplier[0];
            char* const dense = p.dense + i * p.dense_strides[0];
            __builtin_memcpy(writing ? indexed : dense, writing ? dense : indexed, bytes);
        }
    }
    // Runs [begin, end) of the elements, each of which is a row or a part of one.
    void run_units(int64_t begin, int64_t end) const {
        const int64_t inner = p.shape[last], parts = (inner + GATHER_RUN - 1) / GATHER_RUN;
        if (last == 1 && fixed && packed && alone && p.dense && parts == 1) {
            run_rows(begin, end);
            return;
        }
        const int offsets = p.indices + 2;
        const auto strides = [&](int k, int d) { return stride(k, d); };
        Odometer<GATHER_INDICES + 2> walk;
        walk.seek(begin / parts, p.shape, last, offsets, strides);
        int64_t part = begin % parts, row = begin / parts;
        for (int64_t i = begin; i < end; i++) {
            const int64_t first = part * GATHER_RUN;
            run(walk.offset, row * inner, first, inner - first < GATHER_RUN ? inner : first + GATHER_RUN);
            if (++part < parts) continue;
            part = 0;
            row++;
            walk.step(p.shape, last, offsets, strides);
        }
    }
    // Writes by one index array those elements whose target is in [low, high), in order.
    template <class I>
    void run_targets(int64_t low, int64_t high) const {
        const I* index = (const I*)p.index[0];
        const char* dense = p.dense;
        for (int64_t j = 0; j < p.size; j++) {
            int64_t at = index[j];
            at += p.extent[0] & (at >> 63);
            if (at >= low && at < high)
                *(U*)(p.indexed + at * p.multiplier[0]) = *(const U*)(dense + j * p.dense_strides[0]);
        }
    }
};

template <class U, bool writing>
void move_host(const void* params) {
    const GatherParams& p = *static_cast<const GatherParams*>(params);
    if (p.size == 0) return;
    const CheckedIndices checked = check_indices(p);
    if (!checked.valid) return;
    const Move<U, writing> move(p, checked.maybe_negative);
    const int64_t inner = p.shape[move.last], parts = (inner + GATHER_RUN - 1) / GATHER_RUN;
    const int64_t units = p.size / inner * parts;
    // A random access costs about as much as some elements of a simple loop. Equal values may be written in
    // any order.
    if (!writing || !p.dense) {
        parallel_for(units, grain_of(4 * (p.size / units)),
                     [&](int64_t begin, int64_t end) { move.run_units(begin, end); });
        return;
    }
    const int threads = gpunp_pool_threads();
    if (p.ndim == 1 && move.alone && !move.fixed && !p.dense_period && p.indexed_strides[0] == 0 &&
        p.index_strides[0][0] == p.index_bytes[0] && threads > 1 && p.size >= 4 * POOL_GRAIN) {
        // Each thread reads all indices, which takes little of the time.
        const int64_t each = (p.extent[0] + threads - 1) / threads;
        parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
            if (p.index_bytes[0] == 8)
                move.template run_targets<int64_t>(begin * each, end * each);
            else
                move.template run_targets<int32_t>(begin * each, end * each);
        });
        return;
    }
    move.run_units(0, units);
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
