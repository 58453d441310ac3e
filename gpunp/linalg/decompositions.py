"""Cholesky, QR and singular value decompositions."""

import warnings

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.numpy_internals import QRResult, SVDResult
from gpunp.dispatch.registry import implements
from gpunp.linalg import factorizations
from gpunp.linalg.eigenvalues import eigh, eigvalsh
from gpunp.linalg.factorizations import stacked
from gpunp.linalg.lapack import check_matrices, check_square, common_dtype, lapack, to_dtype

_JACOBI = ("include/gpunp/linalg/jacobi.h", "codegen/linalg.py")


@implements(
    numpy.linalg.cholesky,
    kernels=("include/gpunp/linalg/lu.h", "include/gpunp/linalg/panel_cholesky.h", "codegen/linalg.py"),
)
@lapack()
def cholesky(a, /, *, upper=False):
    """The triangular factor of a positive definite matrix; see `numpy.linalg.cholesky`."""
    check_square(a)
    a = to_dtype(a, common_dtype(a))
    return factorizations.cholesky(stacked(a), bool(upper)).reshape(a.shape)


@implements(
    numpy.linalg.qr,
    kernels=("include/gpunp/linalg/qr.h", "include/gpunp/linalg/panel_qr.h", "codegen/linalg.py"),
)
@lapack()
def qr(a, mode="reduced"):
    """QR factorization; see `numpy.linalg.qr`."""
    mode = _mode(mode)
    check_matrices(a)
    a = to_dtype(a, common_dtype(a))
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    least = min(m, n)
    columns = {"reduced": least, "complete": m}.get(mode, 0)
    if a.size == 0:
        return _empty_qr(a, mode, columns)
    packed, tau, q = factorizations.qr(stacked(a), columns)
    packed, tau = packed.reshape(a.shape), tau.reshape((*batch, least))
    if mode == "raw":
        return packed.mT, tau
    if mode == "economic":
        return packed
    r = numpy.triu(packed[..., : columns if columns else least, :])
    return r if mode == "r" else QRResult(q.reshape((*batch, m, columns)), r)


def _mode(mode):
    if mode in ("reduced", "complete", "r", "raw"):
        return mode
    if mode in ("f", "full"):
        message = (
            "The 'full' option is deprecated in favor of 'reduced'.\n"
            "For backward compatibility let mode default."
        )
        warnings.warn(message, DeprecationWarning, stacklevel=4)
        return "reduced"
    if mode in ("e", "economic"):
        warnings.warn("The 'economic' option is deprecated.", DeprecationWarning, stacklevel=4)
        return "economic"
    raise ValueError(f"Unrecognized mode '{mode}'")


def _empty_qr(a, mode, columns):
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    if mode == "raw":
        return a.mT.copy(), layout.empty((*batch, min(m, n)), a.dtype, device=a.device)
    if mode == "economic":
        return a.copy()
    r = layout.empty((*batch, columns if columns else min(m, n), n), a.dtype, device=a.device)
    if mode == "r":
        return r
    q = layout.empty((*batch, m, columns), a.dtype, device=a.device)
    q[...] = numpy.eye(m, columns, dtype=a.dtype, like=a)
    return QRResult(q, r)


@implements(numpy.linalg.svd, kernels=_JACOBI)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular value decomposition; see `numpy.linalg.svd`."""
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    return _general.svd(a, bool(full_matrices), bool(compute_uv))


class _general:
    """The general case, wrapped by `lapack`; the Hermitian case calls `eigh` instead."""

    @staticmethod
    @lapack()
    def svd(a, full_matrices, compute_uv):
        check_matrices(a)
        a = to_dtype(a, common_dtype(a))
        batch, (m, n) = a.shape[:-2], a.shape[-2:]
        if a.size == 0:
            return _empty_svd(a, full_matrices, compute_uv)
        u, s, vh = factorizations.svd(stacked(a), full_matrices, compute_uv)
        s = s.reshape((*batch, min(m, n)))
        if not compute_uv:
            return s
        return SVDResult(u.reshape((*batch, *u.shape[1:])), s, vh.reshape((*batch, *vh.shape[1:])))


def _empty_svd(a, full, vectors):
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    least = min(m, n)
    s = layout.empty((*batch, least), a.real.dtype, device=a.device)
    if not vectors:
        return s
    u = layout.empty((*batch, m, m if full else least), a.dtype, device=a.device)
    vh = layout.empty((*batch, n if full else least, n), a.dtype, device=a.device)
    for part in (u, vh):
        part[...] = numpy.eye(*part.shape[-2:], dtype=a.dtype, like=a)
    return SVDResult(u, s, vh)


def _hermitian_svd(a, vectors):
    """SVD from `eigh`: singular values are the absolute eigenvalues; the signs go into the right vectors."""
    if not vectors:
        return numpy.flip(numpy.sort(numpy.abs(eigvalsh(a)), axis=-1), axis=-1)
    values, u = eigh(a)
    signs = numpy.copysign(values.dtype.type(1), values)
    values = numpy.abs(values)
    order = numpy.flip(numpy.argsort(values, axis=-1), axis=-1)
    signs, values = (numpy.take_along_axis(x, order, axis=-1) for x in (signs, values))
    u = numpy.take_along_axis(u, order[..., None, :], axis=-1)
    return SVDResult(u, values, numpy.conjugate((u * signs[..., None, :]).mT))


@implements(numpy.linalg.svdvals, kernels=_JACOBI)
def svdvals(x, /):
    """Singular values; see `numpy.linalg.svdvals`."""
    return svd(asarray(x), compute_uv=False)
