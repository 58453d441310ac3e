"""``==`` and ``!=`` with objects, strings and dates, which device arrays cannot contain."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from calls import call_test, check_call
from records import assert_same

import gpunp


class Plain:
    """An object that compares by identity."""


class Number:
    """An object with its own ``__eq__``."""

    def __eq__(self, other):
        return "asked"

    __hash__ = None


OBJECTS = """
    None
    "a"
    b"a"
    np.str_("a")
    Plain()
    {}
    {1.0}
    slice(1)
    float
    ...
    NotImplemented
    Fraction(1)
    Fraction(1, 3)
    Decimal(2)
    Decimal("nan")
    Decimal("inf")
    np.datetime64("2020-01-01")
    ["a", "b"]
    ["a", "b", "c"]
    [None, 1]
    [Plain(), 2.0]
    np.array(["a", "b"])
    np.array([None, 1.0])
    np.array([[2, "x"], [1.0, 2]], dtype=object)
    np.array(None)
    np.array([Fraction(1), Decimal(2)])
    np.array(["2020-01-01", "NaT"], "M8[D]")
    range(1, 3)
"""


@pytest.mark.parametrize("text", [line.strip() for line in OBJECTS.strip().splitlines()])
@pytest.mark.parametrize("array", ["A([1.0, 2.0])", "A([1, 2])", "A([1j, 2])", "A([True, False])", "A(1.0)"])
def test_comparisons(array, text):
    names = {"Plain": Plain, "Fraction": Fraction, "Decimal": Decimal}
    for line in (f"{array} == {text}", f"{array} != {text}", f"{text} == {array}", f"{text} != {array}"):
        check_call(line, **names)


test_ufuncs = call_test(
    """
    xp.equal(A([1.0, 2]), None)
    xp.not_equal(A([1.0, 2]), object())
    xp.equal(A([1.0, 2]), object(), out=A([True, True]))
    xp.less(A([1.0, 2]), None)
    xp.array_equal(A([1.0, 2]), None)
    A([1.0, 2]) < object()
    A([1.0, 2]) + range(2)
    A([1.0, 2]) + bytearray(b"ab")
    A([1.0, 2]) * memoryview(b"ab")
    None in A([1.0, 2])
    """
)


def test_objects_with_an_answer_give_it():
    # Not NumPy's result, which calls __eq__ for each element.
    assert (gpunp.ones(2) == Number()) == "asked"
    with pytest.raises(TypeError, match="object"):
        gpunp.ones(2) == np.array([Number(), None])  # noqa: B015


def test_large_integers_are_compared_exactly():
    values = [2**62, 2**62 + 1]
    others = np.array([2**62 + 1, 10**30], dtype=object)
    assert_same(gpunp.asarray(values) == others[:1], np.array(values) == others[:1])
    assert_same(gpunp.asarray(values) == others, np.array(values) == others)
