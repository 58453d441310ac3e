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

// The last row, among some, that does not start after a place.
template <class Start>
GPUNP_HD int64_t row_at(int64_t place, int64_t low, int64_t high, Start start) {
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (start(middle) <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// How many entries of the first array are among those before a place.
template <class N, class ComesFirst>
GPUNP_HD N split(N before, N of_a, N of_b, ComesFirst a_comes_first) {
    N low = greatest_of<N>(0, before - of_b), high = least_of(before, of_a);
    while (low < high) {
        const N middle = low + (high - low) / 2;
        if (a_comes_first(middle, before - 1 - middle))
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
    const int64_t row = row_at(place, 0, p.rows - 1, [&](int64_t r) { return line.start(r); });
    const I *a = line.a_indices + line.a_indptr[row], *b = line.b_indices + line.b_indptr[row];
    const int64_t of_a = (int64_t)(line.a_indptr[row + 1] - line.a_indptr[row]);
    const int64_t of_b = (int64_t)(line.b_indptr[row + 1] - line.b_indptr[row]);
    p.tile_row[number] = row;
    p.tile_first[number] =
        (int64_t)line.a_indptr[row] + split<int64_t>(place - line.start(row), of_a, of_b,
                                                     [=](int64_t i, int64_t j) { return a[i] <= b[j]; });
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

// Where an entry is: where its row starts in the tile, and its column.
template <class I>
struct Place {
    I column;
    int start;
    GPUNP_HD bool operator==(const Place& other) const {
        return column == other.column && start == other.start;
    }
    GPUNP_HD bool operator<(const Place& other) const {
        return start < other.start || (start == other.start && column < other.column);
    }
};
enum : int {
    NO_ROW = 0xfff,   // the start of a row that is not in the tile
    FROM_B = 0x1000,  // is added to the starts in the second array, so that none is less than one before
};

// Neighboring starts, which are read and written at once.
struct alignas(16) Starts {
    uint16_t values[MERGES_EACH];
};

// Where an element is in shared memory. One of 32 is left out, so that threads that look at every fourth or
// eighth element use different banks.
GPUNP_HD constexpr int spaced(int k) {
    return k + (k >> 5);
}

// The entries of a tile: those of the first array and then those of the second one, in slots. The entries of
// one place may be in two tiles: so one of the first array is in front, and one of the second array behind.
template <class I>
struct Slots {
    I* columns;        // spaced(ROOM)
    uint16_t* starts;  // ROOM + MERGES_EACH, of which the first one is not used: slots from 1 on are aligned
    int of_a;

    static constexpr int ROOM = MERGES_TILE + 2;

    GPUNP_HD I& column(int slot) const { return columns[spaced(slot)]; }
    GPUNP_HD uint16_t& start(int slot) const { return starts[MERGES_EACH - 1 + slot]; }
    GPUNP_HD Place<I> at(int slot) const { return {column(slot), (int)start(slot)}; }
    GPUNP_HD Place<I> a(int i) const { return at(i + 1); }
    GPUNP_HD Place<I> b(int j) const { return at(of_a + j + 1); }

    // The entries in front and behind.
    GPUNP_HD void load_first(const Line<I>& line, const Tile& tile) const {
        const bool has_one = (int64_t)line.a_indptr[tile.row] < tile.a_begin;
        column(0) = has_one ? line.a_indices[tile.a_begin - 1] : I(0);
        start(0) = (uint16_t)(has_one ? 0 : NO_ROW);
    }
    GPUNP_HD void load_last(const Line<I>& line, const Tile& tile) const {
        const int64_t next = tile.b_begin + tile.of_b;
        const bool has_one = next < (int64_t)line.b_indptr[tile.last + 1];
        column(tile.size + 1) = has_one ? line.b_indices[next] : I(0);
        start(tile.size + 1) = (uint16_t)(has_one ? tile.start_of(line, tile.last) : NO_ROW);
    }
    // Where a slot's column comes from.
    GPUNP_HD const I* source(const Line<I>& line, const Tile& tile, int k) const {
        return k < of_a ? line.a_indices + tile.a_begin + k : line.b_indices + tile.b_begin + (k - of_a);
    }

    // Sets the start of a row's first entries of both arrays. All others get that of the entry before.
    GPUNP_HD void mark(const Line<I>& line, const Tile& tile, int64_t row) const {
        const int64_t i = (int64_t)line.a_indptr[row] - tile.a_begin;
        const int64_t j = (int64_t)line.b_indptr[row] - tile.b_begin;
        const int from = (int)(i + j);
        if ((uint64_t)i < (uint64_t)of_a && line.a_indptr[row] < line.a_indptr[row + 1])
            start((int)i + 1) = (uint16_t)from;
        if ((uint64_t)j < (uint64_t)tile.of_b && line.b_indptr[row] < line.b_indptr[row + 1])
            start(of_a + (int)j + 1) = (uint16_t)(FROM_B + from);
    }
    // The start of the row of an entry, by a search: where there are more rows than entries.
    GPUNP_HD int found_start(const Line<I>& line, const Tile& tile, int k) const {
        const I* indptr = k < of_a ? line.a_indptr : line.b_indptr;
        const int64_t entry = k < of_a ? tile.a_begin + k : tile.b_begin + k - of_a;
        return tile.start_of(
            line, row_at(entry, tile.row, tile.last, [=](int64_t r) { return (int64_t)indptr[r]; }));
    }
};

// Where an entry of the result comes from: its numbers in the tile's parts of both arrays.
constexpr unsigned NO_ENTRY = 0xffff;

// Merges the entries of a thread. Writes where those of the result come from, and returns a bit for each
// place that has one.
template <class I, bool UNION>
GPUNP_HD unsigned merge_piece(const Tile& tile, const Slots<I>& slots, int begin,
                              uint32_t (&sources)[MERGES_EACH]) {
    if (begin >= tile.size) return 0;
    int i = split<int>(begin, tile.of_a, tile.of_b, [&](int k, int m) { return !(slots.b(m) < slots.a(k)); });
    int j = begin - i;
    Place<I> before = slots.a(i - 1), a = slots.a(i), b = slots.b(j);
    unsigned mask = 0;
    GPUNP_UNROLL
    for (int s = 0; s < MERGES_EACH; s++) {
        sources[s] = 0;
        if (begin + s >= tile.size) continue;
        if (j >= tile.of_b || (i < tile.of_a && !(b < a))) {
            const bool is_match = a == b;
            sources[s] = (unsigned)i << 16 | (is_match ? (unsigned)j : NO_ENTRY);
            mask |= (unsigned)(UNION || is_match) << s;
            before = a;
            a = slots.a(++i);
        } else {
            sources[s] = NO_ENTRY << 16 | (unsigned)j;
            mask |= (unsigned)(UNION && !(before == b)) << s;
            // No further than the entry behind.
            b = slots.b(++j);
        }
    }
    return mask;
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
    GPUNP_HD void load(const Values<T>& values, uint32_t source) {
        const unsigned i = source >> 16, j = source & NO_ENTRY;
        a = i != NO_ENTRY ? values.a[i] : T{};
        b = j != NO_ENTRY ? values.b[j] : T{};
    }
};

// Leaves out the entries whose result is 0.
template <class T, class Operation>
GPUNP_HD unsigned pruned(const Values<T>& values, const uint32_t (&sources)[MERGES_EACH], unsigned mask) {
    if constexpr (Operation::PRUNES) {
        GPUNP_UNROLL
        for (int s = 0; s < MERGES_EACH; s++) {
            if (!(mask >> s & 1)) continue;
            Operands<T> operands;
            operands.load(values, sources[s]);
            if (!Operation::keeps(operands.a, operands.b)) mask &= ~(1u << s);
        }
    }
    return mask;
}
template <class T, class I, class Operation>
GPUNP_HD void write_entry(const MergeParams& p, const Slots<I>& slots, uint32_t source,
                          const Operands<T>& operands, int64_t at) {
    const unsigned i = source >> 16, j = source & NO_ENTRY;
    ((I*)p.indices)[at] = slots.column(i != NO_ENTRY ? (int)i + 1 : slots.of_a + (int)j + 1);
    Operation::store(p, at, operands.a, operands.b);
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

}  // namespace sparse
}  // namespace gpunp
