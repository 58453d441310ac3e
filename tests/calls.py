"""Tests of single calls: each is a line of Python that is evaluated with NumPy and with gpunp.

In a line, ``xp`` is the library and ``A`` makes an array of it. What a line may use besides is given by name.
"""

import numpy as np
import pytest
from records import assert_same, outcome, settled

import gpunp


def assigned(array, key, value):
    """The array after ``array[key] = value``: an assignment as an expression."""
    array[key] = value
    return array


def check_call(line, exact=True, own=False, absolute="", **names):
    """Compare a line's outcome with NumPy's: by gpunp's own function, and by NumPy's with device arrays.

    With ``own`` only the former: NumPy does not dispatch what the line calls.
    """
    names = {"np": np, "S": assigned, "nan": np.nan, "inf": np.inf, **names}
    expected, error = outcome(lambda: eval(line, {**names, "xp": np, "A": np.array}))
    for xp in (gpunp,) if own or "xp." not in line else (gpunp, np):
        actual, raised = outcome(lambda xp=xp: settled(eval(line, {**names, "xp": xp, "A": gpunp.asarray})))
        if error is not None:
            assert raised is not None, f"{line}: NumPy raises {error!r}, gpunp returned {actual!r}"
            assert isinstance(raised, type(error)), f"{line}: NumPy raises {error!r}, gpunp {raised!r}"
        elif raised is not None:
            raise AssertionError(f"{line}: gpunp raised") from raised
        else:
            assert_same(actual, expected, exact, line, absolute)


def call_test(lines, **options):
    """The test of the lines of a module; the options are those of `check_call`."""
    lines = [line.strip() for line in lines.splitlines() if line.strip()]

    @pytest.mark.parametrize("line", lines)
    def test_calls(line):
        check_call(line, **options)

    return test_calls
