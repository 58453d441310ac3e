"""Rounding to integers; integers and booleans are returned unchanged."""

from .row import BOOL, COMPLEX, FLOATS, INTEGERS, Row, same


def _row(name):
    return Row(
        name,
        "rounding",
        same(BOOL + INTEGERS, "a", nin=1) + same(FLOATS, f"math::{name}(a)", nin=1),
    )


ROWS = (
    Row("rint", "rounding", same(FLOATS + COMPLEX, "math::rint(a)", nin=1)),
    *map(_row, ("floor", "ceil", "trunc")),
)
