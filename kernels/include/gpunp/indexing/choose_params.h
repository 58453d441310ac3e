// Parameters of the kernels of choose, unravel_index and ravel_multi_index; see gpunp/indexing/masks.pyx.
#pragma once
#include "gpunp/config.h"
#include "gpunp/status.h"

namespace gpunp {

constexpr int CHOOSE_DIMS = 8;
constexpr int CHOOSE_CHOICES = 32;  // per launch, which writes the elements of its choices
constexpr int RAVEL_AXES = 64;

struct ChooseParams {
    int64_t size;
    int32_t ndim;
    int32_t mode;
    int64_t choices;  // of all launches
    int32_t first;    // of this launch
    int32_t count;
    const char* index;
    int32_t index_bytes;
    char* out;  // contiguous
    uint32_t* status;
    int64_t shape[CHOOSE_DIMS];
    int64_t index_strides[CHOOSE_DIMS];
    const char* data[CHOOSE_CHOICES];
    int64_t strides[CHOOSE_CHOICES][CHOOSE_DIMS];
};

struct RavelParams {
    int64_t size;
    int64_t total;  // elements of the array
    int64_t* flat;
    int64_t* coordinates;  // `size` for each axis
    uint32_t* status;
    int32_t ndim;
    int32_t f_order;
    int64_t shape[RAVEL_AXES];
    int32_t mode[RAVEL_AXES];
};

}  // namespace gpunp
