"""interp1d on device arrays."""

import numpy as np
import pytest
from interpolants import agree, agree_at, fails_alike, normal, on_device, pair
from scipy import interpolate

import gpunp

KINDS = ("linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic", 4, 5)
X = np.random.default_rng(6).permutation(12) * 1.5
INSIDE = np.random.default_rng(7).uniform(0, 16.5, (4, 6))
INSIDE[0, :4] = 0.0, 16.5, 4.5, 0.75
OUTSIDE = 2 * INSIDE - 8
OUTSIDE[1, 1] = np.nan
Y = {"f8": normal(12), "more": normal(12, 3), "f4": normal(12, 2).astype("f"), "complex": normal(12) + 1j}
Y["integers"] = np.arange(12) % 5


@pytest.mark.parametrize("y", Y)
@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind, y):
    y = Y[y]
    for x in (X, X.astype("f")):
        for axis in (0, -1):
            values = np.moveaxis(y, 0, axis)
            made = pair(interpolate.interp1d, x, values, kind, axis=axis)
            agree_at(made, INSIDE, 1e-7)
            agree_at(made, INSIDE.astype("f"), 1e-5)
            agree(made[1](3.0), made[0](3.0), 1e-7)
            fails_alike(lambda at, m=made: m[isinstance(at, gpunp.ndarray)](at), OUTSIDE)
            for fill in (np.nan, 7.0, (1.0, 2.0), "extrapolate"):
                options = {"bounds_error": False, "fill_value": fill}
                # Polynomials grow outside, and so do errors.
                agree_at(pair(interpolate.interp1d, x, values, kind, axis=axis, **options), OUTSIDE, 1e-5)


def test_other_tables():
    sorted_x = np.arange(12)
    agree_at(pair(interpolate.interp1d, sorted_x, Y["integers"]), INSIDE / 2)
    agree_at(pair(interpolate.interp1d, sorted_x, Y["f8"], "next", assume_sorted=True), INSIDE / 2)
    fill = normal(3)
    host = interpolate.interp1d(X, Y["more"], axis=0, bounds_error=False, fill_value=fill)
    for ours in (fill, gpunp.asarray(fill), (gpunp.asarray(fill), fill)):
        device = interpolate.interp1d(*on_device((X, Y["more"])), axis=0, bounds_error=False, fill_value=ours)
        agree(device(OUTSIDE), host(OUTSIDE))
    for kind in ("cubic", "linear"):
        spoiled = Y["f8"].copy()
        spoiled[3] = np.nan
        agree_at(pair(interpolate.interp1d, X, spoiled, kind), INSIDE)
        agree_at(pair(interpolate.interp1d, np.where(X == 3, np.nan, X), Y["f8"], kind), INSIDE[1:] / 2 + 4)


def test_attributes():
    made = host, device = pair(interpolate.interp1d, X, Y["f8"])
    agree(device.x, host.x)
    agree(device.y, host.y)
    assert device.bounds_error is host.bounds_error
    for each in made:
        each.bounds_error, each.fill_value = False, 4.0
    agree_at(made, OUTSIDE)
    y = gpunp.asarray(Y["f8"])
    kept, shared = (interpolate.interp1d(gpunp.asarray(X), y, copy=copy) for copy in (True, False))
    y += 1
    agree(kept(INSIDE), host(INSIDE))
    assert shared.copy is False


def test_bad_tables():
    make = interpolate.interp1d
    fails_alike(make, X, Y["f8"], "foo")
    fails_alike(make, X, Y["f8"][:4])
    fails_alike(make, X[:2], Y["f8"][:2], "cubic")
    fails_alike(make, X[:, None], Y["more"], axis=0)
    fails_alike(make, X, Y["f8"], bounds_error=True, fill_value="extrapolate")
    fails_alike(make, X, Y["more"], axis=0, fill_value=np.ones(2))
    fails_alike(make, X * np.nan, Y["f8"], "cubic")
