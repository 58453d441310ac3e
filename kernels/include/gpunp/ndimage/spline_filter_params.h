// Parameters of the filter that gives spline coefficients, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum {
    SPLINE_CHUNK = 16,     // elements that a thread filters at once
    SPLINE_BLOCK = 128,    // threads
    SPLINE_THREADS = 512,  // per multiprocessor, whose reads hide the latency of memory
    SPLINE_SHORTEST = 64,  // segment: below, most reads are those of its neighbours' elements
};

// One pass along an axis of a C-contiguous array, from one array to another.
struct SplineFilterParams {
    const void* source;
    void* out;
    int64_t length;   // of a line
    int64_t inner;    // the distance of elements in a line
    int64_t lines;    // of the whole array
    int64_t segment;  // elements of a line that a thread filters, whole chunks
    int64_t segments;
    double poles[2];
    double gain;
    int boundary;
};

}  // namespace gpunp
