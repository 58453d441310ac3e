// Parameters of the kernels that evaluate piecewise polynomials, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    PIECES_BLOCK = 256,     // threads
    PIECES_SAMPLES = 1024,  // breakpoints in shared memory
    PIECES_PARTS = 1024,    // parts of equal width, in which searches among these begin
    PIECES_STAGED = 4096,   // most coefficients in shared memory
    PIECES_LOOPS = 8,       // elements of a thread from which on the table of parts pays
    PIECES_DEGREE = 31,     // highest degree of B-splines
};

// What points outside of the breakpoints get.
enum PiecesOutside : int {
    OUTSIDE_NAN,
    OUTSIDE_EXTRAPOLATED,  // the outermost polynomial
    OUTSIDE_PERIODIC,
};

// Values of the pieces at points: the result is count x inner.
struct PiecesParams {
    const double* breaks;  // pieces + 1, ascending or descending
    const double* points;
    const double* c;  // terms x pieces x inner; of B-splines (pieces + degree) x inner
    double* out;
    int64_t* places;  // of the first basis function at each point, for bases only
    int64_t pieces, count, inner;
    int64_t stride;  // of the breakpoints in shared memory
    int terms;       // coefficients of a piece: degree + 1
    int derivative;
    int outside;
    int parted;  // whether searches begin in a part
    int staged;  // how many coefficients are copied to shared memory
    int pairs;   // whether odd elements along `inner` are imaginary parts, which are zero outside
};

}  // namespace gpunp
