"""Which comparisons with splines of SciPy make sense."""

import pytest
import scipy

REFLECTED = ("reflect", "grid-mirror", "nearest")


def skip_if_inexact(order, mode):
    """Skip comparisons of splines where SciPy before 1.18 is inexact: at reflected lines of a few samples."""
    if order > 1 and mode in REFLECTED and tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 18):
        pytest.skip("SciPy before 1.18 is less exact for reflected lines of a few samples")
