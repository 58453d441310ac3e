// What the kernels of boolean selection are told; filled by gpunp/indexing/masks.pyx.
//
// A condition becomes one bit an element in one pass, with the number of set bits before each tile.
// Everything that selects by it reads the bits.
#pragma once
#include "gpunp/config.h"
#include "gpunp/status.h"

// Beside the bits in config.h: as many values as set bits are wanted, and a number out of an array's size.

namespace gpunp {

constexpr int MASK_DIMS = 8;
constexpr int MASK_AXES = 64;  // of an array whose set positions are listed
constexpr int MASK_BLOCK = 256;
constexpr int MASK_WARPS = MASK_BLOCK / 32;
constexpr int MASK_WARP_WORDS = 64;                           // words of 32 bits
constexpr int MASK_TILE = MASK_WARPS * MASK_WARP_WORDS * 32;  // elements
constexpr int MASK_OFFSETS_BLOCK = 1024;
constexpr int FILL_BLOCK = 256;
constexpr int FILL_UNROLL = 2;  // vectors of 16 bytes that a thread goes through

struct BitsParams {
    const char* condition;
    int64_t size;
    int32_t ndim;
    int32_t contiguous;  // elements lie side by side, the first on 16 bytes
    int64_t shape[MASK_DIMS];
    int64_t strides[MASK_DIMS];
    uint32_t* words;
    uint32_t* counts;  // set bits of each tile
    int64_t* offsets;  // set bits before each tile
    int64_t* total;
    int64_t tiles;
};

// What is written where the bits are set: values in turn, in turn and round again, or by position.
enum ExpandMode : int { EXPAND_EXACT, EXPAND_ROUND, EXPAND_POSITION };

struct SelectParams {
    const uint32_t* words;
    const int64_t* offsets;
    const int64_t* total;
    int64_t size;
    int64_t tiles;
    char* array;  // selected from, or written to
    int32_t ndim;
    int32_t mode;
    int64_t shape[MASK_DIMS];
    int64_t strides[MASK_DIMS];
    char* packed;  // the selected elements, or the values to write
    int64_t packed_stride;
    int64_t packed_size;
    uint32_t* status;
};

struct PositionsParams {
    const uint32_t* words;
    const int64_t* offsets;
    int64_t size;
    int64_t tiles;
    int64_t* positions;
    int64_t axis_stride, item_stride;  // elements from one axis, from one position to the next
    int32_t ndim;
    int64_t shape[MASK_AXES];
};

// One value for the elements where a mask is true; the target starts on 16 bytes, the mask on as many as
// a vector of the target has elements.
struct MaskFillParams {
    const char* mask;
    char* target;
    const char* source;  // of the value, or null where it is in `value`
    int64_t size;
    alignas(16) unsigned char value[16];  // repeated to fill it
};

}  // namespace gpunp
