"""The ufuncs of ``scipy.special`` that gpunp has, under their names there.

Examples
--------
>>> import gpunp, gpunp_scipy.special
>>> gpunp_scipy.special.expit(gpunp.asarray([0.0]))
array([0.5])
"""

from gpunp.ufunc.engine import UFUNCS

import gpunp  # noqa: F401 - the engine works once its chapters are there

__all__ = sorted(name for namespace, name in UFUNCS if namespace == "scipy.special")

globals().update({name: UFUNCS["scipy.special", name] for name in __all__})
