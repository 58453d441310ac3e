"""RegularGridInterpolator and interpn on device arrays."""

import numpy as np
import pytest
from interpolants import agree, agree_at, ascending, fails_alike, normal, on_device, pair
from scipy import interpolate
from scipy.sparse.linalg import spsolve

import gpunp

Grid = interpolate.RegularGridInterpolator
SPLINES = ("slinear", "cubic", "quintic")
METHODS = ("linear", "nearest", *SPLINES, "pchip", "slinear_legacy", "cubic_legacy", "quintic_legacy")


def _grid(ndim, turned=False):
    grid = tuple(ascending(n) for n in (7, 8, 9, 6)[:ndim])
    return tuple(x[::-1] if turned and i % 2 else x for i, x in enumerate(grid))


def _points(grid):
    """Points in the grid, some of them in its corners and at its points."""
    low, high = np.array([(min(x), max(x)) for x in grid]).T
    points = np.random.default_rng(4).uniform(low, high, (5, 6, len(grid)))
    points[0, :3] = low, high, [x[2] for x in grid]
    return points


def _values(kind, grid):
    shape = tuple(map(len, grid))
    values = normal(*shape, 2, 3) if kind == "more" else normal(*shape)
    if kind == "complex":
        return values + 1j * normal(*shape, seed=1)
    return (
        np.round(5 * values).astype(int)
        if kind == "integers"
        else values.astype("f" if kind == "f4" else "d")
    )


def _exactly(method):
    """SciPy's iterative solver is not exact."""
    return {"solver": spsolve} if method in SPLINES else {}


KINDS = ("f8", "f4", "more", "complex", "integers")
# In four dimensions SciPy takes long for other methods.
FOUR = [(4, method, kind) for method in ("linear", "nearest", "slinear") for kind in ("f8", "complex")]
CASES = [(ndim, method, kind) for ndim in (1, 2, 3) for method in METHODS for kind in KINDS]


@pytest.mark.parametrize(("ndim", "method", "kind"), CASES + FOUR)
def test_methods(ndim, method, kind):
    grid = _grid(ndim)
    values, points = _values(kind, grid), _points(grid)
    if kind == "complex" and method == "pchip":
        fails_alike(Grid, grid, values, method)
        return
    rtol = 1e-5 if kind == "f4" else 1e-9
    agree_at(pair(Grid, grid, values, method, **_exactly(method)), points, rtol)
    if method not in SPLINES:
        # SciPy computes splines with less accuracy.
        agree(
            interpolate.interpn(*on_device((grid, values, points)), method),
            interpolate.interpn(grid, values, points, method),
            rtol,
        )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_outside(ndim, method):
    grid = _grid(ndim, turned=True)
    values, points = _values("f8", grid), _points(grid)
    points[1, 1, 0], points[1, 2, -1], points[3, 3, 0] = -1.5, 12.0, np.nan
    for fill in (None, 3.0, np.nan):
        options = {"bounds_error": False, "fill_value": fill, **_exactly(method)}
        agree_at(pair(Grid, grid, values, method, **options), points, 1e-8)
    for spoiled in (points, np.where(np.isnan(points), -9.0, points)):
        fails_alike(lambda g, v, p: Grid(g, v, method)(p), grid, values, spoiled)
        if method not in ("slinear_legacy", "cubic_legacy", "quintic_legacy"):
            fails_alike(lambda g, v, p: interpolate.interpn(g, v, p, method), grid, values, spoiled)


def test_complex_fill_values():
    grid = _grid(2)
    points = _points(grid)
    points[1, 1] = -3.0
    for method in ("linear", "nearest", "slinear"):
        options = {"bounds_error": False, "fill_value": 1 - 2j}
        agree_at(pair(Grid, grid, _values("complex", grid), method, **options), points)
    fails_alike(Grid, grid, _values("f8", grid), fill_value=1j)


def test_axes_of_one_point():
    grid, values = (np.array([1.0]), ascending(5), np.array([2.0])), normal(1, 5, 1, 2)
    points = np.stack([np.ones(6), np.linspace(0, 10, 6), np.full(6, 2.0)], axis=-1)
    for method in ("linear", "nearest"):
        for fill in (None, 7.0):
            made = pair(Grid, grid, values, method, bounds_error=False, fill_value=fill)
            agree_at(made, points)
            points[2, 0] = 3.0
            agree_at(made, points)
    agree_at(pair(Grid, (np.array([1.0]),), normal(1), "linear"), np.ones((3, 1)))


INFINITE = {
    "last": ([0.0, 1.0, 2.5, np.inf],),
    "first": ([-np.inf, 0.0, 1.0, 2.5],),
    "descending": ([np.inf, 2.5, 1.0, 0.0],),
    "both": ([-np.inf, 1.0, np.inf], [0.0, 1.0, 3.0]),
    "only": ([0.0, np.inf], [1.0, 2.0], [0.0, 1.0, np.inf]),
    "one point": ([0.0, 2.0, np.inf], [1.0]),
}


@pytest.mark.parametrize("kind", ["f8", "f4", "more", "complex"])
@pytest.mark.parametrize("name", INFINITE)
@pytest.mark.parametrize("method", ["linear", "nearest"])
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_infinite_ends(method, name, kind):
    """SciPy's weights are one and zero in an interval that ends at infinity, and NaN at infinity."""
    grid = tuple(map(np.array, INFINITE[name]))
    values = _values(kind, grid)
    inner = [[1.0, 1.5, 2.5, 40.0, np.inf], [1.0, 1.25, 2.0, 3.0, np.nan], [0.0, 0.5, 1.0, 9.0, np.inf]]
    points = np.stack(np.meshgrid(*inner[: len(grid)]), axis=-1)
    for fill in (None, 7.0):
        agree_at(pair(Grid, grid, values, method, bounds_error=False, fill_value=fill), points, 1e-6)
    host = Grid(grid, values, method, bounds_error=False)
    agree(host(gpunp.asarray(points)), host(points), 1e-6)


def test_methods_and_derivatives_of_calls():
    grid = _grid(2)
    made = host, device = pair(Grid, grid, _values("f8", grid), "cubic", solver=spsolve)
    agree_at(made, _points(grid), 1e-8, nu=(1, 0))
    agree_at(made, _points(grid), 1e-8, nu=(2, 1))
    for method in ("linear", "nearest", "pchip", "cubic_legacy"):
        agree_at(made, _points(grid), 1e-8, method=method)
    x, y = np.moveaxis(_points(grid), -1, 0)
    agree(device(on_device((x, y[:1]))), host((x, y[:1])), 1e-9)
    agree(device(on_device((x[0], y[0])), "linear"), host((x[0], y[0]), "linear"))
    agree(device([3.0, 4.0]), host([3.0, 4.0]), 1e-9)
    agree(device.values, host.values)
    agree(device.grid[1], host.grid[1])
    device.method = host.method = "linear"
    agree_at(made, _points(grid))


def test_many_points_of_an_axis():
    """More than fit the tables of a block of threads."""
    grid = (ascending(1000), ascending(600))
    made = pair(Grid, grid, normal(1000, 600), bounds_error=False)
    agree_at(made, np.random.default_rng(1).uniform(0, 10, (2000, 2)))


def test_cubic_interpolation_is_exact_for_cubics():
    """A reference that does not depend on SciPy's solver."""
    grid = _grid(3)
    x, y, z = np.meshgrid(*grid, indexing="ij")
    made = Grid(*on_device((grid, x**3 - x * y**2 + z**3 * y)), "cubic")
    x, y, z = np.moveaxis(_points(grid), -1, 0)
    agree(made(gpunp.asarray(_points(grid))), x**3 - x * y**2 + z**3 * y, 1e-12)


def test_bad_grids():
    grid = _grid(2)
    values, points = _values("f8", grid), _points(grid)
    fails_alike(Grid, grid, values, "foo")
    fails_alike(Grid, grid, values[1:])
    fails_alike(Grid, (*grid, grid[0]), values)
    fails_alike(Grid, (grid[0], 0 * grid[1]), values)
    fails_alike(Grid, (grid[0][:3], grid[1]), values[:3], "cubic")
    fails_alike(Grid, grid, values, solver=spsolve)
    fails_alike(lambda g, v: Grid(g, v)(points[..., :1]), grid, values)
    fails_alike(lambda g, v: Grid(g, v)(points, "foo"), grid, values)
    fails_alike(lambda g, v: Grid(g, v)(points, nu=(1, 0)), grid, values)
    fails_alike(lambda g, v: Grid(g, v, "cubic")(points, nu=(1,)), grid, values)
    fails_alike(interpolate.interpn, grid, values, points[..., :1])
    fails_alike(interpolate.interpn, grid, values, points, "foo")
    fails_alike(interpolate.interpn, (*grid, grid[0]), values, points)
    with pytest.raises(TypeError, match="FITPACK's splines of method 'splinef2d' are on the host"):
        interpolate.interpn(*on_device((grid, values, points)), "splinef2d")
    with gpunp.config.using(fallback="numpy"):
        found = interpolate.interpn(*on_device((grid, values, points)), "splinef2d")
    agree(found, interpolate.interpn(grid, values, points, "splinef2d"))
