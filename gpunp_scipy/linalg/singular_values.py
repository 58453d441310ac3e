"""Singular values, and what is computed from them: pseudo-inverses, bases of subspaces, polar factors."""

import numpy

import gpunp
from gpunp.array import layout
from gpunp.linalg.decompositions import svd as numpy_svd
from gpunp_scipy.linalg.calls import adjoint, arrays_of, eps_of, in_lapack_dtype, linalg, over_batch


def _matrices(a, check_finite=True):
    a = arrays_of(a, finite=check_finite)
    if a.ndim < 2:
        raise ValueError(f"Expected at least ndim=2, got a1.ndim={a.ndim!r}")
    return in_lapack_dtype(a)


@linalg
def svd(
    a,
    full_matrices=True,
    compute_uv=True,
    overwrite_a=False,
    check_finite=True,
    lapack_driver="gesdd",
):
    """Singular value decomposition; see `scipy.linalg.svd`.

    On a GPU the driver has no effect.
    """
    if not isinstance(lapack_driver, str):
        raise TypeError("lapack_driver must be a string")
    if lapack_driver not in ("gesdd", "gesvd"):
        raise ValueError(f'lapack_driver must be "gesdd" or "gesvd", not "{lapack_driver}"')
    a = _matrices(a, check_finite)
    if a.size == 0 and compute_uv:
        return _empty_svd(a, full_matrices)
    if a.size == 0:
        return layout.empty((*a.shape[:-2], 0), a.real.dtype, device=a.device)
    found = numpy_svd(a, bool(full_matrices), bool(compute_uv))
    return tuple(found) if compute_uv else found


def _empty_svd(a, full):
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    s = layout.empty((*batch, 0), a.real.dtype, device=a.device)
    u = layout.empty((*batch, m, m if full else 0), a.dtype, device=a.device)
    vh = layout.empty((*batch, n if full else 0, n), a.dtype, device=a.device)
    for part in (u, vh):
        part[...] = numpy.eye(*part.shape[-2:], dtype=a.dtype, like=a)
    return u, s, vh


@linalg
def svdvals(a, overwrite_a=False, check_finite=True):
    """Singular values; see `scipy.linalg.svdvals`."""
    return svd(a, compute_uv=False, check_finite=check_finite)


def cut_values(s, least):
    """The inverses of values above a limit and zeros for the others, and how many are above it."""
    large = s > least
    one = s.dtype.type(1)
    inverse = numpy.where(large, one / numpy.where(large, s, one), s.dtype.type(0))
    return inverse, numpy.count_nonzero(large, axis=-1)


def _limit(values, shape, atol, rtol):
    """The limit below which values count as zero: ``atol + rtol * the largest``."""
    atol = 0.0 if atol is None else atol
    rtol = max(shape) * eps_of(values) if rtol is None else rtol
    if atol < 0.0 or rtol < 0.0:
        raise ValueError("atol and rtol values must be positive.")
    return atol + numpy.max(values, axis=-1, initial=0.0, keepdims=True) * rtol


@linalg
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    """Pseudo-inverse by singular values; see `scipy.linalg.pinv`."""
    a = _matrices(a, check_finite)
    u, s, vh = svd(a, full_matrices=False, check_finite=False)
    inverse, rank = cut_values(s, _limit(s, a.shape[-2:], atol, rtol))
    found = (adjoint(vh) * inverse[..., None, :]) @ adjoint(u)
    return (found, rank) if return_rank else found


@linalg
@over_batch(a=2)
def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True):
    """Pseudo-inverse of a Hermitian matrix by eigenvalues; see `scipy.linalg.pinvh`.

    With ``return_rank`` waits for the rank.
    """
    a = _matrices(a, check_finite)
    if a.shape[0] != a.shape[1]:
        raise ValueError('expected square "a" matrix')
    s, u = numpy.linalg.eigh(a, "L" if lower else "U")
    sizes = numpy.abs(s)
    inverse, rank = cut_values(sizes, _limit(sizes, a.shape, atol, rtol))
    found = (u * (inverse * numpy.sign(s))) @ adjoint(u)
    return (found, int(rank)) if return_rank else found


def _rank(s, shape, rcond):
    rcond = eps_of(s) * max(shape) if rcond is None else rcond
    return int(numpy.count_nonzero(s > numpy.max(s, initial=0.0) * rcond))


@linalg
@over_batch(A=2)
def orth(A, rcond=None):
    """Orthonormal basis of the range; see `scipy.linalg.orth`. Waits for the rank."""
    u, s, vh = svd(A, full_matrices=False)
    return u[:, : _rank(s, (u.shape[0], vh.shape[1]), rcond)]


@linalg
@over_batch(A=2)
def null_space(A, rcond=None, *, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """Orthonormal basis of the null space; see `scipy.linalg.null_space`. Waits for the rank."""
    u, s, vh = svd(A, full_matrices=True, check_finite=check_finite, lapack_driver=lapack_driver)
    return adjoint(vh[_rank(s, (u.shape[0], vh.shape[1]), rcond) :])


@linalg
@over_batch(A=2, B=2)
def subspace_angles(A, B):
    """Angles between the ranges of two matrices; see `scipy.linalg.subspace_angles`.

    By Knyazev and Argentati's method: small angles from their sines. Waits for the ranks.
    """
    A, B = arrays_of(A, B, finite=True)
    for matrix in (A, B):
        if matrix.ndim != 2:
            raise ValueError(f"expected 2D array, got shape {matrix.shape}")
    first, second = orth(A), orth(B)
    if len(first) != len(second):
        raise ValueError(f"A and B must have the same number of rows, got {len(first)} and {len(second)}")
    if first.shape[1] < second.shape[1]:
        first, second = second, first
    products = adjoint(first) @ second
    cosines = svdvals(products)
    sines = svdvals(second - first @ products)
    return numpy.where(
        cosines**2 >= 0.5,
        numpy.arcsin(numpy.clip(sines, -1.0, 1.0)),
        numpy.arccos(numpy.clip(cosines[::-1], -1.0, 1.0)),
    )


@linalg
@over_batch(a=2)
def polar(a, side="right"):
    """Polar decomposition; see `scipy.linalg.polar`."""
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    a = arrays_of(a)
    if a.ndim != 2:
        raise ValueError("`a` must be a 2-D array.")
    w, s, vh = svd(a, full_matrices=False)
    p = (adjoint(vh) * s) @ vh if side == "right" else (w * s) @ adjoint(w)
    return w @ vh, p


@linalg
@over_batch(A=2, B=2)
def orthogonal_procrustes(A, B, check_finite=True):
    """Orthogonal matrix that maps one matrix closest to another; see `scipy.linalg.orthogonal_procrustes`."""
    A, B = arrays_of(A, B, finite=check_finite)
    if A.ndim != 2:
        raise ValueError(f"expected ndim to be 2, but observed {A.ndim}")
    if A.shape != B.shape:
        raise ValueError(f"the shapes of A and B differ ({A.shape} vs {B.shape})")
    u, w, vh = svd((B.T @ numpy.conjugate(A)).T, check_finite=False)
    return u @ vh, numpy.sum(w)


@linalg
@over_batch(s=1)
def diagsvd(s, M, N):
    """Diagonal matrix of singular values; see `scipy.linalg.diagsvd`."""
    s = gpunp.asarray(s)
    if len(s) not in (M, N):
        raise ValueError("Length of s must be M or N.")
    found = layout.zeros((M, N), s.dtype, device=s.device)
    numpy.einsum("ii->i", found[: len(s), : len(s)])[...] = s
    return found
