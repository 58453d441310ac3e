"""Trigonometric functions, their inverses, and conversions between degrees and radians."""

from .row import COMPLEX, FLOATS, Row, same


def _row(name, function=None, chars=FLOATS + COMPLEX):
    return Row(name, "trigonometric", same(chars, f"math::{function or name}(a)", nin=1))


ROWS = (
    *map(_row, ("sin", "cos", "tan", "arcsin", "arccos", "arctan")),
    Row("arctan2", "trigonometric", same(FLOATS, "math::arctan2(a, b)")),
    Row("hypot", "trigonometric", same(FLOATS, "math::hypot(a, b)"), identity=0),
    _row("degrees", chars=FLOATS),
    _row("rad2deg", "degrees", FLOATS),
    _row("radians", chars=FLOATS),
    _row("deg2rad", "radians", FLOATS),
)
