"""Interpolation between scattered points on device arrays, and what stays on the host."""

import pickle

import numpy as np
import pytest
from interpolants import NEWEST, agree, agree_at, fails_alike, normal, on_device, pair
from records import settled
from scipy import interpolate

import gpunp

P, Q = normal(30, 2), normal(4, 5, 2, seed=1)
VALUES = {"line": normal(30), "more": normal(30, 3), "complex": normal(30) + 1j, "integers": np.arange(30)}


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("rescale", [False, True])
def test_nearest_points(rescale, values):
    values = VALUES[values]
    made = host, device = pair(interpolate.NearestNDInterpolator, P, values, rescale=rescale)
    agree_at(made, Q)
    agree(device(*on_device((Q[..., 0], Q[..., 1]))), host(Q[..., 0], Q[..., 1]))
    agree_at(made, Q, distance_upper_bound=0.25)
    call = interpolate.griddata
    agree(
        call(*on_device((P, values, Q)), "nearest", rescale=rescale),
        call(P, values, Q, "nearest", rescale=rescale),
    )
    columns = (P[:, 0], P[:, 1]), values, (Q[..., 0], Q[..., 1])
    agree(call(*on_device(columns), "nearest"), call(*columns, "nearest"))


@pytest.mark.parametrize("method", ["nearest", "linear", "cubic"])
def test_lines(method):
    call, arrays = interpolate.griddata, (P[:, 0], VALUES["more"], Q[..., 0])
    agree(call(*on_device(arrays), method), call(*arrays, method), 1e-6)
    agree(call(*on_device((arrays[0], arrays[1], (Q[..., 0],))), method), call(*arrays, method), 1e-6)


def test_bad_scattered_data():
    fails_alike(interpolate.griddata, P, VALUES["line"], Q, "foo")
    if NEWEST:
        fails_alike(interpolate.griddata, P, VALUES["line"], Q, simplex_tolerance=-1)
    fails_alike(interpolate.NearestNDInterpolator, P[:, :1], VALUES["line"])
    fails_alike(interpolate.NearestNDInterpolator, P, VALUES["line"][1:])
    with pytest.raises(TypeError, match="Qhull's triangulations are on the host"):
        interpolate.griddata(*on_device((P, VALUES["line"], Q)))
    with pytest.raises(TypeError, match="Qhull runs on the host"):
        interpolate.LinearNDInterpolator(*on_device((P, VALUES["line"])))


FUNCTIONS = ("multiquadric", "inverse", "gaussian", "linear", "cubic", "quintic", "thin_plate")


@pytest.mark.parametrize("function", [*FUNCTIONS, lambda r: r**3 + 1], ids=[*FUNCTIONS, "own"])
def test_radial_functions(function):
    x, y = P.T
    for values, mode in ((VALUES["line"], "1-D"), (VALUES["more"], "N-D")):
        for options in ({"epsilon": 0.5}, {"smooth": 0.125, "epsilon": 0.5}, {"norm": "cityblock"}):
            arrays, options = (x, y, values), {"function": function, "mode": mode, **options}
            host, device = interpolate.Rbf(*arrays, **options), interpolate.Rbf(*on_device(arrays), **options)
            assert isinstance(device, interpolate.Rbf)
            # The systems are ill-conditioned.
            agree(device(*on_device((x, y))), host(x, y), 1e-6)
            agree(host(*on_device((x, y))), host(x, y), 1e-6)
    host, device = pair(interpolate.Rbf, x, y, VALUES["line"], function="linear")
    agree(device(Q[..., 0], Q[..., 1]), host(Q[..., 0], Q[..., 1]), 1e-8)


def test_bad_radial_functions():
    x, y = P.T
    fails_alike(interpolate.Rbf, x, y, VALUES["line"], mode="foo")
    fails_alike(interpolate.Rbf, x, y, VALUES["line"][1:])
    fails_alike(interpolate.Rbf, x, y, VALUES["line"], function="foo")
    fails_alike(lambda *a: interpolate.Rbf(*a)(np.ones(2), np.ones(3)), x, y, VALUES["line"])


def test_what_is_on_the_host():
    x, y = on_device((np.arange(9.0), normal(9)))
    with pytest.raises(TypeError, match=r"make_splrep: it inserts one knot after another"):
        interpolate.make_splrep(x, y)
    with pytest.raises(TypeError, match=r"RectBivariateSpline: it is FITPACK's legacy interface"):
        interpolate.RectBivariateSpline(x, x, gpunp.ones((9, 9)))
    with pytest.raises(TypeError, match=r"pade: its result is a numpy\.poly1d"):
        interpolate.pade(x, 2)
    with pytest.raises(NotImplementedError, match="has been removed"):
        interpolate.interp2d(x, x, y)


KERNELS = ("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric")


@pytest.mark.parametrize("neighbors", [None, 1, 12, 100])
@pytest.mark.parametrize("kernel", [*KERNELS, "inverse_quadratic", "gaussian"])
def test_radial_functions_of_neighbors(kernel, neighbors):
    points = Q.reshape(-1, 2)
    options = {"kernel": kernel, "epsilon": 1.5, "neighbors": neighbors}
    if neighbors == 1:
        options["degree"] = -1 if kernel in KERNELS[1:4] else 0
        if kernel in ("linear", *KERNELS[1:4]):
            # Functions that are zero at the only point.
            options["smoothing"] = 1.0
    for values in VALUES.values():
        made = host, device = pair(interpolate.RBFInterpolator, P, values, **options)
        assert device.neighbors == host.neighbors
        agree(device(on_device(points)), host(points), 1e-6)
        agree(host(on_device(points)), host(points), 1e-6)
        agree(pickle.loads(pickle.dumps(made[1]))(on_device(points)), host(points), 1e-6)
    host, device = pair(interpolate.RBFInterpolator, P, VALUES["line"], **{**options, "smoothing": 0.5})
    agree(device(on_device(points[:0])), host(points[:0]))
    agree(device(on_device(points)), host(points), 1e-6)


def test_bad_neighborhoods():
    make, values = interpolate.RBFInterpolator, VALUES["line"]
    fails_alike(make, P[:, 0], values, 5)
    fails_alike(make, P, values[1:], 5)
    fails_alike(make, P, values, 5, np.ones(3))
    fails_alike(make, P, values, 5, degree=-2)
    fails_alike(make, P, values, 5, degree=3)
    fails_alike(lambda *a: make(*a, 5)(a[0][:, :1]), P, values)
    fails_alike(lambda *a: make(*a, 5)(a[0][0]), P, values)
    on_a_line = np.stack([np.arange(9.0), np.zeros(9)], axis=1)
    with pytest.raises(np.linalg.LinAlgError, match=r"[Ss]ingular"):
        settled(make(*on_device((on_a_line, values[:9])), 5)(gpunp.ones((2, 2))))
    for options in ({"kernel": "foo"}, {"kernel": "gaussian"}):
        with pytest.raises(ValueError, match="must be"):
            make(*on_device((P, values)), 5, **options)
    with pytest.warns(UserWarning, match="should not be below 1"):
        make(*on_device((P, values)), 5, degree=0)
