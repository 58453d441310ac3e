"""Factorizations with an orthogonal factor: QR with and without pivoting, RQ, and Hessenberg form."""

import inspect
import warnings

import numpy
import scipy.linalg

from gpunp.array import layout
from gpunp.linalg import factorizations
from gpunp.linalg.lapack import to_dtype
from gpunp.linalg.triangular import I4
from gpunp_scipy.linalg.calls import (
    adjoint,
    arrays_of,
    complex_of,
    contiguous,
    in_lapack_dtype,
    linalg,
    no_empty_batch,
    over_batch,
)
from gpunp_scipy.linalg.pivoted_qr import pivoted_qr
from gpunp_scipy.linalg.reflectors import product_of_reflectors, reflector

# SciPy's default of a parameter without effect.
_NOT_GIVEN = inspect.signature(scipy.linalg.qr).parameters["lwork"].default
_MODES = ("full", "qr", "r", "raw", "economic")


@linalg
def qr(
    a,
    overwrite_a=False,
    lwork=_NOT_GIVEN,
    mode="full",
    pivoting=False,
    check_finite=True,
):
    """QR factorization; see `scipy.linalg.qr`.

    On a GPU pivoting goes column after column, with matrix-vector products: much slower than without.
    """
    if mode not in _MODES:
        raise ValueError(f"Mode argument should be one of {list(_MODES)}")
    a = arrays_of(a, finite=check_finite)
    if a.ndim < 2:
        raise ValueError("Expected at least a 2-D array")
    m, n = a.shape[-2:]
    if lwork is not _NOT_GIVEN:
        if lwork is not None and lwork != -1 and lwork <= m:
            raise ValueError(f"lwork should be None, -1 or > M, got {lwork}")
        warnings.warn(
            "scipy.linalg: the `lwork` keyword is deprecated and no longer in use as of SciPy 1.18.0 and "
            "will be removed in SciPy 1.20.0",
            DeprecationWarning,
            stacklevel=3,
        )
    a = in_lapack_dtype(a)
    batch, k = a.shape[:-2], min(m, n)
    columns = {"full": m, "qr": m, "economic": k}.get(mode, 0)
    if a.size == 0:
        return _empty(a, mode, pivoting)
    if pivoting:
        packed, tau, order = pivoted_qr(contiguous(a))
        q = product_of_reflectors(packed, tau, columns) if columns else None
    else:
        packed, tau, q = factorizations.qr(contiguous(a), columns)
    rows = k if mode in ("economic", "raw") else m
    r = numpy.triu(packed[:, :rows]).reshape((*batch, rows, n))
    if mode == "r":
        first = ()
    elif mode == "raw":
        first = ((packed.reshape(a.shape), tau.reshape((*batch, k))),)
    else:
        first = (q.reshape((*batch, m, columns)),)
    return (*first, r, order.reshape((*batch, n))) if pivoting else (*first, r)


def _empty(a, mode, pivoting):
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    rows = k if mode in ("economic", "raw") else m
    r = layout.empty((*batch, rows, n), a.dtype, device=a.device)
    last = (r, numpy.arange(n, dtype=I4, like=a)) if pivoting else (r,)
    if mode == "r":
        return last
    if mode == "raw":
        tau = layout.zeros((*batch, k), a.dtype, device=a.device)
        return ((layout.empty_like(a), tau), *last)
    q = layout.empty((*batch, m, rows), a.dtype, device=a.device)
    if mode != "economic":
        q[...] = numpy.eye(m, dtype=a.dtype, like=a)
    return (q, *last)


@linalg
def qr_multiply(
    a,
    c,
    mode="right",
    pivoting=False,
    conjugate=False,
    overwrite_a=False,
    overwrite_c=False,
):
    """Product with Q of a QR factorization; see `scipy.linalg.qr_multiply`."""
    if mode not in ("left", "right"):
        raise ValueError(f"Mode argument can only be 'left' or 'right' but not '{mode}'")
    a, c = arrays_of(a, c)
    arrays_of(c, finite=True)
    a = numpy.atleast_2d(a)
    m, n = a.shape[-2:]
    k = min(m, n)
    vector = c.ndim < 2
    if vector:
        c = c[:, None] if mode == "left" else c[None, :]
    if mode == "left" and c.shape[-2] != min(m, n + bool(overwrite_c) * (m - n)):
        raise ValueError(f"Array shapes are not compatible for Q @ c operation: {a.shape} vs {c.shape}")
    if mode == "right" and m != c.shape[-1]:
        raise ValueError(f"Array shapes are not compatible for c @ Q operation: {c.shape} vs {a.shape}")
    # The product has the precision of Q, as SciPy's.
    a, dtype = in_lapack_dtype(a), c.dtype
    c = to_dtype(c, complex_of(a.dtype) if dtype.kind == "c" else a.dtype)
    batch = numpy.broadcast_shapes(a.shape[:-2], c.shape[:-2])
    no_empty_batch("qr_multiply", batch)
    found = qr(a, mode="full" if mode == "left" and overwrite_c else "economic", pivoting=pivoting)
    q, rest = found[0], (numpy.triu(found[1][..., :k, :]), *found[2:])
    if c.size == 0:
        return (layout.empty((*batch, *c.shape[-2:]), dtype, device=c.device), *rest)
    if mode == "left":
        if conjugate:
            q = numpy.conjugate(q)
        product = q[..., : c.shape[-2]] @ c
    else:
        q = q[..., :k]
        product = c @ (numpy.conjugate(q) if conjugate else q)
    if vector:
        product = product.reshape((*product.shape[:-2], -1))
    return (product, *rest)


@linalg
@over_batch(a=2)
def rq(a, overwrite_a=False, lwork=None, mode="full", check_finite=True):
    """RQ factorization; see `scipy.linalg.rq`. By QR of the matrix with rows and columns reversed."""
    if mode not in ("full", "r", "economic"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    a = arrays_of(a, finite=check_finite)
    if a.ndim != 2:
        raise ValueError("expected matrix")
    m, n = a.shape
    k = min(m, n)
    if a.size == 0:
        r = layout.empty((m, k) if mode == "economic" else (m, n), a.dtype, device=a.device)
        if mode == "r":
            return r
        q = layout.empty((k, n) if mode == "economic" else (n, n), a.dtype, device=a.device)
        if mode != "economic":
            q[...] = numpy.eye(n, dtype=a.dtype, like=a)
        return r, q
    a = in_lapack_dtype(a)
    # A = R Q: with J the reversal, J A^H J = (J Q^H J) (J R^H J), where J R^H J is upper triangular.
    turned = layout.converted(adjoint(a)[::-1, ::-1], order="C")
    columns = 0 if mode == "r" else k if mode == "economic" else n
    packed, _, q = factorizations.qr(turned[None], columns)
    upper = numpy.triu(packed[0])
    if mode == "economic" or k == n:
        upper = upper[:k]
    r = layout.converted(adjoint(upper[::-1, ::-1]), order="C")
    if mode == "r":
        return r
    return r, layout.converted(adjoint(q[0][::-1, ::-1]), order="C")


@linalg
@over_batch(a=2)
def hessenberg(a, calc_q=False, overwrite_a=False, check_finite=True):
    """Hessenberg form; see `scipy.linalg.hessenberg`.

    By Householder reflectors, on a GPU column after column.
    """
    a = arrays_of(a, finite=check_finite)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("expected square matrix")
    n = len(a)
    if 0 < n <= 2:
        # Such a matrix has the form already: SciPy returns it in its dtype, beside a float64 identity.
        h = a.copy()
        return (h, numpy.eye(n, like=a)) if calc_q else h
    a = in_lapack_dtype(a)
    h = layout.converted(a, order="C")
    q = numpy.eye(n, dtype=a.dtype, like=a)
    for k in range(n - 2):
        v, tau, first = reflector(h[k + 1 :, k])
        # H = P^H A P with P = I - tau v v^H.
        right = h[k + 1 :, k + 1 :]
        right -= (numpy.conjugate(tau) * v)[:, None] * (numpy.conjugate(v) @ right)[None, :]
        h[k + 1 :, k] = 0
        h[k + 1, k] = first
        below = h[:, k + 1 :]
        below -= (below @ v)[:, None] * (tau * numpy.conjugate(v))[None, :]
        if calc_q:
            side = q[:, k + 1 :]
            side -= (side @ v)[:, None] * (tau * numpy.conjugate(v))[None, :]
    return (h, q) if calc_q else h
