// Parameters of the kernels of distances between two sets of points, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    PAIRS_BLOCK = 256,  // threads, as 16 rows and 16 columns
    PAIRS_SIDE = 16,
    PAIRS_DEPTH = 16,       // coordinates of a tile in shared memory
    PAIRS_HOST_LANES = 16,  // columns that the host computes at a time
};

// What becomes of the sums of a pair.
enum : int {
    FORM_SUM = 0,
    FORM_ROOT = 1,
    FORM_DICE = 2,
    FORM_JACCARD = 3,
    FORM_ROGERS_TANIMOTO = 4,
    FORM_RUSSELL_RAO = 5,
    FORM_SOKAL_SNEATH = 6,
    FORM_YULE = 7,
};

struct PairsParams {
    const double* x;          // m points of n coordinates, contiguous
    const double* y;          // k points; `x` itself if `condensed`
    const double* weights;    // of the coordinates, or null
    const double* x_lengths;  // of the points, for angles
    const double* y_lengths;
    double* out;  // (m, k), or the pairs i < j of m points, by i and then j
    int64_t m, k, n;
    double power;  // Minkowski's p
    double total;  // the sum of the weights
    int32_t form;
    int32_t condensed;
};

// For each point of x the nearest one of y, the first of several.
struct NearestParams {
    const double* x;
    const double* y;
    int32_t* place;
    double* distance;
    int64_t m, k, n;
};

}  // namespace gpunp
