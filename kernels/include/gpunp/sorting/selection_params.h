// Parameters of the selection kernels; filled in gpunp/sorting/selection.pyx.
#pragma once
#include "gpunp/config.h"
#include "gpunp/status.h"

namespace gpunp {

// How the bits of an element are interpreted.
enum SelectionKind : int { SELECT_UNSIGNED, SELECT_SIGNED, SELECT_FLOAT };

constexpr int SELECTION_RANKS = 16;  // ranks that one launch selects in each row

// A 12-bit digit holds the sign, the exponent and three bits of the fraction of a float32, so few elements
// remain after the first pass. 32-bit keys take three passes.
constexpr int SELECTION_DIGIT = 12;
constexpr int SELECTION_BINS = 1 << SELECTION_DIGIT;
constexpr int SELECTION_BLOCK = 512;
constexpr int SELECTION_ITEMS = 16;  // loads per thread in flight
// Resident blocks per multiprocessor, limited by registers, for counting and for splitting.
constexpr int SELECTION_COUNTING_BLOCKS = 3;
constexpr int SELECTION_SPLITTING_BLOCKS = 2;
constexpr int SELECTION_TILE = SELECTION_BLOCK * SELECTION_ITEMS;
#ifndef GPUNP_SELECTION_SHARE
#define GPUNP_SELECTION_SHARE 4
#endif
// Minimum tiles per counting block, which amortize the atomics that add its bins to the global ones.
constexpr int SELECTION_SHARE = GPUNP_SELECTION_SHARE;

// In a long row, windows of keys estimated from a sample hold the ranks, with rare exceptions. One pass then
// counts the smaller elements and keeps those within. Windows that hold much of the sample are not used.
#ifndef GPUNP_SELECTION_WINDOW_LENGTH
#define GPUNP_SELECTION_WINDOW_LENGTH (1 << 20)
#endif
#ifndef GPUNP_SELECTION_WINDOW_BLOCKS
#define GPUNP_SELECTION_WINDOW_BLOCKS 2
#endif
#ifndef GPUNP_SELECTION_WITHIN_BLOCKS
#define GPUNP_SELECTION_WITHIN_BLOCKS 2
#endif
#ifndef GPUNP_SELECTION_DEVIATIONS
#define GPUNP_SELECTION_DEVIATIONS 3.5
#endif
#ifndef GPUNP_SELECTION_SAMPLE
#define GPUNP_SELECTION_SAMPLE 16384
#endif
constexpr int64_t SELECTION_WINDOW_LENGTH = GPUNP_SELECTION_WINDOW_LENGTH;
// Resident blocks per multiprocessor of selection_within and of selection_apart.
constexpr int SELECTION_WITHIN_BLOCKS = GPUNP_SELECTION_WITHIN_BLOCKS;
constexpr int SELECTION_WINDOW_BLOCKS = GPUNP_SELECTION_WINDOW_BLOCKS;
constexpr double SELECTION_DEVIATIONS = GPUNP_SELECTION_DEVIATIONS;  // standard deviations to either side
constexpr int SELECTION_SAMPLE = GPUNP_SELECTION_SAMPLE;  // elements of 4 bytes; half as many of 8 bytes
constexpr int SELECTION_SAMPLE_BLOCK = 1024;
// Elements of 4 bytes per thread; half as many of 8 bytes. A warp's stage has room for twice its elements.
constexpr int SELECTION_WINDOW_ITEMS = 16;
constexpr int SELECTION_WINDOW_TILE = 4096;  // the least of all widths

// Rows up to this length are processed by one thread each, which compares all pairs.
constexpr int SELECTION_SHORT = 32;
constexpr int SELECTION_SHORT_ROWS = 128;

// Search state of one rank.
struct SelectionRank {
    int64_t rest;     // the rank within its segment
    int64_t less;     // elements of the row that are known to be smaller
    int32_t segment;  // elements with the digits known so far; ranks may share it
    int32_t digit;    // the digit found last
};

// Contiguous elements of one row whose keys are within a range, in one of three places. Digits are taken from
// key - base, so a narrow range, such as that of a window, takes few digits.
struct SelectionSegment {
    int64_t offset, count;
    uint64_t base;  // the least key
    int32_t bits;   // of the greatest possible key - base
    int32_t place;  // 0: the row itself; 1 and 2: the scratch copies
    int32_t kept;   // equals the whole parent segment: nothing was moved
};

// Key ranges (windows) expected to hold the ranks of a row, disjoint and ascending. Initially zero.
struct SelectionWindows {
    uint64_t low[SELECTION_RANKS], high[SELECTION_RANKS];              // by rank until merged, then by window
    int32_t sample_from[SELECTION_RANKS], sample_to[SELECTION_RANKS];  // of the sorted sample
    uint64_t less[SELECTION_RANKS], within[SELECTION_RANKS];           // elements counted, by window
    int64_t offset[SELECTION_RANKS], room[SELECTION_RANKS];            // in the first scratch copy
    int32_t window[SELECTION_RANKS];                                   // of each rank
    int32_t count;                                                     // of windows; 0: windows are not used
    uint32_t sampled, finished;  // blocks that have finished either step
    uint64_t ticket;
};

struct SelectionParams {
    const char* data;      // rows, C-contiguous
    char* out;             // select: by rank, then by row; partition: the rows
    int64_t* indices;      // argpartition: positions instead of elements, or null
    int64_t rows, length;  // rows of this launch
    int64_t rank[SELECTION_RANKS];
    const int64_t* ranks;  // in place of rank[], at j * rank_stride + row * row_stride
    int64_t rank_stride, row_stride;
    int64_t out_stride;  // elements from one rank's results to the next
    uint32_t* status;
    int32_t num_ranks;
    int32_t kind;      // SelectionKind
    int32_t nan_wins;  // a row with NaN gives NaN for every rank
    int32_t partition;

    // Below: for rows shared by several blocks.
    int32_t level, last;
    int32_t slots;   // segments in a row at this level
    int32_t blocks;  // per segment
    int64_t tiles;   // of a whole row
    char* scratch[2];
    int64_t* scratch_indices[2];
    uint64_t* bins;              // by level, row and slot; initially zero, as all arrays below
    uint64_t* cursors;           // by level, row and slot: elements written to the next segment so far
    uint32_t* finished;          // by level, row and slot: blocks that have counted
    uint32_t* nan_flags;         // by row
    uint64_t* tickets;           // by level and row: the next tile to split
    uint64_t* lookback;          // by level, row, side and tile: lookback words of a partition
    SelectionRank* found;        // by level, row and rank
    SelectionSegment* segments;  // by level, row and slot
    SelectionWindows* windows;   // by row, or null: the first level starts from the whole row
    uint64_t* window_lookback;   // by row: see ApartWords
    int64_t window_tiles;        // number of tiles that window_lookback has room for
};

}  // namespace gpunp
