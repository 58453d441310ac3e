// Parameters of the sorting kernels.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// Order of the elements; complex ones by real, then imaginary part, with NaNs last, as in NumPy.
enum SortKind : int { SORT_INTEGER, SORT_FLOATING, SORT_COMPLEX };

// Rows of elements, C-contiguous, each sorted separately.
struct SortParams {
    const void* input;
    void* output;  // the sorted rows, or null
    // The initial order, as positions in the row, or null for 0, 1, 2, ...; the kernels of longer rows expect
    // their input in that order already.
    const int64_t* order_in;
    int64_t* order_out;  // positions in the row of the sorted elements, or null
    int64_t rows, length;
    // Sign bit and infinity in the floating format of the elements, or of the parts of complex ones.
    uint64_t sign, infinity;
    // Bits to invert: the sign of signed integers, so that they order as unsigned ones; for descending order
    // all other bits of integers instead, or the signs of floating numbers.
    uint64_t flip;
    int32_t kind, itemsize;
    int32_t passes;  // digits of 8 bits

    // Below: for the radix sort of rows too long for one block. On the host, `keys` are two copies of a row.
    void* keys[2];       // each pass reads one of these and writes the other
    void* values[2];     // the positions, likewise; rows of the second lie 8 * length bytes apart
    uint64_t* bins;      // by row, pass and digit: counts, then exclusive sums
    uint64_t* carry;     // by portion and digit: start positions in the next portion
    uint32_t* steps;     // by row and pass: SortStep
    uint32_t* counters;  // by launch: blocks that have started
    uint32_t* zeros;     // whether there is a -0.0
    uint32_t* lookback;  // two regions of `slots` tiles: launches alternate, using one and clearing the other
    int64_t slots;
    // The tiles of each row in this launch: only rows of more than 2^29 elements take several portions.
    int64_t tiles_per_row, portion_tiles, first_tile;
    int32_t pass, portion, launch;
    int32_t blocks_per_row;
    int32_t even;  // require an even number of passes, because the output is the input
};

// Gather of elements within rows, or extraction of halves of the keys of 16-byte complex elements.
struct GatherRowsParams {
    const void* input;
    const int64_t* order;  // positions in the row; not used for halves
    void* output;
    int64_t rows, in_length, out_length;
    int32_t itemsize;
    int32_t high;  // for halves: take the more significant one
    int32_t descending;
};

// Flags of what a pass does with a row, set by radix_plan once all digits are counted.
enum SortStep : uint32_t {
    SORT_ACTIVE = 1,      // the keys have more than one value of the digit
    SORT_FIRST = 2,       // reads the elements themselves
    SORT_LAST = 4,        // writes the results
    SORT_TARGET = 8,      // writes the second buffer, otherwise the first
    SORT_ANY_ORDER = 16,  // the pass need not be stable
};

enum : int {
    SORT_DIGITS = 256,
    // Rows of up to this many elements are ranked by comparing all pairs.
    SORT_SHORT = 256,
    SORT_SHORT_BLOCK = 256,
    // Radix sort tiles: threads, elements per thread, and resident blocks per multiprocessor, for keys of
    // 4 bytes, keys with positions of 4 bytes, and everything wider.
    SORT_KEYS_BLOCK = 512,
    SORT_KEYS_ITEMS = 22,
    SORT_KEYS_BLOCKS = 2,
    // The same for the first pass over keys without positions, which mostly need not be stable.
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
    // Shared memory of radix_count per pass.
    SORT_COUNT_BYTES_u4 = SORT_DIGITS * 32 * 4,
    SORT_COUNT_BYTES_u8 = SORT_DIGITS * 32 * 2,
    // Elements of a row in one launch: their counts fit into the 30 bits of a lookback word.
    SORT_PORTION = 1 << 29,
};

// Capacity and threads of a block that sorts a whole row; zero if the row is too long.
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
