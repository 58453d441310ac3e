// Sets of integers of a narrow range as bitmaps, merging of sorted rows, and runs of equal elements.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sets/unique_params.h"
#include "gpunp/sorting/search_key.h"

namespace gpunp {
namespace sets {

using searching::key_traits;
using searching::load_key;

GPUNP_HD int count_bits(uint32_t word) {
#if defined(__CUDA_ARCH__)
    return __popc(word);
#else
    return __builtin_popcount(word);
#endif
}
GPUNP_HD int lowest_bit(uint32_t word) {
#if defined(__CUDA_ARCH__)
    return __ffs((int)word) - 1;
#else
    return __builtin_ctz(word);
#endif
}

GPUNP_HD uint64_t load_bits(const void* x, int64_t i, int item) {
    switch (item) {
        case 1:
            return ((const uint8_t*)x)[i];
        case 2:
            return ((const uint16_t*)x)[i];
        case 4:
            return ((const uint32_t*)x)[i];
        default:
            return ((const uint64_t*)x)[i];
    }
}
GPUNP_HD void store_bits(void* out, int64_t i, uint64_t bits, int item) {
    switch (item) {
        case 1:
            ((uint8_t*)out)[i] = (uint8_t)bits;
            break;
        case 2:
            ((uint16_t*)out)[i] = (uint16_t)bits;
            break;
        case 4:
            ((uint32_t*)out)[i] = (uint32_t)bits;
            break;
        default:
            ((uint64_t*)out)[i] = bits;
    }
}

// Writes the members of word w of the bitmap.
GPUNP_HD void write_members(const BitmapParams& p, int64_t w) {
    uint32_t word = p.bits[w];
    int64_t at = p.ranks[w] - count_bits(word);
    for (; word; word &= word - 1)
        store_bits(p.values, at++, (p.low + 32 * w + lowest_bit(word)) ^ p.flip, p.item);
}

// The rank of the member with the given bit number.
GPUNP_HD int64_t rank_of_bit(const BitmapParams& p, uint64_t bit) {
    return p.ranks[bit >> 5] - count_bits(p.bits[bit >> 5] >> (bit & 31));
}

GPUNP_HD bool is_member(const BitmapParams& p, int64_t i) {
    const uint64_t bit = (load_bits(p.x, i, p.item) ^ p.flip) - p.low;
    const bool found = bit < p.range && (p.bits[bit >> 5] >> (bit & 31) & 1);
    return found != (p.invert != 0);
}

GPUNP_HD int64_t row_at(const RowsParams& p, int64_t i) {
    return p.order ? p.order[i] : i;
}

// Whether row a sorts before row b.
template <class K>
GPUNP_HD bool row_less(const RowsParams& p, int64_t a, int64_t b) {
    const char *x = p.data + a * p.stride, *y = p.data + b * p.stride;
    for (int64_t c = 0; c < p.columns; c++, x += p.item, y += p.item) {
        const K left = load_key<K>(x, p.dtype), right = load_key<K>(y, p.dtype);
        if (!(left == right)) return left < right;
    }
    return false;
}

// How the row at a position compares with the previous one.
enum RowChange { SAME_ROW, SAME_KEYS, OTHER_KEYS };

// Real NaNs share one key, but are equal only if equal_nan is set.
template <class K>
GPUNP_HD RowChange row_change(const RowsParams& p, int64_t i) {
    if (i == 0) return OTHER_KEYS;
    const char* x = p.data + row_at(p, i) * p.stride;
    const char* y = p.data + row_at(p, i - 1) * p.stride;
    RowChange change = SAME_ROW;
    for (int64_t c = 0; c < p.columns; c++, x += p.item, y += p.item) {
        const K here = load_key<K>(x, p.dtype), before = load_key<K>(y, p.dtype);
        const bool nan = key_traits<K>::is_nan(here, p.dtype);
        if (nan && p.equal_nan && key_traits<K>::is_nan(before, p.dtype)) continue;
        if (!(here == before)) return OTHER_KEYS;
        if (nan) change = SAME_KEYS;
    }
    return change;
}

GPUNP_HD uint64_t word_at(const RowsParams& p, int64_t row) {
    return p.word_bytes == 4 ? ((const uint32_t*)p.words)[row] : ((const uint64_t*)p.words)[row];
}

// Marks whether the row at a position, and its word, differ from the previous ones.
template <class K>
GPUNP_HD void mark_start(const RowsParams& p, int64_t i) {
    const RowChange change = row_change<K>(p, i);
    p.starts[i] = change != SAME_ROW;
    if (!p.word_starts) return;
    const bool differs = i == 0 || word_at(p, row_at(p, i)) != word_at(p, row_at(p, i - 1));
    p.word_starts[i] = differs;
    if (!differs && change == OTHER_KEYS) *(volatile uint32_t*)p.unsettled = 1;
}

GPUNP_HD int bit_width(uint64_t x) {
#if defined(__CUDA_ARCH__)
    return 64 - __clzll((long long)x);
#else
    return x ? 64 - __builtin_clzll(x) : 0;
#endif
}

// Packs bits of the keys of the row at a position into its word.
template <class K>
GPUNP_HD void pack_row(const RowsParams& p, int64_t i) {
    const int64_t row = row_at(p, i);
    const char* x = p.data + row * p.stride + p.column * p.item;
    uint64_t word = p.ranks ? (uint64_t)p.ranks[i] - 1 : 0;
    int left = p.bits;
    for (int64_t c = p.column; left > 0; c++, x += p.item) {
        const uint64_t low = p.bounds[c];
        int width = bit_width(p.bounds[p.columns + c] - low) - (c == p.column ? p.used : 0);
        if (width <= 0) continue;
        uint64_t key = (uint64_t)load_key<K>(x, p.dtype) - low;
        if (width < 64) key &= ((uint64_t)1 << width) - 1;
        if (width > left) {
            key >>= width - left;
            width = left;
        }
        word = width < 64 ? word << width | key : key;
        left -= width;
    }
    if (p.word_bytes == 4)
        ((uint32_t*)p.words)[row] = (uint32_t)word;
    else
        ((uint64_t*)p.words)[row] = word;
}

struct Value16 {
    uint64_t words[2];
};

GPUNP_HD void write_run(const RunsParams& p, int64_t i) {
    const int64_t rank = (p.ranks ? (int64_t)p.ranks[i] : p.wide_ranks[i]) - 1;
    const int64_t number = p.order ? p.order[i] : i;
    if (p.inverse) p.inverse[number] = rank;
    if (p.places && i == p.n - 1) p.places[rank + 1] = p.n;
    if (!p.starts[i]) return;
    if (p.places) p.places[rank] = i;
    if (p.index) p.index[rank] = number;
    if (!p.values) return;
    if (p.item == 16)
        ((Value16*)p.values)[rank] = ((const Value16*)p.data)[number];
    else
        store_bits(p.values, rank, load_bits(p.data, number, p.item), p.item);
}

}  // namespace sets
}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/sets/unique_device.h"
#else
#include "gpunp/sets/unique_host.h"
#endif
