// What the kernels of a gather by windows are told; filled by gpunp/indexing/windows.pyx.
#pragma once
#include "gpunp/indexing/gather_params.h"

namespace gpunp {

constexpr int WINDOW_BLOCK = 512;       // threads that sort a tile of indices by window
constexpr int WINDOW_EACH = 8;          // indices of each
constexpr int MOST_WINDOWS = 64;        // of the indexed array
constexpr int WINDOW_TAKE_BLOCK = 256;  // threads that gather from one window
constexpr int WINDOW_TILES_A_WARP = 4;  // of each warp

struct GatherWindowsParams {
    GatherParams move;  // one index array of one dimension
    int64_t tiles;
    int32_t windows, shift;  // a window has 1 << shift elements
    uint32_t* spread;        // unless places are apart, nothing is sorted
    uint32_t* records;       // by tile and window: where the elements are
    void* values;            // the elements in that order; may be where the records are
    uint16_t* slots;         // by position: its place in the tile
    uint16_t* ends;          // by window and tile: where the window's records end in the tile
};

}  // namespace gpunp
