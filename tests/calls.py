"""Tests of single calls: each is a line of Python that is evaluated with NumPy and with gpunp.

In a line, ``xp`` is the library and ``A`` its array constructor. Further names are passed as keywords.
"""

import numpy as np
import pytest
from records import assert_same, outcome, settled

import gpunp


def assigned(array, key, value):
    """Assign ``array[key] = value`` and return the array, so that an expression can assign."""
    array[key] = value
    return array


def check_call(line, exact=True, own=False, absolute="", **names):
    """Compare a line's outcome with NumPy's: for gpunp's own function, and for NumPy's with device arrays.

    With ``own`` only for gpunp's, since NumPy does not dispatch the function that the line calls.
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
    """Create the test of a module's lines; the options are those of `check_call`."""
    lines = [line.strip() for line in lines.splitlines() if line.strip()]

    @pytest.mark.parametrize("line", lines)
    def test_calls(line):
        check_call(line, **options)

    return test_calls
