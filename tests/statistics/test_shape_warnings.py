"""Warnings that NumPy issues for the shape of its input, whatever the values."""

import warnings

import numpy as np
import pytest

import gpunp

NAMES = ("mean", "nanmean", "var", "std", "nanvar", "nanstd", "median", "nanmedian", "average")
NAMES += ("cov", "corrcoef", "nanquantile", "quantile")
SHAPES = ((), (0,), (1,), (3,), (0, 3), (3, 0), (1, 3), (2, 0, 3))
OPTIONS = (
    {},
    {"axis": 0},
    {"axis": -1},
    {"axis": (0, 1)},
    {"keepdims": True},
    {"ddof": 1},
    {"ddof": 5, "axis": 0},
    {"ddof": 2.5},
    {"correction": 1},
    {"dtype": "f4"},
    {"bias": True},
)


def warned(function, array, options):
    """Return categories and texts of the warnings about shapes, or None if the call raises."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            function(array, *([0.5] if "quantile" in function.__name__ else []), **options)
        except Exception:
            return None
    about_shapes = [w for w in caught if "slice" in str(w.message)]
    if isinstance(array, gpunp.ndarray):
        assert {w.filename for w in about_shapes} <= {__file__}
    return [(w.category, str(w.message)) for w in about_shapes]


@pytest.mark.parametrize("name", NAMES)
def test_warnings_of_shapes(name):
    function, some = getattr(np, name), 0
    for shape in SHAPES:
        for char in "?ifdD":
            # Without NaN, so that NaN functions issue no warnings that depend on values.
            host = np.ones(shape, char)
            for options in OPTIONS:
                expected = warned(function, host, options)
                if expected is not None:
                    assert warned(function, gpunp.asarray(host), options) == expected, (shape, char, options)
                    some += len(expected)
    assert some or name == "quantile"
