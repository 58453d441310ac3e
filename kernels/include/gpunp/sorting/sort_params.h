// What the sorting kernels are told.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// How elements order: complex ones by real part, then imaginary part, those with NaN last as in NumPy.
enum SortKind : int { SORT_INTEGER, SORT_FLOATING, SORT_COMPLEX };

// Rows of elements, C-contiguous, each sorted for itself.
struct SortParams {
    const void* input;
    void* output;  // the sorted rows, or null
    // Positions in the row, the order to start from, or null for 0, 1, 2, ...; the input of the kernels of
    // longer rows is in that order already.
    const int64_t* order_in;
    int64_t* order_out;  // positions in the row of the sorted elements, or null
    int64_t rows, length;
    // Of the floating format of the elements, or of the parts of complex ones.
    uint64_t sign, infinity;
    // Bits to invert: the sign of integers, which then order as unsigned ones; for descending order all other
    // bits of integers and the signs of floating numbers.
    uint64_t flip;
    int32_t kind, itemsize;
    int32_t passes;  // digits of 8 bits

    // Below: the radix sort of rows longer than a block sorts, and on the host its two copies of a row.
    void* keys[2];       // each pass reads one of these and writes the other
    void* values[2];     // the positions, likewise; rows of the second lie 8 * length bytes apart
    uint64_t* bins;      // by row and pass: how often a digit occurs, then where the first of it goes
    uint64_t* carry;     // by portion: where the digits of the next portion go
    uint32_t* steps;     // by row and pass: SortStep
    uint32_t* counters;  // by launch: how many blocks have started
    uint32_t* zeros;     // whether there is a -0.0
    uint32_t* lookback;  // two regions of `slots` tiles: launches use one and clear the other in turn
    int64_t slots;
    // A launch sorts these tiles of each row: all but rows of more than 2^29 elements go in one portion.
    int64_t tiles_per_row, portion_tiles, first_tile;
    int32_t pass, portion, launch;
    int32_t blocks_per_row;
    int32_t even;  // an even number of passes, because the output is the input
};

// Elements of rows in the order that positions say, or halves of the keys of 16-byte complex elements.
struct GatherRowsParams {
    const void* input;
    const int64_t* order;  // not for halves
    void* output;
    int64_t rows, in_length, out_length;
    int32_t itemsize;
    int32_t high;  // of halves: the one to compare first
    int32_t descending;
};

// Bits that say what a pass does with a row, found when all digits are counted.
enum SortStep : uint32_t {
    SORT_ACTIVE = 1,      // there is more than one digit
    SORT_FIRST = 2,       // reads the elements themselves
    SORT_LAST = 4,        // writes the results
    SORT_TARGET = 8,      // which of the two buffers it writes
    SORT_ANY_ORDER = 16,  // keys of equal digits may come in any order
};

enum : int {
    SORT_DIGITS = 256,
    // Rows up to this many elements are ranked by comparing all with all.
    SORT_SHORT = 256,
    SORT_SHORT_BLOCK = 256,
    // Threads and elements of each in a tile of the radix sort, and the tiles that share a multiprocessor:
    // keys of 4 bytes, with positions of 4 bytes, and everything wider.
    SORT_KEYS_BLOCK = 512,
    SORT_KEYS_ITEMS = 22,
    SORT_KEYS_BLOCKS = 2,
    // The same of the first pass over keys alone, which mostly need no order.
    SORT_FIRST_BLOCK = 384,
    SORT_FIRST_ITEMS = 23,
    SORT_FIRST_BLOCKS = 3,
    SORT_PAIRS_BLOCK = 384,
    SORT_PAIRS_ITEMS = 23,
    SORT_PAIRS_BLOCKS = 2,
    SORT_WIDE_BLOCK = 384,
    SORT_WIDE_ITEMS = 15,
    SORT_WIDE_BLOCKS = 2,
    SORT_COUNT_BLOCK = 1024,
    SORT_COUNT_ITEMS = 8,
    // Shared memory for each digit that is counted.
    SORT_COUNT_BYTES_u4 = SORT_DIGITS * 32 * 4,
    SORT_COUNT_BYTES_u8 = SORT_DIGITS * 32 * 2,
    // Elements of a row in one launch: what the 30 bits of a look-back word hold.
    SORT_PORTION = 1 << 29,
};

// The block that sorts a whole row: its elements, 0 where the row is too long, and its threads.
struct SortRowShape {
    int elements, threads;
};
GPUNP_HD constexpr SortRowShape sort_row_shape(int64_t length, bool words_of_8) {
    return length <= 1024                         ? SortRowShape{1024, 256}
           : length <= (words_of_8 ? 2048 : 3072) ? SortRowShape{words_of_8 ? 2048 : 3072, 256}
           : length <= (words_of_8 ? 4096 : 8192) ? SortRowShape{words_of_8 ? 4096 : 8192, 512}
                                                  : SortRowShape{0, 0};
}

}  // namespace gpunp
