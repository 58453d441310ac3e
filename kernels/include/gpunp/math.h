// Every scalar function, under the name of its NumPy or SciPy ufunc, in gpunp::math.
#pragma once

// Real functions first: the complex and special ones are built from them.
#include "gpunp/math/comparison.h"
#include "gpunp/math/complex.h"
#include "gpunp/math/elementary.h"
#include "gpunp/math/floating.h"
#include "gpunp/math/integer.h"
#include "gpunp/math/real.h"
