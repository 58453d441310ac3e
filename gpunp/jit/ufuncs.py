"""NumPy's ufuncs of numbers that numba-cuda does not have, by functions that it has."""

import cmath
import math
import operator

import numpy

# From here on all numbers of float64 are integers.
_WHOLE = 2.0**52


def _square(x):
    return x * x


def _reciprocal(x):
    return 1 / x


def _floor(x):
    return math.floor(x) if abs(x) < _WHOLE else x


def _ceil(x):
    return math.ceil(x) if abs(x) < _WHOLE else x


def _trunc(x):
    return math.trunc(x) if abs(x) < _WHOLE else x


def _rint(x):
    return round(x) if abs(x) < _WHOLE else x


def _sign(x):
    return 1 if x > 0 else -1 if x < 0 else x


def _exp2(x):
    return 2.0**x


ALIKE = {
    numpy.absolute: abs,
    numpy.add: operator.add,
    numpy.ceil: _ceil,
    numpy.copysign: math.copysign,
    numpy.exp: math.exp,
    numpy.exp2: _exp2,
    numpy.expm1: math.expm1,
    numpy.fabs: math.fabs,
    numpy.floor: _floor,
    numpy.floor_divide: operator.floordiv,
    numpy.fmod: math.fmod,
    numpy.isfinite: math.isfinite,
    numpy.isinf: math.isinf,
    numpy.log1p: math.log1p,
    numpy.multiply: operator.mul,
    numpy.negative: operator.neg,
    numpy.positive: operator.pos,
    numpy.power: operator.pow,
    numpy.reciprocal: _reciprocal,
    numpy.remainder: operator.mod,
    numpy.rint: _rint,
    numpy.sign: _sign,
    numpy.sqrt: math.sqrt,
    numpy.square: _square,
    numpy.subtract: operator.sub,
    numpy.trunc: _trunc,
}
ALIKE_COMPLEX = {numpy.exp: cmath.exp, numpy.sqrt: cmath.sqrt}
