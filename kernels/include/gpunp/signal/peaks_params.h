// Parameters of the kernels that measure peaks, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int { PEAKS_BLOCK = 128 };  // threads, which search the surroundings of one peak

struct PeaksParams {
    const double* x;
    const int64_t* peaks;
    double* prominences;   // in for widths
    int64_t* left_bases;   // in for widths
    int64_t* right_bases;  // in for widths
    double* widths;
    double* heights;
    double* left;  // interpolated places where the signal crosses the height
    double* right;
    int32_t* invalid;  // set if a peak or its bases are not where they must be
    int64_t size, count;
    int64_t reach;  // samples on each side of a peak that count
    double relative;
};

enum : int { PEAK_UNDECIDED, PEAK_KEPT, PEAK_REMOVED };

// One round of the selection of peaks that are at least `distance` apart, the highest first.
struct DistanceParams {
    const int64_t* peaks;  // ascending
    const int64_t* ranks;  // of their heights
    int8_t* states;
    int32_t* undecided;  // set if the round leaves a peak undecided
    int64_t count, distance;
};

}  // namespace gpunp
