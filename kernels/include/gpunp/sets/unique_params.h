// What the kernels behind unique and the set functions are told; filled by gpunp/sets/engine.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int UNIQUE_BLOCK = 256;
constexpr int BITMAP_BLOCK = 1024;
// Up to so many different values are counted in shared memory.
constexpr int SHARED_COUNTS = 4096;

// A set of integers: bit i stands for the integer whose key is low + i. A key is the integer's bits with
// `flip` applied, which puts negative numbers first.
struct BitmapParams {
    const void* x;  // contiguous
    int64_t n;
    uint64_t flip;
    uint64_t low;
    uint64_t range;  // bits
    uint32_t* bits;
    const int32_t* ranks;  // for every word, the bits set in it and before it
    uint64_t* bounds;      // of the keys: least, greatest
    char* values;          // the members in order
    int64_t* inverse;      // for every element, the rank of its value; this and the next two may be null
    int64_t* counts;
    int64_t* first;
    char* found;  // bool: for every element, whether it is a member
    int64_t distinct;
    int32_t item;
    int32_t invert;
    int32_t in_shared;  // the block has a bitmap, or counts, of its own
};

// Rows of equal length, in an order.
struct RowsParams {
    const char* data;
    int64_t n;
    int64_t columns;
    int64_t stride;        // bytes from row to row
    const int64_t* order;  // row numbers, or null for the order they lie in
    int64_t* merged;       // merging: the next order, of runs twice as long
    int64_t run;           // merging: rows in a sorted run
    char* starts;          // marking: whether a row differs from the one before it
    int32_t dtype, item;
    int32_t equal_nan;

    // Words: some bits of every row's keys, of each of which only the distance from the column's least is
    // kept.
    uint64_t* bounds;      // the least keys of the columns, then the greatest
    void* words;           // by row, of 4 or 8 bytes
    const int32_t* ranks;  // by place: what comes before those bits, plus one; or null
    char* word_starts;     // marking: whether a row's word differs from the one before it; or null
    uint32_t* unsettled;   // zero; set where rows of equal words differ
    int64_t column;        // the first whose bits are taken, less `used` of them
    int32_t used, bits;    // how many bits are taken
    int32_t word_bytes;
};

// What follows from the places where runs of equal elements start.
struct RunsParams {
    const char* starts;
    const int32_t* ranks;  // starts up to and including each place; one of the two is null
    const int64_t* wide_ranks;
    const int64_t* order;  // element numbers, or null for 0, 1, 2, ...
    int64_t n;
    const char* data;  // elements by number
    char* values;      // each of these may be null
    int64_t* places;   // of the starts, and then n
    int64_t* index;    // element number of each start
    int64_t* inverse;  // for every element number, its run
    int32_t item;
};

}  // namespace gpunp
