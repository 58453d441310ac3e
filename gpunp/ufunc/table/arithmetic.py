"""Arithmetic ufuncs, division in all its kinds, integer powers and divisors."""

from .row import BOOL, COMPLEX, FLOATS, INTEGERS, SIGNED, UNSIGNED, Loop, Row, same

REAL = INTEGERS + FLOATS
NUMBERS = REAL + COMPLEX


def _signs(expression, chars):
    # Halves are processed as bits: a NaN keeps its payload, and nothing is rounded.
    chars = chars.replace("e", "")
    return same(chars, expression, nin=1) + same("e", expression, nin=1, stored_half=True)


def _unchanged(chars):
    return _signs("a", chars)


_ABSOLUTE_OF_COMPLEX = (Loop("F", "f", "math::absolute(a)"), Loop("D", "d", "math::absolute(a)"))
_DIVMOD = "auto r = math::divmod(a, b); x = r.first; y = r.second;"

ROWS = (
    Row("add", "arithmetic", same(BOOL + NUMBERS, "math::add(a, b)"), identity=0),
    Row("subtract", "arithmetic", same(NUMBERS, "math::subtract(a, b)")),
    Row("multiply", "arithmetic", same(BOOL + NUMBERS, "math::multiply(a, b)"), identity=1),
    Row("divide", "arithmetic", same(FLOATS + COMPLEX, "math::divide(a, b)")),
    Row("floor_divide", "arithmetic", same(REAL, "math::floor_divide(a, b)")),
    Row("remainder", "arithmetic", same(REAL, "math::remainder(a, b)")),
    Row("fmod", "arithmetic", same(REAL, "math::fmod(a, b)")),
    Row("divmod", "arithmetic", same(REAL, _DIVMOD, nout=2)),
    Row(
        "power",
        "arithmetic",
        same(SIGNED, "math::power(a, b, status)") + same(UNSIGNED + FLOATS + COMPLEX, "math::power(a, b)"),
    ),
    Row("float_power", "arithmetic", same("dD", "math::float_power(a, b)")),
    Row("negative", "arithmetic", _signs("math::negative(a)", NUMBERS)),
    Row("positive", "arithmetic", _unchanged(NUMBERS)),
    Row("conjugate", "arithmetic", _unchanged(REAL) + same(COMPLEX, "math::conjugate(a)", nin=1)),
    Row(
        "absolute",
        "arithmetic",
        _signs("math::absolute(a)", BOOL + REAL) + _ABSOLUTE_OF_COMPLEX,
    ),
    Row("fabs", "arithmetic", _signs("math::fabs(a)", FLOATS)),
    Row("sign", "arithmetic", same(NUMBERS, "math::sign(a)", nin=1)),
    Row("reciprocal", "arithmetic", same(NUMBERS, "math::reciprocal(a)", nin=1)),
    Row("square", "arithmetic", same(NUMBERS, "math::square(a)", nin=1)),
    Row("gcd", "arithmetic", same(INTEGERS, "math::gcd(a, b)"), identity=0),
    Row("lcm", "arithmetic", same(INTEGERS, "math::lcm(a, b)")),
    Row("heaviside", "arithmetic", same(FLOATS, "math::heaviside(a, b)")),
)
