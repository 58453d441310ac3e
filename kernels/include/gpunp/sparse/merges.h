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
    if (is_zero(result)) p.found[1] = 1;
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
template <class N, class OfA, class OfB>
GPUNP_HD N split(N before, N low, N high, OfA of_a, OfB of_b) {
    while (low < high) {
        const N middle = low + (high - low) / 2;
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
                           split<int64_t>(
                               before, greatest_of<int64_t>(0, before - of_b), least_of(before, of_a),
                               [=](int64_t k) { return a[k]; }, [=](int64_t k) { return b[k]; });
}

// The columns of a tile: those of the first array from -1 on, and those of the second one up to one beyond
// the tile, as the two entries of one place may be in two tiles.
template <class I>
struct Columns {
    I* shared;
    int of_a;  // how many of the first array are in the tile

    static constexpr int ROOM = MERGES_TILE + 2;

    GPUNP_HD void load(const MergeParams& p, const Tile& tile, int k) const {
        const int64_t i = tile.a_begin + k - 1, j = tile.b_begin + k - 1 - of_a;
        if (k <= of_a)
            shared[k] = i < 0 ? I(0) : ((const I*)p.a_indices)[i];
        else
            shared[k] = j < p.b_entries ? ((const I*)p.b_indices)[j] : I(0);
    }
    GPUNP_HD I a(int i) const { return shared[i + 1]; }
    GPUNP_HD I b(int j) const { return shared[of_a + j + 1]; }
};

// What a tile has of a row: entries of both arrays, by their numbers in the tile.
struct Part {
    int a_begin, a_end, b_begin, b_end;
    bool from_before, goes_on;  // whether the row has entries of the first array before, of the second after

    template <class I>
    GPUNP_HD static Part of_row(const Line<I>& line, const Tile& tile, int64_t row) {
        const int64_t a_start = line.a_indptr[row], a_stop = line.a_indptr[row + 1];
        const int64_t b_start = line.b_indptr[row], b_stop = line.b_indptr[row + 1];
        return {(int)(greatest_of(a_start, tile.a_begin) - tile.a_begin),
                (int)(least_of(a_stop, tile.a_end) - tile.a_begin),
                (int)(greatest_of(b_start, tile.b_begin) - tile.b_begin),
                (int)(least_of(b_stop, tile.b_end) - tile.b_begin), a_start<tile.a_begin, b_stop> tile.b_end};
    }
};

// Where an entry of the result comes from: its numbers in the tile's parts of both arrays.
constexpr unsigned NO_ENTRY = 0xffff;

// Merges the entries of a thread. Writes where those of the result come from, and returns a bit for each
// place that has one.
template <class I, bool UNION>
GPUNP_HD unsigned merge_piece(const Line<I>& line, const Tile& tile, const Columns<I>& columns, int begin,
                              uint32_t (&sources)[MERGES_EACH]) {
    const int end = (int)(tile.end - tile.begin);
    if (begin >= end) return 0;
    int64_t row = line.row_of(tile.begin + begin, tile.row, tile.last);
    Part part = Part::of_row(line, tile, row);
    const int before = begin - part.a_begin - part.b_begin;
    int i = part.a_begin;
    i += split<int>(
        before, greatest_of(0, before - (part.b_end - part.b_begin)),
        least_of(before, part.a_end - part.a_begin), [&](int k) { return columns.a(part.a_begin + k); },
        [&](int k) { return columns.b(part.b_begin + k); });
    int j = begin - i;
    unsigned mask = 0;
    GPUNP_UNROLL
    for (int s = 0; s < MERGES_EACH; s++) {
        sources[s] = 0;
        if (begin + s >= end) continue;
        if (i == part.a_end && j == part.b_end) {
            row++;
            if (line.start(row + 1) <= tile.begin + begin + s)
                row = line.row_of(tile.begin + begin + s, row, tile.last);
            part = Part::of_row(line, tile, row);
        }
        const bool of_a = j >= part.b_end || (i < part.a_end && columns.a(i) <= columns.b(j));
        if (of_a) {
            const bool is_match = j < part.b_end + (int)part.goes_on && columns.b(j) == columns.a(i);
            sources[s] = (unsigned)i << 16 | (is_match ? (unsigned)j : NO_ENTRY);
            mask |= (unsigned)(UNION || is_match) << s;
            i++;
        } else {
            const bool is_match =
                i > part.a_begin - (int)part.from_before && columns.a(i - 1) == columns.b(j);
            sources[s] = NO_ENTRY << 16 | (unsigned)j;
            mask |= (unsigned)(UNION && !is_match) << s;
            j++;
        }
    }
    return mask;
}
template <class T, class I, class Operation>
GPUNP_HD void write_entry(const MergeParams& p, const Tile& tile, const Columns<I>& columns, uint32_t source,
                          int64_t at) {
    const unsigned a = source >> 16, b = source & NO_ENTRY;
    ((I*)p.indices)[at] = a != NO_ENTRY ? columns.a((int)a) : columns.b((int)b);
    Operation::store(p, at, a != NO_ENTRY ? (const T*)p.a_data + tile.a_begin + a : (const T*)nullptr,
                     b != NO_ENTRY ? (const T*)p.b_data + tile.b_begin + b : (const T*)nullptr);
}

// A tile's state, and what it says.
enum : unsigned { STATE_OF_TILE = 1, STATE_UP_TO_END = 2 };
GPUNP_HD uint64_t state_of(int64_t entries, unsigned kind) {
    return (uint64_t)entries << 2 | kind;
}
GPUNP_HD int64_t entries_of(uint64_t state) {
    return (int64_t)(state >> 2);
}
GPUNP_HD unsigned bits_of(unsigned mask) {
    unsigned count = 0;
    for (; mask; mask &= mask - 1) count++;
    return count;
}

// Where a row of the result starts; the row after the last one is the end.
template <class I>
GPUNP_HD void write_start(const MergeParams& p, int64_t row) {
    const Line<I> line(p);
    const int64_t place = line.start(row);
    int64_t at = p.found[0];
    if (place < line.entries) {
        const int64_t tile = place / MERGES_TILE;
        const uint32_t piece = p.pieces[place / MERGES_EACH];
        at = (tile ? entries_of(p.states[tile - 1]) : 0) + (piece >> 8) +
             bits_of(piece & ((1u << (int)(place % MERGES_EACH)) - 1));
    }
    ((I*)p.indptr)[row] = (I)at;
}

#if GPUNP_ON_DEVICE

template <class I>
__device__ __forceinline__ void find_tiles(const MergeParams& p) {
    const int64_t number = (int64_t)blockIdx.x * MERGES_BLOCK + threadIdx.x;
    if (number <= p.tiles) find_tile<I>(p, number);
}
template <class I>
__device__ __forceinline__ void write_starts(const MergeParams& p) {
    const int64_t row = (int64_t)blockIdx.x * MERGES_BLOCK + threadIdx.x;
    if (row <= p.rows) write_start<I>(p, row);
}

// Publishes the number of entries of a tile and returns that of the tiles before; called by a warp. D.
// Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA, 2016.
__device__ __forceinline__ int64_t look_back(const MergeParams& p, int64_t tile, int total) {
    volatile uint64_t* states = p.states;
    const int lane = threadIdx.x & 31;
    if (lane == 0) states[tile] = state_of(total, tile ? STATE_OF_TILE : STATE_UP_TO_END);
    int64_t before = 0;
    for (int64_t last = tile - 1; last >= 0; last -= 32) {
        // Lane 0 has the nearest tile. What comes before the first one counts as the end of nothing.
        uint64_t state = STATE_UP_TO_END;
        do {
            if (last - lane >= 0) state = states[last - lane];
        } while (!warp::all((state & 3) != 0));
        const unsigned ends = warp::ballot((state & 3) == STATE_UP_TO_END);
        const int nearest = ends ? __ffs(ends) - 1 : 31;
        before += warp::sum(lane <= nearest ? entries_of(state) : (int64_t)0);
        if (ends) break;
    }
    if (lane == 0) {
        if (tile) states[tile] = state_of(before + total, STATE_UP_TO_END);
        if (tile == p.tiles - 1) p.found[0] = before + total;
    }
    return before;
}

template <class T, class I, class Operation, bool UNION>
__device__ __forceinline__ void merge(const MergeParams& p) {
    __shared__ I shared[Columns<I>::ROOM];
    __shared__ uint32_t sources[MERGES_TILE];
    __shared__ int of_warps[MERGES_BLOCK / 32];
    __shared__ int64_t taken, first;
    // Tiles are taken in order, so that those before are under way.
    if (threadIdx.x == 0) taken = (int64_t)atomicAdd((unsigned long long*)(p.states + p.tiles), 1ull);
    __syncthreads();
    const int64_t number = taken;
    const Line<I> line(p);
    const Tile tile(p, number);
    const Columns<I> columns{shared, (int)(tile.a_end - tile.a_begin)};
    for (int k = threadIdx.x; k < tile.end - tile.begin + 2; k += MERGES_BLOCK) columns.load(p, tile, k);
    __syncthreads();
    uint32_t own[MERGES_EACH];
    const int begin = threadIdx.x * MERGES_EACH;
    const unsigned mask = merge_piece<I, UNION>(line, tile, columns, begin, own);
    int total;
    int rank = block::exclusive_sum<MERGES_BLOCK>(__popc(mask), of_warps, total);
    if (threadIdx.x < 32) {
        const int64_t before = look_back(p, number, total);
        if (threadIdx.x == 0) first = before;
    }
    if (tile.begin + begin < tile.end)
        p.pieces[tile.begin / MERGES_EACH + threadIdx.x] = (uint32_t)rank << 8 | mask;
    GPUNP_UNROLL
    for (int s = 0; s < MERGES_EACH; s++)
        if (mask >> s & 1) sources[rank++] = own[s];
    __syncthreads();
    for (int k = threadIdx.x; k < total; k += MERGES_BLOCK)
        write_entry<T, I, Operation>(p, tile, columns, sources[k], first + k);
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
template <class I>
void write_starts(const void* params) {
    const MergeParams& p = *static_cast<const MergeParams*>(params);
    for (int64_t row = 0; row <= p.rows; row++) write_start<I>(p, row);
}
// The threads of a block one after another.
template <class T, class I, class Operation, bool UNION>
void merge(const void* params) {
    const MergeParams& p = *static_cast<const MergeParams*>(params);
    const Line<I> line(p);
    I shared[Columns<I>::ROOM];
    uint32_t sources[MERGES_EACH];
    for (int64_t number = 0; number < p.tiles; number++) {
        const Tile tile(p, number);
        const Columns<I> columns{shared, (int)(tile.a_end - tile.a_begin)};
        for (int k = 0; k < tile.end - tile.begin + 2; k++) columns.load(p, tile, k);
        const int64_t first = p.found[0];
        for (int begin = 0; begin < tile.end - tile.begin; begin += MERGES_EACH) {
            const unsigned mask = merge_piece<I, UNION>(line, tile, columns, begin, sources);
            p.pieces[(tile.begin + begin) / MERGES_EACH] = (uint32_t)(p.found[0] - first) << 8 | mask;
            for (int s = 0; s < MERGES_EACH; s++)
                if (mask >> s & 1) write_entry<T, I, Operation>(p, tile, columns, sources[s], p.found[0]++);
        }
        p.states[number] = state_of(p.found[0], STATE_UP_TO_END);
    }
}

#define GPUNP_MERGES(name, ...) GPUNP_HOST_KERNEL(sparse_merge_##name, (::gpunp::sparse::__VA_ARGS__));

#endif

}  // namespace sparse
}  // namespace gpunp
