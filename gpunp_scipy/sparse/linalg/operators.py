"""Linear operators on the device, and SciPy's iterative solvers, executed a second time for them."""

import functools
import types

import numpy
import scipy.linalg
import scipy.sparse.linalg

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp_scipy.device_numpy import CREATION, Numpy
from gpunp_scipy.twins import Twins

OPERATORS = "scipy.sparse.linalg._interface"
SOLVERS = "scipy.sparse.linalg._isolve"
# Modules that create small matrices on the host.
_ON_HOST = ("_gcrotmk", "lgmres")
# Modules whose numbers are on the host.
_OF_NUMBERS = ("iterative", "lsmr", "lsqr", "minres")


class _Namespace:
    """The namespace of linear operators; it conjugates sparse arrays, too."""

    def __getattr__(self, name):
        return getattr(gpunp, name)

    def conj(self, x):
        return x.conj()


def _number(function):
    """A function whose numbers are on the host: each of them waits for the device. Arrays stay on it."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        found = function(*args, **kwargs)
        return asnumpy(found)[()] if type(found) is gpunp.ndarray and found.ndim == 0 else found

    return call


class _HostNumbers(Numpy):
    """NumPy for solvers that compute dozens of numbers from a few norms and inner products of a step.

    On the device each of them would take a kernel, and each decision would wait.
    """

    def __init__(self):
        super().__init__(CREATION)
        self.linalg = types.SimpleNamespace(norm=_norm)
        for name in ("dot", "inner", "vdot"):
            setattr(self, name, _number(getattr(numpy, name)))


_norm = _number(numpy.linalg.norm)


def _axpy(x, y, n=None, a=1.0):
    y += a * x
    return y


def _scal(a, x):
    x *= a
    return x


_BLAS = {"axpy": _axpy, "dot": numpy.vdot, "nrm2": _norm, "scal": _scal}


def _get_blas_funcs(names, arrays=(), dtype=None, ilp64=False):
    return _BLAS[names] if isinstance(names, str) else [_BLAS[name] for name in names]


def _get_lapack_funcs(names, *arguments, **options):
    """Functions of LAPACK for numbers: scalars of the device are fetched."""
    function = scipy.linalg.get_lapack_funcs(names, *arguments, **options)
    return lambda *numbers: function(*map(fetched, numbers))


def _fgmres(*args, **options):
    from gpunp_scipy.sparse.linalg.arnoldi import fgmres

    return fgmres(*args, **options)


def _qr(*args, **options):
    """The pivoted decomposition of a matrix on the device, whose triangle and order are on the host."""
    from gpunp_scipy.linalg import qr

    q, r, order = qr(*args, **options)
    return q, asnumpy(r), asnumpy(order)


def operator(A):
    """The twin of `aslinearoperator`; functions of SciPy's operators get vectors on the device."""
    twin = twins()[OPERATORS]
    if isinstance(A, scipy.sparse.linalg.LinearOperator):
        return twin.LinearOperator(
            A.shape,
            matvec=A._matvec,
            rmatvec=A._rmatvec,
            matmat=A._matmat,
            rmatmat=A._rmatmat,
            dtype=A.dtype,
        )
    return twin.aslinearoperator(A)


def converted(value):
    """An operator of SciPy for vectors on the device; any other value itself."""
    return operator(value) if isinstance(value, scipy.sparse.linalg.LinearOperator) else value


@functools.cache
def twins():
    """The modules of operators and iterative solvers."""
    names = ("_gcrotmk", "iterative", "lgmres", "lsmr", "lsqr", "minres", "tfqmr", "utils")
    spaces = {f"{SOLVERS}.{name}": Numpy("" if name in _ON_HOST else CREATION) for name in names}
    # The matrix of recycled vectors.
    spaces[f"{SOLVERS}._gcrotmk"] = Numpy("empty")
    spaces |= {f"{SOLVERS}.{name}": _HostNumbers() for name in _OF_NUMBERS}
    space = _Namespace()
    replaced = {f"{SOLVERS}.{name}": {"get_blas_funcs": _get_blas_funcs} for name in _ON_HOST}
    replaced[f"{SOLVERS}._gcrotmk"] |= {"_fgmres": _fgmres, "qr": _qr}
    replaced |= {f"{SOLVERS}.{name}": {"aslinearoperator": operator} for name in ("lsmr", "lsqr", "utils")}
    # What they import by name.
    for name in ("lsmr", "minres"):
        replaced.setdefault(f"{SOLVERS}.{name}", {})["norm"] = _norm
    replaced[f"{SOLVERS}.iterative"] = {"get_lapack_funcs": _get_lapack_funcs}
    # The names by which releases of SciPy find the namespace.
    replaced[OPERATORS] = {"array_namespace": lambda *arrays, **options: space, "np_compat": space}
    return Twins({OPERATORS: Numpy(CREATION), **spaces}, replaced)
