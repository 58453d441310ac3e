// Sorting on the host: insertion sort for short rows, otherwise one radix pass per digit that varies.
#pragma once
#include <string.h>

#include "gpunp/kernel.h"
#include "gpunp/sorting/sort_keys.h"

namespace gpunp {

template <class K>
struct HostKey {
    K key;
    GPUNP_HD void set_position(int64_t) {}
    GPUNP_HD int64_t position() const { return 0; }
};
template <class K>
struct HostPair {
    K key;
    int64_t at;
    GPUNP_HD void set_position(int64_t i) { at = i; }
    GPUNP_HD int64_t position() const { return at; }
};

inline uint32_t host_digit(uint32_t key, int pass) {
    return key >> (8 * pass) & 255;
}
inline uint32_t host_digit(uint64_t key, int pass) {
    return (uint32_t)(key >> (8 * pass) & 255);
}
inline uint32_t host_digit(WideKey key, int pass) {
    return pass < 8 ? host_digit(key.low, pass) : host_digit(key.high, pass - 8);
}

template <class E>
void insertion_sort(const SortParams& p, E* row) {
    for (int64_t i = 1; i < p.length; i++) {
        const E moving = row[i];
        const auto key = comparable(p, moving.key);
        int64_t j = i;
        for (; j > 0 && key < comparable(p, row[j - 1].key); j--) row[j] = row[j - 1];
        row[j] = moving;
    }
}

// Returns the one of the two buffers that holds the result.
template <class E>
E* radix_sort(const SortParams& p, E* row, E* spare) {
    int64_t counts[16][SORT_DIGITS];
    memset(counts, 0, sizeof(counts[0]) * p.passes);
    for (int64_t i = 0; i < p.length; i++) {
        const auto key = comparable(p, row[i].key);
        for (int pass = 0; pass < p.passes; pass++) counts[pass][host_digit(key, pass)]++;
    }
    for (int pass = 0; pass < p.passes; pass++) {
        int64_t* at = counts[pass];
        if (at[host_digit(comparable(p, row[0].key), pass)] == p.length) continue;
        int64_t sum = 0;
        for (int digit = 0; digit < SORT_DIGITS; digit++) {
            const int64_t count = at[digit];
            at[digit] = sum;
            sum += count;
        }
        for (int64_t i = 0; i < p.length; i++)
            spare[at[host_digit(comparable(p, row[i].key), pass)]++] = row[i];
        E* const swapped = row;
        row = spare;
        spare = swapped;
    }
    return row;
}

template <class K, class E>
void sort_rows_as(const SortParams& p) {
    const int64_t fits_insertion = 40;
    for (int64_t r = 0; r < p.rows; r++) {
        E* entries = static_cast<E*>(p.keys[0]);
        const char* input = sort_row(p.input, p, r);
        const int64_t* order = p.order_in ? p.order_in + r * p.length : nullptr;
        for (int64_t i = 0; i < p.length; i++) {
            const int64_t at = order ? order[i] : i;
            entries[i].key = SortAccess<K>::load_key(p, input, at);
            entries[i].set_position(at);
        }
        if (p.length <= fits_insertion)
            insertion_sort(p, entries);
        else
            entries = radix_sort(p, entries, static_cast<E*>(p.keys[1]));
        if (p.output) {
            char* output = sort_row(p.output, p, r);
            for (int64_t i = 0; i < p.length; i++)
                SortAccess<K>::store(p, output, i, from_key(p, entries[i].key));
        }
        if (p.order_out)
            for (int64_t i = 0; i < p.length; i++) p.order_out[r * p.length + i] = entries[i].position();
    }
}

template <class K>
void sort_rows(const void* params) {
    const SortParams& p = *static_cast<const SortParams*>(params);
    if (p.order_out)
        sort_rows_as<K, HostPair<K>>(p);
    else
        sort_rows_as<K, HostKey<K>>(p);
}

template <class T>
void gather_rows_as(const GatherRowsParams& p) {
    for (int64_t r = 0; r < p.rows; r++) {
        const T* input = static_cast<const T*>(p.input) + r * p.in_length;
        T* output = static_cast<T*>(p.output) + r * p.out_length;
        const int64_t* order = p.order + r * p.out_length;
        for (int64_t i = 0; i < p.out_length; i++) output[i] = input[order[i]];
    }
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
