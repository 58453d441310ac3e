"""Band systems of interpolation: one system, which may be long."""

import numpy

import gpunp
from gpunp.array import layout
from gpunp_scipy.interpolate.holders import F8
from gpunp_scipy.linalg import bands

# With more unknowns, a GPU reduces blocks in parallel; `scipy.linalg.solve_banded` steps through the rows, in
# one block of threads, which with so many right sides takes longer than a dense matrix.
_LONG = 1024
_MANY = 64
# Blocks that are left to a dense system.
_FEW = 32


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
    """Solve by cyclic reduction of blocks, as many launches as the logarithm of the system's length.

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
    lower, main, upper = _blocks(diagonals, width)
    x = _reduced(lower, main, upper, b)
    if width > 1:
        # What rounding left, which grows with blocks that are nearly singular.
        x = x + _reduced(lower, main, upper, b - _times(diagonals, x, width))
    return x


def _blocks(diagonals, width):
    """The lower, main and upper blocks of rows; the last one is filled up by rows of the unit matrix."""
    n = diagonals.shape[1]
    count = -(-n // width)
    # Columns of a block of zeros on both sides.
    wide = gpunp.zeros((2 * width + 1, (count + 2) * width), F8, device=diagonals.device)
    wide[:, width : width + n] = diagonals
    wide[width, width + n :] = 1.0
    row, column = numpy.arange(width)[:, None], numpy.arange(width)
    start = numpy.arange(count)[:, None, None] * width + width
    made = []
    for offset in (-width, 0, width):
        diagonal = width + row - column - offset
        inside = (diagonal >= 0) & (diagonal <= 2 * width)
        elements = wide[numpy.clip(diagonal, 0, 2 * width)[None], start + column + offset]
        made.append(elements if offset == 0 else numpy.where(inside, elements, 0.0))
    return made


def _times(diagonals, x, width):
    """The product of the band matrix with x."""
    n, total = x.shape[0], numpy.zeros_like(x)
    for below in range(-min(width, n - 1), min(width, n - 1) + 1):
        columns = slice(max(0, -below), n - max(0, below))
        rows = slice(max(0, below), n - max(0, -below))
        total[rows] += diagonals[width + below, columns][:, None] * x[columns]
    return total


def _product(a, b):
    return a * b if a.shape[-1] == 1 else numpy.matmul(a, b)


def _quotient(a, b):
    return b / a if a.shape[-1] == 1 else numpy.linalg.solve(a, b)


def _with_zero(blocks, *, first=False):
    """Blocks with one of zeros before or after them."""
    zero = numpy.zeros_like(blocks[:1])
    return numpy.concatenate((zero, blocks) if first else (blocks, zero))


def _reduced(lower, main, upper, b):
    """Solve a block tridiagonal system by eliminating every second block until few are left."""
    count, width, _ = main.shape
    n, sides = b.shape
    d = gpunp.zeros((count * width, sides), F8, device=b.device)
    d[:n] = b
    d, levels = d.reshape(count, width, sides), []
    while count > _FEW:
        odd = numpy.concatenate((lower[1::2], upper[1::2], d[1::2]), axis=2)
        odd = _quotient(main[1::2], odd)
        levels.append(odd)
        count = main.shape[0] - odd.shape[0]
        left = _product(lower[::2], _with_zero(odd, first=True)[:count])
        right = _product(upper[::2], _with_zero(odd)[:count])
        main = main[::2] - left[..., width : 2 * width] - right[..., :width]
        lower, upper = -left[..., :width], -right[..., width : 2 * width]
        d = d[::2] - left[..., 2 * width :] - right[..., 2 * width :]
    x = _dense(lower, main, upper, d)
    for odd in reversed(levels):
        after = _with_zero(x)[1 : odd.shape[0] + 1]
        between = odd[..., 2 * width :] - _product(odd[..., :width], x[: odd.shape[0]])
        between = between - _product(odd[..., width : 2 * width], after)
        whole = gpunp.empty((x.shape[0] + between.shape[0], width, sides), F8, device=b.device)
        whole[::2], whole[1::2] = x, between
        x = whole
    return x.reshape(-1, sides)[:n] if sides else layout.zeros(b.shape, F8, device=b.device)


def _dense(lower, main, upper, d):
    count, width, sides = d.shape
    matrix = gpunp.zeros((count, width, count, width), F8, device=d.device)
    each = numpy.arange(count)
    matrix[each, :, each, :] = main
    matrix[each[1:], :, each[:-1], :] = lower[1:]
    matrix[each[:-1], :, each[1:], :] = upper[:-1]
    size = count * width
    return numpy.linalg.solve(matrix.reshape(size, size), d.reshape(size, sides)).reshape(d.shape)
