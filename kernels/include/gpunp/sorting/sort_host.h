// Sorting on the host: rows become entries of keys, alone or with positions, which a radix sort orders.
#pragma once
#include <algorithm>

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
    if constexpr (sizeof(K) < 16)
        if (!p.order_out && p.kind != SORT_COMPLEX && sort_keys_alone<K>(p, r, space, spare)) return;
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
