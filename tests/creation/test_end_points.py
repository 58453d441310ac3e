"""The dtypes of linspace, logspace and geomspace: a Python number takes the dtype of the other end."""

import functools
import itertools

import numpy as np
import pytest
from records import assert_same, outcome

import gpunp

ENDS = [
    0, 1, 2.5, 1j, True, np.float16(1), np.float32(2), np.float64(3), np.int8(1), np.complex64(1j),
    np.array(2.0), np.array([1.0, 2]), np.array([1, 2], "f"), np.array([1, 2]), [1, 2],
]  # fmt: skip
CALLS = {
    "linspace": ({}, {"endpoint": False}, {"num": 1}, {"retstep": True}, {"num": 0, "retstep": True}),
    "logspace": ({"num": 4},),
    "geomspace": ({"num": 4},),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("upload", [False, True])
def test_end_points(name, upload):
    def end(value):
        return gpunp.asarray(value) if upload and isinstance(value, np.ndarray | np.generic) else value

    theirs, ours = getattr(np, name), getattr(gpunp, name)
    for start, stop, options in itertools.product(ENDS, ENDS, CALLS[name]):
        where = f"{name}({start!r}, {stop!r}, {options})"
        expected, error = outcome(functools.partial(theirs, start, stop, **options))
        actual, raised = outcome(functools.partial(ours, end(start), end(stop), **options))
        if error is not None:
            assert type(raised) is type(error), where
            continue
        assert raised is None, f"{where}: {raised!r}"
        if options.get("retstep"):
            # For a single element NumPy returns the step as a Python float NaN.
            expected = [np.float64(value) if type(value) is float else value for value in expected]
            actual = list(actual)
        assert_same(actual, expected, exact=False, where=where)
