"""Interpolation of scipy.interpolate, float64."""

import importlib

import numpy as np
from rows import Above, row

CHAPTER = "scipy.interpolate, float64"


def functions(lib):
    """The library's module of interpolation."""
    if lib.dialect == "torch":
        raise NotImplementedError("it has no such functions")
    modules = {"gpunp": "scipy", "CuPy": "cupyx.scipy", "NumPy": "scipy"}
    return importlib.import_module(f"{modules[lib.name]}.interpolate")


def register(name, title, seconds, build):
    @row(name, title, CHAPTER, Above(seconds), "wall")
    def make(lib, size):
        return build(lib, functions(lib), size)


def knots(n):
    """Ascending points from 0 to 1, not evenly spaced."""
    return np.linspace(0, 1, n) + np.random.default_rng(1).uniform(-0.3, 0.3, n) / n


def points(lib, size, *more, divisor=16):
    """Points between 0 and 1: with 2^28 elements as the largest size, 2^24 by default."""
    return lib.upload(np.random.default_rng(2).uniform(0.01, 0.99, (size.elements // divisor, *more)))


def evaluation(make, n=1000, inner=(), divisor=16):
    """Evaluate at many points what a constructor makes of n values."""

    def build(lib, interpolate, size):
        y = np.random.default_rng(3).normal(size=(n, *inner))
        made = make(interpolate, lib.upload(knots(n)), lib.upload(y))
        x = points(lib, size, divisor=divisor)
        return lambda: made(x)

    return build


def construction(make, n):
    """Make an interpolant of n values."""

    def build(lib, interpolate, size):
        count = min(n, size.elements)
        x, y = lib.upload(knots(count)), lib.upload(np.random.default_rng(3).normal(size=count))
        return lambda: make(interpolate, x, y)

    return build


def grid(method, shape, divisor=27):
    """Interpolate on a grid at 10^7 points with the largest size."""

    def build(lib, interpolate, size):
        if lib.name == "CuPy" and method == "pchip":
            raise NotImplementedError("it interpolates point by point, for minutes")
        axes = tuple(lib.upload(knots(n)) for n in shape)
        values = lib.upload(np.random.default_rng(4).normal(size=shape))
        made = interpolate.RegularGridInterpolator(axes, values, method, bounds_error=False)
        x = points(lib, size, len(shape), divisor=divisor)
        return lambda: made(x)

    return build


def cubic(interpolate, x, y):
    return interpolate.CubicSpline(x, y)


def pchip(interpolate, x, y):
    return interpolate.PchipInterpolator(x, y)


def akima(interpolate, x, y):
    return interpolate.Akima1DInterpolator(x, y)


def spline(interpolate, x, y):
    return interpolate.make_interp_spline(x, y, k=3)


def barycentric(interpolate, x, y):
    return interpolate.BarycentricInterpolator(x, y)


def linear(interpolate, x, y):
    if not hasattr(interpolate, "interp1d"):
        raise NotImplementedError("it has no interp1d")
    return interpolate.interp1d(x, y, bounds_error=False)


register("cubic_spline", "`CubicSpline(...)(x)`, 1000 pieces, 2^24 points", 0.15e-3, evaluation(cubic))
register("cubic_spline_million", "`CubicSpline(...)(x)`, 10^6 pieces, 2^24", 1e-3, evaluation(cubic, 10**6))
register(
    "cubic_spline_curves",
    "`CubicSpline(...)(x)`, 64 curves, 2^18",
    0.15e-3,
    evaluation(cubic, 1000, (64,), 1024),
)
register("pchip_eval", "`PchipInterpolator(...)(x)`, 1000 pieces, 2^24", 0.15e-3, evaluation(pchip))
register("bspline_eval", "`BSpline(...)(x)`, cubic, 1000 pieces, 2^24", 0.2e-3, evaluation(spline))
register("interp1d_linear", "`interp1d(...)(x)`, linear, 1000 values, 2^24", 1e-3, evaluation(linear))
register(
    "barycentric_eval",
    "`BarycentricInterpolator(...)(x)`, 16 values, 2^20",
    1e-3,
    evaluation(barycentric, 16, (), 256),
)
register("cubic_spline_make", "`CubicSpline(x, y)`, 10^4 values", 5e-3, construction(cubic, 10**4))
register("pchip_make", "`PchipInterpolator(x, y)`, 10^6 values", 1e-3, construction(pchip, 10**6))
register("akima_make", "`Akima1DInterpolator(x, y)`, 10^6 values", 1e-3, construction(akima, 10**6))
register("interp_spline_make", "`make_interp_spline(x, y)`, 10^4 values", 5e-3, construction(spline, 10**4))
register(
    "grid_linear", "`RegularGridInterpolator`, linear, 100^3, 10^7 points", 1e-3, grid("linear", (100,) * 3)
)
register(
    "grid_cubic", "`RegularGridInterpolator`, cubic, 100^3, 10^7 points", 4e-3, grid("cubic", (100,) * 3)
)
register(
    "grid_cubic_2d",
    "`RegularGridInterpolator`, cubic, 1000^2, 10^7 points",
    2e-3,
    grid("cubic", (1000, 1000)),
)
register(
    "grid_pchip_2d",
    "`RegularGridInterpolator`, pchip, 1000^2, 10^6 points",
    5e-3,
    grid("pchip", (1000, 1000), 270),
)
