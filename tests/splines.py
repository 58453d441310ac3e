"""Which comparisons with splines of SciPy make sense."""

import pytest
import scipy

REFLECTED = ("reflect", "grid-mirror", "nearest")


def is_inexact(order, mode):
    """Whether SciPy is inexact for a spline: before 1.18 it is at reflected lines of a few samples."""
    before_1_18 = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 18)
    return order > 1 and mode in REFLECTED and before_1_18


def skip_if_inexact(order, mode):
    """Skip comparisons of splines where SciPy is inexact."""
    if is_inexact(order, mode):
        pytest.skip("SciPy before 1.18 is less exact for reflected lines of a few samples")
