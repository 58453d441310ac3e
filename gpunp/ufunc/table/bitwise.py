"""Bitwise operations, shifts and the count of bits."""

from .row import BOOL, INTEGERS, Loop, Row, same

ROWS = (
    Row("bitwise_and", "bitwise", same(BOOL + INTEGERS, "math::bitwise_and(a, b)"), identity=-1),
    Row("bitwise_or", "bitwise", same(BOOL + INTEGERS, "math::bitwise_or(a, b)"), identity=0),
    Row("bitwise_xor", "bitwise", same(BOOL + INTEGERS, "math::bitwise_xor(a, b)"), identity=0),
    Row("invert", "bitwise", same(BOOL + INTEGERS, "math::invert(a)", nin=1)),
    Row("left_shift", "bitwise", same(INTEGERS, "math::left_shift(a, b)")),
    Row("right_shift", "bitwise", same(INTEGERS, "math::right_shift(a, b)")),
    Row("bitwise_count", "bitwise", tuple(Loop(c, "B", "math::bitwise_count(a)") for c in INTEGERS)),
)
