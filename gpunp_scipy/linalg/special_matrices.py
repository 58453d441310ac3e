"""Matrices that are made from vectors."""

import math
import warnings

import numpy

from gpunp.array import layout
from gpunp_scipy.linalg.calls import arrays_of, linalg, no_empty_batch, over_batch
from gpunp_scipy.linalg.window_kernels import windows


def _vectors(*vectors):
    """Vectors along the last axis, contiguous, with one batch and one dtype."""
    if all(a.ndim == 1 and a.dtype == vectors[0].dtype and a.flags.c_contiguous for a in vectors):
        return vectors
    batch = numpy.broadcast_shapes(*(a.shape[:-1] for a in vectors))
    dtype = numpy.result_type(*vectors)
    return [
        numpy.broadcast_to(a, (*batch, a.shape[-1])).astype(dtype, order="C", copy=False) for a in vectors
    ]


@linalg
def toeplitz(c, r=None):
    """Toeplitz matrix; see `scipy.linalg.toeplitz`."""
    c, r = arrays_of(c, r)
    if r is None and c.ndim == 1 and c.size and c.dtype.kind != "c" and c.flags.c_contiguous:
        # The common case, whose kernel takes less time than the general one's preparation.
        return windows(c, c, c.size, c.size, -1, 1, 0, first_backward=True)
    c = numpy.atleast_1d(c)
    if r is None:
        r = numpy.conjugate(c) if c.dtype.kind == "c" else c
    r = numpy.atleast_1d(r)
    no_empty_batch("_toeplitz", numpy.broadcast_shapes(c.shape[:-1], r.shape[:-1]))
    c, r = _vectors(c, r)
    return windows(c, r, c.shape[-1], r.shape[-1], -1, 1, 0, first_backward=True)


@linalg
def circulant(c):
    """Circulant matrix; see `scipy.linalg.circulant`."""
    (c,) = _vectors(numpy.atleast_1d(arrays_of(c)))
    n = c.shape[-1]
    return windows(c, c, n, n, -1, 1, n, first_backward=True, second_backward=True)


@linalg
def hankel(c, r=None):
    """Hankel matrix; see `scipy.linalg.hankel`."""
    c, r = arrays_of(c, r)
    r = numpy.zeros_like(c) if r is None else r
    if c.ndim > 1 or r.ndim > 1:
        warnings.warn(
            "Beginning in SciPy 1.19, multidimensional input will be treated as a batch, not `ravel`ed. "
            "To preserve the existing behavior and silence this warning, `ravel` arguments before passing "
            "them to `hankel`.",
            FutureWarning,
            stacklevel=3,
        )
        c, r = c.ravel(), r.ravel()
    c, r = _vectors(c, r)
    return windows(c, r, len(c), len(r), 1, len(c), 1 - len(c))


@linalg
@over_batch(f=1, s=1)
def leslie(f, s):
    """Leslie matrix; see `scipy.linalg.leslie`."""
    f, s = (numpy.atleast_1d(part) for part in arrays_of(f, s))
    n = f.shape[-1]
    if n != s.shape[-1] + 1:
        raise ValueError(
            "Incorrect lengths for f and s. The length of s along the last axis must be one less than the "
            "length of f."
        )
    if s.shape[-1] == 0:
        raise ValueError("The length of s must be at least 1.")
    found = layout.zeros((n, n), numpy.result_type(f, s), device=f.device)
    found[0] = f
    numpy.einsum("ii->i", found[1:, :-1])[...] = s
    return found


@linalg
def companion(a):
    """Companion matrix of a polynomial; see `scipy.linalg.companion`. Waits for the first coefficients."""
    a = numpy.atleast_1d(arrays_of(a))
    n = a.shape[-1]
    if n < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    if bool(numpy.any(a[..., 0] == 0)):
        raise ValueError("The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero.")
    first = -a[..., 1:] / (1.0 * a[..., :1])
    found = layout.zeros((*a.shape[:-1], n - 1, n - 1), first.dtype, device=a.device)
    found[...] = numpy.eye(n - 1, k=-1, dtype=first.dtype, like=a)
    found[..., 0, :] = first
    return found


@linalg
def fiedler_companion(a):
    """Fiedler companion matrix; see `scipy.linalg.fiedler_companion`. Waits for the first coefficient."""
    a = numpy.atleast_1d(arrays_of(a))
    if a.ndim > 1:
        rows = [fiedler_companion(row) for row in a.reshape(math.prod(a.shape[:-1]), a.shape[-1])]
        found = numpy.stack(rows)
        return found.reshape((*a.shape[:-1], *found.shape[1:]))
    if a.size == 0:
        return layout.empty((0,), a.dtype, device=a.device)
    if a.size == 1:
        return layout.empty((0, 0), a.dtype, device=a.device)
    if a.size == 2:
        return -(a / a[0])[-1].reshape(1, 1)
    if bool(a[0] == 0):
        raise ValueError("Leading coefficient is zero.")
    n = a.size - 1
    # In SciPy the ones and the quotients are stored in the coefficients' dtype after the division.
    a = a / a[0]
    found = layout.zeros((n, n), a.dtype, device=a.device)
    found[range(3, n, 2), range(1, n - 2, 2)] = 1.0
    found[range(2, n, 2), range(1, n - 1, 2)] = -a[3::2]
    found[range(0, n - 2, 2), range(2, n, 2)] = 1.0
    found[range(0, n - 1, 2), range(1, n, 2)] = -a[2::2]
    found[0, 0] = -a[1]
    found[1, 0] = 1
    return found


@linalg
def convolution_matrix(a, n, mode="full"):
    """Matrix of a convolution; see `scipy.linalg.convolution_matrix`."""
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    a = arrays_of(a)
    if a.size == 0:
        raise ValueError("len(a) must be at least 1.")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    length = a.shape[-1]
    widths = [(0, 0)] * (a.ndim - 1) + [(0, n - 1)]
    column, row = numpy.pad(a, widths), numpy.pad(a[..., ::-1], widths)
    cut = 0 if mode == "full" else min(n, length) - 1
    before = cut // 2 if mode == "same" else cut
    after = cut - before if mode == "same" else cut
    total = column.shape[-1]
    return toeplitz(column[..., before : total - after], row[..., total - n - before : total - before])


@linalg
def khatri_rao(a, b):
    """Products of Kronecker of each pair of columns; see `scipy.linalg.khatri_rao`."""
    a, b = arrays_of(a, b)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError("The both arrays should be 2-dimensional.")
    if a.shape[-1] != b.shape[-1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    no_empty_batch("khatri_rao", numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2]))
    if a.size == 0 or b.size == 0:
        rows = a.shape[-2] * b.shape[-2]
        return layout.empty((*a.shape[:-2], rows, a.shape[-1]), a.dtype, device=a.device)
    found = a[..., :, None, :] * b[..., None, :, :]
    return found.reshape((*found.shape[:-3], math.prod(found.shape[-3:-1]), found.shape[-1]))
