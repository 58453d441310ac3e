// Parameters of the kernels of trees of points, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    TREE_BLOCK = 128,     // threads, each with a query
    TREE_LEAF = 8,        // points
    TREE_CODE_BITS = 63,  // of the codes that points are sorted by
    TREE_DEPTH = 32,      // boxes that a query can put off: the levels of the largest tree, and one
};
enum : int {
    NORM_SUM = 1,
    NORM_SQUARES = 2,
    NORM_GREATEST = 3,
    NORM_POWERS = 4,
};

// Points in the order of their leaves, and a complete binary tree of boxes over them: box 1 has all
// points, box i those of boxes 2 i and 2 i + 1, and boxes `leaves` and on have TREE_LEAF points each. Leaves
// without points have boxes from infinity to minus infinity.
struct Tree {
    const double* points;  // (n, dimensions), sorted
    const int64_t* order;  // the place in the data of each
    const double* boxes;   // (2 leaves, 2, dimensions): the lower and the upper corners
    const double* period;  // of each coordinate, 0 for none; null if there is none at all
    int64_t n, leaves;
    int32_t dimensions;
    int32_t norm;
    double power;  // of NORM_POWERS
};

struct CurveParams {
    const double* points;  // (n, dimensions)
    const double* low;     // of each coordinate
    const double* scale;   // one number: cells per unit
    int64_t* code;
    int64_t n;
    int32_t dimensions, bits;  // of each of the first coordinates
};

// Keys that sort the points of every node of a level by the coordinate in which the node is widest. The nodes
// have `size` points each, in their order, and keys of `bits` bits for the place within a node. A sort of
// narrow keys takes half of the time.
struct SplitsParams {
    const double* points;  // (n, dimensions)
    const double* low;     // of each node: (nodes, dimensions)
    const double* high;
    char* key;  // int32 if `narrow`, else int64
    int64_t n, size;
    int32_t dimensions, bits, narrow;
};

// Boxes first to first + count - 1, which are all leaves or all not.
struct BoxesParams {
    const double* points;
    double* boxes;
    int64_t n, leaves, first, count;
    int32_t dimensions;
};

// Lengths are in powers here: squares if the norm is that of squares.
struct NeighborsParams {
    Tree tree;
    const double* x;       // (m, dimensions)
    const int64_t* order;  // in which they are taken
    double* distance;      // (m, k), ascending
    int64_t* place;        // n where there is no neighbor
    int64_t m, k;
    double bound;   // neighbors are nearer
    double factor;  // of the distances of boxes, for approximate answers
};

// Neighbors within a radius, in two passes: without `place` they are counted.
struct BallsParams {
    Tree tree;
    const double* x;
    const int64_t* order;
    const double* radius;  // of each query, in powers
    const int64_t* own;    // the place in the data of each query, of which later places count; or null
    int64_t* count;        // of each query
    const int64_t* begin;  // where the neighbors of a query go
    int64_t* place;
    double* distance;  // or null
    int64_t m;
};

// Weights within radii: of each radius and each query.
struct WeightsParams {
    Tree tree;
    const double* x;
    const int64_t* order;
    const double* radius;   // of `radii` radii, in powers
    const double* weights;  // of the sorted points
    const double* sums;     // of the boxes
    double* out;            // (radii, m)
    int64_t m, radii;
};

}  // namespace gpunp
