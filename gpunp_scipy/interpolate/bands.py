"""Band systems of interpolation: one system, which may be long."""

import numpy

import gpunp
from gpunp.array import layout
from gpunp_scipy.interpolate import band_kernels
from gpunp_scipy.interpolate.holders import F8
from gpunp_scipy.linalg import bands

# With more unknowns, a GPU reduces blocks in parallel; `scipy.linalg.solve_banded` steps through the rows, in
# one block of threads, which with so many right sides takes longer than a dense matrix.
_LONG = 1024
_MANY = 64


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
    b = b.reshape(shape[0], -1) if b.size else b.reshape(shape[0], 0)
    is_complex = b.dtype.kind == "c"
    if is_complex:
        # The matrix is real: real and imaginary parts are sides of their own.
        b = numpy.concatenate((b.real, b.imag), axis=1)
    if b.device.is_cpu or width == 0:
        x = bands.solve_banded((width, width), diagonals, b, check_finite=False)
    elif shape[0] > _LONG:
        x = solve_long(diagonals, b, width)
    elif b.shape[1] >= _MANY:
        x = solve_dense(diagonals, b, width)
    else:
        x = bands.solve_banded((width, width), diagonals, b, check_finite=False)
    if is_complex:
        half = x.shape[1] // 2
        x = x[:, :half] + 1j * x[:, half:]
    return x.reshape(shape)


def solve_dense(diagonals, b, width):
    """Solve by the LU factors of the whole matrix; see `solve_long` for the parameters."""
    n = b.shape[0]
    matrix = gpunp.zeros((n, n), F8, device=b.device)
    elements = matrix.reshape(-1)
    for below in range(1 - min(width + 1, n), min(width + 1, n)):
        columns = slice(max(0, -below), n - max(0, below))
        first, count = max(0, below) * n + max(0, -below), n - abs(below)
        elements[first : first + (count - 1) * (n + 1) + 1 : n + 1] = diagonals[width + below, columns]
    return numpy.linalg.solve(matrix, b)


def solve_long(diagonals, b, width):
    """Solve by cyclic reduction of blocks, in launches whose number grows as the logarithm of the length.

    There is no pivoting between blocks. Matrices of interpolation need none: that of a cubic spline is
    diagonally dominant, those of B-splines are totally positive (de Boor and Pinkus 1977).

    Parameters
    ----------
    diagonals : ndarray
        In `scipy.linalg.solve_banded`'s form, float64.
    b : ndarray
        Right sides: n x sides, float64.
    width : int
        The numbers of diagonals above and below the main one, at least 1.
    """
    if b.size == 0:
        return layout.zeros(b.shape, F8, device=b.device)
    diagonals, b = (layout.converted(a, order="C") for a in (diagonals, b))
    x, rows = band_kernels.reduced(diagonals, b, width)
    if width > 1:
        # What rounding left, which grows with blocks that are nearly singular.
        x = x + band_kernels.reduced(diagonals, b, width, known=x, rows=rows)[0]
    return x
