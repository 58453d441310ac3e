// For kernels written for CuPy, whose documentation names this header: gpunp's complex<T>, also as thrust::complex.
#pragma once
#include "gpunp/custom/complex.h"

namespace thrust {
using namespace gpunp::custom;
}
