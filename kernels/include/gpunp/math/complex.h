// Scalar functions of complex numbers, under the names of NumPy's ufuncs. Branch cuts, signed zeros and
// special values follow C99 Annex G where it defines them, and NumPy elsewhere.
#pragma once
#include "gpunp/math/complex_arithmetic.h"
#include "gpunp/math/complex_comparison.h"
#include "gpunp/math/complex_exponential.h"
#include "gpunp/math/complex_inverse.h"
#include "gpunp/math/complex_support.h"
#include "gpunp/math/complex_trigonometric.h"
