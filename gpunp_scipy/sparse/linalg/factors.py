"""Factors of sparse matrices: SuperLU's on the CPU device, cuDSS's on GPUs."""

import numpy
from scipy.sparse import csc_array

import gpunp
from gpunp.array.convert import host_view
from gpunp_scipy.sparse import classes


def on_host(a):
    """A view of an array of the CPU device, or a host array itself."""
    return host_view(a) if isinstance(a, gpunp.ndarray) else a


def _superlu():
    from scipy.sparse.linalg._dsolve import _superlu

    return _superlu


class HostFactors:
    """Factors that SciPy's SuperLU computed in the memory of the CPU device.

    Parameters
    ----------
    factors : scipy.sparse.linalg.SuperLU
    """

    def __init__(self, factors):
        self._factors = factors
        self.shape, self.nnz = factors.shape, factors.nnz

    perm_r = property(lambda self: gpunp.asarray(self._factors.perm_r), doc="The order of rows.")
    perm_c = property(lambda self: gpunp.asarray(self._factors.perm_c), doc="The order of columns.")
    L = property(lambda self: _uploaded(self._factors.L), doc="The lower factor, in columns.")
    U = property(lambda self: _uploaded(self._factors.U), doc="The upper factor, in columns.")

    def solve(self, rhs, trans="N"):
        """Solve systems with the matrix; see `scipy.sparse.linalg.SuperLU`.

        Parameters
        ----------
        rhs : ndarray, shape (n,) or (n, k)
        trans : {"N", "T", "H"}, optional
            Whether the matrix, its transpose or its adjoint is meant.

        Returns
        -------
        ndarray
            Of the same shape.
        """
        return gpunp.asarray(self._factors.solve(on_host(rhs), trans))


def _uploaded(factor):
    return classes.device_class("csc_array")(factor)


def gstrf(N, nnz, data, indices, indptr, csc_construct_func=None, ilu=False, options=None):
    """Factors of a square matrix in columns, as SciPy's compiled function of this name makes them."""
    if data.device.is_cpu:
        parts = [on_host(each) for each in (data, indices, indptr)]
        factors = _superlu().gstrf(N, nnz, *parts, csc_construct_func=csc_array, ilu=ilu, options=options)
        return HostFactors(factors)
    from gpunp_scipy.sparse.linalg import device_factors

    if ilu:
        raise device_factors.incomplete()
    return device_factors.factorize(N, data, indices, indptr, options)


def gssv(N, nnz, data, indices, indptr, b, flag, options=None):
    """Solve a system, as SciPy's compiled function of this name; the flag says whether columns are given."""
    if data.device.is_cpu:
        parts = [on_host(each) for each in (data, indices, indptr, b)]
        x, info = _superlu().gssv(N, nnz, *parts, flag, options=options)
        return gpunp.asarray(x), info
    from gpunp_scipy.sparse.linalg import device_factors

    return device_factors.solution(N, data, indices, indptr, b, flag, options)


def gstrs(trans, n, *parts):
    """Solve triangular systems on the CPU device, as SciPy's compiled function of this name."""
    x, info = _superlu().gstrs(trans, n, *map(_part, parts))
    return gpunp.asarray(x), info


def _part(value):
    """A part of a matrix on the host. SciPy 1.17.0 gives SuperLU long indices, which it refuses."""
    value = on_host(value)
    is_index = isinstance(value, numpy.ndarray) and value.dtype.kind == "i"
    return value.astype(numpy.intc, copy=False) if is_index else value
