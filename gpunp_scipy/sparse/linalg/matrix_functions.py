"""Norms and functions of matrices: SciPy's code with matrices and vectors on the device."""

import functools

import numpy
import scipy.sparse.linalg
from scipy.sparse import issparse

import gpunp
from gpunp.array.convert import fetched
from gpunp_scipy import linalg as dense
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.rebinding import public
from gpunp_scipy.sparse import functions
from gpunp_scipy.sparse.classes import device_of_parts
from gpunp_scipy.sparse.linalg import direct, eigenvalues
from gpunp_scipy.sparse.linalg.operators import OPERATORS, converted, operator, twins
from gpunp_scipy.twins import Twins

_LINALG = "scipy.sparse.linalg"
# The points of time of `expm_multiply` stay on the host.
_CREATED = "empty empty_like eye identity ones zeros zeros_like"


class _Instead:
    """A module with some other names."""

    def __init__(self, module, **names):
        self.__dict__.update(names, _module=module)

    def __getattr__(self, name):
        return getattr(self._module, name)


def _norm_of_sums(axis):
    """The largest sum of magnitudes along an axis; waits for the device."""

    def norm(A):
        sums = abs(A) if A.ndim <= axis else abs(A).sum(axis=axis)
        return float(sums.max())

    return norm


def _trace(A):
    return _number(A.trace() if issparse(A) else numpy.trace(A))


def _number(value):
    return fetched(value).item()


def _trmm(alpha, A, B):
    """The product with a triangular matrix."""
    return alpha * (A @ B)


def _identity_like(A, structure=None):
    if issparse(A):
        return functions.eye_array(*A.shape, dtype=A.dtype, format=A.format)
    if isinstance(A, twins()[OPERATORS].LinearOperator):
        return twins()[OPERATORS].IdentityOperator(A.shape, A.dtype)
    return gpunp.eye(*A.shape, dtype=A.dtype)


@functools.cache
def _modules():
    names = ("_expm_multiply", "_funm_multiply_krylov", "_matfuncs", "_norm", "_onenormest")
    one, infinity = _norm_of_sums(0), _norm_of_sums(1)
    linalg = _Instead(scipy.sparse.linalg, LinearOperator=twins()[OPERATORS].LinearOperator)
    replaced = {"aslinearoperator": operator, "_ident_like": _identity_like, "_trace": _trace}
    replaced |= {"_exact_1_norm": one, "_onenorm": one, "_exact_inf_norm": infinity, "qr": dense.qr}
    replaced |= {"norm": numpy.linalg.norm, "solve": dense.solve, "solve_triangular": dense.solve_triangular}
    replaced |= {"spsolve": direct.spsolve, "svds": eigenvalues.svds, "eye_array": functions.eye_array}
    sparse = _Instead(scipy.sparse, linalg=linalg, tril=functions.tril, eye=functions.eye_array)
    blas = _Instead(scipy.linalg, get_blas_funcs=lambda names, arrays: (_trmm,))
    replaced["scipy"] = _Instead(scipy, sparse=sparse, linalg=blas)
    space = Numpy(_CREATED)
    group = _Group({f"{_LINALG}.{name}": space for name in names}, replaced)
    onenormest = group[f"{_LINALG}._onenormest"].onenormest
    linalg.onenormest = onenormest
    for name in names:
        if "onenormest" in vars(group[f"{_LINALG}.{name}"]):
            group[f"{_LINALG}.{name}"].onenormest = onenormest
    return group


class _Group(Twins):
    """The modules, in which the names that they have are replaced."""

    def __init__(self, modules, names):
        super().__init__(modules)
        self._names = names
        self._namespaces[OPERATORS] = None
        self._made[OPERATORS] = twins()[OPERATORS]

    def _execute(self, name):
        super()._execute(name)
        space = vars(self._made[name])
        # Not the function that the module is for.
        own = name.rpartition("._")[2]
        space.update({key: value for key, value in self._names.items() if key in space and key != own})
        if "traceest" in space:
            estimate = space["traceest"]
            space["traceest"] = lambda *args, **options: _number(estimate(*args, **options))


def _function(module, name):
    def call(*args, **kwargs):
        with device_of_parts(*args, *kwargs.values()):
            args = [_converted(value) for value in args]
            kwargs = {key: _converted(value) for key, value in kwargs.items()}
            return getattr(_modules()[f"{_LINALG}.{module}"], name)(*args, **kwargs)

    return public(call, getattr(scipy.sparse.linalg, name), __name__)


def _converted(value):
    """An operator of SciPy for vectors on the device; numbers on the host."""
    if isinstance(value, gpunp.ndarray) and value.ndim == 0:
        return _number(value)
    return converted(value)


expm = _function("_matfuncs", "expm")
expm_multiply = _function("_expm_multiply", "expm_multiply")
funm_multiply_krylov = _function("_funm_multiply_krylov", "funm_multiply_krylov")
matrix_power = _function("_matfuncs", "matrix_power")
norm = _function("_norm", "norm")
onenormest = _function("_onenormest", "onenormest")
