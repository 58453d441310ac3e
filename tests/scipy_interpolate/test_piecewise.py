"""PPoly, BPoly and NdPPoly on device arrays."""

import pickle

import numpy as np
import pytest
from interpolants import agree, agree_at, ascending, fails_alike, normal, on_device, pair, probes
from scipy import interpolate

import gpunp

X = ascending(8)
C = {"real": normal(5, 7, 2), "complex": normal(4, 7) + 1j * normal(4, 7, seed=1), "constant": normal(1, 7)}


def _off_breakpoints(x):
    """Away from breakpoints, where polynomials jump."""
    points = probes(x)
    points.flat[3:5] += 0.01
    return points


@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
@pytest.mark.parametrize("c", C)
@pytest.mark.parametrize("cls", [interpolate.PPoly, interpolate.BPoly])
def test_values_and_integrals(cls, c, extrapolate):
    points = _off_breakpoints(X)
    for x in (X, X[::-1]):
        made = host, device = pair(cls, C[c], x, extrapolate)
        # SciPy's BPoly fails for orders above the degree.
        orders = (0, 1, 2, 6) if cls is interpolate.PPoly else range(min(3, C[c].shape[0]))
        for nu in orders:
            agree_at(made, points, 1e-8, nu=nu)
        agree(device(2.5), host(2.5))
        agree(device.derivative(2)(points), host.derivative(2)(points), 1e-8)
        agree(device.derivative(9)(points), host.derivative(9)(points))
        agree(device.antiderivative(2)(points), host.antiderivative(2)(points), 1e-8)
        agree(device.derivative(-1).c, host.derivative(-1).c, 1e-9)
        agree(device.derivative(0).c, host.derivative(0).c)
    for bounds in ((X[0] + 1, X[-1] - 1), (-11, 23), (5.0, 3.0)):
        host, device = pair(cls, C[c], X, extrapolate)
        agree(device.integrate(*bounds), host.integrate(*bounds), 1e-8)
        agree(device.integrate(*map(np.float64, bounds)), host.integrate(*bounds), 1e-8)


def test_other_axes():
    c = normal(4, 3, 7, 2)
    made = host, device = pair(interpolate.PPoly, np.moveaxis(c, 1, 2), X, axis=0)
    agree_at(made, _off_breakpoints(X))
    made = host, device = pair(interpolate.PPoly, normal(2, 4, 7), X, axis=1)
    assert device.axis == host.axis
    agree_at(made, _off_breakpoints(X))


def test_many_breakpoints():
    """More than fit the table of breakpoints of a block of threads."""
    x = ascending(5000, 100.0)
    x[20] = x[21] = x[22]
    made = pair(interpolate.PPoly, normal(2, 4999), np.sort(x))
    agree_at(made, np.concatenate((x[::7], np.linspace(-1, 101, 3000))), 1e-9)


@pytest.mark.parametrize(
    ("kind", "n"), [("even", 2), ("even", 900), ("uneven", 900), ("uneven", 5000), ("descending", 900)]
)
def test_very_many_points(kind, n):
    """So many that the blocks of a GPU prepare tables in shared memory."""
    x = ascending(n, 100.0) if kind != "uneven" else np.cumsum(np.exp(normal(n, seed=1) * 4))
    x = x[::-1].copy() if kind == "descending" else x
    low, high = min(x[0], x[-1]), max(x[0], x[-1])
    points = np.random.default_rng(1).uniform(low - 0.01, high + 0.01, 9 * 2**19)
    points[::997] = x[np.arange(len(points[::997])) % (n - 1)]
    some = np.arange(0, len(points), 97)
    made = [pair(interpolate.PPoly, normal(2, n - 1), x), pair(interpolate.PPoly, normal(2, n - 1, 2), x)]
    if kind != "descending":
        knots = np.concatenate(([low] * 3, x, [high] * 3))
        made.append(pair(interpolate.BSpline, knots, normal(n + 2), 3))
    for host, device in made:
        found, chosen, expected = device(gpunp.asarray(points)), some, None
        if kind == "descending":
            # One after another, as SciPy's piece at a breakpoint depends on the point before.
            chosen = some[::40]
            expected = np.array([host(at) for at in points[chosen]])
        agree(found[chosen], host(points[chosen]) if expected is None else expected, 1e-8)


@pytest.mark.parametrize("cls", [interpolate.PPoly, interpolate.BPoly])
def test_extend(cls):
    for x in (X, X[::-1].copy()):
        step = np.sign(x[1] - x[0])
        # SciPy's PPoly fails where pieces of another degree come first.
        first = 5 if cls is interpolate.PPoly else 6
        after, before = x[-1] + step * np.array([1.0, 2.5]), x[0] - step * np.array([2.0, 1.0])
        for terms, more in ((3, after), (6, after), (first, before)):
            host, device = pair(cls, C["real"], x)
            c = normal(terms, 2, 2)
            host.extend(c, more)
            device.extend(*on_device((c, more)))
            agree(device.x, host.x)
            agree(device.c, host.c)
    made = cls(C["real"], X)
    device = cls(*on_device((C["real"], X)))
    for c, x in (
        (normal(3), X[:2]),
        (normal(3, 2, 2), X[:2, None]),
        (normal(3, 3, 2), X[:2] + 20),
        (normal(5, 2, 3), X[:2] + 20),
        (normal(5, 2, 2), X[:2]),
        (normal(5, 2, 2), X[1::-1] + 20),
        (normal(5, 3, 2), np.array([11.0, 13, 12])),
    ):
        fails_alike(lambda c, x, d=device, h=made: (h if isinstance(x, np.ndarray) else d).extend(c, x), c, x)


def test_changes_of_basis():
    host, device = pair(interpolate.PPoly, C["real"], X)
    agree(interpolate.BPoly.from_power_basis(device).c, interpolate.BPoly.from_power_basis(host).c, 1e-9)
    host, device = pair(interpolate.BPoly, C["complex"], X)
    made = interpolate.PPoly.from_bernstein_basis(device, extrapolate=False)
    agree(made.c, interpolate.PPoly.from_bernstein_basis(host).c, 1e-9)
    assert made.extrapolate is False
    with pytest.raises(TypeError, match="only accepts PPoly instances"):
        interpolate.BPoly.from_power_basis(device)
    for other in (3, interpolate.PPoly(*on_device((C["real"], X)))):
        with pytest.raises(TypeError, match="only accepts BPoly instances"):
            interpolate.PPoly.from_bernstein_basis(other)
    made = interpolate.PPoly.construct_fast(*on_device((C["real"], X)))
    agree(made(1.0), interpolate.PPoly(C["real"], X)(1.0))


def test_from_derivatives():
    make = interpolate.BPoly.from_derivatives
    y = normal(8, 3, 2)
    agree(make(*on_device((X, y))).c, make(X, y).c, 1e-9)
    agree(make(*on_device((X, y)), orders=4).c, make(X, y, orders=4).c, 1e-9)
    y = [normal(1 + i % 3, 2, seed=i) for i in range(8)]
    agree(make(*on_device((X, y))).c, make(X, y).c, 1e-9)
    fails_alike(make, X, y[1:])
    fails_alike(make, X[::-1], y)
    fails_alike(make, X, normal(8))
    fails_alike(make, X, y, orders=7)
    fails_alike(make, X, y, orders=0)


@pytest.mark.parametrize("terms", [1, 2, 3, 4, 6])
def test_roots(terms):
    # Whether multiple roots of higher degrees are real is a matter of rounding.
    rounded = [np.round(normal(terms, 7, seed=3))] if terms < 4 else []
    for c in (normal(terms, 7), *rounded, np.zeros((terms, 7))):
        for x in (X, X[::-1]):
            host, device = pair(interpolate.PPoly, c, x)
            for y in (0.0, 0.25, 1.0):
                for options in ((True, True), (False, False), (True, "periodic")):
                    agree(device.solve(y, *options), host.solve(y, *options), 1e-7)
    c = normal(4, 7, 2)
    host, device = pair(interpolate.PPoly, c, X)
    found = device.roots()
    assert found.shape == (2,)
    for ours, scipys in zip(found, host.roots(), strict=True):
        agree(ours, scipys, 1e-8)
    fails_alike(lambda c, x: interpolate.PPoly(c, x).roots(), C["complex"], X)


@pytest.mark.parametrize("pieces", [1, 2])
def test_roots_beyond_both_ends(pieces):
    x = np.linspace(1.0, 2.0, pieces + 1)
    c = np.array([1.0, 0.0, -16.0])[:, None] * np.ones(pieces)
    expected = interpolate.PPoly(c, x).roots()
    found = interpolate.PPoly(gpunp.asarray(c), gpunp.asarray(x)).roots()
    assert expected.size == 2
    np.testing.assert_allclose(found.get(), expected)


def test_bad_arguments():
    make = interpolate.PPoly
    fails_alike(make, X, X)
    fails_alike(make, normal(3, 6), X)
    fails_alike(make, normal(3, 7), X, axis=1)
    fails_alike(make, normal(3, 7), X[:, None])
    fails_alike(make, normal(3, 0), X[:1])
    fails_alike(make, normal(0, 7), X)
    fails_alike(make, normal(3, 2), np.array([0.0, 2, 1]))
    fails_alike(lambda c, x: make(c, x)(1.0, -1), normal(3, 7), X)


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_tensor_products(ndim):
    grid = tuple(ascending(n) for n in (4, 5, 3)[:ndim])
    extents = (*(4, 3, 2)[:ndim], *(len(x) - 1 for x in grid))
    points = np.random.default_rng(1).uniform(-2, 12, (5, 3, ndim))
    points[0, 0], points[1, 1], points[2, 0, 0] = 11.0, [x[-1] for x in grid], np.nan
    for c in (normal(*extents), normal(*extents, 2) + 1j):
        made = host, device = pair(interpolate.NdPPoly, c, grid)
        for extrapolate in (True, False):
            agree_at(made, points, 1e-8, extrapolate=extrapolate)
        agree_at(made, points, 1e-8, nu=(1, 2, 0)[:ndim])
        for nu in ((1, 2, 0), (-1, 9, 1)):
            agree(device.derivative(nu[:ndim])(points), host.derivative(nu[:ndim])(points), 1e-8)
            agree(device.antiderivative(nu[:ndim])(points), host.antiderivative(nu[:ndim])(points), 1e-8)
        for axis in range(ndim):
            ours, scipys = device.integrate_1d(1.0, 5.0, axis), host.integrate_1d(1.0, 5.0, axis)
            if ndim > 1:
                ours, scipys = ours(points[..., 1:]), scipys(points[..., 1:])
            agree(ours, scipys, 1e-8)
        agree(device.integrate([(1.0, 5.0)] * ndim), host.integrate([(1.0, 5.0)] * ndim), 1e-8)
        made = interpolate.NdPPoly.construct_fast(*on_device((c, grid)))
        agree(made(points), host(points), 1e-8)
        assert isinstance(pickle.loads(pickle.dumps(made)), interpolate.NdPPoly)


def test_bad_tensor_products():
    make, c, grid = interpolate.NdPPoly, normal(2, 2, 3, 3), (ascending(4), ascending(4))
    fails_alike(make, c, (grid[0], grid[1][:, None]))
    fails_alike(make, c, (grid[0], grid[1][:1]))
    fails_alike(make, c[0], grid)
    fails_alike(make, c, (grid[0], grid[1][::-1]))
    fails_alike(make, c, (grid[0], grid[1][1:]))
    fails_alike(lambda c, x: make(c, x)(np.zeros((2, 2)), nu=[1]), c, grid)
    fails_alike(lambda c, x: make(c, x)(np.zeros((2, 2)), nu=[1, -1]), c, grid)
    fails_alike(lambda c, x: make(c, x).integrate([(0, 1)]), c, grid)
