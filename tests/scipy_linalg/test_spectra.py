"""Eigenvalues and eigenvectors of ``scipy.linalg``."""

import numpy as np
import pytest
import scipy.linalg
from matrices import adjoint, close, hermitian, matrix, positive
from scipy_forms import Case, case_test, forms, found, on_device, on_host, raises


def _with(**keywords):
    return tuple(keywords.items())


CASES = (
    Case("eigvalsh", lambda c: (hermitian(c, 7, 7),), "fdFDi"),
    Case("eigvalsh", lambda c: (hermitian(c, 2, 3, 5, 5),), keywords=_with(lower=False)),
    Case("eigvalsh", lambda c: (hermitian(c, 7, 7), positive(c, 7, 7)), factor=10),
    Case("eigvalsh", lambda c: (hermitian(c, 7, 7), positive(c, 7, 7)), keywords=_with(type=2), factor=10),
    Case(
        "eigvalsh",
        lambda c: (hermitian(c, 7, 7), positive(c, 7, 7)),
        keywords=_with(type=3, lower=False),
        factor=10,
    ),
    Case("eigvalsh", lambda c: (hermitian(c, 7, 7),), keywords=_with(subset_by_index=(1, 3))),
    Case("eigvalsh", lambda c: (hermitian(c, 7, 7),), keywords=_with(subset_by_value=(-2.0, 3.0))),
    Case("eigvalsh", lambda c: (hermitian(c, 7, 7),), keywords=_with(subset_by_value=(-np.inf, 0.5))),
    Case("eigvalsh", lambda c: (np.zeros((0, 0), c),)),
    Case("eigvals_banded", lambda c: (matrix(c, 3, 8).real.astype(c),), "fdFDi"),
    Case("eigvals_banded", lambda c: (matrix(c, 1, 8).real.astype(c),), keywords=_with(lower=True)),
    Case("eigvals_banded", lambda c: (matrix(c, 2, 3, 8).real.astype(c),), keywords=_with(lower=True)),
    Case(
        "eigvals_banded",
        lambda c: (matrix(c, 3, 8).real.astype(c),),
        keywords=_with(select="i", select_range=(2, 5)),
    ),
    Case(
        "eigvals_banded",
        lambda c: (matrix(c, 3, 8).real.astype(c),),
        keywords=_with(select="v", select_range=(-1, 2)),
    ),
    Case("eigvalsh_tridiagonal", lambda c: (matrix(c, 9), matrix(c, 8)), "fdi"),
    Case("eigvalsh_tridiagonal", lambda c: (matrix(c, 2, 9), matrix(c, 8)), "fd"),
    Case(
        "eigvalsh_tridiagonal",
        lambda c: (matrix(c, 9), matrix(c, 8)),
        "fd",
        _with(select="i", select_range=(0, 2)),
    ),
    Case(
        "eigvalsh_tridiagonal",
        lambda c: (matrix(c, 9), matrix(c, 8)),
        "fd",
        _with(select="v", select_range=(0, 9)),
    ),
    Case("eigvalsh_tridiagonal", lambda c: (matrix(c, 1), matrix(c, 0)), "fd"),
)
test_cases = case_test(CASES)


def _check_pairs(a, b, w, v, kind, char, factor=1):
    """Residuals of A v = w B v, A B v = w v or B A v = w v, and orthonormality in the metric of the type."""
    w, v = on_host(w), on_host(v)
    left = {1: a @ v, 2: a @ b @ v, 3: b @ a @ v}[kind]
    right = (b @ v if kind == 1 else v) * w[..., None, :]
    close(left, right, char, factor)
    metric = np.linalg.inv(b.astype("D")) if kind == 3 else b
    close(adjoint(v) @ metric @ v, np.broadcast_to(np.eye(v.shape[-1]), (adjoint(v) @ v).shape), char, factor)


@forms
@pytest.mark.parametrize("kind", [1, 2, 3])
@pytest.mark.parametrize("lower", [False, True])
def test_hermitian_pairs(form, kind, lower):
    for char in "fdFD":
        for shape in ((6, 6), (2, 5, 5)):
            a, b = hermitian(char, *shape), positive(char, *shape, seed=1) / shape[-1]
            triangle = np.tril if lower else np.triu
            w, v = found(form, "eigh")(
                on_device(triangle(a)), on_device(triangle(b.astype(char))), type=kind, lower=lower
            )
            assert w.dtype == a.real.dtype
            assert v.dtype == char
            _check_pairs(a, b, w, v, kind, char, 10)


@forms
def test_hermitian(form):
    for char in "fdFD":
        for shape in ((1, 1), (7, 7), (2, 5, 5)):
            a = hermitian(char, *shape)
            w, v = found(form, "eigh")(on_device(a))
            _check_pairs(a, np.broadcast_to(np.eye(shape[-1], dtype=char), shape), w, v, 1, char, 10)
            assert (np.diff(on_host(w)) >= 0).all()


@forms
def test_subsets(form):
    a = hermitian("d", 9, 9)
    values = np.linalg.eigvalsh(a)
    w, v = found(form, "eigh")(on_device(a), subset_by_index=[2, 5])
    close(w, values[2:6], "d")
    _check_pairs(a, np.eye(9), w, v, 1, "d")
    limits = (values[1] + 1e-3, values[6] + 1e-3)
    w, v = found(form, "eigh")(on_device(a), subset_by_value=limits)
    close(w, values[2:7], "d")
    _check_pairs(a, np.eye(9), w, v, 1, "d")
    w = found(form, "eigh")(on_device(a), positive("d", 9, 9), subset_by_index=[0, 0], eigvals_only=True)
    assert w.shape == (1,)


@forms
def test_bands_and_tridiagonals(form):
    for char in "fd":
        d, e = matrix(char, 9), matrix(char, 8, seed=1)
        whole = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
        for keywords in (
            {},
            {"select": "i", "select_range": (2, 4)},
            {"select": "v", "select_range": (-1, 1)},
        ):
            w, v = found(form, "eigh_tridiagonal")(on_device(d), on_device(e), **keywords)
            _check_pairs(whole, np.eye(9, dtype=char), w, v, 1, char, 10)
            bands = np.stack([np.append(0, e).astype(char), d])
            w, v = found(form, "eig_banded")(on_device(bands), **keywords)
            _check_pairs(whole, np.eye(9, dtype=char), w, v, 1, char, 10)


def _assert_same_set(actual, expected, char, factor):
    """Compare eigenvalues in any order."""
    actual, expected = np.asarray(on_host(actual)), np.asarray(expected)
    assert actual.shape == expected.shape
    for one, other in zip(
        actual.reshape(-1, actual.shape[-1]), expected.reshape(-1, actual.shape[-1]), strict=True
    ):
        left = list(one)
        for value in other:
            nearest = min(range(len(left)), key=lambda i: abs(left[i] - value))
            close(np.asarray(left.pop(nearest)), value, char, factor)


@forms
def test_general(form):
    for char in "fdFDi":
        for shape in ((1, 1), (6, 6), (2, 4, 4)):
            a = matrix(char, *shape)
            tolerance = char if char in "fF" else "d"
            w, vl, vr = found(form, "eig")(on_device(a), left=True)
            expected = scipy.linalg.eig(a, left=True)
            for one, other in zip((w, vl, vr), expected, strict=True):
                assert one.shape == other.shape
                assert one.dtype == other.dtype
            _assert_same_set(w, expected[0], tolerance, 100)
            w, vl, vr = (on_host(part) for part in (w, vl, vr))
            close(a @ vr, vr * w[..., None, :], tolerance, 100)
            close(adjoint(vl) @ a, w[..., None] * adjoint(vl), tolerance, 100)
            for v in (vl, vr):
                close(np.linalg.norm(v, axis=-2), np.ones(w.shape), tolerance)
            values = found(form, "eigvals")(on_device(a))
            _assert_same_set(values, expected[0], tolerance, 100)
            stacked = on_host(found(form, "eigvals")(on_device(a), homogeneous_eigvals=True))
            assert stacked.shape == (*shape[:-2], 2, shape[-1])


@forms
def test_general_pairs(form):
    for char in "fdFD":
        for shape in ((1, 1), (6, 6), (2, 4, 4)):
            a, b = matrix(char, *shape), matrix(char, *shape, seed=1)
            w, vl, vr = (on_host(part) for part in found(form, "eig")(on_device(a), on_device(b), left=True))
            expected = scipy.linalg.eig(a, b, left=True)
            assert w.dtype == expected[0].dtype
            _assert_same_set(w, expected[0], char, 1000)
            close(a @ vr, b @ (vr * w[..., None, :]), char, 1000)
            close(adjoint(vl) @ a, w[..., None] * (adjoint(vl) @ b), char, 1000)


@forms
def test_infinite_eigenvalues(form):
    a, b = matrix("d", 5, 5), np.diag([1.0, 2, 0, 3, 0])
    w = on_host(found(form, "eigvals")(on_device(a), on_device(b)))
    assert np.isinf(w).sum() == 2
    finite = w[np.isfinite(w)]
    expected = scipy.linalg.eigvals(a, b)
    _assert_same_set(finite, expected[np.isfinite(expected)], "d", 1000)
    alpha, beta = on_host(found(form, "eigvals")(on_device(a), on_device(b), homogeneous_eigvals=True))
    np.testing.assert_array_equal(beta == 0, np.isinf(w))
    assert (alpha[beta == 0] != 0).all()


@forms
def test_real_pairs_have_real_eigenvalues(form):
    a, b = hermitian("d", 5, 5), positive("d", 5, 5)
    w, v = found(form, "eig")(on_device(a), on_device(b))
    assert (on_host(w).imag == 0).all()
    assert v.dtype == "d"


@forms
def test_bad_spectra(form):
    a = hermitian("d", 4, 4)
    infinite = a.copy()
    infinite[1, 2] = np.nan
    for name in ("eig", "eigvals", "eigh", "eigvalsh", "eig_banded", "eigvals_banded"):
        raises(form, name, ValueError, infinite, match="infs or NaNs")
    for name in ("eig", "eigvals", "eigh", "eigvalsh"):
        raises(form, name, ValueError, a[:3])
        raises(form, name, ValueError, a, a[:3])
    raises(form, "eigh", scipy.linalg.LinAlgError, a, -np.eye(4))
    raises(form, "eigh", ValueError, a, driver="gvd")
    raises(form, "eigh", ValueError, a, np.eye(4), driver="evr")
    raises(form, "eigh", ValueError, a, driver="syevd")
    raises(form, "eigh", ValueError, a, driver="ev", subset_by_index=[0, 1])
    raises(form, "eigh", ValueError, a, np.eye(4), type=4)
    raises(form, "eigh", ValueError, a, subset_by_index=[2, 1])
    raises(form, "eigh", ValueError, a, subset_by_index=[0, 4])
    raises(form, "eigh", ValueError, a, subset_by_value=[1.0, 0.0])
    raises(form, "eigh", ValueError, a, subset_by_value=[0.0, 1.0], subset_by_index=[0, 1])
    raises(form, "eigh", ValueError, a[None][:0], match="zero-size")
    d, e = matrix("d", 5), matrix("d", 4)
    raises(form, "eigh_tridiagonal", ValueError, d, d)
    raises(form, "eigh_tridiagonal", TypeError, d + 0j, e)
    raises(form, "eigh_tridiagonal", ValueError, d, e, select="x")
    raises(form, "eigh_tridiagonal", ValueError, d, e, select="i", select_range=(0, 5))
    raises(form, "eigh_tridiagonal", ValueError, d, e, select="i", select_range=(0.0, 1.0))
    raises(form, "eigh_tridiagonal", ValueError, d, e, select="v", select_range=(1, 0))
    raises(form, "eigh_tridiagonal", ValueError, d, e, lapack_driver="x")
    raises(form, "eigh_tridiagonal", TypeError, d, e, lapack_driver=3)
    raises(form, "eigh_tridiagonal", ValueError, d, e, lapack_driver="stev", select="i", select_range=(0, 1))
