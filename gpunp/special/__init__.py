"""The functions of ``scipy.special`` that gpunp implements, under SciPy's names.

The ufuncs among them are also called through NumPy's protocol, and SciPy's functions of these names run the
others.

Examples
--------
>>> import gpunp
>>> gpunp.special.expit(gpunp.asarray([0.0]))
array([0.5])
"""

from gpunp.special import bessel, combinatorics, compositions, ellipsoidal
from gpunp.ufunc.engine import UFUNCS

_UFUNCS = {name: ufunc for (namespace, name), ufunc in UFUNCS.items() if namespace == "scipy.special"}

_TOPICS = (bessel, combinatorics, compositions, ellipsoidal)
_FUNCTIONS = _UFUNCS | {name: function for topic in _TOPICS for name, function in topic.FUNCTIONS.items()}

globals().update(_FUNCTIONS)

__all__ = sorted(_FUNCTIONS)
