"""Exponentials, logarithms and roots."""

from .row import COMPLEX, FLOATS, Row, same


def _row(name, chars=FLOATS + COMPLEX):
    return Row(name, "exponential", same(chars, f"math::{name}(a)", nin=1))


ROWS = (
    *map(_row, ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt")),
    _row("cbrt", FLOATS),
    Row("logaddexp", "exponential", same(FLOATS, "math::logaddexp(a, b)"), identity=float("-inf")),
    Row("logaddexp2", "exponential", same(FLOATS, "math::logaddexp2(a, b)"), identity=float("-inf")),
)
