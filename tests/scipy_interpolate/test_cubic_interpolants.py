"""CubicSpline, CubicHermiteSpline, PchipInterpolator and Akima1DInterpolator on device arrays."""

import copy
import pickle

import numpy as np
import pytest
from interpolants import agree, agree_at, ascending, fails_alike, normal, on_device, pair, probes
from scipy import interpolate

import gpunp
import gpunp_scipy.interpolate

CASES = {
    "spline": (interpolate.CubicSpline, {}),
    "natural": (interpolate.CubicSpline, {"bc_type": "natural"}),
    "clamped": (interpolate.CubicSpline, {"bc_type": "clamped"}),
    "mixed": (interpolate.CubicSpline, {"bc_type": ("not-a-knot", "natural")}),
    "values": (interpolate.CubicSpline, {"bc_type": ((1, np.array([1.0, -2])), (2, np.array([0.5, 3])))}),
    "inside": (interpolate.CubicSpline, {"extrapolate": False}),
    "repeated": (interpolate.CubicSpline, {"extrapolate": "periodic"}),
    "pchip": (interpolate.PchipInterpolator, {}),
    "pchip inside": (interpolate.PchipInterpolator, {"extrapolate": False}),
    "akima": (interpolate.Akima1DInterpolator, {}),
    "makima": (interpolate.Akima1DInterpolator, {"method": "makima", "extrapolate": True}),
}
X = ascending(12)


@pytest.mark.parametrize("n", [2, 3, 4, 12])
@pytest.mark.parametrize("case", CASES)
def test_interpolants(case, n):
    cls, options = CASES[case]
    for axis in (0, 1):
        y = normal(n, 2) if axis == 0 else normal(n, 2).T
        made = host, device = pair(cls, X[:n], y, axis=axis, **options)
        agree(device.c, host.c, 1e-9)
        agree(device.x, host.x)
        assert (device.axis, device.extrapolate) == (host.axis, host.extrapolate)
        for nu in range(5):
            agree_at(made, probes(X), 1e-8, nu=nu)
        agree(device(1.5), host(1.5))
        agree(device(0.25 * np.arange(6)), host(0.25 * np.arange(6)))
        agree_at((host.derivative(), device.derivative()), probes(X), 1e-8)
        agree_at((host.antiderivative(2), device.antiderivative(2)), probes(X), 1e-8)
        for bounds in ((X[0] + 0.1, X[1]), (X[1], X[0] - 2)):
            agree(device.integrate(*bounds), host.integrate(*bounds), 1e-8)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 12])
def test_periodic_splines(n):
    y = normal(n, 3)
    y[-1] = y[0]
    made = host, device = pair(interpolate.CubicSpline, X[:n], y, bc_type="periodic")
    assert device.extrapolate == "periodic"
    agree_at(made, probes(X), 1e-9)
    for bounds in ((-7.0, 20.0), (3.0, 4.0), (9.0, -9.0)):
        agree(device.integrate(*bounds), host.integrate(*bounds), 1e-9)


@pytest.mark.parametrize("char", "fFDi")
def test_other_dtypes(char):
    y = (
        (10 * normal(12)).astype(char)
        if char in "fi"
        else (normal(12) + 1j * normal(12, seed=1)).astype(char)
    )
    agree_at(pair(interpolate.CubicSpline, X, y), probes(X).astype("f"))
    agree_at(pair(interpolate.CubicHermiteSpline, X.astype("f"), y, y[::-1].copy()), probes(X))
    agree_at(pair(interpolate.CubicSpline, X, y.real, bc_type=((1, 1j), (2, 2.0))), probes(X))


def test_shapes_of_data():
    flat = np.where(np.arange(12) % 4 < 2, 1.0, normal(12))
    for cls in (interpolate.PchipInterpolator, interpolate.Akima1DInterpolator, interpolate.CubicSpline):
        agree_at(pair(cls, X, flat), probes(X))
        agree_at(pair(cls, X, np.zeros(12)), probes(X))
        agree_at(pair(cls, X, normal(12, 0)), probes(X))
        agree_at(pair(cls, X, normal(12, 2, 3)), probes(X, 5))


def test_long_splines():
    x, y = np.sort(np.random.default_rng(2).uniform(0, 1, 4000)), normal(4000)
    agree_at(pair(interpolate.CubicSpline, x, y), probes(x, 3000, beyond=0.0)[5:], 1e-7)
    agree_at(pair(interpolate.PchipInterpolator, x, y), probes(x, 3000, beyond=0.0), 1e-9)


def test_pchip_interpolate():
    y, points = normal(12, 2), probes(X)
    call = interpolate.pchip_interpolate
    agree(call(*on_device((X, y, points))), call(X, y, points))
    agree(call(*on_device((X, y, points)), der=1), call(X, y, points, der=1))
    for ours, scipys in zip(
        call(*on_device((X, y, points)), der=[0, 2]), call(X, y, points, [0, 2]), strict=True
    ):
        agree(ours, scipys)


class Named(interpolate.CubicSpline):
    """A user's subclass with an attribute."""

    def __init__(self, name, x, y):
        super().__init__(x, y)
        self.name = name


def test_objects_are_those_of_their_class():
    y = normal(12)
    spline = Named("a", *on_device((X, y)))
    assert isinstance(spline, Named)
    assert type(spline).__name__ == "Named"
    for made in (spline, copy.copy(spline), copy.deepcopy(spline), pickle.loads(pickle.dumps(spline))):
        assert isinstance(made, Named)
        assert made.name == "a"
        agree(made(1.0), interpolate.CubicSpline(X, y)(1.0))
    assert isinstance(spline.derivative(), interpolate.CubicSpline)
    host = interpolate.CubicSpline(X, y)
    assert type(host) is interpolate.CubicSpline
    assert isinstance(host(1.0), np.ndarray)
    for array in (2 * host.c, gpunp.asarray(2 * host.c)):
        spline.c = array
        agree(spline(1.0), 2 * host(1.0))
    spline.extrapolate = False
    assert np.isnan(spline(-9.0))
    with pytest.raises(AttributeError, match="no attribute 'unknown'"):
        spline.unknown  # noqa: B018


def test_classes_of_the_package():
    """They are SciPy's for device arrays, and upload those of the host."""
    y = normal(12)
    for name in ("CubicSpline", "PchipInterpolator", "BarycentricInterpolator", "interp1d"):
        made = getattr(gpunp_scipy.interpolate, name)(X, y)
        assert isinstance(made, getattr(interpolate, name))
        agree(made(np.array([1.0, 2.0])), getattr(interpolate, name)(X, y)([1.0, 2.0]), 1e-7)
        again = type(made)(X, 2 * y)
        agree(again(1.0), getattr(interpolate, name)(X, 2 * y)(1.0), 1e-7)
    assert gpunp_scipy.interpolate.LinearNDInterpolator is interpolate.LinearNDInterpolator
    assert {"CubicSpline", "interpn"} <= set(dir(gpunp_scipy.interpolate))
    with pytest.raises(AttributeError, match="no attribute 'unknown'"):
        gpunp_scipy.interpolate.unknown  # noqa: B018


@pytest.mark.parametrize("name", ["CubicSpline", "PchipInterpolator", "Akima1DInterpolator"])
def test_bad_data(name):
    make, y = getattr(interpolate, name), normal(12)
    bad = y.copy()
    bad[3] = np.inf
    fails_alike(make, X[::-1], y)
    fails_alike(make, X[:1], y[:1])
    fails_alike(make, X[1:], y)
    fails_alike(make, X + 1j, y)
    fails_alike(make, X, bad)
    fails_alike(make, bad, y)
    fails_alike(make, X[:, None], normal(12, 2))


def test_bad_options():
    y = normal(12)
    for bc_type in (
        "foo",
        ("natural",),
        ("periodic", "natural"),
        ((3, 1.0), (1, 0.0)),
        ((1, [1.0, 2]), "natural"),
    ):
        fails_alike(interpolate.CubicSpline, X, y, bc_type=bc_type)
    fails_alike(interpolate.CubicSpline, X, y, bc_type="periodic")
    fails_alike(interpolate.CubicSpline, X, y, bc_type=(1, 2))
    fails_alike(interpolate.Akima1DInterpolator, X, y, method="foo")
    fails_alike(interpolate.Akima1DInterpolator, X, y + 1j)
    fails_alike(interpolate.PchipInterpolator, X, y + 1j)
    fails_alike(interpolate.CubicHermiteSpline, X, y, y[1:])
    fails_alike(interpolate.CubicHermiteSpline, X, y, y * np.nan)
    fails_alike(lambda x: interpolate.CubicSpline(x, x)(1.0, -1), X)
    akima = interpolate.Akima1DInterpolator(*on_device((X, y)))
    with pytest.raises(NotImplementedError, match="not yet implemented"):
        akima.extend(None, None)
