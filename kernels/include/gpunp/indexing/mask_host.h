// Host selection by bits. Threads share tiles of elements, whose numbers of set bits tell where their results
// begin.
#pragma once
#include "gpunp/common/host_pool.h"

namespace gpunp {

// Bit j of the result is byte j of eight bytes that are 0 or 1.
inline uint32_t pack_bytes(const unsigned char* bytes) {
    uint64_t word;
    __builtin_memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return (uint32_t)(word * 0x0102040810204080ull >> 56);
}

// The truth of 32 contiguous elements.
template <class T>
inline uint32_t pack_truth(const char* at) {
    unsigned char bytes[32];
    for (int j = 0; j < 32; j++) bytes[j] = convert<bool>(reinterpret_cast<const T*>(at)[j]);
    return pack_bytes(bytes) | pack_bytes(bytes + 8) << 8 | pack_bytes(bytes + 16) << 16 |
           pack_bytes(bytes + 24) << 24;
}

template <class T>
void mask_bits_host(const void* params) {
    const BitsParams& p = *static_cast<const BitsParams*>(params);
    const bool packed = p.ndim == 1 && p.strides[0] == (int64_t)sizeof(T);
    parallel_for(p.tiles, grain_of(MASK_TILE), [&](int64_t begin, int64_t end) {
        for (int64_t tile = begin; tile < end; tile++) {
            int64_t total = 0;
            for (int64_t start = tile * MASK_TILE; start < (tile + 1) * MASK_TILE; start += 32) {
                const int64_t left = p.size - start;
                const int count = left < 0 ? 0 : left < 32 ? (int)left : 32;
                uint32_t word = 0;
                if (packed && count == 32) {
                    word = pack_truth<T>(p.condition + start * (int64_t)sizeof(T));
                } else {
                    for (int j = 0; j < count; j++) {
                        const int64_t i = start + j;
                        const char* at =
                            p.condition + (p.ndim == 1 ? i * p.strides[0] : element_offset(p, i));
                        word |= (uint32_t)convert<bool>(*(const T*)at) << j;
                    }
                }
                p.words[start / 32] = word;
                total += __builtin_popcount(word);
            }
            p.offsets[tile] = total;
        }
    });
    int64_t total = 0;
    for (int64_t tile = 0; tile < p.tiles; tile++) {
        const int64_t count = p.offsets[tile];
        p.offsets[tile] = total;
        total += count;
    }
    *p.total = total;
}

// Calls `visit(i, rank)` for the set bits, in order within a tile.
template <class Params, class Visit>
void for_each_set(const Params& p, Visit visit) {
    parallel_for(p.tiles, grain_of(2 * MASK_TILE), [&](int64_t begin, int64_t end) {
        const int64_t last = end * MASK_TILE < p.size ? end * MASK_TILE : p.size;
        int64_t rank = begin < end ? p.offsets[begin] : 0;
        for (int64_t start = begin * MASK_TILE; start < last; start += 32)
            for (uint32_t word = p.words[start / 32]; word; word &= word - 1)
                visit(start + __builtin_ctz(word), rank++);
    });
}

// The same for elements one stride apart: `visit(i, rank)` also for some elements that are not selected,
// which later ones overwrite, so that no branch depends on the bits.
template <class U>
void select_packed(const SelectParams& p) {
    const int64_t total = *p.total, stride = p.strides[0];
    parallel_for(p.tiles, grain_of(2 * MASK_TILE), [&](int64_t begin, int64_t end) {
        const int64_t last = end * MASK_TILE < p.size ? end * MASK_TILE : p.size;
        int64_t rank = p.offsets[begin];
        const int64_t stop = end < p.tiles ? p.offsets[end] : total;
        U* to = (U*)p.packed;
        for (int64_t start = begin * MASK_TILE; start < last; start += 32) {
            const uint32_t word = p.words[start / 32];
            const char* from = p.array + start * stride;
            const int set = __builtin_popcount(word);
            if (set > 4 && set < 28 && rank + 32 <= stop) {
                int64_t r = rank;
                for (int j = 0; j < 32; j++) {
                    to[r] = *(const U*)(from + j * stride);
                    r += word >> j & 1;
                }
                rank = r;
                continue;
            }
            if (set == 32) {
                for (int j = 0; j < 32; j++) to[rank++] = *(const U*)(from + j * stride);
                continue;
            }
            for (uint32_t rest = word; rest; rest &= rest - 1)
                to[rank++] = *(const U*)(from + __builtin_ctz(rest) * stride);
        }
    });
}

template <class U>
void mask_select_host(const void* params) {
    const SelectParams& p = *static_cast<const SelectParams*>(params);
    if (p.ndim == 1) {
        select_packed<U>(p);
        return;
    }
    for_each_set(p, [&](int64_t i, int64_t rank) {
        ((U*)p.packed)[rank] = *(const U*)(p.array + element_offset(p, i));
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

// Of each byte: how many bits are set, and which.
struct SetBits {
    uint8_t count[256] = {}, places[256][8] = {};

    constexpr SetBits() {
        for (int byte = 0; byte < 256; byte++)
            for (int bit = 0; bit < 8; bit++)
                if (byte >> bit & 1) places[byte][count[byte]++] = (uint8_t)bit;
    }
};

// Positions side by side: eight are written for each byte, of which later ones overwrite those beyond its
// bits, so that no branch depends on them.
inline void packed_positions(const PositionsParams& p) {
    static constexpr SetBits bits;
    parallel_for(p.tiles, grain_of(2 * MASK_TILE), [&](int64_t begin, int64_t end) {
        if (begin == end) return;
        int64_t rank = p.offsets[begin], stop;
        if (end < p.tiles) {
            stop = p.offsets[end];
        } else {
            stop = p.offsets[end - 1];
            for (int64_t start = (end - 1) * MASK_TILE; start < p.size; start += 32)
                stop += __builtin_popcount(p.words[start / 32]);
        }
        const int64_t last = end * MASK_TILE < p.size ? end * MASK_TILE : p.size;
        for (int64_t start = begin * MASK_TILE; start < last; start += 32) {
            uint32_t word = p.words[start / 32];
            if (rank + 32 <= stop) {
                for (int64_t first = start; word; first += 8, word >>= 8) {
                    const uint8_t byte = (uint8_t)word;
                    int64_t* const to = p.positions + rank;
                    for (int j = 0; j < 8; j++) to[j] = first + bits.places[byte][j];
                    rank += bits.count[byte];
                }
            } else {
                for (; word; word &= word - 1) p.positions[rank++] = start + __builtin_ctz(word);
            }
        }
    });
}

inline void mask_positions_host(const void* params) {
    const PositionsParams& p = *static_cast<const PositionsParams*>(params);
    if (p.ndim == 1 && p.item_stride == 1) {
        packed_positions(p);
        return;
    }
    if (p.ndim == 1) {
        for_each_set(p, [&](int64_t i, int64_t rank) { p.positions[rank * p.item_stride] = i; });
        return;
    }
    for_each_set(p, [&](int64_t i, int64_t rank) { write_position(p, i, rank); });
}

}  // namespace gpunp

// The kernel of the bits also computes the offsets on the host.
#define GPUNP_MASK_BITS(name, T) GPUNP_HOST_KERNEL(mask_bits_##name, ::gpunp::mask_bits_host<T>);
#define GPUNP_MASK_SELECT(bytes, U)                                       \
    GPUNP_HOST_KERNEL(mask_select_##bytes, ::gpunp::mask_select_host<U>); \
    GPUNP_HOST_KERNEL(mask_expand_##bytes, ::gpunp::mask_expand_host<U>);
#define GPUNP_MASK GPUNP_HOST_KERNEL(mask_positions, ::gpunp::mask_positions_host);
