// What the kernels of searchsorted, digitize, isin and interp are told; filled by gpunp/sorting/search.pyx.
#pragma once
#include "gpunp/config.h"
#include "gpunp/status.h"

// Reported by a search that was asked to check the order of what it searches in.

namespace gpunp {

// Threads of a block: many queries share a large tree, few ones go to as many multiprocessors as there are.
constexpr int SEARCH_BLOCK_LARGE = 1024;
constexpr int SEARCH_BLOCK_SMALL = 128;
constexpr int SEARCH_MANY = 1 << 21;
// Fewer sorted elements than this have indices of 32 bits.
constexpr int SEARCH_PLAIN = 1 << 30;
constexpr int SEARCH_EACH = 4;  // queries a thread has under way at once
// Levels of the tree in shared memory, at most: 128 KiB, and 32 KiB for wide keys. On an H100, 2 ** 26
// queries in 2 ** 16 float32 with 11 to 15 levels took 2.37, 2.19, 2.04, 1.88 and 1.71 ms.
constexpr int SEARCH_LEVELS_U4 = 15;
constexpr int SEARCH_LEVELS_U8 = 14;
constexpr int SEARCH_LEVELS_WIDE = 11;
constexpr int INTERP_LEVELS = 12;
// Up to so many points interp keeps them in shared memory as well.
constexpr int INTERP_STAGED = 2048;

enum SearchMode : int {
    SEARCH_INDEX,  // where it belongs: int64
    SEARCH_FOUND,  // whether it is there: bool
    SEARCH_BINS    // as SEARCH_INDEX, in an order of either direction that the kernel checks
};

struct SearchParams {
    const char* a;  // sorted
    int64_t n;
    int64_t a_stride;       // bytes
    const int64_t* sorter;  // the order that sorts a, or null
    const char* v;          // contiguous queries
    int64_t count;
    char* out;
    uint32_t* status;
    int32_t a_dtype, v_dtype;
    int32_t v_item;
    int32_t mode;
    int32_t right;        // side="right"
    int32_t invert;       // SEARCH_FOUND: whether it is absent
    int32_t tree_levels;  // of the search tree in shared memory
    int32_t step_levels;  // below it; 2 ** (tree_levels + step_levels) >= n
};

struct InterpParams {
    const char* x;  // contiguous, of any real dtype
    int64_t count;
    const double* xp;
    const double* fp;  // pairs where complex
    int64_t n;
    double* out;
    double left[2], right[2];
    int32_t x_dtype, x_item;
    int32_t has_left, has_right;  // else the first and the last of fp
    int32_t tree_levels, step_levels;
    int32_t staged;
};

}  // namespace gpunp
