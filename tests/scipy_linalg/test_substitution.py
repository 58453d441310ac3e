"""Triangular systems with one right side by their kernel, beside SciPy's solutions."""

import numpy as np
import pytest
import scipy.linalg

import gpunp
from gpunp_scipy.linalg import substitution

# One block of threads, several, and last blocks that are not full.
SIZES = (1, 2, 63, 64, 65, 200, 1000)


def _system(n, char, batch=1):
    rng = np.random.default_rng(n)
    a = rng.normal(size=(batch, n, n)) / np.sqrt(n) + 3 * np.eye(n)
    return a.astype(char), rng.normal(size=(batch, n, 1)).astype(char)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_systems(n, char, upper, transposed, unit):
    a, b = _system(n, char)
    found = substitution.solve(gpunp.asarray(a), gpunp.asarray(b), upper, transposed, unit)
    expected = scipy.linalg.solve_triangular(
        a[0].astype(float), b[0].astype(float), int(transposed), lower=not upper, unit_diagonal=unit
    )
    scale = np.abs(expected).max()
    tolerance = 1e-5 if char == "f" else 1e-13
    assert found.dtype == a.dtype
    # Without its own diagonal the triangle is less well conditioned.
    np.testing.assert_allclose(
        gpunp.asnumpy(found)[0] / scale, expected / scale, atol=tolerance * (100 if unit else 1)
    )


def test_stacks():
    a, b = _system(150, "d", 7)
    found = gpunp.asnumpy(substitution.solve(gpunp.asarray(a), gpunp.asarray(b), False, False, False))
    for i in range(7):
        np.testing.assert_allclose(found[i], scipy.linalg.solve_triangular(a[i], b[i], lower=True), 1e-11)


@pytest.mark.parametrize("lower", [False, True])
def test_public_functions(lower):
    a, b = _system(700, "d")
    whole = a[0] @ a[0].T
    factors = scipy.linalg.cho_factor(whole, lower)
    there = scipy.linalg.cho_factor(gpunp.asarray(whole), lower)
    found = scipy.linalg.cho_solve(there, gpunp.asarray(b[0, :, 0]))
    np.testing.assert_allclose(gpunp.asnumpy(found), scipy.linalg.cho_solve(factors, b[0, :, 0]), 1e-9, 1e-12)
    for trans in (0, 1):
        found = scipy.linalg.solve_triangular(gpunp.asarray(a[0]), gpunp.asarray(b[0]), trans, lower)
        expected = scipy.linalg.solve_triangular(a[0], b[0], trans, lower)
        np.testing.assert_allclose(gpunp.asnumpy(found), expected, 1e-9, 1e-12)


def test_nothing():
    found = substitution.solve(gpunp.zeros((3, 0, 0)), gpunp.zeros((3, 0, 1)), True, False, False)
    assert found.shape == (3, 0, 1)
    assert not substitution.takes(gpunp.zeros((1, 2, 2)), gpunp.zeros((1, 2, 2)))
    assert not substitution.takes(gpunp.zeros((1, 2, 2), "F"), gpunp.zeros((1, 2, 1), "F"))
