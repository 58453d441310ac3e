"""Assertions for device arrays, and decorators of tests that run code with NumPy and with gpunp.

The assertions are those of `numpy.testing`: device arrays are copied to the host and compared there. The
decorators have the names and arguments of CuPy's documentation, so that tests written for it run here.

Examples
--------
>>> from gpunp import testing
>>> @testing.for_float_dtypes(no_float16=True)
... @testing.numpy_cupy_allclose(rtol=1e-5)
... def test_mean(xp, dtype):
...     return xp.arange(6, dtype=dtype).reshape(2, 3).mean(axis=0)
>>> test_mean()
"""

from gpunp.testing import assertions as _assertions
from gpunp.testing import comparisons as _comparisons
from gpunp.testing import parameters as _parameters
from gpunp.testing.assertions import *  # noqa: F403
from gpunp.testing.comparisons import *  # noqa: F403
from gpunp.testing.parameters import *  # noqa: F403

__all__ = sorted([*_assertions.__all__, *_comparisons.__all__, *_parameters.__all__])
