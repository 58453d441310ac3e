"""Eigenvalues and eigenvectors: general and Hermitian, generalised, banded and tridiagonal."""

import math

import numpy

import gpunp
from gpunp.array import layout
from gpunp.linalg import factorizations, triangular
from gpunp.linalg.lapack import F8
from gpunp_scipy.linalg.calls import (
    adjoint,
    arrays_of,
    complex_of,
    in_lapack_dtype,
    linalg,
    over_batch,
    real_of,
)
from gpunp_scipy.linalg.pencils import left_vectors, pencil
from gpunp_scipy.linalg.systems import mirrored


@linalg
def eig(
    a,
    b=None,
    left=False,
    right=True,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    homogeneous_eigvals=False,
):
    """Eigenvalues and vectors of a matrix or a pair; see `scipy.linalg.eig`.

    On a GPU a pair becomes one matrix by a shift that makes the pair well conditioned, and left vectors are
    rows of the inverse of the right ones. Waits for the device.
    """
    a = arrays_of(a, finite=check_finite)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Expected a square matrix or a batch of square matrices. Got a.shape = {a.shape!r}")
    beta = None
    if b is None:
        a = in_lapack_dtype(a)
        alpha, vectors = _general(a, left or right)
    else:
        b = arrays_of(a, b, finite=check_finite)[1]
        if b.ndim < 2 or b.shape[-1] != b.shape[-2]:
            raise ValueError("expected square matrix")
        if a.shape[-1] != b.shape[-1]:
            raise ValueError("a and b must have the same shape")
        a, b = in_lapack_dtype(a, b)
        batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a = numpy.broadcast_to(a, (*batch, *a.shape[-2:]))
        b = numpy.broadcast_to(b, (*batch, *b.shape[-2:]))
        alpha, beta, vectors, beside = pencil(a, b, right, left)
    found = [_values(alpha, beta, homogeneous_eigvals)]
    if left:
        found.append(left_vectors(vectors) if b is None else beside)
    if right:
        found.append(vectors)
    if a.dtype.kind != "c" and (left or right) and not bool(numpy.any(found[0].imag)):
        found[1:] = [layout.converted(part.real, order="C") for part in found[1:]]
    return tuple(found) if len(found) > 1 else found[0]


def _general(a, vectors):
    batch, n = a.shape[:-2], a.shape[-1]
    dtype = complex_of(a.dtype)
    if a.size == 0:
        return gpunp.empty((*batch, n), dtype), gpunp.empty((*batch, n, n), dtype)
    w, v = numpy.linalg.eig(a) if vectors else (numpy.linalg.eigvals(a), None)
    return w.astype(dtype), None if v is None else v.astype(dtype).reshape((*batch, n, n))


def _values(alpha, beta, homogeneous):
    if homogeneous:
        return numpy.stack((alpha, numpy.ones_like(alpha) if beta is None else beta), axis=-2)
    if beta is None:
        return alpha
    infinite, undetermined = (beta == 0) & (alpha != 0), (beta == 0) & (alpha == 0)
    found = alpha / numpy.where(beta == 0, beta.dtype.type(1), beta)
    found = numpy.where(infinite, found.dtype.type(math.inf), found)
    return numpy.where(undetermined, found.dtype.type(math.nan), found)


@linalg
def eigvals(
    a,
    b=None,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    homogeneous_eigvals=False,
):
    """Eigenvalues of a matrix or a pair of matrices; see `scipy.linalg.eigvals` and `eig`."""
    return eig(
        a, b, left=False, right=False, check_finite=check_finite, homogeneous_eigvals=homogeneous_eigvals
    )


_DRIVERS = (None, "ev", "evd", "evr", "evx", "gv", "gvd", "gvx")


def _check_driver(driver, b, subset):
    if driver not in _DRIVERS:
        raise ValueError(
            '"{}" is unknown. Possible values are "None", "{}".'.format(driver, '", "'.join(_DRIVERS[1:]))
        )
    if driver is None:
        return
    if b is None and driver.startswith("gv"):
        raise ValueError(
            f"{driver} requires input b array to be supplied for generalized eigenvalue problems."
        )
    if b is not None and driver.startswith("ev"):
        raise ValueError(f'"{driver}" does not accept input b array for standard eigenvalue problems.')
    if subset and driver in ("ev", "evd", "gv", "gvd"):
        raise ValueError(f'"{driver}" cannot compute subsets of eigenvalues')


def _check_subsets(n, by_index, by_value):
    if by_index and by_value:
        raise ValueError("Either index or value subset can be requested.")
    if by_index:
        lo, hi = (int(x) for x in by_index)
        if not 0 <= lo <= hi < n:
            raise ValueError(
                f"Requested eigenvalue indices are not valid. Valid range is [0, {n - 1}] and start <= end, "
                f"but start={lo}, end={hi} is given"
            )
    if by_value:
        lo, hi = by_value
        if not -math.inf <= lo < hi <= math.inf:
            raise ValueError(
                "Requested eigenvalue bounds are not valid. Valid range is (-inf, inf) and low < high, but "
                f"low={lo}, high={hi} is given"
            )


def _places(w, by_index, by_value):
    """The slice of ascending eigenvalues that is wanted; values wait for the device."""
    if by_index:
        lo, hi = (int(x) for x in by_index)
        return slice(lo, hi + 1)
    if by_value:
        # Half-open: (low, high].
        lo, hi = (float(x) for x in by_value)
        first, last = numpy.stack([numpy.count_nonzero(w <= lo), numpy.count_nonzero(w <= hi)]).tolist()
        return slice(first, last)
    return slice(None)


def _hermitian(a, b, lower, vectors, kind):
    """Eigenvalues, and vectors or None, of one Hermitian matrix, or of a pair by Cholesky's factor of b."""
    side = "L" if lower else "U"
    if b is None:
        found = numpy.linalg.eigh(a, side) if vectors else (numpy.linalg.eigvalsh(a, side), None)
        return tuple(found)
    if b.dtype.kind == "c" or a.dtype.kind == "c":
        a, b = in_lapack_dtype(a, b)
    a = mirrored(a, lower, conjugate=True)
    # B = L L^H. Type 1 solves L^-1 A L^-H y = w y with x = L^-H y; types 2 and 3 L^H A L y = w y.
    factor = factorizations.cholesky(layout.converted(b if lower else adjoint(b), order="C")[None])
    if kind == 1:
        half = triangular.solve(factor, layout.converted(a, order="C")[None], upper=False)
        half = layout.converted(adjoint(half), order="C")
        reduced = triangular.solve(factor, half, upper=False)[0]
    else:
        reduced = adjoint(factor[0]) @ a @ factor[0]
    reduced = mirrored(reduced, lower=True, conjugate=True)
    w, y = numpy.linalg.eigh(reduced) if vectors else (numpy.linalg.eigvalsh(reduced), None)
    if y is None:
        return w, None
    if kind == 3:
        return w, factor[0] @ y
    return w, triangular.solve(factor, layout.converted(y, order="C")[None], upper=False, op=2)[0]


@linalg
@over_batch(a=2, b=2)
def eigh(
    a,
    b=None,
    *,
    lower=True,
    eigvals_only=False,
    overwrite_a=False,
    overwrite_b=False,
    type=1,
    check_finite=True,
    subset_by_index=None,
    subset_by_value=None,
    driver=None,
):
    """Eigenvalues and vectors of a Hermitian matrix or pair; see `scipy.linalg.eigh`.

    On a GPU the driver has no effect. A subset is taken from all; one by value waits for its size.
    """
    a, b = arrays_of(a, b, finite=check_finite)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError('expected square "a" matrix')
    if b is not None:
        if b.ndim != 2 or b.shape[0] != b.shape[1]:
            raise ValueError('expected square "b" matrix')
        if b.shape != a.shape:
            raise ValueError(f"wrong b dimensions {b.shape}, should be {a.shape}")
        if type not in (1, 2, 3):
            raise ValueError('"type" keyword only accepts 1, 2, and 3.')
        a, b = in_lapack_dtype(a, b)
    a = in_lapack_dtype(a)
    n = len(a)
    if n == 0:
        w = layout.empty((0,), real_of(a.dtype), device=a.device)
        return w if eigvals_only else (w, layout.empty((0, 0), a.dtype, device=a.device))
    _check_subsets(n, subset_by_index, subset_by_value)
    _check_driver(driver, b, subset_by_index is not None or subset_by_value is not None)
    w, v = _hermitian(a, b, lower, not eigvals_only, type)
    places = _places(w, subset_by_index, subset_by_value)
    return w[places] if eigvals_only else (w[places], v[:, places])


@linalg
@over_batch(a=2, b=2)
def eigvalsh(
    a,
    b=None,
    *,
    lower=True,
    overwrite_a=False,
    overwrite_b=False,
    type=1,
    check_finite=True,
    subset_by_index=None,
    subset_by_value=None,
    driver=None,
):
    """Eigenvalues of a Hermitian matrix or pair; see `scipy.linalg.eigvalsh` and `eigh`."""
    return eigh(
        a,
        b,
        lower=lower,
        eigvals_only=True,
        type=type,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
        driver=driver,
    )


_SELECT = {
    0: 0, 1: 1, 2: 2, "all": 0, "value": 1, "index": 2, "a": 0, "v": 1, "i": 2,
}  # fmt: skip


def _selected(select, select_range, n):
    """`eigh`'s subsets for the ``select`` of banded and tridiagonal matrices."""
    kind = _SELECT.get(select.lower() if isinstance(select, str) else select)
    if kind is None:
        raise ValueError("invalid argument for select")
    if kind == 0:
        return None, None
    limits = numpy.asarray(select_range)
    if limits.ndim != 1 or limits.size != 2 or limits[1] < limits[0]:
        raise ValueError("select_range must be a 2-element array-like in nondecreasing order")
    if kind == 1:
        return None, tuple(limits.tolist())
    if limits.dtype.char.lower() not in "hilqp":
        raise ValueError(
            'when using select="i", select_range must contain integers, got dtype '
            f"{limits.dtype} ({limits.dtype.char})"
        )
    if limits.min() < 0 or limits.max() >= n:
        raise ValueError("select_range out of bounds")
    return tuple(limits.tolist()), None


def _subset(a, lower, eigvals_only, subsets):
    by_index, by_value = subsets
    w, v = _hermitian(a, None, lower, not eigvals_only, 1)
    places = _places(w, by_index, by_value)
    return w[places] if eigvals_only else (w[places], v[:, places])


@linalg
@over_batch(a_band=2)
def eig_banded(
    a_band,
    lower=False,
    eigvals_only=False,
    overwrite_a_band=False,
    select="a",
    select_range=None,
    max_ev=0,
    check_finite=True,
):
    """Eigenvalues and vectors of a Hermitian band matrix; see `scipy.linalg.eig_banded`.

    On a GPU those of the whole matrix, of which a selection is taken.
    """
    a = in_lapack_dtype(arrays_of(a_band, finite=check_finite))
    if a.ndim != 2:
        raise ValueError("expected a 2-D array")
    rows, n = a.shape
    if a.size == 0:
        w = layout.empty((0,), real_of(a.dtype), device=a.device)
        return w if eigvals_only else (w, layout.empty((0, 0), a.dtype, device=a.device))
    subsets = _selected(select, select_range, n)
    whole = layout.zeros((n, n), a.dtype, device=a.device)
    for i in range(min(rows, n)):
        # Diagonal i below the main one, or above it.
        if lower:
            numpy.einsum("ii->i", whole[i:, : n - i])[...] = a[i, : n - i]
        else:
            numpy.einsum("ii->i", whole[: n - i, i:])[...] = a[rows - 1 - i, i:]
    return _subset(whole, lower, eigvals_only, subsets)


@linalg
@over_batch(a_band=2)
def eigvals_banded(
    a_band,
    lower=False,
    overwrite_a_band=False,
    select="a",
    select_range=None,
    check_finite=True,
):
    """Eigenvalues of a Hermitian band matrix; see `scipy.linalg.eigvals_banded` and `eig_banded`."""
    return eig_banded(
        a_band,
        lower=lower,
        eigvals_only=True,
        select=select,
        select_range=select_range,
        check_finite=check_finite,
    )


_TRIDIAGONAL_DRIVERS = ("auto", "stemr", "sterf", "stebz", "stev", "stevd")


@linalg
@over_batch(d=1, e=1)
def eigh_tridiagonal(
    d,
    e,
    eigvals_only=False,
    select="a",
    select_range=None,
    check_finite=True,
    tol=0.0,
    lapack_driver="auto",
):
    """Eigenvalues and vectors of a symmetric tridiagonal matrix; see `scipy.linalg.eigh_tridiagonal`.

    On a GPU those of the whole matrix, of which a selection is taken; ``tol`` and the driver have no effect.
    """
    d, e = arrays_of(d, e, finite=check_finite)
    for part in (d, e):
        if part.ndim != 1:
            raise ValueError("expected a 1-D array")
        if part.dtype.kind == "c":
            raise TypeError("Only real arrays currently supported")
    if d.size != e.size + 1:
        raise ValueError(f"d ({d.size}) must have one more element than e ({e.size})")
    subsets = _selected(select, select_range, d.size)
    if not isinstance(lapack_driver, str):
        raise TypeError("lapack_driver must be str")
    if lapack_driver not in _TRIDIAGONAL_DRIVERS:
        raise ValueError(f"lapack_driver must be one of {_TRIDIAGONAL_DRIVERS}, got {lapack_driver}")
    if d.size == 1:
        # SciPy's eigenvalue and eigenvector have the dtype of the element then.
        w = d[_places(d, *subsets)]
        v = gpunp.ones((1, w.size), d.dtype, device=d.device)
        w = w if w.size else w.astype(F8)
        return w if eigvals_only else (w, v)
    if lapack_driver in ("sterf", "stev", "stevd") and subsets != (None, None):
        raise ValueError(f'{lapack_driver} can only be used when select == "a"')
    if lapack_driver == "sterf" and not eigvals_only:
        raise ValueError("sterf can only be used when eigvals_only is True")
    d, e = in_lapack_dtype(d, e)
    whole = layout.zeros((len(d), len(d)), d.dtype, device=d.device)
    numpy.einsum("ii->i", whole)[...] = d
    numpy.einsum("ii->i", whole[1:, :-1])[...] = e
    return _subset(whole, lower=True, eigvals_only=eigvals_only, subsets=subsets)


@linalg
@over_batch(d=1, e=1)
def eigvalsh_tridiagonal(
    d,
    e,
    select="a",
    select_range=None,
    check_finite=True,
    tol=0.0,
    lapack_driver="auto",
):
    """Eigenvalues of a symmetric tridiagonal matrix; see `scipy.linalg.eigvalsh_tridiagonal`."""
    return eigh_tridiagonal(
        d,
        e,
        eigvals_only=True,
        select=select,
        select_range=select_range,
        check_finite=check_finite,
        tol=tol,
        lapack_driver=lapack_driver,
    )
