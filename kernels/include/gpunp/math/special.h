// Scalar functions of scipy.special, under the names of its ufuncs.
#pragma once
#include "gpunp/math/special_bessel.h"
#include "gpunp/math/special_elementary.h"
#include "gpunp/math/special_entropy.h"
#include "gpunp/math/special_error.h"
#include "gpunp/math/special_error_complex.h"
#include "gpunp/math/special_exponential.h"
#include "gpunp/math/special_gamma.h"
#include "gpunp/math/special_gamma_complex.h"
#include "gpunp/math/special_incomplete.h"
#include "gpunp/math/special_zeta.h"
