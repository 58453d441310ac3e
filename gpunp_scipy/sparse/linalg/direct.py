"""Direct solvers: SciPy's code, whose compiled functions are replaced by those of the device."""

import functools
import types
import warnings

import numpy
import scipy.linalg
import scipy.sparse.linalg
from scipy.sparse import SparseEfficiencyWarning, issparse

import gpunp
from gpunp_scipy.device_numpy import CREATION, Numpy
from gpunp_scipy.rebinding import public
from gpunp_scipy.sparse import classes, functions
from gpunp_scipy.sparse.linalg import factors
from gpunp_scipy.twins import Twins

_LINSOLVE = "scipy.sparse.linalg._dsolve.linsolve"
# The most elements of the dense right sides that are solved for at once where they are sparse.
_DENSE_ELEMENTS = 1 << 27


@functools.cache
def _linsolve():
    compiled = types.SimpleNamespace(gssv=factors.gssv, gstrf=factors.gstrf, gstrs=factors.gstrs)
    names = {"_superlu": compiled, "eye_array": functions.eye_array, "diags_array": functions.diags_array}
    names |= {name: classes.device_class(name) for name in ("csc_array", "csr_array")}
    names |= {"safely_cast_index_arrays": functions.safely_cast_index_arrays}
    # UMFPACK is on the host.
    names |= {"noScikit": True, "useUmfpack": types.SimpleNamespace(u=False)}
    twin = Twins({_LINSOLVE: Numpy(CREATION)}, {_LINSOLVE: names})[_LINSOLVE]
    twin.splu = _collected(twin.splu)
    return twin


def _collected(splu):
    """Factorize a matrix whose class need not be that of the device."""

    @functools.wraps(splu)
    def call(A, *args, **kwargs):
        return splu(_uploaded(A), *args, **kwargs)

    return call


def _uploaded(value):
    """A copy on the device of what is on the host."""
    if issparse(value):
        if isinstance(value, classes.methods.DeviceSparse):
            return value
        return classes.device_class(f"{value.format}_array")(value)
    return gpunp.asarray(value) if isinstance(value, numpy.ndarray) else value


def _function(name, call):
    def on_device(A, *args, **kwargs):
        with classes.device_of_parts(A, *args, *kwargs.values()):
            return call(A, *args, **kwargs)

    return public(on_device, getattr(scipy.sparse.linalg, name), __name__)


def _spsolve(A, b, permc_spec=None, use_umfpack=True):
    twin, A = _linsolve(), _uploaded(A)
    if issparse(b) and not (b.ndim == 1 or b.shape[1] == 1):
        return _sparse_solution(twin, A, b)
    b = b if issparse(b) else gpunp.asarray(b)
    return twin.spsolve(A, b, permc_spec, use_umfpack=False)


def _sparse_solution(twin, A, b):
    """The solution for sparse right sides: that for some columns at once is dense."""
    if not (issparse(A) and A.format in ("csc", "csr")):
        A = classes.device_class("csc_array")(A)
        warnings.warn("spsolve requires A be CSC or CSR matrix format", SparseEfficiencyWarning, stacklevel=5)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"matrix must be square (has shape {A.shape})")
    if A.shape[0] != b.shape[0]:
        raise ValueError(f"matrix - rhs dimension mismatch ({A.shape} - {b.shape[0]})")
    if b.format != "csc":
        warnings.warn(
            "spsolve is more efficient when sparse b is in the CSC matrix format",
            SparseEfficiencyWarning,
            stacklevel=5,
        )
        b = b.tocsc()
    A = A._asfptype()
    dtype = numpy.promote_types(A.dtype, b.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparseEfficiencyWarning)
        solve = twin.splu(A.astype(dtype, copy=False)).solve
    width = max(1, _DENSE_ELEMENTS // max(b.shape[0], 1))
    parts = [
        type(A)(solve(b[:, i : i + width].toarray().astype(dtype, copy=False)))
        for i in range(0, b.shape[1], width)
    ]
    return parts[0] if len(parts) == 1 else functions.hstack(parts, format=A.format)


def _spsolve_triangular(A, b, *args, **kwargs):
    if not classes.device_of_parts(A, b).is_cpu:
        from gpunp_scipy.sparse.linalg import device_triangular

        return device_triangular.solve(A, gpunp.asarray(b), *args, **kwargs)
    return _linsolve().spsolve_triangular(A, gpunp.asarray(b), *args, **kwargs)


def _inv(A):
    if not issparse(A):
        raise TypeError("Input must be a sparse arrays")
    identity = functions.eye_array(A.shape[0], dtype=A.dtype, format="csc")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparseEfficiencyWarning)
        found = _spsolve(A, identity)
    # One column is solved for as a vector, as in SciPy.
    return found.asformat(A.format) if issparse(found) else found


def _is_sptriangular(A):
    return tuple(bool(each) for each in _linsolve().is_sptriangular(A))


factorized = _function("factorized", lambda A: _linsolve().splu(A).solve)
inv = _function("inv", _inv)
is_sptriangular = _function("is_sptriangular", _is_sptriangular)
spbandwidth = _function("spbandwidth", lambda A: _linsolve().spbandwidth(A))
spilu = _function("spilu", lambda A, *args, **kwargs: _linsolve().spilu(A, *args, **kwargs))
splu = _function("splu", lambda A, *args, **kwargs: _linsolve().splu(A, *args, **kwargs))
spsolve = _function("spsolve", _spsolve)
spsolve_triangular = _function("spsolve_triangular", _spsolve_triangular)
