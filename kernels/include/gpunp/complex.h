// complex<T> for raw kernels: #include <gpunp/complex.h>.
#pragma once
#include "gpunp/custom/complex.h"
