"""``scipy.signal.windows`` with ``xp=gpunp``, which SciPy itself heeds only under ``SCIPY_ARRAY_API=1``.

gpunp imports this after SciPy's module. The windows are then made on the device by SciPy's own code.
"""

import sys

from scipy.signal.windows import _windows

_namespace_of = getattr(_windows, "_namespace", None)


def namespace(xp):
    """The module whose functions make a window: gpunp where that is asked for, else what SciPy says."""
    return xp if xp is sys.modules["gpunp"] else _namespace_of(xp)


# Versions of SciPy without it have no argument ``xp``.
if _namespace_of is not None:
    _windows._namespace = namespace
