"""Eigenvalues and singular values: SciPy's code with the Krylov subspaces of this package."""

import functools
import types

import numpy
import scipy.sparse.linalg

import gpunp
from gpunp_scipy import linalg as dense
from gpunp_scipy.device_numpy import CREATION, Numpy
from gpunp_scipy.rebinding import public
from gpunp_scipy.sparse.classes import device_of_parts
from gpunp_scipy.sparse.functions import eye_array
from gpunp_scipy.sparse.linalg import direct, minimal_residuals, spectra
from gpunp_scipy.sparse.linalg.operators import OPERATORS, converted, operator, twins
from gpunp_scipy.sparse.linalg.singular import bidiagonalized
from gpunp_scipy.twins import Twins

_EIGEN = "scipy.sparse.linalg._eigen"
_ARPACK, _LOBPCG, _SVDS = f"{_EIGEN}.arpack.arpack", f"{_EIGEN}.lobpcg.lobpcg", f"{_EIGEN}._svds"


def _is_dense(x):
    return isinstance(x, gpunp.ndarray | numpy.ndarray)


class _Eigen(Twins):
    """The modules of eigenvalues; they share the linear operators with the iterative solvers."""

    def __init__(self):
        space = Numpy(CREATION)
        names = {"isdense": _is_dense, "splu": direct.splu, "gmres": minimal_residuals.gmres}
        names |= {"lu_factor": dense.lu_factor, "lu_solve": dense.lu_solve, "eye": eye_array}
        names |= {"eye_array": eye_array, "aslinearoperator": operator, "eigh": dense.eigh}
        names |= {"eig": dense.eig, "svd": dense.svd}
        super().__init__({_ARPACK: space, _LOBPCG: space, _SVDS: space}, {_ARPACK: names})
        self._namespaces[OPERATORS] = None
        self._made[OPERATORS] = twins()[OPERATORS]

    def _execute(self, name):
        super()._execute(name)
        space = vars(self._made[name])
        if name == _ARPACK:
            symmetric, general = space["_SymmetricArpackParams"], space["_UnsymmetricArpackParams"]
            space["_SymmetricArpackParams"] = _iterating(spectra.Hermitian, symmetric)
            space["_UnsymmetricArpackParams"] = _iterating(spectra.General, general)
            # What complex Hermitian problems call.
            hermitian = _iterating(spectra.ComplexHermitian, general)
            eigs = types.FunctionType(
                space["eigs"].__code__,
                {**space, "_UnsymmetricArpackParams": hermitian},
                "eigs",
                space["eigs"].__defaults__,
            )
            space["eigsh"] = types.FunctionType(
                space["eigsh"].__code__, {**space, "eigs": eigs}, "eigsh", space["eigsh"].__defaults__
            )
        elif name == _LOBPCG:
            space.update({"LinearOperator": self[OPERATORS].LinearOperator})
        elif name == _SVDS:
            space.update({"eigsh": self[_ARPACK].eigsh, "svd": dense.svd})
            # Random vectors are drawn on the host.
            solve = self[_LOBPCG].lobpcg
            space["lobpcg"] = lambda A, X, **options: solve(A, gpunp.asarray(X), **options)
            space.update({"_svdp": bidiagonalized, "aslinearoperator": operator})


def _iterating(cls, parameters):
    """The class of parameters that iterates on the device."""
    return type(parameters.__name__, (cls, parameters), {})


@functools.cache
def _eigen():
    return _Eigen()


def _converted(value):
    """An operator of SciPy for vectors on the device, or a copy there of a host array."""
    return gpunp.asarray(value) if isinstance(value, numpy.ndarray) else converted(value)


def _function(module, name):
    def call(A, *args, **kwargs):
        with device_of_parts(A, *args, *kwargs.values()):
            args = [_converted(value) for value in args]
            kwargs = {key: _converted(value) for key, value in kwargs.items()}
            return getattr(_eigen()[module], name)(_converted(A), *args, **kwargs)

    return public(call, getattr(scipy.sparse.linalg, name), __name__)


eigs = _function(_ARPACK, "eigs")
eigsh = _function(_ARPACK, "eigsh")
lobpcg = _function(_LOBPCG, "lobpcg")
svds = _function(_SVDS, "svds")
