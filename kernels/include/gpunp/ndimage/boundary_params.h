// The modes by which an image continues beyond its ends, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// SciPy's codes. GRID_WRAP and GRID_CONSTANT differ from WRAP and CONSTANT only between samples.
enum Boundary : int {
    BOUNDARY_NEAREST,
    BOUNDARY_WRAP,
    BOUNDARY_REFLECT,
    BOUNDARY_MIRROR,
    BOUNDARY_CONSTANT,
    BOUNDARY_GRID_WRAP,
    BOUNDARY_GRID_CONSTANT
};

}  // namespace gpunp
