// Unions and intersections of two arrays of compressed rows. Threads get equal pieces of the line in which
// the entries of both come, whatever the lengths of rows: O. Green, R. McColl and D. Bader, "GPU merge path:
// a GPU merging algorithm", ICS 2012.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sparse/entries.h"
#include "gpunp/sparse/merges_params.h"
#include "gpunp/sparse/rows.h"
#include "gpunp/sparse/spgemm.h"
#if GPUNP_ON_DEVICE
#include "gpunp/common/block.h"
#endif

namespace gpunp {
namespace sparse {

// What is done with two values, of which one may be missing: both are written, or their sum, difference or
// product.
struct Both {
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, const T* a, const T* b) {
        ((T*)p.first)[at] = a ? *a : T{};
        ((T*)p.second)[at] = b ? *b : T{};
    }
};
template <class T>
GPUNP_HD void store_result(const MergeParams& p, int64_t at, T result) {
    ((T*)p.first)[at] = result;
    if (is_zero(result)) *p.zeros = 1;
}
template <class T>
GPUNP_HD T minus(T a, T b) {
    return a - b;
}
template <class T>
GPUNP_HD complex<T> minus(complex<T> a, complex<T> b) {
    return {a.re - b.re, a.im - b.im};
}
struct Plus {
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, const T* a, const T* b) {
        store_result(p, at, plus(a ? *a : T{}, b ? *b : T{}));
    }
};
struct Minus {
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, const T* a, const T* b) {
        store_result(p, at, minus(a ? *a : T{}, b ? *b : T{}));
    }
};
struct Times {
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, const T* a, const T* b) {
        store_result(p, at, plus_product(T{}, *a, *b));
    }
};

template <class T>
GPUNP_HD T least_of(T a, T b) {
    return b < a ? b : a;
}
template <class T>
GPUNP_HD T greatest_of(T a, T b) {
    return b > a ? b : a;
}

// The line of all entries.
template <class I>
struct Line {
    const I *a_indptr, *b_indptr, *a_indices, *b_indices;
    int64_t rows, entries;

    GPUNP_HD explicit Line(const MergeParams& p)
        : a_indptr((const I*)p.a_indptr),
          b_indptr((const I*)p.b_indptr),
          a_indices((const I*)p.a_indices),
          b_indices((const I*)p.b_indices),
          rows(p.rows),
          entries(p.a_entries + p.b_entries) {}

    GPUNP_HD int64_t start(int64_t row) const { return (int64_t)a_indptr[row] + (int64_t)b_indptr[row]; }

    // The row of an entry, among some.
    GPUNP_HD int64_t row_of(int64_t place, int64_t low, int64_t high) const {
        while (low < high) {
            const int64_t middle = low + (high - low + 1) / 2;
            if (start(middle) <= place)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }
};

// A piece of the line.
struct Tile {
    int64_t begin, end, row, last, a_begin, a_end, b_begin, b_end;

    GPUNP_HD Tile(const MergeParams& p, int64_t number) {
        const int64_t all = p.a_entries + p.b_entries;
        begin = number * MERGES_TILE;
        end = least_of(begin + MERGES_TILE, all);
        row = p.tile_row[number];
        last = p.tile_row[number + 1];
        a_begin = p.tile_first[number];
        a_end = p.tile_first[number + 1];
        b_begin = begin - a_begin;
        b_end = end - a_end;
    }
};

// How many entries of the first array are among those of a row before a place.
template <class I, class OfA, class OfB>
GPUNP_HD int64_t split(int64_t before, int64_t low, int64_t high, OfA of_a, OfB of_b) {
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (of_a(middle) <= of_b(before - 1 - middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Finds where a tile starts; the tile after the last one is the end.
template <class I>
GPUNP_HD void find_tile(const MergeParams& p, int64_t number) {
    const Line<I> line(p);
    const int64_t place = number * MERGES_TILE;
    if (place >= line.entries) {
        p.tile_row[number] = p.rows - 1;
        p.tile_first[number] = p.a_entries;
        return;
    }
    const int64_t row = line.row_of(place, 0, p.rows - 1), before = place - line.start(row);
    const I *a = line.a_indices + line.a_indptr[row], *b = line.b_indices + line.b_indptr[row];
    const int64_t of_a = (int64_t)(line.a_indptr[row + 1] - line.a_indptr[row]);
    const int64_t of_b = (int64_t)(line.b_indptr[row + 1] - line.b_indptr[row]);
    p.tile_row[number] = row;
    p.tile_first[number] = (int64_t)line.a_indptr[row] +
                           split<I>(
                               before, greatest_of<int64_t>(0, before - of_b), least_of(before, of_a),
                               [=](int64_t k) { return a[k]; }, [=](int64_t k) { return b[k]; });
}

// Goes through some entries of a tile, whose columns are in `columns`, the first array's before the second's.
template <class I, bool UNION>
struct Walk {
    const Line<I> line;
    const Tile tile;
    const I* columns;

    GPUNP_HD I a(int64_t i) const {
        return i >= tile.a_begin && i < tile.a_end ? columns[i - tile.a_begin] : line.a_indices[i];
    }
    GPUNP_HD I b(int64_t j) const {
        return j >= tile.b_begin && j < tile.b_end ? columns[tile.a_end - tile.a_begin + j - tile.b_begin]
                                                   : line.b_indices[j];
    }

    // Calls found(i, j) for each place of the result, where -1 stands for no entry, and ended(row) at the end
    // of rows.
    template <class Found, class Ended>
    GPUNP_HD void operator()(int64_t begin, int64_t end, Found found, Ended ended) const {
        if (begin >= end) return;
        int64_t row = line.row_of(begin, tile.row, tile.last);
        int64_t a_start = line.a_indptr[row], a_end = line.a_indptr[row + 1];
        int64_t b_start = line.b_indptr[row], b_end = line.b_indptr[row + 1];
        const int64_t before = begin - a_start - b_start;
        const int64_t b_low = greatest_of(b_start, tile.b_begin), b_high = least_of(b_end, tile.b_end);
        const int64_t low =
            greatest_of(greatest_of(a_start, tile.a_begin) - a_start, before - (b_high - b_start));
        const int64_t high = least_of(least_of(a_end, tile.a_end) - a_start, before - (b_low - b_start));
        int64_t i = a_start + split<I>(
                                  before, low, high, [&](int64_t k) { return a(a_start + k); },
                                  [&](int64_t k) { return b(b_start + k); });
        int64_t j = begin - i;
        for (int64_t place = begin; place < end;) {
            const bool of_a = j >= b_end || (i < a_end && a(i) <= b(j));
            if (of_a) {
                const bool is_match = j < b_end && b(j) == a(i);
                if (UNION || is_match) found(i, is_match ? j : (int64_t)-1);
                i++;
            } else {
                if (UNION && !(i > a_start && a(i - 1) == b(j))) found((int64_t)-1, j);
                j++;
            }
            place++;
            if (i < a_end || j < b_end) continue;
            ended(row);
            if (place >= end) return;
            row++;
            if (line.start(row + 1) <= place) row = line.row_of(place, row, tile.last);
            a_start = line.a_indptr[row];
            a_end = line.a_indptr[row + 1];
            b_start = line.b_indptr[row];
            b_end = line.b_indptr[row + 1];
        }
    }
};

// Where an entry of the result comes from: its places in the tile's parts of both arrays.
constexpr unsigned NO_ENTRY = 0xffff;
GPUNP_HD uint32_t source_of(const Tile& tile, int64_t i, int64_t j) {
    const unsigned a = i < 0 ? NO_ENTRY : (unsigned)(i - tile.a_begin);
    const unsigned b = j < 0 ? NO_ENTRY : (unsigned)(j - tile.b_begin);
    return a << 16 | b;
}
template <class T, class I, class Operation>
GPUNP_HD void write_entry(const MergeParams& p, const Tile& tile, const I* columns, uint32_t source,
                          int64_t at) {
    const unsigned a = source >> 16, b = source & NO_ENTRY;
    ((I*)p.indices)[at] = a != NO_ENTRY ? columns[a] : columns[tile.a_end - tile.a_begin + b];
    Operation::store(p, at, a != NO_ENTRY ? (const T*)p.a_data + tile.a_begin + a : (const T*)nullptr,
                     b != NO_ENTRY ? (const T*)p.b_data + tile.b_begin + b : (const T*)nullptr);
}
template <class I>
GPUNP_HD void load_column(const Line<I>& line, const Tile& tile, I* columns, int64_t k) {
    const int64_t of_a = tile.a_end - tile.a_begin;
    columns[k] = k < of_a ? line.a_indices[tile.a_begin + k] : line.b_indices[tile.b_begin + k - of_a];
}

// A tile without entries of the result is not read: rows that end there have no entries, or those of tiles
// before, of which only the first one does not know yet. Returns whether it is such a tile.
template <class I, bool UNION>
GPUNP_HD bool is_skipped(const MergeParams& p, const Walk<I, UNION>& walk, int64_t number, bool writes) {
    const int64_t at = p.counts[number];
    if (UNION || at != (number ? p.counts[number - 1] : 0)) return false;
    const Tile& tile = walk.tile;
    if (writes && walk.line.start(tile.row + 1) <= tile.end) ((I*)p.indptr)[tile.row + 1] = (I)at;
    return true;
}

#if GPUNP_ON_DEVICE

template <class I>
__device__ __forceinline__ void find_tiles(const MergeParams& p) {
    const int64_t number = (int64_t)blockIdx.x * MERGES_BLOCK + threadIdx.x;
    if (number <= p.tiles) find_tile<I>(p, number);
}
template <class I, bool UNION>
__device__ __forceinline__ int count_part(const Walk<I, UNION>& walk, I* columns) {
    const Tile& tile = walk.tile;
    for (int k = threadIdx.x; k < tile.end - tile.begin; k += MERGES_BLOCK)
        load_column(walk.line, tile, columns, k);
    __syncthreads();
    const int64_t begin = tile.begin + threadIdx.x * MERGES_EACH;
    int count = 0;
    walk(begin, least_of(begin + MERGES_EACH, tile.end), [&](int64_t, int64_t) { count++; }, [](int64_t) {});
    return count;
}
template <class I, bool UNION>
__device__ __forceinline__ void count_merged(const MergeParams& p) {
    __shared__ I columns[MERGES_TILE];
    __shared__ int of_warps[MERGES_BLOCK / 32];
    const Walk<I, UNION> walk{Line<I>(p), Tile(p, blockIdx.x), columns};
    const int count = count_part(walk, columns);
    int total;
    block::exclusive_sum<MERGES_BLOCK>(count, of_warps, total);
    if (threadIdx.x == 0) p.counts[blockIdx.x] = total;
}
template <class T, class I, class Operation, bool UNION>
__device__ __forceinline__ void write_merged(const MergeParams& p) {
    __shared__ I columns[MERGES_TILE];
    __shared__ uint32_t sources[MERGES_TILE];
    __shared__ int of_warps[MERGES_BLOCK / 32];
    const Walk<I, UNION> walk{Line<I>(p), Tile(p, blockIdx.x), columns};
    if (is_skipped(p, walk, blockIdx.x, threadIdx.x == 0)) return;
    const Tile& tile = walk.tile;
    const int count = count_part(walk, columns);
    int total;
    int rank = block::exclusive_sum<MERGES_BLOCK>(count, of_warps, total);
    const int64_t at = p.counts[blockIdx.x] - total, begin = tile.begin + threadIdx.x * MERGES_EACH;
    walk(
        begin, least_of(begin + MERGES_EACH, tile.end),
        [&](int64_t i, int64_t j) { sources[rank++] = source_of(tile, i, j); },
        [&](int64_t row) { ((I*)p.indptr)[row + 1] = (I)(at + rank); });
    __syncthreads();
    for (int k = threadIdx.x; k < total; k += MERGES_BLOCK)
        write_entry<T, I, Operation>(p, tile, columns, sources[k], at + k);
}

#define GPUNP_MERGES(name, ...)                                              \
    extern "C" __global__ void __launch_bounds__(::gpunp::MERGES_BLOCK)      \
        sparse_merge_##name(const __grid_constant__::gpunp::MergeParams p) { \
        ::gpunp::sparse::__VA_ARGS__(p);                                     \
    }

#else

template <class I>
void find_tiles(const void* params) {
    const MergeParams& p = *static_cast<const MergeParams*>(params);
    for (int64_t number = 0; number <= p.tiles; number++) find_tile<I>(p, number);
}
// The threads of a block one after another.
template <class Each>
void each_part(const Tile& tile, Each each) {
    for (int64_t begin = tile.begin; begin < tile.end; begin += MERGES_EACH)
        each(begin, least_of(begin + MERGES_EACH, tile.end));
}
template <class I, bool UNION>
void count_merged(const void* params) {
    const MergeParams& p = *static_cast<const MergeParams*>(params);
    I columns[MERGES_TILE];
    for (int64_t number = 0; number < p.tiles; number++) {
        const Walk<I, UNION> walk{Line<I>(p), Tile(p, number), columns};
        for (int64_t k = 0; k < walk.tile.end - walk.tile.begin; k++)
            load_column(walk.line, walk.tile, columns, k);
        int64_t count = 0;
        each_part(walk.tile, [&](int64_t begin, int64_t end) {
            walk(begin, end, [&](int64_t, int64_t) { count++; }, [](int64_t) {});
        });
        p.counts[number] = count;
    }
}
template <class T, class I, class Operation, bool UNION>
void write_merged(const void* params) {
    const MergeParams& p = *static_cast<const MergeParams*>(params);
    I columns[MERGES_TILE];
    uint32_t sources[MERGES_TILE];
    for (int64_t number = 0; number < p.tiles; number++) {
        const Walk<I, UNION> walk{Line<I>(p), Tile(p, number), columns};
        if (is_skipped(p, walk, number, true)) continue;
        const Tile& tile = walk.tile;
        for (int64_t k = 0; k < tile.end - tile.begin; k++) load_column(walk.line, tile, columns, k);
        const int64_t at = number ? p.counts[number - 1] : 0;
        int64_t rank = 0;
        each_part(tile, [&](int64_t begin, int64_t end) {
            walk(
                begin, end, [&](int64_t i, int64_t j) { sources[rank++] = source_of(tile, i, j); },
                [&](int64_t row) { ((I*)p.indptr)[row + 1] = (I)(at + rank); });
        });
        for (int64_t k = 0; k < rank; k++) write_entry<T, I, Operation>(p, tile, columns, sources[k], at + k);
    }
}

#define GPUNP_MERGES(name, ...) GPUNP_HOST_KERNEL(sparse_merge_##name, (::gpunp::sparse::__VA_ARGS__));

#endif

}  // namespace sparse
}  // namespace gpunp
