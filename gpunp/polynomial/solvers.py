"""Linear algebra behind roots and fits."""

import numpy

from gpunp.linalg import eigenvalues, solving


def eigvals(a):
    """Eigenvalues; real ones of a real matrix whose eigenvalues are all real (that takes a look at them)."""
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
