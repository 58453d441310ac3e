"""Band systems of interpolation."""

import numpy

from gpunp_scipy.linalg import bands


def solve_tridiagonal(diagonals, b):
    """Solve one tridiagonal system.

    Parameters
    ----------
    diagonals : ndarray
        Upper, main and lower diagonal, in `scipy.linalg.solve_banded`'s form: 3 x n, float64.
    b : ndarray
        Right sides along the first axis, of any shape.
    """
    return solve_band(diagonals, b, 1)


def solve_band(diagonals, b, width):
    """Solve one system with ``width`` diagonals above and below the main one."""
    shape = b.shape
    b = b.reshape(shape[0], -1)
    if b.dtype.kind == "c":
        # Real matrices: real and imaginary parts are sides of their own.
        parts = numpy.concatenate((b.real, b.imag), axis=1)
        x = bands.solve_banded((width, width), diagonals, parts, check_finite=False)
        half = x.shape[1] // 2
        return (x[:, :half] + 1j * x[:, half:]).reshape(shape)
    return bands.solve_banded((width, width), diagonals, b, check_finite=False).reshape(shape)
