// The stable radix sort of the host. The highest digit that varies splits a long range among all threads;
// ranges that fit into a thread's cache are sorted there by the other digits, lowest first.
#pragma once
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpunp/common/host_pool.h"
#include "gpunp/sorting/quick_host.h"

namespace gpunp {

constexpr int64_t RADIX_CACHED = 1 << 18;  // bytes of a range that one thread sorts
constexpr int64_t RADIX_PART = 1 << 14;    // least elements of the parts in which a range is split
constexpr int RADIX_PARTS = 64;            // at most
constexpr int64_t INSERTION_LENGTH = 40;   // longer ranges are sorted by digits

// Keys alone, or with positions; all elements are compared by `key`, unsigned.
template <class K>
struct KeyEntry {
    using Key = K;
    K key;
    void set_position(int64_t) {}
};
template <class K, class At>
struct PairEntry {
    using Key = K;
    K key;
    At at;
    void set_position(int64_t i) { at = (At)i; }
};

// A key, or part of one, with the position of its element. As words of 8 bytes, entries with ascending
// positions have the order of a stable sort.
struct PackedEntry {
    using Key = uint32_t;
    uint32_t at;
    uint32_t key;
    void set_position(int64_t i) { at = (uint32_t)i; }
};
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the key is the high half of the word");

// The elements as which NumPy sorts entries.
template <class E>
constexpr QuickKind quick_kind = NOT_QUICK;
template <>
inline constexpr QuickKind quick_kind<KeyEntry<uint32_t>> = QUICK_U4;
template <>
inline constexpr QuickKind quick_kind<KeyEntry<uint64_t>> = QUICK_U8;
template <>
inline constexpr QuickKind quick_kind<PackedEntry> = QUICK_U8;

template <class K>
inline int top_bit_of(K varying) {
    return 63 - __builtin_clzll((uint64_t)varying);
}

template <class E>
void insertion_sort(E* row, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const E moving = row[i];
        int64_t j = i;
        for (; j > 0 && moving.key < row[j - 1].key; j--) row[j] = row[j - 1];
        row[j] = moving;
    }
}

// The bits in which the keys of a range differ.
template <class E>
typename E::Key varying_bits(const E* row, int64_t n) {
    typename E::Key bits = 0;
    const typename E::Key first = row[0].key;
    for (int64_t i = 0; i < n; i++) bits |= row[i].key ^ first;
    return bits;
}

// Sorts `row` by digits, with `spare` of the same length, into one of the two.
template <class E>
void sort_by_digits(E* row, E* spare, int64_t n, bool into_spare) {
    using K = typename E::Key;
    E* const target = into_spare ? spare : row;
    if (n <= INSERTION_LENGTH) {
        insertion_sort(row, n);
        if (into_spare) memcpy((void*)spare, (const void*)row, n * sizeof(E));
        return;
    }
    const K varying = varying_bits(row, n);
    uint32_t counts[sizeof(K)][256];
    int shifts[sizeof(K)], digits = 0;
    for (int shift = 0; shift < 8 * (int)sizeof(K); shift += 8)
        if (varying >> shift & 255) shifts[digits++] = shift;
    memset(counts, 0, sizeof(counts[0]) * digits);
    for (int d = 0; d < digits; d++)
        for (int64_t i = 0; i < n; i++) counts[d][row[i].key >> shifts[d] & 255]++;
    for (int d = 0; d < digits; d++) {
        uint32_t sum = 0, *at = counts[d];
        for (int digit = 0; digit < 256; digit++) {
            const uint32_t count = at[digit];
            at[digit] = sum;
            sum += count;
        }
        for (int64_t i = 0; i < n; i++) spare[at[row[i].key >> shifts[d] & 255]++] = row[i];
        E* const swapped = row;
        row = spare;
        spare = swapped;
    }
    if (row != target) memcpy((void*)target, (const void*)row, n * sizeof(E));
}

// The seconds of one of the two sorts, the least of two times.
template <class K>
double seconds_of_sort(bool quickly) {
    using E = KeyEntry<K>;
    E* const keys = static_cast<E*>(malloc(2 * QUICK_MEASURED * sizeof(E)));
    if (!keys) abort();
    double least = 1e9;
    bool sorted = true;
    for (int time = 0; time < 2; time++) {
        uint64_t state = 1;
        for (int64_t i = 0; i < QUICK_MEASURED; i++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            keys[i].key = (K)(state >> (64 - 8 * sizeof(K)));
        }
        timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        if (quickly)
            sorted = sort_quickly(keys, QUICK_MEASURED, quick_kind<E>) && sorted;
        else
            sort_by_digits(keys, keys + QUICK_MEASURED, QUICK_MEASURED, false);
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double seconds = (end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec);
        least = seconds < least ? seconds : least;
    }
    free(keys);
    return sorted ? least : 1e9;
}

// Whether NumPy is the faster way to sort as many elements.
template <class K>
bool numpy_is_faster(int64_t n, QuickKind kind, int64_t least = QUICK_LENGTH) {
    if (kind == NOT_QUICK || n < least) return false;
    std::atomic<int>& verdict = quick_verdicts[sizeof(K) == 8];
    if (verdict.load() == NOT_MEASURED) {
        if (n < QUICK_MEASURED && quick_waiting.fetch_add(n) < QUICK_WAITED) return false;
        verdict.store(seconds_of_sort<K>(true) < seconds_of_sort<K>(false) ? FASTER : SLOWER);
    }
    return verdict.load() == FASTER;
}
// Sorts elements in place by NumPy where that is the faster way.
template <class K>
bool sort_quickly_if_faster(void* start, int64_t n, QuickKind kind, int64_t least = QUICK_LENGTH) {
    return numpy_is_faster<K>(n, kind, least) && sort_quickly(start, n, kind);
}
// What NumPy sorts entries as.
template <class E>
using QuickWord = std::conditional_t<sizeof(E) == 4, uint32_t, uint64_t>;
template <class E>
bool sort_entries_quickly(E* row, int64_t n) {
    if constexpr (quick_kind<E> == NOT_QUICK) return false;
    return sort_quickly_if_faster<QuickWord<E>>(row, n, quick_kind<E>);
}

// How many of the first `n` words of two merged ranges are of the first range.
template <class W>
int64_t merge_place(const W* a, int64_t a_size, const W* b, int64_t b_size, int64_t n) {
    int64_t low = n > b_size ? n - b_size : 0, high = n < a_size ? n : a_size;
    while (low < high) {
        const int64_t i = (low + high) >> 1;
        if (a[i] <= b[n - i - 1])
            low = i + 1;
        else
            high = i;
    }
    return low;
}
// A part of the merged range.
template <class W>
struct Merge {
    const W *a, *a_end, *b, *b_end;
    W* out;

    bool more() const { return (a < a_end) & (b < b_end); }
    void step() {
        const W x = *a, y = *b;
        const bool second = y < x;
        *out++ = second ? y : x;
        a += !second;
        b += second;
    }
    void finish() {
        while (more()) step();
        memcpy((void*)out, (const void*)a, (a_end - a) * sizeof(W));
        memcpy((void*)(out + (a_end - a)), (const void*)b, (b_end - b) * sizeof(W));
    }
};
// Words [begin, end) of the merged range. Two parts at once, because each word waits for the one before.
template <class W>
void merge_words(const W* a, int64_t a_size, const W* b, int64_t b_size, int64_t begin, int64_t end, W* out) {
    const int64_t bounds[3] = {begin, (begin + end) / 2, end};
    int64_t places[3];
    for (int i = 0; i < 3; i++) places[i] = merge_place(a, a_size, b, b_size, bounds[i]);
    const auto part = [&](int i) {
        return Merge<W>{a + places[i], a + places[i + 1], b + (bounds[i] - places[i]),
                        b + (bounds[i + 1] - places[i + 1]), out + bounds[i]};
    };
    Merge<W> first = part(0), second = part(1);
    while (first.more() & second.more()) {
        first.step();
        second.step();
    }
    first.finish();
    second.finish();
}

// Two threads sort a half each by NumPy, and merge a half of the result each. For so few threads, the split
// by digits would take longer than what it saves.
template <class E>
bool sort_by_halves(E* row, E* spare, int64_t n, bool into_spare) {
    using W = QuickWord<E>;
    if (gpunp_pool_threads() != 2 || !numpy_is_faster<W>(n, quick_kind<E>)) return false;
    E* const from = into_spare ? row : spare;
    const int64_t half = n / 2;
    std::atomic<bool> sorted{true};
    parallel_for(2, 1, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) {
            const int64_t first = k * half, length = k ? n - half : half;
            if (!into_spare) memcpy((void*)(spare + first), (const void*)(row + first), length * sizeof(E));
            if (!sort_entries_quickly(from + first, length)) sorted.store(false);
        }
    });
    if (!sorted.load()) return false;
    const W *const a = reinterpret_cast<const W*>(from), *const b = a + half;
    W* const out = reinterpret_cast<W*>(into_spare ? spare : row);
    parallel_for(2, 1, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++)
            merge_words(a, half, b, n - half, k ? half : 0, k ? n : half, out);
    });
    return true;
}

// Sorts `row`, with `spare` of the same length, into one of the two.
template <class E>
void sort_range(E* row, E* spare, int64_t n, bool into_spare) {
    if (!sort_entries_quickly(row, n)) return sort_by_digits(row, spare, n, into_spare);
    if (into_spare) memcpy((void*)spare, (const void*)row, n * sizeof(E));
}

// The parts of a range that threads count and move on their own. The result does not depend on their number.
struct RadixParts {
    int64_t n;
    int count;

    explicit RadixParts(int64_t length) : n(length) {
        const int64_t wanted = length / RADIX_PART, most = gpunp_pool_threads() > 1 ? RADIX_PARTS : 1;
        count = (int)(wanted < 1 ? 1 : wanted < most ? wanted : most);
    }
    int64_t start(int part) const { return n / count * part + (n % count < part ? n % count : part); }
    template <class F>
    void each(F&& body) const {
        parallel_for(count, 1, [&](int64_t begin, int64_t end) {
            for (int64_t part = begin; part < end; part++)
                body((int)part, start((int)part), start((int)part + 1));
        });
    }
};

template <class E>
void radix_sort(E* row, E* spare, int64_t n, bool into_spare);

// Sorts the ranges between the ends of the 256 digits: long ones one after another, others side by side.
template <class E>
void sort_digits(E* row, E* spare, const int64_t* ends, bool into_spare) {
    const int64_t cached = RADIX_CACHED / (int64_t)sizeof(E);
    const auto start = [&](int64_t digit) { return digit ? ends[digit - 1] : 0; };
    for (int digit = 0; digit < 256; digit++) {
        const int64_t from = start(digit), length = ends[digit] - from;
        if (length > cached) radix_sort(row + from, spare + from, length, into_spare);
    }
    parallel_for(256, grain_of(4 * (ends[255] / 256 + 1)), [&](int64_t begin, int64_t end) {
        for (int64_t digit = begin; digit < end; digit++) {
            const int64_t from = start(digit), length = ends[digit] - from;
            if (length > 0 && length <= cached) sort_range(row + from, spare + from, length, into_spare);
        }
    });
}

template <class E>
void radix_sort(E* row, E* spare, int64_t n, bool into_spare) {
    using K = typename E::Key;
    if (n * (int64_t)sizeof(E) <= RADIX_CACHED) return sort_range(row, spare, n, into_spare);
    if (gpunp_pool_threads() == 1 && sort_entries_quickly(row, n)) {
        if (into_spare) memcpy((void*)spare, (const void*)row, n * sizeof(E));
        return;
    }
    if (sort_by_halves(row, spare, n, into_spare)) return;
    const RadixParts parts(n);
    struct Counts {
        K varying;
        int64_t of[256];
    };
    Counts* const counts = static_cast<Counts*>(calloc(parts.count, sizeof(Counts)));
    if (!counts) abort();
    const K first = row[0].key;
    parts.each([&](int part, int64_t begin, int64_t end) {
        counts[part].varying = varying_bits(row + begin, end - begin) | (row[begin].key ^ first);
    });
    K varying = 0;
    for (int part = 0; part < parts.count; part++) varying |= counts[part].varying;
    if (!varying) {
        free(counts);
        if (into_spare) gpunp_pool_copy(spare, row, n * sizeof(E));
        return;
    }
    const int top = top_bit_of(varying), shift = top > 7 ? top - 7 : 0;
    parts.each([&](int part, int64_t begin, int64_t end) {
        int64_t* of = counts[part].of;
        for (int64_t i = begin; i < end; i++) of[row[i].key >> shift & 255]++;
    });
    int64_t ends[256], sum = 0;
    for (int digit = 0; digit < 256; digit++) {
        for (int part = 0; part < parts.count; part++) {
            const int64_t count = counts[part].of[digit];
            counts[part].of[digit] = sum;
            sum += count;
        }
        ends[digit] = sum;
    }
    parts.each([&](int part, int64_t begin, int64_t end) {
        int64_t* of = counts[part].of;
        for (int64_t i = begin; i < end; i++) spare[of[row[i].key >> shift & 255]++] = row[i];
    });
    free(counts);
    if (shift)
        sort_digits(spare, row, ends, !into_spare);
    else if (!into_spare)
        gpunp_pool_copy(row, spare, n * sizeof(E));
}

}  // namespace gpunp
