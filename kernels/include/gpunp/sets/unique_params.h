// Parameters of the kernels of unique and the set functions; filled in gpunp/sets/engine.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int UNIQUE_BLOCK = 256;
constexpr int BITMAP_BLOCK = 1024;
// Up to this many distinct values are counted in shared memory.
constexpr int SHARED_COUNTS = 4096;

// A set of integers: bit i represents the integer with key low + i. A key is the integer's bits xor `flip`,
// which orders negative numbers first.
struct BitmapParams {
    const void* x;  // contiguous
    int64_t n;
    uint64_t flip;
    uint64_t low;
    uint64_t range;  // bits
    uint32_t* bits;
    const int32_t* ranks;  // by word: number of bits set in it and all preceding words
    uint64_t* bounds;      // least and greatest key
    char* values;          // the members in ascending order
    int64_t* inverse;      // by element: rank of its value; this and the next two may be null
    int64_t* counts;
    int64_t* first;
    char* found;  // bool, by element: whether it is a member
    int64_t distinct;
    int32_t item;
    int32_t invert;
    int32_t in_shared;  // each block has its own bitmap or counts in shared memory
};

// Rows of equal length, in some order.
struct RowsParams {
    const char* data;
    int64_t n;
    int64_t columns;
    int64_t stride;        // bytes from row to row
    const int64_t* order;  // row numbers, or null for the order in memory
    int64_t* merged;       // for merging: the next order, with runs twice as long
    int64_t run;           // for merging: rows per sorted run
    char* starts;          // for marking: whether a row differs from the previous one
    int32_t dtype, item;
    int32_t equal_nan;

    // Words hold some bits of every row's keys, each key relative to the least one of its column.
    uint64_t* bounds;      // the least keys of the columns, then the greatest
    void* words;           // by row: words of 4 or 8 bytes
    const int32_t* ranks;  // by position: high bits of the word, plus one; or null
    char* word_starts;     // for marking: whether a row's word differs from the previous one; or null
    uint32_t* unsettled;   // initially zero; set if rows with equal words differ
    int64_t column;        // first column to take bits of; `used` of its bits were taken before
    int32_t used, bits;    // number of bits to take
    int32_t word_bytes;
};

// Outputs derived from the positions where runs of equal elements start.
struct RunsParams {
    const char* starts;
    const int32_t* ranks;  // by position: starts up to and including it; one of the two is null
    const int64_t* wide_ranks;
    const int64_t* order;  // element numbers, or null for 0, 1, 2, ...
    int64_t n;
    const char* data;  // elements, by element number
    char* values;      // each of these may be null
    int64_t* places;   // positions of the starts, then n
    int64_t* index;    // element number of each start
    int64_t* inverse;  // by element number: its run
    int32_t item;
};

}  // namespace gpunp
