"""Band matrices, Toeplitz and circulant systems of ``scipy.linalg``."""

import numpy as np
import pytest
import scipy.linalg
from matrices import matrix
from scipy_forms import Case, agree, case_test, forms, found, on_device, raises


def _bands(rows, n, *batch, sides=(2,)):
    return lambda char: (matrix(char, *batch, rows, n), matrix(char, *batch, n, *sides, seed=1))


def _definite_bands(char, rows, n, *batch, lower=False):
    """Diagonals with a dominant main one."""
    bands = matrix(char, *batch, rows, n)
    bands[..., 0 if lower else rows - 1, :] = 20 * rows + np.arange(n)
    return bands


def _with(**keywords):
    return tuple(keywords.items())


CASES = (
    *(
        Case(
            "solve_banded",
            lambda c, pair=pair, n=n: (pair, *_bands(sum(pair) + 1, n)(c)),
            "fdFD",
            factor=1e3,
        )
        for pair in ((1, 1), (2, 1), (1, 3), (0, 0), (0, 2), (2, 0))
        for n in (3, 30)
    ),
    Case("solve_banded", lambda c: ((1, 1), *_bands(3, 40, sides=())(c)), factor=1e3),
    Case("solve_banded", lambda c: ((2, 1), *_bands(4, 20, 3)(c)), factor=1e3),
    Case("solve_banded", lambda c: ((2, 1), matrix(c, 3, 4, 20), matrix(c, 20)), factor=1e3),
    Case("solve_banded", lambda c: ((0, 0), *_bands(1, 1)(c)), factor=10),
    Case("solve_banded", lambda c: ((1, 1), *_bands(3, 9, sides=(300,))(c)), factor=1e3),
    *(
        Case(
            "solveh_banded",
            lambda c, rows=rows, lower=lower: (_definite_bands(c, rows, 9, lower=lower), matrix(c, 9, 3)),
            "fdFDi",
            _with(lower=lower),
            factor=10,
        )
        for rows in (1, 2, 4)
        for lower in (False, True)
    ),
    Case("solveh_banded", lambda c: (_definite_bands(c, 3, 8, 2), matrix(c, 8)), factor=10),
    Case("matmul_toeplitz", lambda c: (matrix(c, 9), matrix(c, 9, 3)), "fdFDi", factor=10),
    Case("matmul_toeplitz", lambda c: ((matrix(c, 4), matrix(c, 9)), matrix(c, 9)), factor=10),
    Case("matmul_toeplitz", lambda c: ((matrix(c, 2, 4), matrix(c, 9)), matrix(c, 2, 9, 3)), factor=10),
    Case("matmul_toeplitz", lambda c: (matrix(c, 4), matrix(c, 4, 0))),
    *(
        Case("solve_toeplitz", make, factor=1e3)
        for make in (
            lambda c: (matrix(c, 9) + 9 * (np.arange(9) == 0).astype(c), matrix(c, 9, 3)),
            lambda c: ((matrix(c, 9) + 9 * (np.arange(9) == 0).astype(c), matrix(c, 9)), matrix(c, 9)),
            lambda c: (matrix(c, 2, 9) + 9 * (np.arange(9) == 0).astype(c), matrix(c, 9, 2)),
        )
    ),
)
test_cases = case_test(CASES)


@forms
@pytest.mark.parametrize("lower", [False, True])
def test_cholesky_factors(form, lower):
    for char in "fdFD":
        for rows, n, batch in ((1, 5, ()), (2, 5, ()), (4, 9, ()), (3, 8, (2,)), (5, 5, ())):
            bands = _definite_bands(char, rows, n, *batch, lower=lower)
            expected = scipy.linalg.cholesky_banded(bands, lower=lower)
            actual = found(form, "cholesky_banded")(on_device(bands), lower=lower)
            # Elements outside the matrix mean nothing.
            j, i = np.arange(n), np.arange(rows)[:, None]
            inside = j + i < n if lower else j - (rows - 1 - i) >= 0
            agree(np.where(inside, actual, 0), np.where(inside, expected, 0).astype(char), char, 10)
            for sides in ((n,), (n, 3)):
                b = matrix(char, *sides)
                x = found(form, "cho_solve_banded")((actual, lower), on_device(b))
                agree(x, scipy.linalg.cho_solve_banded((expected, lower), b), char, 10)


@forms
def test_numbers_of_diagonals_of_their_own(form):
    bands, b = matrix("d", 2, 4, 9), matrix("d", 9, 2)
    counts = [1, 2], [2, 1]
    x = found(form, "solve_banded")(counts, on_device(bands), on_device(b))
    agree(x, scipy.linalg.solve_banded(counts, bands, b), "d", 1e3)


@forms
def test_bad_bands(form):
    error = scipy.linalg.LinAlgError
    bands, b = matrix("d", 3, 5), matrix("d", 5)
    infinite = bands.copy()
    infinite[1, 2] = np.inf
    raises(form, "solve_banded", ValueError, (1, 1), infinite, b, match="infs or NaNs")
    raises(form, "solve_banded", ValueError, (1, 2), bands, b, match="upper diagonals")
    raises(form, "solve_banded", ValueError, (1, 1), bands, b[:4], match="not compatible")
    raises(form, "solve_banded", error, (1, 1), np.zeros((3, 5)), b)
    raises(form, "solve_banded", error, (2, 0), np.zeros((3, 5)), b)
    for name in ("solveh_banded", "cholesky_banded"):
        arguments = (-np.ones((3, 5)), b)[: 2 if name == "solveh_banded" else 1]
        raises(form, name, error, *arguments)
        raises(form, name, ValueError, infinite, *arguments[1:], match="infs or NaNs")
    raises(form, "solveh_banded", ValueError, bands, b[:4], match="not compatible")
    raises(form, "cho_solve_banded", ValueError, (bands, False), b[:4], match="not compatible")
    raises(form, "solve_toeplitz", ValueError, b, b[:4])
    raises(form, "matmul_toeplitz", ValueError, b, b[:4])


def test_a_long_tridiagonal_system():
    n = 5000
    bands = np.stack([np.ones(n), np.full(n, 4.0), np.ones(n)])
    x = scipy.linalg.solve_banded((1, 1), on_device(bands), on_device(np.ones(n)))
    agree(x, scipy.linalg.solve_banded((1, 1), bands, np.ones(n)), "d")


def test_circulant_systems():
    for char in "fdFD":
        c, b = matrix(char, 9), matrix(char, 9, 2)
        agree(
            scipy.linalg.solve_circulant(on_device(c), on_device(b)),
            scipy.linalg.solve_circulant(c, b),
            char,
            100,
        )
    with pytest.raises(scipy.linalg.LinAlgError, match="near singular"):
        scipy.linalg.solve_circulant(on_device(np.ones(4)), on_device(np.arange(4.0)))
