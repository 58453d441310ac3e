"""Linear algebra for roots and fits."""

import numpy

from gpunp.linalg import eigenvalues, solving


def eigvals(a):
    """Eigenvalues; as real numbers if a real matrix has only real ones, which synchronizes to find out."""
    values = eigenvalues.eigvals(a)
    if values.dtype.kind == "c" and a.dtype.kind != "c" and not bool(numpy.any(values.imag)):
        return values.real.copy()
    return values


def lstsq(a, b, rcond):
    """`numpy.linalg.lstsq`: the solution, residuals, rank and singular values."""
    return solving.lstsq(a, b, rcond)


def inv(a):
    """`numpy.linalg.inv`."""
    return solving.inv(a)
