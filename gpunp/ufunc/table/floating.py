"""The parts and neighbors of floating-point numbers, and tests for special values."""

from .row import BOOL, COMPLEX, FLOATS, INTEGERS, Loop, Row, predicate, same


def _classification(name):
    return Row(name, "floating", predicate(BOOL + INTEGERS + FLOATS + COMPLEX, f"math::{name}(a)", nin=1))


def _representation(loops, expression, nin=1):
    # Halves are passed as stored: signs of NaNs and neighbors are properties of the bits.
    return loops("fd", expression, nin=nin) + loops("e", expression, nin=nin, stored_half=True)


_MODF = "auto r = math::modf(a); x = r.first; y = r.second;"
_FREXP = "auto r = math::frexp(a); x = r.first; y = r.second;"

ROWS = (
    *map(_classification, ("isnan", "isinf", "isfinite")),
    Row("signbit", "floating", _representation(predicate, "math::signbit(a)")),
    Row("copysign", "floating", _representation(same, "math::copysign(a, b)", nin=2)),
    Row("nextafter", "floating", _representation(same, "math::nextafter(a, b)", nin=2)),
    Row("spacing", "floating", _representation(same, "math::spacing(a)")),
    Row("modf", "floating", same(FLOATS, _MODF, nin=1, nout=2)),
    Row("frexp", "floating", tuple(Loop(c, c + "i", _FREXP) for c in FLOATS)),
    Row("ldexp", "floating", tuple(Loop(c + n, c, "math::ldexp(a, b)") for c in FLOATS for n in "iq")),
)
