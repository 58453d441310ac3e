"""Values assigned to an element, to a view and by an index array: sequences, text, numbers and arrays."""

import itertools

import numpy as np
import pytest
from calls import check_call

KEYS = (
    "0",
    "(0, ...)",
    "slice(None)",
    "slice(0, 1)",
    "[0]",
    "A([True, False, False])",
    "...",
    "A(0)",
    "(A(0),)",
    "A(True)",
)
VALUES = (
    "[1]", "[[1]]", "(1,)", "[]", "[1, 2]", "[1.5]", "[1j]", "[300]", "'1'", "'x'", "['1']", "b'1'", "None",
    "[None]", "np.array([1])", "np.array([[1]])", "np.array([1, 2])", "np.array(1)", "A([1])", "A([[1]])",
    "A([1, 2])", "A(1)", "np.float32(2.5)", "1e30", "-1", "{}", "object()", "[np.int8(3)]", "[[1, 2], [3]]",
)  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("char", "?bLefD")
def test_assigned_values(char, key):
    for value in VALUES:
        check_call(f"S(A([1, 0, 1]).astype({char!r}), {key}, {value})")


@pytest.mark.parametrize(("key", "value"), [*itertools.product(("()", "...", "A(True)"), VALUES)])
def test_values_for_no_dimensions(key, value):
    check_call(f"S(A(5), {key}, {value})")


def test_lists_of_device_scalars():
    check_call("S(A([1.0, 2.0, 3.0]), slice(None), [A(4.0), 5, A(6)])", np=np)
    check_call("S(A([1.0, 2.0, 3.0]), [0, 2], [A(4.0), 5])", np=np)
