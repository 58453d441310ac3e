import numpy as np
import pytest

import gpunp
from gpunp import testing

EQUAL = gpunp.asarray([1.0, 2.0])


@pytest.mark.parametrize("name", testing.__all__)
def test_signatures_and_results(name):
    function = getattr(testing, name)
    assert function.__name__ == getattr(np.testing, name).__name__
    if name.startswith("assert_raises"):
        return
    if name == "assert_approx_equal":
        function(EQUAL[0], 1.0)
        with pytest.raises(AssertionError):
            function(EQUAL[0], EQUAL[1])
        return
    if name == "assert_array_compare":
        function(np.less, EQUAL, EQUAL + 1)
        with pytest.raises(AssertionError):
            function(np.less, EQUAL, EQUAL)
        return
    wrong = gpunp.asarray([3.0, 1.0])
    if name == "assert_array_less":
        function(EQUAL, wrong + 3)
    else:
        for expected in (EQUAL, np.asarray([1.0, 2.0])):
            function(EQUAL, expected)
            function(expected, EQUAL)
    with pytest.raises(AssertionError):
        function(EQUAL, wrong)


def test_nested_values_and_exceptions():
    testing.assert_equal({"a": [EQUAL, (EQUAL, 1)]}, {"a": [np.asarray([1.0, 2.0]), (EQUAL, 1)]})
    with pytest.raises(AssertionError):
        testing.assert_equal([EQUAL, 1], [EQUAL, 2])
    with testing.assert_raises(ValueError):
        EQUAL.reshape(3)
    with testing.assert_raises(gpunp.linalg.LinAlgError):
        gpunp.linalg.inv(gpunp.ones((2, 3)))
