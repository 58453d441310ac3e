"""Hyperbolic functions and their inverses."""

from .row import COMPLEX, FLOATS, Row, same

ROWS = tuple(
    Row(name, "hyperbolic", same(FLOATS + COMPLEX, f"math::{name}(a)", nin=1))
    for name in ("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh")
)
