"""The functions of ``scipy.special`` that gpunp has, under their names there: the names of `gpunp.special`.

Examples
--------
>>> import gpunp, gpunp_scipy.special
>>> gpunp_scipy.special.expit(gpunp.asarray([0.0]))
array([0.5])
"""

from gpunp.special import *  # noqa: F403
from gpunp.special import __all__ as __all__
