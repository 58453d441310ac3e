// Host selection by bits.
#pragma once

namespace gpunp {

template <class T>
void mask_bits_host(const void* params) {
    const BitsParams& p = *static_cast<const BitsParams*>(params);
    int64_t total = 0;
    for (int64_t tile = 0; tile < p.tiles; tile++) {
        p.offsets[tile] = total;
        for (int64_t start = tile * MASK_TILE; start < (tile + 1) * MASK_TILE; start += 32) {
            const int64_t left = p.size - start;
            const int count = left < 0 ? 0 : left < 32 ? (int)left : 32;
            uint32_t word = 0;
            for (int j = 0; j < count; j++) {
                const int64_t i = start + j;
                const char* at = p.condition + (p.ndim == 1 ? i * p.strides[0] : element_offset(p, i));
                word |= (uint32_t)convert<bool>(*(const T*)at) << j;
            }
            p.words[start / 32] = word;
            total += __builtin_popcount(word);
        }
    }
    *p.total = total;
}

// Calls `visit(i, rank)` for the set bits in order.
template <class Params, class Visit>
void for_each_set(const Params& p, Visit visit) {
    int64_t rank = 0;
    for (int64_t start = 0; start < p.size; start += 32)
        for (uint32_t word = p.words[start / 32]; word; word &= word - 1)
            visit(start + __builtin_ctz(word), rank++);
}

template <class U>
void mask_select_host(const void* params) {
    const SelectParams& p = *static_cast<const SelectParams*>(params);
    for_each_set(p, [&](int64_t i, int64_t rank) {
        const int64_t offset = p.ndim == 1 ? i * p.strides[0] : element_offset(p, i);
        ((U*)p.packed)[rank] = *(const U*)(p.array + offset);
    });
}

template <class U>
void mask_expand_host(const void* params) {
    const SelectParams& p = *static_cast<const SelectParams*>(params);
    if (!values_fit(p)) {
        *p.status |= GPUNP_STATUS_MASK_COUNT;
        return;
    }
    for_each_set(p, [&](int64_t i, int64_t rank) {
        const int64_t offset = p.ndim == 1 ? i * p.strides[0] : element_offset(p, i);
        *(U*)(p.array + offset) = *(const U*)(p.packed + value_of(p, i, rank) * p.packed_stride);
    });
}

inline void mask_positions_host(const void* params) {
    const PositionsParams& p = *static_cast<const PositionsParams*>(params);
    for_each_set(p, [&](int64_t i, int64_t rank) { write_position(p, i, rank); });
}

}  // namespace gpunp

// The kernel of the bits also computes the offsets on the host.
#define GPUNP_MASK_BITS(name, T) GPUNP_HOST_KERNEL(mask_bits_##name, ::gpunp::mask_bits_host<T>);
#define GPUNP_MASK_SELECT(bytes, U)                                       \
    GPUNP_HOST_KERNEL(mask_select_##bytes, ::gpunp::mask_select_host<U>); \
    GPUNP_HOST_KERNEL(mask_expand_##bytes, ::gpunp::mask_expand_host<U>);
#define GPUNP_MASK GPUNP_HOST_KERNEL(mask_positions, ::gpunp::mask_positions_host);
