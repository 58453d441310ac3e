// Parameters of the kernels of boolean selection; filled by gpunp/indexing/masks.pyx.
//
// One pass turns a condition into one bit per element, and the set bits before each tile are counted. All
// selections by the condition read the bits.
#pragma once
#include "gpunp/config.h"
#include "gpunp/status.h"

namespace gpunp {

constexpr int MASK_DIMS = 8;
constexpr int MASK_AXES = 64;  // dimensions of an array whose set positions are listed
constexpr int MASK_BLOCK = 256;
constexpr int MASK_WARPS = MASK_BLOCK / 32;
constexpr int MASK_WARP_WORDS = 64;                           // 32-bit words per warp
constexpr int MASK_TILE = MASK_WARPS * MASK_WARP_WORDS * 32;  // elements
constexpr int MASK_OFFSETS_BLOCK = 1024;
constexpr int FILL_BLOCK = 256;
constexpr int FILL_UNROLL = 2;  // vectors of 16 bytes per thread

struct BitsParams {
    const char* condition;
    int64_t size;
    int32_t ndim;
    int32_t contiguous;  // elements are contiguous, and the first is aligned to 16 bytes
    int64_t shape[MASK_DIMS];
    int64_t strides[MASK_DIMS];
    uint32_t* words;
    uint32_t* counts;  // set bits of each tile
    int64_t* offsets;  // set bits before each tile
    int64_t* total;
    int64_t tiles;
};

// Which value is written where a bit is set: that of the bit's rank, of which there must be as many as set
// bits; the same, repeated cyclically; or that of the element's position, repeated cyclically.
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
    int64_t axis_stride, item_stride;  // elements from one axis, and from one position, to the next
    int32_t ndim;
    int64_t shape[MASK_AXES];
};

// One value for the elements where a mask is true. The target is aligned to 16 bytes, and the mask to as many
// bytes as a vector of the target has elements.
struct MaskFillParams {
    const char* mask;
    char* target;
    const char* source;  // address of the value, or null if it is in `value`
    int64_t size;
    alignas(16) unsigned char value[16];  // repeated to fill it
};

}  // namespace gpunp
