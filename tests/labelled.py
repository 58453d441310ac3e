"""xarray objects with the same values in NumPy arrays and in device arrays, and their comparison."""

import numpy as np
import pytest

import gpunp

xarray = pytest.importorskip("xarray", reason="xarray is not installed")
pandas = pytest.importorskip("pandas")

_RNG = np.random.default_rng(20250102)
FULL = _RNG.normal(size=(8, 6, 5))
GAPS = np.where(FULL > 1.2, np.nan, FULL)
PLANE = _RNG.normal(size=(6, 5))
COUNTS = _RNG.integers(0, 9, (8, 6))


def objects(place):
    """Data arrays and a dataset by name; ``place`` converts each NumPy array."""
    y = np.arange(6.0) * 10
    full = xarray.DataArray(
        place(FULL),
        dims=("time", "y", "x"),
        coords={
            "time": pandas.date_range("2000-01-01", periods=8, freq="12h"),
            "y": y,
            "kind": ("time", list("ppqqrrpp")),
        },
        name="full",
        attrs={"units": "m"},
    )
    gaps = full.copy(data=place(GAPS)).rename("gaps")
    plane = xarray.DataArray(place(PLANE), dims=("y", "x"), coords={"y": y}, name="plane")
    counts = xarray.DataArray(place(COUNTS), dims=("time", "y"), coords={"y": y}, name="counts")
    return {
        "full": full,
        "gaps": gaps,
        "plane": plane,
        "counts": counts,
        # With a coordinate on the device.
        "tall": full.assign_coords(height=(("y", "x"), place(PLANE**2))),
        "dataset": xarray.Dataset({"full": full, "gaps": gaps, "plane": plane}, attrs={"title": "t"}),
    }


def on_host():
    """The objects with NumPy arrays."""
    return objects(np.copy)


def on_device():
    """The objects with device arrays."""
    return objects(gpunp.asarray)


def _variables(found):
    if isinstance(found, xarray.Variable):
        return {"": found}
    if isinstance(found, xarray.DataArray):
        return {"its values": found.variable, **{name: each.variable for name, each in found.coords.items()}}
    return dict(found.variables)


def assert_same(actual, expected):
    """Assert equal names, dimensions, dtypes and values; numbers that are not indexes are on the device."""
    if isinstance(expected, np.ndarray | float | int | bool):
        assert type(actual) is type(expected)
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-11)
        return
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        for name, each in expected.items():
            assert_same(actual[name], each)
        return
    assert type(actual) is type(expected)
    assert actual.attrs == expected.attrs
    found, wanted = _variables(actual), _variables(expected)
    assert found.keys() == wanted.keys()
    for name, variable in wanted.items():
        other = found[name]
        assert other.dims == variable.dims, name
        assert other.dtype == variable.dtype, name
        if name in ("its values", "", "full", "gaps", "plane", "height"):
            assert isinstance(other.data, gpunp.ndarray), f"{name} is a {type(other.data).__name__}"
        if variable.dtype.kind in "fc":
            np.testing.assert_allclose(
                other.to_numpy(), variable.to_numpy(), rtol=1e-9, atol=1e-11, err_msg=name
            )
        else:
            np.testing.assert_array_equal(other.to_numpy(), variable.to_numpy(), err_msg=name)
