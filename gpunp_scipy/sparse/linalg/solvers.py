"""Iterative solvers: SciPy's modules, executed a second time with vectors on the device.

A step decides on the host how it goes on, and so waits for the norm of the residual.
"""

import functools

import numpy
import scipy.linalg
import scipy.sparse.linalg

import gpunp
from gpunp.array.convert import fetched
from gpunp_scipy.device_numpy import CREATION, Numpy
from gpunp_scipy.rebinding import public
from gpunp_scipy.sparse.classes import device_of_parts
from gpunp_scipy.twins import Twins

_OPERATORS = "scipy.sparse.linalg._interface"
_SOLVERS = "scipy.sparse.linalg._isolve"
# Modules whose functions have the same name, and those that create small matrices on the host.
_MODULES = {"cg": "iterative", "bicg": "iterative", "bicgstab": "iterative", "cgs": "iterative"}
_MODULES |= {"gmres": "iterative", "qmr": "iterative", "gcrotmk": "_gcrotmk"}
_ON_HOST = ("_gcrotmk", "lgmres")


class _Namespace:
    """The namespace of linear operators; it conjugates sparse arrays, too."""

    def __getattr__(self, name):
        return getattr(gpunp, name)

    def conj(self, x):
        return x.conj()


def _axpy(x, y, n=None, a=1.0):
    y += a * x
    return y


def _scal(a, x):
    x *= a
    return x


_BLAS = {"axpy": _axpy, "dot": numpy.vdot, "nrm2": numpy.linalg.norm, "scal": _scal}


def _get_blas_funcs(names, arrays=(), dtype=None, ilp64=False):
    return _BLAS[names] if isinstance(names, str) else [_BLAS[name] for name in names]


def _get_lapack_funcs(names, *arguments, **options):
    """Functions of LAPACK for numbers: scalars of the device are fetched."""
    function = scipy.linalg.get_lapack_funcs(names, *arguments, **options)
    return lambda *numbers: function(*map(fetched, numbers))


def _operator(A):
    """The twin of `aslinearoperator`; functions of SciPy's operators get vectors on the device."""
    twin = _twins()[_OPERATORS]
    if isinstance(A, scipy.sparse.linalg.LinearOperator):
        return twin.LinearOperator(
            A.shape, matvec=A._matvec, rmatvec=A._rmatvec, matmat=A._matmat, dtype=A.dtype
        )
    return twin.aslinearoperator(A)


@functools.cache
def _twins():
    names = ("_gcrotmk", "iterative", "lgmres", "lsmr", "lsqr", "minres", "tfqmr", "utils")
    spaces = {f"{_SOLVERS}.{name}": Numpy("" if name in _ON_HOST else CREATION) for name in names}
    space = _Namespace()
    replaced = {f"{_SOLVERS}.{name}": {"get_blas_funcs": _get_blas_funcs} for name in _ON_HOST}
    replaced |= {f"{_SOLVERS}.{name}": {"aslinearoperator": _operator} for name in ("lsmr", "lsqr", "utils")}
    replaced[f"{_SOLVERS}.iterative"] = {"get_lapack_funcs": _get_lapack_funcs}
    # The names by which releases of SciPy find the namespace.
    replaced[_OPERATORS] = {"array_namespace": lambda *arrays, **options: space, "np_compat": space}
    return Twins({_OPERATORS: Numpy(CREATION), **spaces}, replaced)


def _solver(name):
    def solve(A, b, *args, **kwargs):
        with device_of_parts(A, b, *args, *kwargs.values()):
            module = _twins()[f"{_SOLVERS}.{_MODULES.get(name, name)}"]
            return getattr(module, name)(A, b, *args, **kwargs)

    return public(solve, getattr(scipy.sparse.linalg, name), __name__)


bicg = _solver("bicg")
bicgstab = _solver("bicgstab")
cg = _solver("cg")
cgs = _solver("cgs")
gcrotmk = _solver("gcrotmk")
gmres = _solver("gmres")
lgmres = _solver("lgmres")
lsmr = _solver("lsmr")
lsqr = _solver("lsqr")
minres = _solver("minres")
qmr = _solver("qmr")
tfqmr = _solver("tfqmr")
