"""Ufuncs whose special cases in the array API standard differ from NumPy: infinities, signs of zeros.

The gpunp namespace and the operators use them. Only the loops of the dtypes concerned have kernels of their
own; the others use those of NumPy's ufunc.
"""

from . import arithmetic, exponential, hyperbolic
from .row import COMPLEX, FLOATS, Loop, Row

# A quotient with an infinite operand is not floored as in NumPy: inf // 1 is inf, and 1 // -inf is -0.
_FLOOR_DIVIDE = "a - a == 0 && b - b == 0 ? math::floor_divide(a, b) : a / b"
# No zero has a negative sign, and an infinite real part decides regardless of the imaginary part.
_EXPM1 = (
    "a.im == 0 ? T{math::expm1(a.re) + 0, a.im}"
    " : a.re - a.re == 0 || a.re != a.re || a.im - a.im == 0 ? math::expm1(a)"
    " : a.re < 0 ? T{-1, 0} : T{a.re, a.im - a.im}"
)
# At infinity the imaginary part is a zero with the sign of its argument.
_TANH = (
    "a.re - a.re != 0 && a.re == a.re && a.im - a.im == 0"
    " ? T{math::copysign(a.im * 0 + 1, a.re), a.im * 0} : math::tanh(a)"
)


def _row(family, name, chars, expression):
    numpy = next(row for row in family.ROWS if row.name == name)
    loops = tuple(
        Loop(loop.inputs, loop.outputs, expression, standard=True) if loop.inputs[0] in chars else loop
        for loop in numpy.loops
    )
    return Row(name, numpy.family, loops, numpy.identity, "array_api")


STANDARD_ROWS = (
    _row(arithmetic, "floor_divide", FLOATS, _FLOOR_DIVIDE),
    _row(exponential, "expm1", COMPLEX, _EXPM1),
    _row(hyperbolic, "tanh", COMPLEX, _TANH),
)
