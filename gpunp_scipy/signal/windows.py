"""``scipy.signal.windows`` with ``xp=gpunp``, which SciPy itself supports only under ``SCIPY_ARRAY_API=1``.

gpunp imports this module after SciPy's. SciPy's own code then computes the windows on the device, except for
the eigenvectors of `dpss`, which it computes on the host. The windows of this module are device arrays.
"""

import importlib

from scipy.signal.windows import _windows

from gpunp.array.convert import asnumpy
from gpunp.interop.device_namespace import is_gpunp

_namespace_of = getattr(_windows, "_namespace", None)
_linalg = _windows.linalg


class _Linalg:
    """SciPy's ``linalg`` as its window functions use it."""

    def __getattr__(self, name):
        return getattr(_linalg, name)

    def eigh_tridiagonal(self, d, e, *args, **kwargs):
        """Eigenvalues and eigenvectors of a tridiagonal matrix, on the host."""
        return _linalg.eigh_tridiagonal(asnumpy(d), asnumpy(e), *args, **kwargs)


def namespace(xp):
    """The module whose functions make a window: gpunp if requested, otherwise SciPy's choice."""
    return xp if is_gpunp(xp) else _namespace_of(xp)


# Versions of SciPy without `_namespace` have no ``xp`` argument.
if _namespace_of is not None:
    _windows._namespace = namespace
    _windows.linalg = _Linalg()


def __getattr__(name):
    return importlib.import_module("gpunp_scipy.borrowed").find(__name__, name)
