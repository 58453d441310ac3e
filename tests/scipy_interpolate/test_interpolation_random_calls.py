"""Random calls of ``scipy.interpolate``: sizes, dtypes, axes, boundary conditions, and bad input."""

import numpy as np
import pytest
from random_calls import compare_drawn_calls
from random_interpolants import ANY, YES_NO, ascending, count, extrapolations, probes, samples
from scipy import interpolate


# Each function makes an object and evaluates it; the one after it draws its arguments.
def cubic_spline(x, y, points, order, make, call):
    return interpolate.CubicSpline(x, y, **make)(points, order, **call)


def of_cubic_spline(draw):
    x = ascending(draw, count(draw))
    y, axis = samples(draw, x.size)
    kind = draw.pick("not-a-knot", "periodic", "clamped", "natural", "x", "ends", "first")
    if kind == "periodic" and y.size:
        y = y.copy()
        y = np.moveaxis(y, axis, 0)
        y[-1] = y[0]
        y = np.moveaxis(y, 0, axis)
    if kind == "ends":
        kind = ((draw.whole(1, 2), 0.5), (draw.whole(1, 2), -1.0))
    elif kind == "first":
        kind = ("natural", (1, np.zeros(np.delete(y.shape, axis))))
    make = {"axis": axis, "bc_type": kind} | draw.some(extrapolate=lambda: extrapolations(draw))
    call = draw.some(extrapolate=lambda: extrapolations(draw))
    return (x, y, probes(draw, x), draw.whole(0, 4), make, call), {}


def hermite(x, y, slopes, points, order, make):
    return interpolate.CubicHermiteSpline(x, y, slopes, **make)(points, order)


def of_hermite(draw):
    x = ascending(draw, count(draw))
    y, axis = samples(draw, x.size)
    slopes = draw.array(y.shape, ANY)
    make = {"axis": axis} | draw.some(extrapolate=lambda: extrapolations(draw))
    return (x, y, slopes, probes(draw, x), draw.whole(0, 4), make), {}


def pchip(x, y, points, order, make):
    return interpolate.PchipInterpolator(x, y, **make)(points, order)


def of_pchip(draw):
    x = ascending(draw, count(draw))
    y, axis = samples(draw, x.size)
    make = {"axis": axis} | draw.some(extrapolate=lambda: draw.pick(*YES_NO))
    return (x, y, probes(draw, x), draw.whole(0, 3), make), {}


def akima(x, y, points, order, make):
    return interpolate.Akima1DInterpolator(x, y, **make)(points, order)


def of_akima(draw):
    args, kwargs = of_pchip(draw)
    args[-1].update(draw.some(method=lambda: draw.pick("akima", "makima", "x")))
    return args, kwargs


def pieces(c, x, points, order, make, step):
    made = interpolate.PPoly(c, x, **make)
    return _stepped(made, points, order, step)


def bernstein(c, x, points, order, make, step):
    return _stepped(interpolate.BPoly(c, x, **make), points, order, step)


def _stepped(made, points, order, step):
    name, *arguments = step
    if name == "call":
        return made(points, order)
    found = getattr(made, name)(*arguments)
    return found(points) if name in ("derivative", "antiderivative") else found


def of_pieces(draw):
    x = ascending(draw, count(draw))
    degree = draw.whole(0, 4)
    trailing = [draw.whole(1, 3) for _ in range(draw.whole(0, 2))]
    c = draw.array((degree + draw.whole(0, 1), max(x.size - (draw.rng.random() > 0.04), 0), *trailing), ANY)
    make = draw.some(extrapolate=lambda: extrapolations(draw))
    if draw.rng.random() < 0.2 and trailing:
        make["axis"] = draw.whole(-1, c.ndim - 2)
        c = np.moveaxis(np.moveaxis(c, 1, -1), 0, 0) if c.ndim < 4 else c
    ends = draw.rng.uniform(-4, 6, 2)
    step = draw.pick(
        ("call",),
        ("call",),
        ("derivative", draw.whole(0, 3)),
        ("antiderivative", draw.whole(0, 3)),
        ("integrate", *ends),
        ("integrate", *ends, draw.pick(True, False, "periodic")),
    )
    if step[0] == "integrate":
        # SciPy integrates some polynomials between descending or infinite breakpoints.
        x = np.sort(np.nan_to_num(x, posinf=9, neginf=-9))
    # In Bernstein's basis SciPy has no derivatives beyond the degree.
    return (c, x, probes(draw, x), draw.whole(0, min(3, degree)), make, step), {}


def zeros_of_pieces(c, x, value, make, call):
    return interpolate.PPoly(c, x, **make).solve(value, **call)


def of_zeros(draw):
    x = ascending(draw, draw.whole(1, 6))
    c = draw.rng.normal(size=(draw.whole(1, 5), max(x.size - 1, 0)))
    make = draw.some(extrapolate=lambda: extrapolations(draw))
    call = draw.some(discontinuity=lambda: draw.pick(*YES_NO), extrapolate=lambda: draw.pick(*YES_NO))
    return (c, x, draw.pick(0.0, 0.5), make, call), {}


def from_derivatives(x, values, points, make):
    return interpolate.BPoly.from_derivatives(x, values, **make)(points)


def of_derivatives(draw):
    x = ascending(draw, count(draw))
    shape = (x.size, draw.whole(1, 3), *[2] * draw.whole(0, 1))
    make = draw.some(orders=lambda: draw.whole(1, 4), extrapolate=lambda: draw.pick(*YES_NO))
    return (x, draw.array(shape, "dddfil"), probes(draw, x), make), {}


def b_spline(t, c, k, points, order, make, step):
    return _stepped(interpolate.BSpline(t, c, k, **make), points, order, step)


def of_b_spline(draw):
    k = draw.pick(0, 1, 2, 3, 3, 4, 5, 7)
    n = draw.whole(k + 1, k + 7) - (draw.rng.random() < 0.04)
    t = np.sort(draw.rng.uniform(-3, 5, n + k + 1)).astype(draw.pick(*"dddf"))
    if draw.rng.random() < 0.3:
        t[: k + 1], t[len(t) - k - 1 :] = t[0], t[-1]
    if draw.rng.random() < 0.05:
        t = t[::-1]
    trailing = [draw.whole(1, 3) for _ in range(draw.whole(0, 2))]
    place = draw.whole(0, len(trailing))
    c = draw.array((*trailing[:place], n + draw.pick(0, 0, 0, k + 1), *trailing[place:]), ANY)
    make = {"axis": place} | draw.some(extrapolate=lambda: extrapolations(draw))
    ends = draw.rng.uniform(-4, 6, 2)
    step = draw.pick(
        ("call",),
        ("call",),
        ("derivative", draw.whole(0, 3)),
        ("antiderivative", draw.whole(0, 2)),
        ("integrate", *ends),
        ("integrate", *ends, draw.pick(True, False, "periodic")),
    )
    if step[0] == "integrate":
        # FITPACK reads complex coefficients as real ones, and has degrees of at most 5.
        c, step = c.real, step if k <= 5 else ("call",)
    return (t, c, k, probes(draw, t), draw.whole(0, min(3, k)), make, step), {}


def interpolating(x, y, points, order, make):
    return interpolate.make_interp_spline(x, y, **make)(points, order)


def of_interpolating(draw):
    # Of one point SciPy reads outside of its arrays.
    x = ascending(draw, draw.pick(0, 2, 3, 3, 4, 5, 6, 9, 14))
    y, axis = samples(draw, x.size, ANY.replace("?", ""))
    k = draw.pick(0, 1, 2, 3, 3, 5)
    make = {"axis": axis, "k": k} | draw.some(check_finite=lambda: draw.pick(True, True, False))
    zero = np.zeros(np.delete(y.shape, axis))
    kind = draw.pick(None, None, "clamped", "natural", "not-a-knot", "periodic", "x", "pairs")
    if kind == "pairs" and (k > 3 or x.size < 3):
        # SciPy writes outside of its matrix.
        kind = None
    if kind == "pairs":
        kind = ([(1, zero)], [(2, zero)]) if k == 3 else ([(1, zero)], None)
    if kind == "periodic" and y.size:
        # SciPy drops the imaginary part of periodic values.
        y = np.moveaxis(y.real.copy(), axis, 0)
        y[-1] = y[0]
        y = np.moveaxis(y, 0, axis)
    make |= {} if kind is None else {"bc_type": kind}
    return (x, y, probes(draw, x), draw.whole(0, min(k, 2)), make), {}


def least_squares(x, y, t, points, make):
    return interpolate.make_lsq_spline(x, y, t, **make)(points)


def of_least_squares(draw):
    k = draw.pick(1, 2, 3, 3, 5)
    x = np.sort(draw.rng.uniform(-3, 5, draw.whole(2 * k + 4, 30)))
    inner = x[2 : -2 : draw.whole(4, 9)]
    t = np.r_[(x[0],) * (k + 1), inner, (x[-1],) * (k + 1)]
    y, axis = samples(draw, x.size, "dddfilFD", least=1)
    make = {"k": k, "axis": axis} | draw.some(method=lambda: draw.pick("qr", "norm-eq", "x"))
    make |= draw.some(w=lambda: draw.rng.uniform(0.5, 2, x.size + (draw.rng.random() < 0.05)))
    return (x, y, t, probes(draw, x), make), {}


def smoothing(x, y, points, make):
    return interpolate.make_smoothing_spline(x, y, **make)(points)


def of_smoothing(draw):
    x = ascending(draw, draw.pick(1, 4, 5, 6, 9, 20))
    y, axis = samples(draw, x.size, "dddfil", least=1)
    make = {"lam": draw.pick(0.0, 0.5, 3.0, -1.0), "axis": axis}
    return (x, y, probes(draw, x), make | draw.some(w=lambda: draw.rng.uniform(0.5, 2, x.size))), {}


def line(x, y, points, make):
    return interpolate.interp1d(x, y, **make)(points)


def of_line(draw):
    x = ascending(draw, count(draw))
    if draw.rng.random() < 0.2:
        x = draw.rng.permutation(np.ravel(x))
    y, axis = samples(draw, x.size)
    kinds = ("linear", "nearest", "nearest-up", "zero", "slinear", "quadratic", "cubic", "previous", "next")
    fills = ("extrapolate", np.nan, 5.0, (1.0, 2.0), (0, np.nan), np.array(3))
    make = {"axis": axis} | draw.some(
        kind=lambda: draw.pick(*kinds, 0, 1, 3, 5, "x"),
        bounds_error=lambda: draw.pick(True, False, None),
        fill_value=lambda: draw.pick(*fills),
        assume_sorted=lambda: (np.diff(x) > 0).all(),
        copy=lambda: draw.pick(*YES_NO),
    )
    if make.get("bounds_error") and make.get("fill_value") == "extrapolate":
        # Which of several errors is raised differs.
        del make["bounds_error"]
    return (x, y, probes(draw, x), make), {}


def grid(points, values, xi, make, call):
    return interpolate.RegularGridInterpolator(points, values, **make)(xi, **call)


def table(points, values, xi, make, call):
    return interpolate.interpn(points, values, xi, **make)


METHODS = ("linear", "nearest", "slinear", "cubic", "quintic", "pchip", "x")


def of_grid(draw):
    ndim = draw.whole(1, 3)
    extents = [draw.pick(1, 2, 3, 4, 5, 6, 7) for _ in range(ndim)]
    points = tuple(ascending(draw, n) for n in extents)
    if all(p.dtype.kind == "f" and p.ndim == 1 for p in points):
        # Between finite and infinite points SciPy has the value at the finite one.
        points = tuple(np.nan_to_num(p, nan=3, posinf=9, neginf=-9) for p in points)
    # SciPy leaves integers as they are if points descend.
    of_integers = all((np.diff(p) > 0).all() for p in points)
    shape = (*extents, *[2] * draw.whole(0, 1))
    values = draw.array(shape, "dddfFDil" if of_integers else "dfD")
    if values.dtype.kind == "f" and draw.rng.random() < 0.05:
        values = values.copy()
        values.flat[0] = np.nan
    around = [np.nan_to_num(np.ravel(p), posinf=2, neginf=-2) for p in points]
    lead = draw.pick((), (4,), (2, 3), (0,))
    ends = np.array([(p.min() - 0.5, p.max() + 0.5) for p in around]).T
    xi = draw.rng.uniform(*ends, (*lead, ndim))
    if xi.size and draw.rng.random() < 0.3:
        xi.flat[0] = draw.pick(np.nan, around[0][0], around[0][-1])
    xi = xi.astype(draw.pick(*"dddf"))
    make = {"bounds_error": draw.pick(False, False, True)} | draw.some(
        method=lambda: draw.pick(*METHODS), fill_value=lambda: draw.pick(np.nan, None, 0.0, 7)
    )
    return (points, values, xi, make, draw.some(method=lambda: draw.pick(*METHODS))), {}


def krogh(x, y, points, make, order):
    made = interpolate.KroghInterpolator(x, y, **make)
    return made.derivative(points, order) if order else made(points)


def barycentric(x, y, points, make, order):
    made = interpolate.BarycentricInterpolator(x, y, **make)
    return made.derivative(points, order) if order else made(points)


def of_polynomial(draw):
    x = np.nan_to_num(ascending(draw, draw.pick(0, 1, 2, 3, 5, 7)), posinf=9, neginf=-9)
    y, axis = samples(draw, x.size, "dddfilD")
    return (x, y, probes(draw, x), {"axis": axis}, draw.pick(0, 0, 1, 2)), {}


def of_distinct(draw):
    # Quotients by distances of zero have no order.
    args, _ = of_polynomial(draw)
    while np.unique(args[0]).size < args[0].size:
        args, _ = of_polynomial(draw)
    return args, {}


def radial(y, d, x, make):
    return interpolate.RBFInterpolator(y, d, **make)(x)


def of_radial(draw):
    n, ndim = draw.pick(1, 3, 6, 10, 15), draw.whole(1, 3)
    y = draw.rng.normal(size=(n, ndim))
    d = draw.array((n + (draw.rng.random() < 0.04), *[2] * draw.whole(0, 2)), "ddfilFD")
    x = draw.rng.normal(size=(draw.pick(0, 1, 5), ndim + (draw.rng.random() < 0.04)))
    kernels = "linear thin_plate_spline cubic quintic multiquadric inverse_multiquadric"
    make = draw.some(
        smoothing=lambda: draw.pick(0.1, 1.0, np.full(n, 0.3)),
        kernel=lambda: draw.pick(*kernels.split(), "x"),
        epsilon=lambda: draw.pick(1.5, 3.0),
        degree=lambda: draw.pick(-1, 0, 1, 2),
        neighbors=lambda: draw.pick(2, 5, 50),
    )
    return (y, d, x, make), {}


def nearest(points, values, xi, rescale):
    return interpolate.NearestNDInterpolator(points, values, rescale=rescale)(xi)


def of_nearest(draw):
    n, ndim = draw.pick(1, 2, 6, 15), draw.whole(1, 3)
    values = draw.array((n, *[2] * draw.whole(0, 1)), ANY)
    xi = draw.rng.normal(size=(*draw.pick((), (4,), (2, 3), (0,)), ndim))
    return (draw.rng.normal(size=(n, ndim)), values, xi, draw.pick(*YES_NO)), {}


def rational(x, y, points, make):
    return interpolate.AAA(x, y, **make)(points)


def of_rational(draw):
    x = np.linspace(-1, 1, draw.pick(2, 5, 20, 60)) + 0.1
    y = draw.pick(np.exp, np.tan, np.sin)(x) + (0j if draw.rng.random() < 0.2 else 0)
    return (x, y, probes(draw, x, "ddf"), draw.some(rtol=1e-10, max_terms=20, clean_up=False)), {}


def blended(x, y, points, make):
    return interpolate.FloaterHormannInterpolator(x, y, **make)(points)


def of_blended(draw):
    x = ascending(draw, draw.pick(1, 2, 5, 8))
    y, axis = samples(draw, x.size, "ddfilFD")
    make = draw.some(d=lambda: draw.pick(0, 1, 3), axis=axis)
    return (x, y, probes(draw, x, "ddf"), make), {}


CALLS = (
    (cubic_spline, of_cubic_spline),
    (hermite, of_hermite),
    (pchip, of_pchip),
    (akima, of_akima),
    (pieces, of_pieces),
    (bernstein, of_pieces),
    (zeros_of_pieces, of_zeros),
    (from_derivatives, of_derivatives),
    (b_spline, of_b_spline),
    (interpolating, of_interpolating),
    (least_squares, of_least_squares),
    (smoothing, of_smoothing),
    (line, of_line),
    (grid, of_grid),
    (table, of_grid),
    (krogh, of_polynomial),
    (barycentric, of_distinct),
    (radial, of_radial),
    (nearest, of_nearest),
    (rational, of_rational),
    (blended, of_blended),
)
# SciPy solves for splines on a grid by iteration, and radial functions are ill conditioned.
TOLERANCES = {"grid": 1e-3, "table": 1e-3, "radial": 1e-6}
IDS = [function.__name__ for function, _ in CALLS]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "draws"), CALLS, ids=IDS)
def test_agrees_with_the_host(function, draws, device):
    compare_drawn_calls("interpolate", function, draws, TOLERANCES.get(function.__name__, 0))
