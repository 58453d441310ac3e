"""The functions of ``scipy.special`` that gpunp implements, under SciPy's names; the same as `gpunp.special`.

Examples
--------
>>> import gpunp, gpunp_scipy.special
>>> gpunp_scipy.special.expit(gpunp.asarray([0.0]))
array([0.5])
"""

import importlib

from gpunp.special import *  # noqa: F403
from gpunp.special import __all__ as __all__


def __getattr__(name):
    return importlib.import_module("gpunp_scipy.borrowed").find(__name__, name)
