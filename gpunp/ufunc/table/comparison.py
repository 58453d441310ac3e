"""Comparisons, and the choice of the greater, the smaller or what lies between bounds."""

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
    # Halves are chosen by their stored bits: which of two equal zeros wins differs from float.
    loops = same(ALL.replace("e", ""), expression, nin) + same("e", expression, nin, stored_half=True)
    return Row(name, "comparison", loops)


ROWS = (
    *map(_comparison, ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")),
    *(_choice(name, f"math::{name}(a, b)") for name in ("maximum", "minimum", "fmax", "fmin")),
    _choice("clip", "math::clip(a, b, c)", 3),
)
