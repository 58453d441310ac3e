// Parameters of the kernels of a gather by windows; filled by gpunp/indexing/windows.pyx.
#pragma once
#include "gpunp/indexing/gather_params.h"

namespace gpunp {

constexpr int WINDOW_BLOCK = 512;       // threads that sort a tile of indices by window
constexpr int WINDOW_EACH = 8;          // indices per thread
constexpr int MOST_WINDOWS = 64;        // windows of the indexed array, at most
constexpr int WINDOW_TAKE_BLOCK = 256;  // threads that gather from one window
constexpr int WINDOW_TILES_A_WARP = 4;  // tiles per warp

struct GatherWindowsParams {
    GatherParams move;  // one index array of one dimension
    int64_t tiles;
    int32_t windows, shift;  // a window has 1 << shift elements
    uint32_t* spread;        // an IndexSpread; tiles are sorted only if it is PLACES_APART
    uint32_t* records;       // by tile and window: the normalized indices
    void* values;            // the elements in that order; may share memory with the records
    uint16_t* slots;         // by position: its place in the sorted tile
    uint16_t* ends;          // by window and tile: where the window's records end in the tile
};

}  // namespace gpunp
