"""Band systems as a GPU solves those that are long, or have many right sides."""

import numpy as np
import pytest
from interpolants import ascending, normal
from scipy import interpolate

import gpunp
from gpunp_scipy.interpolate import bands, spline_fits
from gpunp_scipy.interpolate.bands import solve_dense, solve_long


def _dominant(n, width):
    bands = normal(2 * width + 1, n)
    bands[width] += 4 * width
    return bands


@pytest.mark.parametrize("width", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [1, 2, 5, 32, 33, 64, 65, 99, 100, 1000, 1023])
@pytest.mark.parametrize("solve", [solve_long, solve_dense])
def test_dominant_systems(solve, n, width):
    for sides in (1, 3):
        diagonals, b = _dominant(n, width), normal(n, sides)
        found = gpunp.asnumpy(solve(gpunp.asarray(diagonals), gpunp.asarray(b), width))
        np.testing.assert_allclose(_whole(diagonals, width) @ found, b, rtol=1e-10, atol=1e-10)


def _whole(diagonals, width):
    """The matrix of diagonals; what they have outside of it means nothing."""
    n = diagonals.shape[1]
    i, j = np.indices((n, n))
    inside = np.abs(i - j) <= width
    return np.where(inside, diagonals[np.where(inside, width + i - j, 0), j], 0)


def test_no_sides():
    assert solve_long(gpunp.asarray(_dominant(50, 1)), gpunp.zeros((50, 0)), 1).shape == (50, 0)


@pytest.fixture
def reduced(monkeypatch):
    """Has all systems solved by reduction, on the CPU device too."""
    solve = lambda widths, diagonals, b, **_: solve_long(diagonals, b, widths[0])  # noqa: E731
    monkeypatch.setattr(bands.bands, "solve_banded", solve)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 7])
def test_splines(k, reduced):
    x, y = ascending(1500, 100.0), normal(1500, 2)
    for bc_type in (None, "periodic"):
        y[-1] = y[0]
        expected = interpolate.make_interp_spline(x, y, k, bc_type=bc_type).c
        found = spline_fits.make_interp_spline(gpunp.asarray(x), gpunp.asarray(y), k, bc_type=bc_type).c
        np.testing.assert_allclose(gpunp.asnumpy(found), expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("bc_type", ["not-a-knot", "natural", "clamped", "periodic"])
def test_uneven_cubic_splines(bc_type, reduced):
    """Distances that differ by a factor of a million."""
    x = np.cumsum(10.0 ** np.random.default_rng(1).uniform(-3, 3, 2000))
    y = normal(2000)
    y[-1] = y[0]
    expected = interpolate.CubicSpline(x, y, bc_type=bc_type)
    found = interpolate.CubicSpline(gpunp.asarray(x), gpunp.asarray(y), bc_type=bc_type)
    points = np.random.default_rng(2).uniform(x[0], x[-1], 1000)
    scale = np.abs(expected(points)) + 1
    np.testing.assert_allclose(gpunp.asnumpy(found(points)) / scale, expected(points) / scale, atol=1e-8)
