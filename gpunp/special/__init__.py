"""The functions of ``scipy.special`` that gpunp implements, under SciPy's names.

The ufuncs among them are also called through NumPy's protocol, and SciPy's functions of these names run the
others.

Examples
--------
>>> import gpunp
>>> gpunp.special.expit(gpunp.asarray([0.0]))
array([0.5])
"""

from gpunp.special import combinatorics, compositions
from gpunp.ufunc.engine import UFUNCS

_UFUNCS = {name: ufunc for (namespace, name), ufunc in UFUNCS.items() if namespace == "scipy.special"}

_FUNCTIONS = _UFUNCS | compositions.FUNCTIONS | combinatorics.FUNCTIONS

globals().update(_FUNCTIONS)

__all__ = sorted(_FUNCTIONS)
