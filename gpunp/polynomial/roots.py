"""Coefficients from roots, and roots from coefficients."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.creation.filled import zeros
from gpunp.creation.matrices import eye
from gpunp.dispatch.registry import implements
from gpunp.manipulation.joining import concatenate
from gpunp.manipulation.shape import atleast_1d
from gpunp.polynomial.coefficients import coefficients
from gpunp.polynomial.solvers import eigvals


def monic(roots):
    """The coefficients of the monic polynomial with these roots."""
    out = zeros(len(roots) + 1, roots.dtype, device=roots.device)
    out[0] = 1
    for k in range(len(roots)):
        out[1 : k + 2] -= roots[k] * out[: k + 1]
    return out


@implements(numpy.poly)
def poly(seq_of_zeros):
    """The coefficients of the polynomial with given roots; see `numpy.poly`."""
    roots = atleast_1d(asarray(seq_of_zeros))
    if roots.ndim == 2 and roots.shape[0] == roots.shape[1] and roots.shape[0] != 0:
        roots = eigvals(roots)
    elif roots.ndim == 1:
        roots = roots.astype(numpy.mintypecode(roots.dtype.char))
    else:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if len(roots) == 0:
        return asarray(1.0, device=roots.device)
    out = monic(roots)
    if out.dtype.kind == "c":
        # Roots in conjugate pairs give real coefficients: the dtype depends on the data.
        roots = roots.astype(numpy.complex128)
        if bool(numpy.all(numpy.sort(roots) == numpy.sort(numpy.conjugate(roots)))):
            out = out.real.copy()
    return out


def _zeros_at_the_ends(p):
    """The numbers of leading and of trailing zeros, with one synchronization."""
    present = zeros(len(p) + 1, bool, device=p.device)
    counts = layout.empty((2,), numpy.dtype(numpy.intp), "C", p.device)
    for i, coefficients_in_order in enumerate((p, p[::-1])):
        present[:-1] = coefficients_in_order != 0
        present[-1] = True
        counts[i] = numpy.argmax(present)
    return counts.tolist()


@implements(numpy.roots)
def roots(p):
    """The roots of a polynomial, by the eigenvalues of its companion matrix; see `numpy.roots`."""
    p = atleast_1d(coefficients(p))
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    start, trailing = _zeros_at_the_ends(p)
    if start == len(p):
        return zeros(0, device=p.device)
    p = p[start : len(p) - trailing]
    if p.dtype.kind not in "fc":
        p = p.astype(numpy.float64)
    if len(p) > 1:
        companion = eye(len(p) - 1, k=-1, dtype=p.dtype, device=p.device)
        companion[0, :] = -p[1:] / p[0]
        found = eigvals(companion)
    else:
        found = zeros(0, device=p.device)
    return concatenate((found, zeros(trailing, found.dtype, device=p.device)))
