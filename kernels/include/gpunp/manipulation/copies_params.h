// Parameters of the kernels that write multiple copies of contiguous arrays; filled in manipulation/plan.h.
#pragma once
#include "gpunp/manipulation/axis_maps_params.h"

namespace gpunp {

constexpr int COPIES_BLOCK = 256;
constexpr int COPIES_UNROLL = 2;

struct CopiesAxis {
    int64_t extent;  // of the source
    int64_t stride;  // of the result, in elements
    int64_t apart;   // elements of the result from one copy along this axis to the next
    uint32_t times;
    uint32_t magic, shift;  // to divide an index below 2^31 by `extent`
    uint32_t unused;
};

struct CopiesParams {
    const char* source;
    char* out;
    int64_t size;   // elements of the source, below 2^31
    int64_t limit;  // elements of the result; with one axis, the last copy may be truncated
    uint32_t copies;
    int32_t ndim;
    CopiesAxis axes[MAX_MAPPED_AXES];
};

// Repeats every element of a contiguous array `times` times.
struct RepeatEvenlyParams {
    const char* source;
    char* out;
    int64_t size;  // elements of the result, below 2^31
    uint32_t times, magic, shift;
    uint32_t unused;
};

}  // namespace gpunp
