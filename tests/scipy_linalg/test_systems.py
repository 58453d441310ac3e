"""Systems, inverses, determinants and least squares of ``scipy.linalg``."""

import numpy as np
import pytest
import scipy.linalg
from matrices import adjoint, close, hermitian, matrix, positive
from scipy_forms import NEWEST, Case, case_test, forms, found, newest, on_device, on_host, raises

import gpunp


def _general(*shape):
    return lambda char: (matrix(char, *shape), matrix(char, *shape[:-1], 3, seed=1))


def _vector(n):
    return lambda char: (matrix(char, n, n), matrix(char, n, seed=1))


def _triangle(kind, *shape, vector=False):
    def make(char):
        n = shape[-1]
        a = positive(char, *shape) if char not in "bi" else matrix(char, *shape) + 9 * np.eye(n, dtype=char)
        b = matrix(char, n, seed=2) if vector else matrix(char, *shape[:-1], 2, seed=2)
        return (kind(a) if kind else a), b

    return make


def _tridiagonal(char):
    a = positive(char, 9, 9)
    return np.triu(np.tril(a, 1), -1), matrix(char, 9, 4, seed=1)


def _definite(*shape):
    return lambda char: (positive(char, *shape), matrix(char, *shape[:-1], 2, seed=1))


def _with(**keywords):
    return tuple(keywords.items())


CASES = (
    Case("solve", _general(1, 1), factor=10),
    Case("solve", _general(7, 7), "fdFDi", factor=100),
    Case("solve", _general(2, 3, 5, 5), factor=100),
    Case("solve", _vector(6), factor=100),
    Case("solve", lambda c: (matrix(c, 3, 4, 4), matrix(c, 4, seed=1)), factor=100),
    Case("solve", lambda c: (matrix(c, 4, 4), matrix(c, 3, 4, 2, seed=1)), factor=100),
    Case("solve", lambda c: (matrix(c, 1, 1), matrix(c, 5, 2, seed=1)), factor=10),
    Case("solve", lambda c: (matrix(c, 0, 0), matrix(c, 0, 2))),
    Case("solve", _general(7, 7), "fd", _with(transposed=True), factor=100),
    Case("solve", _general(7, 7), keywords=_with(assume_a="gen"), factor=100),
    Case("solve", _definite(7, 7), keywords=_with(assume_a="pos"), factor=10),
    Case("solve", _definite(2, 40, 40), keywords=_with(assume_a="positive definite", lower=True), factor=10),
    Case(
        "solve", lambda c: (hermitian(c, 6, 6), matrix(c, 6, 2)), keywords=_with(assume_a="her"), factor=100
    ),
    Case(
        "solve",
        lambda c: (hermitian(c, 6, 6), matrix(c, 6, 2)),
        keywords=_with(assume_a="her", lower=True),
        factor=100,
    ),
    Case(
        "solve",
        lambda c: (matrix(c, 6, 6) + np.swapaxes(matrix(c, 6, 6), 0, 1), matrix(c, 6, 2)),
        keywords=_with(assume_a="sym"),
        factor=100,
    ),
    Case("solve", _triangle(np.triu, 7, 7), keywords=_with(assume_a="upper triangular"), factor=10),
    Case("solve", _triangle(np.tril, 7, 7), keywords=_with(assume_a="lower triangular"), factor=10),
    Case("solve", _definite(7, 7), keywords=_with(assume_a="diagonal"), factor=10),
    Case("solve", _tridiagonal, keywords=_with(assume_a="tridiagonal"), factor=10),
    Case("solve", _tridiagonal, keywords=_with(assume_a="banded"), factor=10),
    Case("solve_triangular", _triangle(None, 9, 9), "fdFDi", factor=10),
    Case("solve_triangular", _triangle(None, 9, 9, vector=True), keywords=_with(lower=True), factor=10),
    Case("solve_triangular", _triangle(None, 2, 9, 9), keywords=_with(trans=1), factor=10),
    Case("solve_triangular", _triangle(None, 64, 64), keywords=_with(trans="C", lower=True), factor=10),
    Case(
        "solve_triangular",
        lambda c: (matrix(c, 9, 9) / np.array(20, c), matrix(c, 9, 100)),
        keywords=_with(unit_diagonal=True),
        factor=10,
    ),
    Case("solve_triangular", _triangle(None, 9, 9), keywords=_with(trans=2), factor=10),
    Case("inv", lambda c: (positive(c, 7, 7),), "fdFD", factor=10),
    Case("inv", lambda c: (positive(c, 3, 4, 4),), keywords=_with(assume_a="pos"), factor=10),
    Case(
        "inv", lambda c: (np.triu(positive(c, 7, 7)),), keywords=_with(assume_a="upper triangular"), factor=10
    ),
    Case("inv", lambda c: (hermitian(c, 7, 7),), keywords=_with(assume_a="her", lower=True), factor=100),
    Case("inv", lambda c: (matrix(c, 3, 0, 0),)),
    Case("det", lambda c: (matrix(c, 6, 6),), "fdFDi", factor=10),
    Case("det", lambda c: (matrix(c, 2, 3, 4, 4),), factor=10),
    Case("det", lambda c: (matrix(c, 0, 0),)),
    Case("det", lambda c: (matrix(c, 2, 1, 1),)),
    Case("pinv", lambda c: (matrix(c, 7, 4),), "fdFDi", factor=10),
    Case("pinv", lambda c: (matrix(c, 2, 4, 7),), keywords=_with(return_rank=True), factor=10),
    Case("pinv", lambda c: (matrix(c, 7, 4),), keywords=_with(rtol=0.5, atol=0.1), factor=100),
    Case("pinvh", lambda c: (hermitian(c, 6, 6),), factor=100),
    Case("pinvh", lambda c: (hermitian(c, 6, 6),), keywords=_with(lower=False, return_rank=True), factor=100),
    Case("pinvh", lambda c: (hermitian(c, 2, 5, 5),), factor=100),
)
test_cases = case_test(CASES)


@newest
@forms
@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (5, 5), (3, 9, 4)])
@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize("driver", [None, "gelsy", "gelss"])
def test_least_squares(form, shape, vector, driver):
    for char in "fdFD":
        a = matrix(char, *shape)
        b = matrix(char, *(shape[-2:-1] if vector else (*shape[:-1], 2)), seed=1)
        expected = scipy.linalg.lstsq(a, b, lapack_driver=driver)
        actual = found(form, "lstsq")(on_device(a), on_device(b), lapack_driver=driver)
        for one, other in zip(actual, expected, strict=True):
            if other is None:
                assert one is None
                continue
            assert one.shape == np.shape(other)
            close(one, other, char, 100)


@newest
@forms
def test_least_squares_of_a_deficient_matrix(form):
    a = matrix("d", 9, 4)
    a[:, 3] = a[:, 0] - a[:, 1]
    b = matrix("d", 9, 2, seed=1)
    expected = scipy.linalg.lstsq(a, b, cond=1e-10)
    x, lost, rank, s = found(form, "lstsq")(on_device(a), on_device(b), cond=1e-10)
    close(x, expected[0], "d", 10)
    np.testing.assert_array_equal(gpunp.asnumpy(lost), expected[1])
    assert int(rank) == expected[2] == 3
    close(s, expected[3], "d", 10)


@forms
def test_positive_definite_uses_one_triangle(form):
    a, b = positive("d", 6, 6), matrix("d", 6)
    for lower in (False, True):
        damaged = (np.tril(a) if lower else np.triu(a)) + (np.triu if lower else np.tril)(
            np.full_like(a, 7), 1 if lower else -1
        )
        x = found(form, "solve")(on_device(damaged), on_device(b), lower=lower, assume_a="pos")
        close(a @ on_host(x), b, "d", 10)
        x = found(form, "solve")(on_device(damaged), on_device(b), lower=lower, assume_a="sym")
        close(a @ on_host(x), b, "d", 10)


@forms
def test_bad_systems(form):
    a, b = matrix("d", 4, 4), matrix("d", 4, 2)
    infinite = a.copy()
    infinite[1, 2] = np.inf
    for name in ("solve", "solve_triangular", "lstsq"):
        raises(form, name, ValueError, infinite, b, match="infs or NaNs")
        raises(form, name, ValueError, a, b[:3])
    for name in ("inv", "det", "pinv", "pinvh"):
        raises(form, name, ValueError, infinite, match="infs or NaNs")
    for name in ("inv", "det"):
        raises(form, name, ValueError, a[:3])
        raises(form, name, ValueError, a[0])
    raises(form, "solve", ValueError, a[:3], b)
    raises(form, "solve", ValueError, a, b, assume_a="positive")
    raises(form, "solve", NotImplementedError, a + 0j, b, transposed=True)
    raises(form, "lstsq", ValueError, a, b, lapack_driver="gels")
    raises(form, "solve_triangular", ValueError, a[:3], b)
    raises(form, "solve_triangular", ValueError, a[None][:0], b, match="zero-size")
    raises(form, "pinv", ValueError, a, rtol=-1.0)
    raises(form, "pinvh", ValueError, a[:3])
    if NEWEST:
        raises(form, "lstsq", ValueError, a, b, cond=-1.0, match="rcond >= 0")
    raises(form, "inv", KeyError, a, assume_a="tridiagonal")


@forms
def test_singular_systems(form):
    error = scipy.linalg.LinAlgError
    a, b = np.ones((4, 4)), matrix("d", 4, 2)
    raises(form, "solve", error, a, b)
    if NEWEST:
        # SciPy 1.17.0 divides by zero.
        raises(form, "solve", error, np.zeros((1, 1)), b)
    raises(form, "solve", error, -np.eye(4), b, assume_a="pos")
    raises(form, "solve", error, np.diag([1.0, 0, 2, 3]), b, assume_a="diagonal")
    raises(form, "solve", error, np.diag([1.0, 0, 2, 3]), b, assume_a="upper triangular")
    raises(form, "solve", error, np.diag([1.0, 0, 2, 3]), b, assume_a="tridiagonal")
    raises(form, "inv", error, a)
    raises(form, "solve_triangular", error, np.diag([1.0, 0, 2, 3]), b)


@forms
def test_adjoint_of_complex_solutions(form):
    a, b = np.tril(positive("D", 8, 8)), matrix("D", 8, 3)
    x = found(form, "solve_triangular")(on_device(a), on_device(b), trans=2, lower=True)
    close(adjoint(a) @ on_host(x), b, "D", 10)
