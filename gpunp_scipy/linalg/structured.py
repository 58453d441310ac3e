"""Toeplitz and circulant systems."""

import numpy
from scipy.fft import next_fast_len

from gpunp.array import layout
from gpunp.linalg.lapack import C16, F8
from gpunp.linalg.solving import solve as numpy_solve
from gpunp_scipy.linalg.calls import arrays_of, linalg, no_empty_batch
from gpunp_scipy.linalg.special_matrices import toeplitz


def _column_and_row(c_or_cr):
    if isinstance(c_or_cr, tuple):
        return c_or_cr
    return c_or_cr, numpy.conjugate(c_or_cr)


def _checked(name, c_or_cr, x, check_finite, square):
    """The column, the row and the right sides in double precision, as matrices of one batch."""
    c, r = _column_and_row(c_or_cr)
    if x is None:
        raise ValueError("`b` must be an array, not None.")
    c, r, x = arrays_of(c, r, x, finite=check_finite)
    rows = x.shape[-2] if x.ndim > 1 else x.shape[0]
    if (square and r.shape[-1] != c.shape[-1]) or rows != r.shape[-1]:
        raise ValueError("Incompatible dimensions.")
    dtype = C16 if "c" in (c.dtype.kind, r.dtype.kind, x.dtype.kind) else F8
    c, r, x = (part.astype(dtype, copy=False) for part in (c, r, x))
    vector = x.ndim == 1
    x = x[:, None] if vector else x
    batch = numpy.broadcast_shapes(c.shape[:-1], r.shape[:-1], x.shape[:-2])
    no_empty_batch(name, batch)
    c, r = (numpy.broadcast_to(part, (*batch, part.shape[-1])) for part in (c, r))
    return c, r, numpy.broadcast_to(x, (*batch, *x.shape[-2:])), vector


@linalg
def solve_toeplitz(c_or_cr, b, check_finite=True):
    """Solve with a Toeplitz matrix; see `scipy.linalg.solve_toeplitz`.

    On a GPU by LU factors of the whole matrix, which is faster there than Levinson's recursion, needs no
    regular leading minors, and takes memory for n^2 elements.
    """
    c, r, b, vector = _checked("_solve_toeplitz", c_or_cr, b, check_finite, square=True)
    x = layout.empty(b.shape, b.dtype, device=b.device) if b.size == 0 else numpy_solve(toeplitz(c, r), b)
    return x[..., 0] if vector else x


@linalg
def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    """Product with a Toeplitz matrix by Fourier transforms; see `scipy.linalg.matmul_toeplitz`."""
    c, r, x, vector = _checked("_matmul_toepltiz", c_or_cr, x, check_finite, square=False)
    rows, columns = c.shape[-1], r.shape[-1]
    if x.size == 0:
        found = layout.empty((*x.shape[:-2], rows, x.shape[-1]), x.dtype, device=x.device)
        return found[..., 0] if vector else found
    # The matrix is part of a circulant one, of any size that is not less: of one whose transforms are fast.
    length = next_fast_len(rows + columns - 1, real=True)
    between = layout.zeros((*c.shape[:-1], length - rows - columns + 1), c.dtype, device=c.device)
    column = numpy.concatenate((c, between, r[..., :0:-1]), axis=-1)[..., None]
    if x.dtype.kind == "c":
        spectrum = numpy.fft.fft(column, axis=-2) * numpy.fft.fft(x, n=length, axis=-2)
        found = numpy.fft.ifft(spectrum, axis=-2)[..., :rows, :]
    else:
        spectrum = numpy.fft.rfft(column, axis=-2) * numpy.fft.rfft(x, n=length, axis=-2)
        found = numpy.fft.irfft(spectrum, n=length, axis=-2)[..., :rows, :]
    return layout.converted(found[..., 0] if vector else found, order="C")
