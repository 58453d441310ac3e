// Parameters of cyclic reduction, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    REDUCTION_BLOCK = 128,  // threads
    REDUCTION_TAIL = 512,   // threads of the one block that takes over when few blocks of the matrix are left
    REDUCTION_WIDTH = 31,   // the most diagonals above and below the main one
};

// A band matrix as a matrix of blocks, of which only those on three diagonals are not zero. A level of the
// reduction keeps every second row of blocks of the level before. For each row of blocks it has `width` rows
// of 3 * width + sides elements: the blocks to the left, in the middle and to the right, and the right sides.
// The levels follow one another in memory.
struct ReductionParams {
    const double* diagonals;  // (2 * width + 1, n), as for scipy.linalg.solve_banded
    const double* b;          // (n, sides)
    const double* known;      // (n, sides): b is for this to be subtracted from its solution; may be null
    double* rows;             // of this level
    double* x;                // the solution, padded to whole blocks: row i of a level has block i << level
    uint32_t* status;
    int64_t n, count, sides;  // rows of the matrix; of blocks on this level; right sides
    int32_t width, level;
    int32_t first;  // the first element of each row that is computed: 0, or 3 * width if only b changed
};

}  // namespace gpunp
