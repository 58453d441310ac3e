"""Interpolation between scattered points on device arrays, and what stays on the host."""

import numpy as np
import pytest
from interpolants import NEWEST, agree, agree_at, fails_alike, normal, on_device, pair
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
