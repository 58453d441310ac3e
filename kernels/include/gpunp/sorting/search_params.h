// Parameters of the searchsorted, digitize, isin and interp kernels; filled in gpunp/sorting/search.pyx.
#pragma once
#include "gpunp/config.h"
#include "gpunp/status.h"

namespace gpunp {

// Threads per block: large blocks amortize a large tree over SEARCH_MANY queries or more; small blocks
// spread fewer queries over all multiprocessors.
constexpr int SEARCH_BLOCK_LARGE = 1024;
constexpr int SEARCH_BLOCK_SMALL = 128;
constexpr int SEARCH_MANY = 1 << 21;
// The plain kernels, with 32-bit indices, serve fewer sorted elements than this.
constexpr int SEARCH_PLAIN = 1 << 30;
constexpr int SEARCH_EACH = 4;  // queries per thread in flight
// Maximum levels of the tree in shared memory: 128 KiB, and 32 KiB for wide keys. On an H100, 2 ** 26
// queries in 2 ** 16 float32 with 11 to 15 levels took 2.37, 2.19, 2.04, 1.88 and 1.71 ms.
constexpr int SEARCH_LEVELS_U4 = 15;
constexpr int SEARCH_LEVELS_U8 = 14;
constexpr int SEARCH_LEVELS_WIDE = 11;
constexpr int INTERP_LEVELS = 12;
// interp also keeps the points in shared memory if there are at most this many.
constexpr int INTERP_STAGED = 2048;

enum SearchMode : int {
    SEARCH_INDEX,  // insertion point: int64
    SEARCH_FOUND,  // whether the query is among the elements: bool
    SEARCH_BINS    // as SEARCH_INDEX; ascending or descending elements, whose order the kernel checks
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
    int32_t invert;       // SEARCH_FOUND: return whether the query is absent
    int32_t tree_levels;  // of the search tree in shared memory
    int32_t step_levels;  // below the tree; 2 ** (tree_levels + step_levels) >= n
};

struct InterpParams {
    const char* x;  // contiguous, of any real dtype
    int64_t count;
    const double* xp;
    const double* fp;  // (real, imaginary) pairs if complex
    int64_t n;
    double* out;
    double left[2], right[2];
    int32_t x_dtype, x_item;
    int32_t has_left, has_right;  // otherwise the first and the last of fp
    int32_t tree_levels, step_levels;
    int32_t staged;
};

}  // namespace gpunp
