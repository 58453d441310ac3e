"""Krogh's and barycentric polynomials, and rational interpolants, on device arrays."""

import warnings

import numpy as np
import pytest
from interpolants import agree, agree_at, fails_alike, normal, on_device, pair
from scipy import interpolate

import gpunp

X = np.cos(np.linspace(0, 3, 9))
REPEATED = np.array([0, 0, 0, 1, 1, 2, 3, 3, 4.0])
POINTS = np.random.default_rng(2).uniform(-1, 1, (4, 5))
POINTS[0, 0] = X[2]
Y = {"line": normal(9), "more": normal(9, 2, 3), "complex": normal(9, 2) + 1j, "integers": np.arange(9) % 4}


@pytest.mark.parametrize("y", Y)
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", ["KroghInterpolator", "BarycentricInterpolator"])
def test_polynomials(name, axis, y):
    values = np.moveaxis(Y[y], 0, axis)
    for x in (X, REPEATED) if name == "KroghInterpolator" else (X,):
        made = host, device = pair(getattr(interpolate, name), x, values, axis=axis)
        agree_at(made, POINTS, 1e-8)
        agree(device(0.25), host(0.25), 1e-8)
        agree(device(POINTS[:0]), host(POINTS[:0]))
        for order in (1, 2, 3, 8):
            agree(device.derivative(POINTS, order), host.derivative(POINTS, order), 1e-6)
        agree(host.derivative(gpunp.asarray(POINTS)), host.derivative(POINTS), 1e-7)
        for orders in (None, 1, 4, 12):
            agree(device.derivatives(POINTS, orders), host.derivatives(POINTS, orders), 1e-6)
        agree(host.derivatives(gpunp.asarray(POINTS), 3), host.derivatives(POINTS, 3), 1e-7)
        agree(device.derivatives(0.25, 3), host.derivatives(0.25, 3), 1e-7)


@pytest.mark.parametrize("name", ["krogh_interpolate", "barycentric_interpolate"])
def test_functions(name):
    call, arrays = getattr(interpolate, name), (X, Y["more"], POINTS)
    agree(call(*on_device(arrays)), call(*arrays), 1e-8)
    for der in (1, [1, 2]):
        agree(call(*on_device(arrays), der=der), call(*arrays, der=der), 1e-7)


def test_changed_polynomials():
    made = pair(interpolate.BarycentricInterpolator, X, Y["more"])
    for each in made:
        each.add_xi([1.5, 2.0], Y["more"][:2])
    agree_at(made, POINTS, 1e-8)
    agree(made[1].derivative(POINTS), made[0].derivative(POINTS), 1e-7)
    for each in made:
        each.set_yi(np.arange(11.0))
    agree_at(made, POINTS, 1e-8)
    device = interpolate.BarycentricInterpolator(gpunp.asarray(X))
    with pytest.raises(ValueError, match="No previous yi"):
        device.add_xi([1.0], [2.0])
    device.add_xi(np.array([1.5]))
    device.set_yi(gpunp.arange(10.0))
    host = interpolate.BarycentricInterpolator(np.append(X, 1.5), np.arange(10.0))
    agree(device(POINTS), host(POINTS), 1e-8)
    made = pair(interpolate.BarycentricInterpolator, X, Y["line"], wi=host.wi[:9], rng=3)
    agree_at(made, POINTS, 1e-8)


def test_bad_polynomials():
    fails_alike(interpolate.BarycentricInterpolator, np.array([1.0, 1, 2]), np.ones(3))
    fails_alike(interpolate.BarycentricInterpolator, X, np.ones(3))
    fails_alike(interpolate.KroghInterpolator, np.array([1.0, 2, 1]), np.ones(3))
    x = np.linspace(-1, 1, 31)
    with pytest.warns(UserWarning, match="31 degrees provided"):
        interpolate.KroghInterpolator(*on_device((x, x)))


Z = np.linspace(-1, 1, 200)


@pytest.mark.parametrize("f", [np.exp(Z), np.tan(4 * Z), np.abs(Z) + 1j * Z], ids=["exp", "tan", "complex"])
def test_rational_approximation(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        made = host, device = pair(interpolate.AAA, Z, f, max_terms=14)
    points = POINTS.copy()
    points[0, :2] = Z[3], np.nan
    agree_at(made, points, 1e-8)
    # The value at infinity is a quotient of two sums that nearly cancel.
    agree_at(made, np.array([np.inf]), 0.1)
    agree(device(0.25), host(0.25), 1e-8)
    # Which points support it, and in which order, depends on rounding once it is exact.
    assert abs(device.support_points.size - host.support_points.size) <= 2
    if f.dtype.kind == "f" and np.max(f) > 10:
        poles, roots = gpunp.asnumpy(device.poles()), gpunp.asnumpy(device.roots())
        assert np.min(np.abs(roots)) < 1e-6
        nearest = np.argmin(np.abs(poles - np.pi / 8))
        assert abs(poles[nearest] - np.pi / 8) < 1e-6
        assert abs(gpunp.asnumpy(device.residues())[nearest] + 0.25) < 1e-5


@pytest.mark.parametrize("d", [0, 2, 3, 14])
def test_blended_polynomials(d):
    x = np.sort(np.random.default_rng(3).uniform(0, 1, 15))
    points = np.abs(POINTS)
    points[0, 0] = x[4]
    for y in (normal(15), normal(15, 2), normal(15) + 1j):
        made = host, device = pair(interpolate.FloaterHormannInterpolator, x, y, d=d)
        agree(device.weights, host.weights, 1e-9)
        agree_at(made, points, 1e-8)
    host, device = pair(interpolate.FloaterHormannInterpolator, x, normal(2, 15), d=d, axis=1)
    agree(device(points[0]), host(points[0]), 1e-8)


def test_bad_rationals():
    fails_alike(interpolate.FloaterHormannInterpolator, Z, Z, d=200)
    fails_alike(interpolate.FloaterHormannInterpolator, Z, Z[1:])
    fails_alike(interpolate.AAA, Z[:, None], Z)
    fails_alike(interpolate.AAA, Z, Z[1:])
    fails_alike(interpolate.AAA, Z, Z, max_terms=0)
    fails_alike(interpolate.AAA, np.where(Z == 1, np.inf, Z), Z)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("name", ["AAA", "FloaterHormannInterpolator"])
def test_dtypes_of_rationals(name, char):
    make = getattr(interpolate, name)
    z = np.linspace(-1, 1, 30).astype(char)
    between = (z[1:] + z[:-1]) / 2
    expected = make(z, np.sin(z))(between)
    found = make(gpunp.asarray(z), gpunp.asarray(np.sin(z)))(gpunp.asarray(between))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected, atol=1e-5 if char in "fF" else 1e-11)
