// Sorting on the host: rows become entries of keys, alone or with positions, which a radix sort orders.
#pragma once
#include <algorithm>
#include <mutex>
#include <vector>

#include "gpunp/kernel.h"
#include "gpunp/sorting/radix_host.h"
#include "gpunp/sorting/sort_keys.h"

namespace gpunp {

// The part of an element by which entries are ordered: all of it, but for complex numbers of 16 bytes.
inline uint32_t leading(uint32_t key) {
    return key;
}
inline uint64_t leading(uint64_t key) {
    return key;
}
inline uint64_t leading(WideKey key) {
    return key.high;
}

template <class K>
using leading_t = decltype(leading(K{}));

template <class E>
bool in_order(const E* entries, int64_t n) {
    for (int64_t i = 1; i < n; i++)
        if (entries[i].key < entries[i - 1].key) return false;
    return true;
}

template <class E>
void order_entries(E* entries, E* spare, int64_t n) {
    if (n <= INSERTION_LENGTH)
        insertion_sort(entries, n);
    else if (!in_order(entries, n))
        radix_sort(entries, spare, n, false);
}

// Orders entries with equal leading parts by the low halves of their elements' keys.
template <class E>
void order_by_low_halves(const SortParams& p, const char* input, E* entries, E* spare, int64_t n) {
    for (int64_t from = 0, end; from < n; from = end) {
        for (end = from + 1; end < n && entries[end].key == entries[from].key;) end++;
        if (end - from == 1) continue;
        const uint64_t high = entries[from].key;
        for (int64_t i = from; i < end; i++)
            entries[i].key = comparable_wide(SortAccess<WideKey>::load_key(p, input, entries[i].at)).low;
        order_entries(entries + from, spare + from, end - from);
        for (int64_t i = from; i < end; i++) entries[i].key = high;
    }
}

template <class K>
void store_sorted(const SortParams& p, char* output, int64_t i, K key) {
    SortAccess<K>::store(p, output, i, from_key(p, key));
}

// The elements of a row in the order of the entries, and that order.
template <class K, class E>
void store_pairs(const SortParams& p, int64_t r, const E* entries) {
    const int64_t n = p.length;
    const char* input = sort_row(p.input, p, r);
    if (p.output) {
        char* const output = sort_row(p.output, p, r);
        // In place, the elements are read from a copy.
        char* const copy = output == input ? static_cast<char*>(malloc(n * p.itemsize)) : nullptr;
        if (output == input) {
            if (!copy) abort();
            gpunp_pool_copy(copy, input, n * p.itemsize);
            input = copy;
        }
        parallel_for(n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; i++)
                store_sorted(p, output, i, SortAccess<K>::load_key(p, input, (int64_t)entries[i].at));
        });
        free(copy);
    }
    if (!p.order_out) return;
    int64_t* const order_out = p.order_out + r * n;
    parallel_for(n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) order_out[i] = (int64_t)entries[i].at;
    });
}

// Sorts a row by entries with positions.
template <class K, class E>
void sort_pairs(const SortParams& p, int64_t r, void* space, void* spare) {
    E* const entries = static_cast<E*>(space);
    const int64_t n = p.length;
    const char* input = sort_row(p.input, p, r);
    const int64_t* order = p.order_in ? p.order_in + r * n : nullptr;
    parallel_for(n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            const int64_t at = order ? order[i] : i;
            entries[i].key = leading(comparable(p, SortAccess<K>::load_key(p, input, at)));
            entries[i].set_position(at);
        }
    });
    order_entries(entries, static_cast<E*>(spare), n);
    if constexpr (sizeof(K) == 16) order_by_low_halves(p, input, entries, static_cast<E*>(spare), n);
    store_pairs<K>(p, r, entries);
}

// Orders entries, whose positions ascend, by their keys of 64 bits: by the 32 highest that differ, then
// ranges in which these are equal by the others.
inline void order_packed(const uint64_t* keys, PackedEntry* entries, PackedEntry* spare, int64_t n) {
    const uint64_t first = keys[entries[0].at];
    std::atomic<uint64_t> varying{0};
    parallel_for(n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        uint64_t bits = 0;
        for (int64_t i = begin; i < end; i++) bits |= keys[entries[i].at] ^ first;
        varying.fetch_or(bits, std::memory_order_relaxed);
    });
    const uint64_t bits = varying.load();
    if (!bits) return;
    const int shift = std::max(top_bit_of(bits) - 31, 0);
    parallel_for(n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) entries[i].key = (uint32_t)(keys[entries[i].at] >> shift);
    });
    order_entries(entries, spare, n);
    if (!shift) return;
    std::vector<std::pair<int64_t, int64_t>> long_ranges;
    std::mutex mutex;
    parallel_for(n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        int64_t from = begin;
        // The thread of its first entry orders a range.
        while (from && from < end && entries[from].key == entries[from - 1].key) from++;
        for (int64_t stop; from < end; from = stop) {
            for (stop = from + 1; stop < n && entries[stop].key == entries[from].key;) stop++;
            if (stop - from > INSERTION_LENGTH) {
                const std::lock_guard<std::mutex> lock(mutex);
                long_ranges.emplace_back(from, stop);
                continue;
            }
            for (int64_t i = from + 1; i < stop; i++) {
                const PackedEntry moving = entries[i];
                const uint64_t key = keys[moving.at];
                int64_t j = i;
                for (; j > from && key < keys[entries[j - 1].at]; j--) entries[j] = entries[j - 1];
                entries[j] = moving;
            }
        }
    });
    for (const auto& range : long_ranges)
        order_packed(keys, entries + range.first, spare + range.first, range.second - range.first);
}

// Sorts a row of fewer than 2^32 elements by entries of 8 bytes.
template <class K>
void sort_packed(const SortParams& p, int64_t r, void* space, void* spare) {
    const int64_t n = p.length;
    const char* input = sort_row(p.input, p, r);
    K* const keys = static_cast<K*>(space);
    PackedEntry* const entries = static_cast<PackedEntry*>(space) + (sizeof(K) == 8 ? n : 0);
    parallel_for(n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            const K key = comparable(p, SortAccess<K>::load_key(p, input, i));
            if constexpr (sizeof(K) == 8) keys[i] = key;
            entries[i] = {(uint32_t)i, (uint32_t)key};
        }
    });
    if constexpr (sizeof(K) == 8)
        order_packed(keys, entries, static_cast<PackedEntry*>(spare), n);
    else
        order_entries(entries, static_cast<PackedEntry*>(spare), n);
    store_pairs<K>(p, r, entries);
}

// The elements as which NumPy sorts a row in ascending order.
template <class K>
QuickKind quick_kind_of(const SortParams& p) {
    const bool wide = sizeof(K) == 8;
    if (p.itemsize != (int)sizeof(K) || p.kind == SORT_COMPLEX) return NOT_QUICK;
    if (p.kind == SORT_FLOATING) return p.flip ? NOT_QUICK : wide ? QUICK_F8 : QUICK_F4;
    if (p.flip == 0) return wide ? QUICK_U8 : QUICK_U4;
    return p.flip != p.sign ? NOT_QUICK : wide ? QUICK_I8 : QUICK_I4;
}

// Sorts a row by NumPy, without keys, unless that is slower or both zeros occur. NaNs get their one pattern.
template <class K>
bool sort_row_quickly(const SortParams& p, int64_t r) {
    const int64_t n = p.length;
    const QuickKind kind = quick_kind_of<K>(p);
    const int64_t least = p.rows == 1 ? QUICK_ROW : QUICK_LENGTH;
    if (kind == NOT_QUICK || n < least) return false;
    if (gpunp_pool_threads() > 1 && n * (int64_t)sizeof(K) > RADIX_CACHED) return false;
    const K* const input = static_cast<const K*>((const void*)sort_row(p.input, p, r));
    K* const output = static_cast<K*>((void*)sort_row(p.output, p, r));
    int64_t nans = 0;
    if (p.kind == SORT_FLOATING) {
        const K sign = (K)p.sign, infinity = (K)p.infinity;
        K plus = 0, minus = 0, found = 0;
        for (int64_t i = 0; i < n; i++) {
            plus |= (K)(input[i] == 0);
            minus |= (K)(input[i] == sign);
            found += (K)((K)(input[i] & (K)(sign - 1)) > infinity);
            output[i] = input[i];
        }
        if (plus & minus) return false;
        nans = (int64_t)found;
    } else if (output != input) {
        memcpy(output, input, n * sizeof(K));
    }
    if (!sort_quickly_if_faster<K>(output, n, kind, least)) return false;
    for (int64_t i = n - nans; i < n; i++) output[i] = key_to_real(p, (K) ~(K)0);
    return true;
}

// Sorts a row by keys alone, unless both zeros occur: their order is that of the row, but their keys differ.
template <class K>
bool sort_keys_alone(const SortParams& p, int64_t r, void* space, void* spare) {
    using E = KeyEntry<K>;
    E* const entries = static_cast<E*>(space);
    const int64_t n = p.length;
    const char* input = sort_row(p.input, p, r);
    const K minus_zero = (K)(p.sign - 1);
    uint32_t zeros = 0;
    parallel_for(n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        uint32_t minus = 0, plus = 0;
        for (int64_t i = begin; i < end; i++) {
            const K key = SortAccess<K>::load_key(p, input, i);
            entries[i].key = key;
            minus |= key == minus_zero;
            plus |= key == (K)(minus_zero + 1);
        }
        ChunkStatus::add(&zeros, minus | plus << 1);
    });
    if (p.kind == SORT_FLOATING && zeros == 3) return false;
    order_entries(entries, static_cast<E*>(spare), n);
    char* const output = sort_row(p.output, p, r);
    parallel_for(n, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) store_sorted(p, output, i, entries[i].key);
    });
    return true;
}

template <class K>
void sort_one_row(const SortParams& p, int64_t r, void* space, void* spare) {
    using L = leading_t<K>;
    if constexpr (sizeof(K) < 16) {
        if (!p.order_out && p.kind != SORT_COMPLEX) {
            if (sort_row_quickly<K>(p, r) || sort_keys_alone<K>(p, r, space, spare)) return;
        }
        if (!p.order_in && p.length <= 0xffffffff) return sort_packed<K>(p, r, space, spare);
    }
    if (sizeof(L) == 4 && p.length <= 0xffffffff)
        sort_pairs<K, PairEntry<L, uint32_t>>(p, r, space, spare);
    else
        sort_pairs<K, PairEntry<L, int64_t>>(p, r, space, spare);
}

template <class K>
void sort_rows(const void* params) {
    const SortParams& p = *static_cast<const SortParams*>(params);
    const int64_t nbytes = p.length * 16;
    if (nbytes > RADIX_CACHED || p.rows == 1) {
        for (int64_t r = 0; r < p.rows; r++) sort_one_row<K>(p, r, p.keys[0], p.keys[1]);
        return;
    }
    parallel_for(p.rows, grain_of(8 * p.length), [&](int64_t begin, int64_t end) {
        char* const space = static_cast<char*>(malloc(2 * nbytes));
        if (!space) abort();
        for (int64_t r = begin; r < end; r++) sort_one_row<K>(p, r, space, space + nbytes);
        free(space);
    });
}

template <class T>
void gather_rows_as(const GatherRowsParams& p) {
    parallel_for(p.rows * p.out_length, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        const T* const input = static_cast<const T*>(p.input);
        T* const output = static_cast<T*>(p.output);
        for (int64_t i = begin; i < end;) {
            const int64_t row = i / p.out_length, stop = std::min(end, (row + 1) * p.out_length);
            for (; i < stop; i++) output[i] = input[row * p.in_length + p.order[i]];
        }
    });
}

inline void gather_rows(const void* params) {
    const GatherRowsParams& p = *static_cast<const GatherRowsParams*>(params);
    switch (p.itemsize) {
        case 1:
            return gather_rows_as<uint8_t>(p);
        case 2:
            return gather_rows_as<uint16_t>(p);
        case 4:
            return gather_rows_as<uint32_t>(p);
        case 8:
            return gather_rows_as<uint64_t>(p);
        default:
            return gather_rows_as<WideKey>(p);
    }
}

}  // namespace gpunp
