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
