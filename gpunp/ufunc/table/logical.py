"""Logical operations on the truth of elements: nonzero values, including NaN, are true."""

from .row import BOOL, COMPLEX, FLOATS, INTEGERS, Row, predicate

ALL = BOOL + INTEGERS + FLOATS + COMPLEX

ROWS = (
    Row("logical_and", "logical", predicate(ALL, "math::logical_and(a, b)"), identity=True),
    Row("logical_or", "logical", predicate(ALL, "math::logical_or(a, b)"), identity=False),
    Row("logical_xor", "logical", predicate(ALL, "math::logical_xor(a, b)"), identity=False),
    Row("logical_not", "logical", predicate(ALL, "math::logical_not(a)", nin=1)),
)
