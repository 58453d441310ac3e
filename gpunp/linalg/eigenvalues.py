"""Eigenvalues and eigenvectors."""

import numpy
from numpy.lib import NumpyVersion
from numpy.linalg import LinAlgError

from gpunp.array.numpy_internals import EighResult, EigResult
from gpunp.dispatch.registry import implements
from gpunp.linalg import factorizations
from gpunp.linalg.factorizations import stacked
from gpunp.linalg.lapack import check_square, common_dtype, lapack, to_dtype

# Since NumPy 2.5 the results of eig are complex regardless of the values.
_ALWAYS_COMPLEX = NumpyVersion(numpy.__version__) >= "2.5.0.dev0"
_KERNELS = (
    "include/gpunp/linalg/jacobi.h",
    "include/gpunp/linalg/tridiagonal_grid.h",
    "include/gpunp/linalg/tridiagonal_vectors.h",
    "codegen/linalg.py",
)


def _hermitian(a, UPLO, vectors):
    UPLO = UPLO.upper()
    if UPLO not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    check_square(a)
    a = to_dtype(a, common_dtype(a))
    values, found = factorizations.eigh(stacked(a), UPLO == "U", vectors)
    return values.reshape(a.shape[:-1]), found.reshape(a.shape) if vectors else None


@implements(numpy.linalg.eigh, kernels=_KERNELS)
@lapack()
def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of a Hermitian matrix; see `numpy.linalg.eigh`."""
    return EighResult(*_hermitian(a, UPLO, vectors=True))


@implements(numpy.linalg.eigvalsh, kernels=_KERNELS)
@lapack()
def eigvalsh(a, UPLO="L"):
    """Eigenvalues of a Hermitian matrix; see `numpy.linalg.eigvalsh`."""
    return _hermitian(a, UPLO, vectors=False)[0]


def _general(a, vectors):
    check_square(a)
    a = to_dtype(a, common_dtype(a))
    # NumPy's check. It waits, but so does the library call.
    if not bool(numpy.isfinite(a).all()):
        raise LinAlgError("Array must not contain infs or NaNs")
    values, found = factorizations.eig(stacked(a), vectors)
    values = values.reshape(a.shape[:-1])
    found = found.reshape(a.shape) if vectors else None
    if not _ALWAYS_COMPLEX and a.dtype.kind != "c" and not bool(numpy.any(values.imag)):
        values = values.real.copy()
        found = found.real.copy() if vectors else None
    return values, found


@implements(numpy.linalg.eig)
@lapack()
def eig(a):
    """Eigenvalues and eigenvectors of a general matrix; see `numpy.linalg.eig`. Waits for the device."""
    return EigResult(*_general(a, vectors=True))


@implements(numpy.linalg.eigvals)
@lapack()
def eigvals(a):
    """Eigenvalues of a general matrix; see `numpy.linalg.eigvals`. Waits for the device."""
    return _general(a, vectors=False)[0]
