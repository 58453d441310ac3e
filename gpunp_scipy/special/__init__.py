"""The functions of ``scipy.special`` that gpunp implements, under SciPy's names; the same as `gpunp.special`.

Examples
--------
>>> import gpunp, gpunp_scipy.special
>>> gpunp_scipy.special.expit(gpunp.asarray([0.0]))
array([0.5])
"""

from gpunp.special import *  # noqa: F403
from gpunp.special import __all__ as __all__
