"""Comparisons, maxima and minima, and clipping."""

from .row import BOOL, COMPLEX, FLOATS, INTEGERS, Loop, Row, predicate, same

ALL = BOOL + INTEGERS + FLOATS + COMPLEX


def _comparison(name):
    expression = f"math::{name}(a, b)"
    mixed = (Loop("qQ", "?", expression), Loop("Qq", "?", expression))
    return Row(
        name,
        "comparison",
        predicate(BOOL + INTEGERS, expression) + mixed + predicate(FLOATS + COMPLEX, expression),
    )


def _choice(name, expression, nin=2):
    # Halves are passed as stored bits: which of two equal zeros is chosen differs from float.
    loops = same(ALL.replace("e", ""), expression, nin) + same("e", expression, nin, stored_half=True)
    return Row(name, "comparison", loops)


ROWS = (
    *map(_comparison, ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")),
    *(_choice(name, f"math::{name}(a, b)") for name in ("maximum", "minimum", "fmax", "fmin")),
    _choice("clip", "math::clip(a, b, c)", 3),
)
