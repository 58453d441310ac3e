"""Functions of ``scipy.linalg`` in two forms: SciPy's own, routed, and gpunp's form for GPUs.

On the CPU device SciPy runs its LAPACK on the memory of the arrays. The form for GPUs runs there
too, on the CPU device's kernels and NumPy's LAPACK, as far as matrices fit the kernels.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.linalg
from matrices import close
from records import settled

import gpunp
import gpunp_scipy.linalg

FORMS = ("scipy", "gpu")
forms = pytest.mark.parametrize("form", FORMS)
NEWEST = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
# Ranks as arrays, batches and deprecations that SciPy 1.18 brought.
newest = pytest.mark.skipif(not NEWEST, reason="SciPy before 1.18 has other results")


def found(form, name):
    """The function of a form; it takes and returns device arrays."""
    if form == "scipy" or name not in gpunp_scipy.linalg.__all__:
        return getattr(scipy.linalg, name)
    return getattr(gpunp_scipy.linalg, name).__wrapped__


def on_device(value):
    """The value with arrays on the device, also in tuples."""
    if isinstance(value, tuple):
        return tuple(map(on_device, value))
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


def on_host(value):
    """The value with arrays on the host, also in tuples and lists."""
    if isinstance(value, tuple | list):
        return tuple(map(on_host, value))
    return gpunp.asnumpy(value) if isinstance(value, gpunp.ndarray) else value


def agree(actual, expected, char, factor=1):
    """Assert the same nesting, dtypes and shapes, and values within the tolerance of the dtype."""
    if isinstance(expected, tuple | list):
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            agree(one, other, char, factor)
        return
    if isinstance(expected, float) and not isinstance(expected, np.generic):
        # SciPy's own number, for which a GPU has a scalar of the device.
        close(np.asarray(float(actual)), expected, char, factor)
        return
    if not isinstance(expected, np.ndarray | np.generic):
        assert actual == expected
        return
    assert isinstance(actual, gpunp.ndarray | np.generic)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if expected.dtype.kind in "iub":
        np.testing.assert_array_equal(gpunp.asnumpy(actual), expected)
    else:
        close(actual, expected, char, factor)


@dataclass(frozen=True)
class Case:
    """Calls of a function whose results are unique.

    Attributes
    ----------
    name : str
    arguments : callable
        Returns host arguments for a dtype.
    dtypes : str
    keywords : dict
    factor : float
        Of the tolerance, for results that are less well conditioned than their arguments.
    real : bool
        Whether real results may be real where SciPy's are complex with an imaginary part of rounding errors.
    """

    name: str
    arguments: object
    dtypes: str = "fdFD"
    keywords: tuple = ()
    factor: float = 1
    real: bool = False

    def check(self, form):
        """Compare with SciPy on the host."""
        for char in self.dtypes:
            arguments, keywords = self.arguments(char), dict(self.keywords)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                expected = getattr(scipy.linalg, self.name)(*arguments, **keywords)
                actual = found(form, self.name)(*map(on_device, arguments), **keywords)
            tolerance = char if char in "fF" else "d"
            if self.real and actual.dtype.kind != "c" and expected.dtype.kind == "c":
                close(np.zeros(expected.shape), expected.imag, tolerance, self.factor)
                expected = expected.real
            agree(actual, expected, tolerance, self.factor)


def case_test(cases):
    """Create the test of a module's cases, in both forms."""

    @forms
    @pytest.mark.parametrize("case", cases, ids=[f"{i}-{case.name}" for i, case in enumerate(cases)])
    def test_cases(case, form):
        case.check(form)

    return test_cases


def raises(form, name, error, *arguments, match=None, **keywords):
    """Assert that SciPy raises an error, and gpunp the same, at the latest at the next wait."""
    with pytest.raises(error, match=match):
        getattr(scipy.linalg, name)(*arguments, **keywords)
    with pytest.raises(error, match=match):
        settled(found(form, name)(*map(on_device, arguments), **keywords))
