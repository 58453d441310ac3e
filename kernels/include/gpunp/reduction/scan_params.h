// Parameters of scan kernels; filled by gpunp/reduction/scan.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int SCAN_DIMS = 8;  // outer dimensions of one launch, after coalescing

// A block has 16 warps, and every lane holds 8 vectors of 16 bytes.
constexpr int SCAN_BLOCK = 512;
constexpr int SCAN_WARPS = SCAN_BLOCK / 32;
constexpr int SCAN_ROUNDS = 8;
// Tiles whose aggregates one look-back sums; a longer group makes a shorter serial chain.
constexpr int SCAN_GROUP_ROWS = 64;
constexpr int SCAN_GROUP_COLUMNS = 16;

// How the elements of one operand move between memory and registers.
enum ScanAccess : int {
    SCAN_VECTOR,   // the accumulator's type, unit stride, vectors are aligned
    SCAN_ELEMENT,  // the accumulator's type, any stride
    SCAN_CONVERT   // any type, any stride
};

struct ScanParams {
    const char* input;
    char* output;
    int64_t length;                 // elements along the axis
    int64_t rows;                   // lanes scanned independently; in the columns variant: batches of columns
    int64_t columns;                // columns variant: elements adjacent in memory
    int64_t in_stride, out_stride;  // bytes from one element to the next along the axis
    int64_t in_item, out_item;      // columns variant: bytes from one column to the next
    int64_t tiles;                  // tiles along the axis
    uint32_t* counter;              // next tile to start: zero at the launch
    uint32_t* flags;                // columns variant: set once an aggregate is published; zero at launch
    uint32_t* group_flags;          // columns variant: the same for a group's prefix
    char* aggregates;               // rows variant: words that hold their own marks, zero at the launch
    char* groups;
    int64_t shape[SCAN_DIMS];  // of the outer dimensions
    int64_t in_strides[SCAN_DIMS];
    int64_t out_strides[SCAN_DIMS];
    int32_t ndim;
    int32_t in_dtype, out_dtype;
    int32_t in_access, out_access;
    int32_t op;             // which of the functor's operations
    int32_t skip_nan;       // NaN counts as the identity
    int32_t warps_per_row;  // rows variant: 1, 2, 4, 8 or 16
    int32_t ahead;          // rows variant: how many tiles ahead a tile prefetches before it waits
};

}  // namespace gpunp
