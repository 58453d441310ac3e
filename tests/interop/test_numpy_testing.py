"""`numpy.testing` compares device arrays, also by names that were imported before gpunp."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose as imported_assert_allclose

import gpunp
from gpunp.interop.numpy_testing import ASSERTIONS

A = np.array([1.0, 2.0, 4.0])


def arguments(name):
    """Return arguments that pass and arguments that fail."""
    if name == "assert_array_less":
        return (A, A + 1), (A, A)
    if name == "assert_array_compare":
        return (np.equal, A, A), (np.equal, A, A + 1)
    if name == "assert_approx_equal":
        return (A[0, ...], A[0, ...]), (A[0, ...], A[1, ...])
    return (A, A.copy()), (A, A * 1.5)


def moved(values, places):
    values = list(values)
    for place in places:
        values[place] = gpunp.asarray(values[place])
    return values


@pytest.mark.parametrize("name", ASSERTIONS)
def test_assertions(name):
    function = getattr(np.testing, name)
    passing, failing = arguments(name)
    for places in ((-2, -1), (-2,), (-1,)):
        function(*moved(passing, places))
        with pytest.raises(AssertionError):
            function(*moved(failing, places))
    function(*passing)
    with pytest.raises(AssertionError):
        function(*failing)


def test_all_assertions_that_compare_are_hooked():
    names = {name for name in np.testing.__all__ if name.startswith("assert_")}
    # These compare no arrays: their arguments are functions, strings or a truth value.
    rest = {
        "assert_",
        "assert_no_gc_cycles",
        "assert_no_warnings",
        "assert_raises",
        "assert_raises_regex",
        "assert_string_equal",
        "assert_warns",
    }
    assert names - rest == set(ASSERTIONS)


def test_keywords_and_containers():
    x = gpunp.asarray(A)
    np.testing.assert_allclose(actual=x, desired=A, rtol=1e-3, err_msg="m")
    np.testing.assert_equal({"a": [x, (x, 1)]}, {"a": [A, (A, 1)]})
    np.testing.assert_array_equal([x, x], [A, A])
    np.testing.assert_array_equal([[x, x]], [[A, A]])
    with pytest.raises(AssertionError):
        np.testing.assert_equal({"a": [x, (x, 1)]}, {"a": [A, (A + 1, 1)]})
    with pytest.raises(AssertionError, match="my message"):
        np.testing.assert_array_equal(x, A + 1, err_msg="my message")
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(x, A.astype("f4"), strict=True)
    np.testing.assert_equal(x.sum(), 7.0)
    imported_assert_allclose(x, A)


def test_they_are_downloads(device):
    x = gpunp.asarray(A)
    before = device.transfer_counts
    np.testing.assert_array_equal(x, x)
    after = device.transfer_counts
    assert after[2] - before[2] == 2


def test_names_imported_before_gpunp():
    program = (
        "from numpy.testing import assert_array_equal\n"
        "import gpunp\n"
        "assert_array_equal(gpunp.asarray([1, 2], device='cpu'), [1, 2])\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
