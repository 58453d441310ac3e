// The line in which the entries of two arrays of compressed rows come, its tiles, and the merge within a
// tile.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sparse/merge_operations.h"

namespace gpunp {
namespace sparse {

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
};

// The first number from `low` on, below `high`, for which something does not hold that holds for those
// before.
template <class N, class Holds>
GPUNP_HD N first_false(N low, N high, Holds holds) {
    while (low < high) {
        const N middle = low + ((high - low) >> 1);
        if (holds(middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The last row, among some, that does not start after a place.
template <class Start>
GPUNP_HD int64_t row_at(int64_t place, int64_t low, int64_t high, Start start) {
    return first_false<int64_t>(low + 1, high + 1, [&](int64_t row) { return start(row) <= place; }) - 1;
}

// Finds where a tile starts; the tile after the last one is the end.
template <class I>
GPUNP_HD void find_tile(const MergeParams& p, int64_t number) {
    const Line<I> line(p);
    const int64_t place = number * MERGES_TILE;
    int64_t row = p.rows - 1, first = p.a_entries;
    if (place < line.entries) {
        row = row_at(place, 0, p.rows - 1, [&](int64_t r) { return line.start(r); });
        const I *a = line.a_indices + line.a_indptr[row], *b = line.b_indices + line.b_indptr[row];
        const int64_t of_a = (int64_t)(line.a_indptr[row + 1] - line.a_indptr[row]);
        const int64_t of_b = (int64_t)(line.b_indptr[row + 1] - line.b_indptr[row]);
        const int64_t before = place - line.start(row);
        first = (int64_t)line.a_indptr[row] +
                first_false<int64_t>(greatest_of<int64_t>(0, before - of_b), least_of(before, of_a),
                                     [=](int64_t i) { return a[i] <= b[before - 1 - i]; });
    }
    p.tile_row[number] = row;
    p.tile_first[number] = first;
}

// A piece of the line.
struct Tile {
    int64_t begin, row, last, a_begin, b_begin;  // the rows of its first entry, and of the first one after it
    int size, of_a, of_b;

    GPUNP_HD Tile(const MergeParams& p, int64_t number) {
        begin = number * MERGES_TILE;
        row = p.tile_row[number];
        last = p.tile_row[number + 1];
        a_begin = p.tile_first[number];
        b_begin = begin - a_begin;
        size = (int)least_of<int64_t>(MERGES_TILE, p.a_entries + p.b_entries - begin);
        of_a = (int)(p.tile_first[number + 1] - a_begin);
        of_b = size - of_a;
    }
    // Where a row starts in the tile; the first one may have started before.
    template <class I>
    GPUNP_HD int start_of(const Line<I>& line, int64_t of_row) const {
        return of_row > row ? (int)(line.start(of_row) - begin) : 0;
    }
};

// Elements in 16 bytes, and where an element is in those.
template <class T>
constexpr int WITHIN = 16 / (int)sizeof(T);
template <class T>
GPUNP_HD int within(const T* address) {
    return (int)((uintptr_t)address / sizeof(T) % WITHIN<T>);
}
template <class T>
GPUNP_HD int up_to_16_bytes(int count) {
    return (count + WITHIN<T> - 1) / WITHIN<T> * WITHIN<T>;
}

// Where the entries of a tile are in an array in shared memory: as they are in global memory modulo 16 bytes.
// In front of those of the first array, behind them, and behind those of the second one is room for one.
template <class T>
struct Layout {
    int a, b;
    static constexpr int ROOM = MERGES_TILE + 5 * WITHIN<T> + 2;
    GPUNP_HD Layout(const T* a_from, const T* b_from, int of_a)
        : a(WITHIN<T> + within(a_from)), b(up_to_16_bytes<T>(a + of_a + 1) + within(b_from)) {}
};

// An entry's key: where its row starts in the tile, and its column. The keys of no entry come after all.
template <class K>
constexpr int COLUMN_BITS = sizeof(K) == 4 ? MERGES_NARROW : MERGES_WIDE;
enum : unsigned { NO_ROW = 0xfff };
static_assert((unsigned)MERGES_TILE < NO_ROW - 1, "starts of rows differ from that of no row");

template <class K, class I>
GPUNP_HD K key_of(unsigned start, I column) {
    return (K)start << COLUMN_BITS<K> | (K)column;
}
template <class I, class K>
GPUNP_HD I column_of(K key) {
    return (I)(key & (((K)1 << COLUMN_BITS<K>)-1));
}

// The keys of a tile. The entries of one place may be in two tiles: so one of the first array is in front,
// and one of the second array behind.
template <class K>
struct Keys {
    const K *a, *b;
};

// What a thread finds of its entries: bits of those of the first array, and of those of them that have a
// partner in the second one; and the entries of both arrays before them in the tile.
struct Merged {
    unsigned of_a, matched;
    int i, j;
};

// Merges the entries of a thread and returns a bit for each place that has one.
template <class K, bool UNION>
GPUNP_HD unsigned merge_piece(const Tile& tile, const Keys<K>& keys, int begin, Merged& m) {
    m = {};
    if (begin >= tile.size) return 0;
    m.i = first_false<int>(greatest_of(0, begin - tile.of_b), least_of(begin, tile.of_a),
                           [&](int i) { return keys.a[i] <= keys.b[begin - 1 - i]; });
    m.j = begin - m.i;
    const K *next_a = keys.a + m.i, *next_b = keys.b + m.j;
    K a = *next_a, b = *next_b;
    unsigned doubles = next_a[-1] == b;
    GPUNP_UNROLL
    for (int s = 0; s < MERGES_EACH; s++) {
        if (a == b) m.matched |= 1u << s;
        if (a <= b) {
            m.of_a |= 1u << s;
            a = *++next_a;
        } else {
            b = *++next_b;
        }
    }
    // The last threads of a smaller tile look beyond its end.
    const unsigned all = (1u << least_of<int>(MERGES_EACH, tile.size - begin)) - 1;
    m.matched &= all;
    return UNION ? ~(m.matched << 1 | doubles) & all : m.matched;
}
// Calls a function with the step of each entry of the result, the number of its key, and that of its partner
// in the second array, or 0.
template <class I, class Function>
GPUNP_HD void for_each_kept(const Merged& m, unsigned mask, const Layout<I>& at, Function function) {
    int a = at.a + m.i, b = at.b + m.j;
    GPUNP_UNROLL
    for (int s = 0; s < MERGES_EACH; s++) {
        const bool is_a = m.of_a >> s & 1, is_matched = m.matched >> s & 1;
        const int slot = is_a ? a : b, partner = is_matched ? b : 0;
        if (mask >> s & 1) function(s, slot, partner);
        a += is_a;
        b += !is_a;
    }
}

// The values of a tile's parts of both arrays.
template <class T>
struct Values {
    const T *a, *b;
    GPUNP_HD static Values of(const MergeParams& p, const Tile& tile) {
        return {(const T*)p.a_data + tile.a_begin, (const T*)p.b_data + tile.b_begin};
    }
};

// The values of both arrays for an entry of the result, 0 where one has none.
template <class T>
struct Operands {
    T a, b;
    template <class I>
    GPUNP_HD void load(const Values<T>& values, const Layout<I>& at, int slot, int partner) {
        // So that the number of a key gives its value.
        const T *const of_a = values.a - at.a, *const of_b = values.b - at.b;
        const bool is_a = slot < at.b;
        const T value = (is_a ? of_a : of_b)[slot];
        a = is_a ? value : T{};
        b = is_a ? T{} : value;
        if (partner) b = of_b[partner];
    }
};

// Leaves out the entries whose result is 0.
template <class T, class I, class Operation>
GPUNP_HD unsigned pruned(const Values<T>& values, const Layout<I>& at, const Merged& m, unsigned mask) {
    if constexpr (Operation::PRUNES) {
        unsigned kept = 0;
        for_each_kept(m, mask, at, [&](int s, int slot, int partner) {
            Operands<T> operands;
            operands.load(values, at, slot, partner);
            if (Operation::keeps(operands.a, operands.b)) kept |= 1u << s;
        });
        return kept;
    }
    return mask;
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
#ifdef __CUDA_ARCH__
    return __popc(mask);
#else
    unsigned count = 0;
    for (; mask; mask &= mask - 1) count++;
    return count;
#endif
}

// How many entries of a tile's result come before a place in it.
GPUNP_HD uint32_t piece_of(int before, unsigned mask) {
    return (uint32_t)before << 16 | mask;
}
GPUNP_HD int entries_before(const uint32_t* pieces, int place) {
    const uint32_t piece = pieces[place / MERGES_EACH];
    return (int)(piece >> 16) + (int)bits_of(piece & ((1u << place % MERGES_EACH) - 1));
}

// Rows of a tile from which on starts are searched for each entry, instead of marking those of all rows; and
// from which on those of the result are left to `write_start`, which all threads of the device call.
constexpr int64_t MOST_ROWS = 8 * MERGES_TILE;

GPUNP_HD bool leaves_rows(const MergeParams& p, int64_t tile) {
    return p.tile_row[tile + 1] - (tile ? p.tile_row[tile] : 0) > MOST_ROWS;
}
// Writes the starts of the rows of the result after a tile's first one, up to the first one after the tile;
// called by all threads of a block. `first` is the number of entries of the result before the tile.
template <class I>
GPUNP_HD void write_rows(const MergeParams& p, const Line<I>& line, const Tile& tile, int64_t number,
                         const uint32_t* pieces, int64_t first, int thread, int threads) {
    I* const indptr = (I*)p.indptr;
    if (leaves_rows(p, number)) {
        for (int k = thread; k < MERGES_BLOCK; k += threads) p.pieces[number * MERGES_BLOCK + k] = pieces[k];
        if (thread == 0) p.found[3] = 1;
        return;
    }
#if GPUNP_ON_DEVICE
#pragma unroll 1
#endif
    for (int64_t row = (number ? tile.row + 1 : 0) + thread; row <= tile.last; row += threads)
        indptr[row] = (I)(first + entries_before(pieces, (int)(line.start(row) - tile.begin)));
    if (number == p.tiles - 1 && thread == 0) indptr[p.rows] = (I)(first + entries_before(pieces, tile.size));
}
// Writes where a row of the result starts, if its tile has left that; the row after the last one is the end.
template <class I>
GPUNP_HD void write_start(const MergeParams& p, int64_t row) {
    const Line<I> line(p);
    const int64_t place = line.start(row), tile = place / MERGES_TILE;
    int64_t at = p.found[0];
    if (place < line.entries) {
        at = tile ? entries_of(p.states[tile - 1]) : 0;
        const int within_tile = (int)(place % MERGES_TILE);
        if (within_tile) {
            if (!leaves_rows(p, tile)) return;
            at += entries_before(p.pieces + tile * MERGES_BLOCK, within_tile);
        }
    }
    ((I*)p.indptr)[row] = (I)at;
}

}  // namespace sparse
}  // namespace gpunp
