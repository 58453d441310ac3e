"""make_interp_spline, make_lsq_spline and make_smoothing_spline on device arrays."""

import numpy as np
import pytest
from interpolants import NEWEST, agree, ascending, fails_alike, normal, on_device, probes
from records import settled
from scipy import interpolate

import gpunp

X = ascending(14)
Y = {
    "line": normal(14),
    "more": normal(14, 2, 3),
    "complex": normal(14, 2) + 1j * normal(14, 2, seed=1),
    "none": normal(14, 0),
    "integers": np.arange(14) % 5,
}


def _same(make, *args, rtol=1e-8, **kwargs):
    """Assert the same splines; coefficients may have larger errors than values."""
    host, device = make(*args, **kwargs), make(*on_device(args), **kwargs)
    assert (device.k, device.extrapolate, device.axis) == (host.k, host.extrapolate, host.axis)
    agree(device.t, host.t)
    agree(device.c, host.c, rtol)
    points = probes(args[0], beyond=0.0)
    agree(device(points), host(points), rtol)


@pytest.mark.parametrize("y", Y)
@pytest.mark.parametrize("k", range(8))
def test_interpolation(k, y):
    make, y = interpolate.make_interp_spline, Y[y]
    _same(make, X, y, k)
    _same(make, X, np.moveaxis(y, 0, -1), k, axis=-1)
    if k > 1 and y.dtype.kind != "c":
        closed = y.copy()
        closed[-1] = closed[0]
        _same(make, X, closed, k, bc_type="periodic")


@pytest.mark.parametrize("y", Y)
def test_conditions_at_the_ends(y):
    make, y = interpolate.make_interp_spline, Y[y]
    for k in (2, 3, 5):
        for bc_type in ("natural", "clamped"):
            if k == 3:
                _same(make, X, y, k, bc_type=bc_type)
            else:
                fails_alike(make, X, y, k, bc_type=bc_type)
    first, second = (1, np.ones(y.shape[1:])), (2, np.full(y.shape[1:], 0.5))
    both = [first, second]
    for k, ends in ((5, (both, both)), (4, (both, [first])), (2, (None, [first])), (3, (both, None))):
        _same(make, X, y, k, bc_type=ends)


def test_given_knots():
    make = interpolate.make_interp_spline
    t = np.r_[[X[0]] * 4, np.linspace(1, 9, 10), [X[-1]] * 4]
    _same(make, X, Y["more"], 3, t)
    fails_alike(make, X, Y["more"], 3, t[1:])
    fails_alike(make, X, Y["more"], 3, t[::-1])
    fails_alike(make, X + 5, Y["more"], 3, t)
    fails_alike(make, X, Y["line"], 3, t, bc_type="periodic")
    fails_alike(make, X, Y["line"], 3, np.where(t == t[-1], np.inf, t))


def test_singular_systems():
    make = interpolate.make_interp_spline
    t = np.r_[[X[0]] * 4, np.linspace(0.1, 0.5, 10) + X[0], [X[-1]] * 4]
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        make(X, Y["line"], 3, t)
    with pytest.raises(np.linalg.LinAlgError, match=r"[Ss]ingular"):
        settled(make(*on_device((X, Y["line"])), 3, gpunp.asarray(t)))


@pytest.mark.parametrize("n", [3, 4, 5, 6, 90, 300])
def test_sizes(n):
    """Few points, and so many that periodic systems are banded."""
    x, y = ascending(n), normal(n, 2)
    y[-1] = y[0]
    for k in (2, 3, 4, 5, 7):
        if n > k:
            _same(interpolate.make_interp_spline, x, y, k)
        # Of periodic splines through few points some are not unique.
        if n > 5:
            _same(interpolate.make_interp_spline, x, y, k, bc_type="periodic")


def test_bad_data():
    make, y = interpolate.make_interp_spline, Y["line"]
    repeated, bad = X.copy(), y.copy()
    repeated[4], bad[3] = repeated[3], np.nan
    fails_alike(make, X[::-1], y)
    fails_alike(make, X, y[1:])
    fails_alike(make, repeated, y)
    fails_alike(make, X[:, None], y)
    fails_alike(make, X, bad)
    fails_alike(make, X, y, -1)
    fails_alike(make, X, y, 0, bc_type="natural")
    fails_alike(make, X, y, 1, bc_type="natural")
    fails_alike(make, X, y, bc_type="foo")
    fails_alike(make, X, y, bc_type=7)
    fails_alike(make, X, y, bc_type=([(5, 0)], None))
    fails_alike(make, X, y, bc_type=([(1, 0)], [(1, 0), (2, 0)]))
    fails_alike(make, X, y, bc_type="periodic")
    fails_alike(make, X[:3], y[:3])


SAMPLES = np.sort(np.random.default_rng(8).uniform(0, 10, 60))
WEIGHTS = np.random.default_rng(9).uniform(0.5, 2, 60)
METHODS = ({}, {"method": "norm-eq"})


@pytest.mark.parametrize("options", METHODS if NEWEST else METHODS[:1], ids=str)
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_least_squares(k, options):
    t = np.r_[[0.0] * (k + 1), np.linspace(1, 9, 7), [10.0] * (k + 1)]
    for y in (normal(60), normal(60, 2, 2), normal(60) + 1j * normal(60, seed=1)):
        for w in (None, WEIGHTS):
            _same(interpolate.make_lsq_spline, SAMPLES, y, t, k, w, rtol=1e-9, **options)
    x = SAMPLES.copy()
    x[10] = x[11]
    if not options:
        _same(interpolate.make_lsq_spline, x, normal(60), t, k, axis=0)


def test_bad_least_squares():
    make, x, y = interpolate.make_lsq_spline, SAMPLES, normal(60)
    t = np.r_[[0.0] * 4, np.linspace(1, 9, 7), [10.0] * 4]
    fails_alike(make, x[::-1], y, t)
    fails_alike(make, x[1:], y, t)
    fails_alike(make, x, y, t[::-1])
    fails_alike(make, x, y, t + 1)
    fails_alike(make, x, y, t, -1)
    fails_alike(make, x, y * np.nan, t)
    fails_alike(make, x, y, t, 3, WEIGHTS[1:])
    fails_alike(make, x[:3], y[:3], t)
    if NEWEST:
        fails_alike(make, x, y, t, method="foo")
        fails_alike(make, np.round(x), y, t, method="norm-eq")


@pytest.mark.parametrize("n", [5, 6, 7, 25])
def test_smoothing(n):
    x = ascending(n)
    for y in (normal(n), normal(n, 2, 3)):
        for w in (None, WEIGHTS[:n]):
            for lam in (0, 0.25, 5.0):
                _same(interpolate.make_smoothing_spline, x, y, w, lam, rtol=1e-7)
    _same(interpolate.make_smoothing_spline, x, normal(2, n), None, 1.0, axis=1, rtol=1e-7)


def test_bad_smoothing():
    make, x, y = interpolate.make_smoothing_spline, ascending(25), normal(25)
    fails_alike(make, x[::-1], y, lam=1.0)
    fails_alike(make, x[:4], y[:4], lam=1.0)
    fails_alike(make, x, y, -WEIGHTS[:25], 1.0)
    fails_alike(make, x, y, lam=-1.0)
    fails_alike(make, x, y[1:], lam=1.0)
    with pytest.raises(TypeError, match="the search for lam runs on the host; give lam"):
        make(*on_device((x, y)))
    with gpunp.config.using(fallback="numpy"):
        assert np.ptp(make(*on_device((x, y)))(gpunp.asarray(x)) - make(x, y)(x)) < 1e-9
