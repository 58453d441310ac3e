"""xarray: positions, labels and keys on the device, and operations that mix device and host data."""

import inspect

import labelled
import numpy as np
import pytest
import xarray as xr
from waiting import waits

import gpunp

POSITIONS = np.array([2, 0, 4])


def numbered(full):
    """Replace the time coordinate by numbers."""
    return full.drop_vars("kind").assign_coords(time=np.arange(8.0) ** 1.1)


def assigned(target, key, value):
    """Return a copy of the target after an assignment."""
    target = target.copy()
    target[key] = value
    return target


KEYS = {
    "position without dimensions": lambda full, at: full.isel(y=at[0]),
    "argmax": lambda plane: plane.isel(x=plane.isel(y=0, drop=True).argmax("x")),
    "argmax of every row": lambda full: full.isel(y=full.argmax("y")),
    "argmax of several": lambda full: full.isel(full.argmax(["time", "y"])),
    "positions": lambda full, at: full.isel(y=at),
    "positions in square brackets": lambda full, at: full[at, at[1]],
    "positions with a dimension": lambda full, at: full.isel(y=xr.DataArray(at, dims="p")),
    "points": lambda full, at: full.isel(time=xr.DataArray(at, dims="p"), y=xr.DataArray(at, dims="p")),
    "positions beside text": lambda full, at: full.isel(time=xr.DataArray(at, dims="p")),
    "positions in a dataset": lambda dataset, at: dataset.isel(time=xr.DataArray(at, dims="p")),
    "variables": lambda full, at: full.variable[:, at, at[0]],
    "mask": lambda plane: plane.isel(x=plane[0].drop_vars("y") > 0),
    "mask of labels": lambda plane: plane.loc[:, plane[0].drop_vars("y") > 0],
    "labels": lambda full, at: full.sel(y=at * 10.0),
    "label without dimensions": lambda full, at: full.sel(y=at[0] * 10.0),
    "nearest labels": lambda full, at: full.sel(y=xr.DataArray(at * 10.0 + 1, dims="p"), method="nearest"),
    "labels of maxima": lambda full: full.sel(y=full.idxmax("y")),
    "reindex": lambda full, at: full.reindex(y=at * 10.0),
    "where drop": lambda plane: plane.where(plane > 1, drop=True),
    "sortby": lambda plane: plane.sortby(plane.isel(x=0, drop=True)),
    "sortby descending": lambda plane: plane.sortby([plane.isel(x=0, drop=True)], ascending=False),
    "groupby_bins": lambda full, plane: (
        full.assign_coords(height=("y", plane[:, 0].data)).groupby_bins("height", [-5, 0, 5]).mean()
    ),
    "groups of two dimensions": lambda full, plane: (
        full.assign_coords(high=(("y", "x"), (plane > 0).data)).groupby("high").sum()
    ),
    "assignment at a position": lambda full, at: assigned(full, (0, at[0]), -1.0),
    "assignment at positions": lambda full, at: assigned(full, {"y": at}, -1.0),
    "assignment at labels": lambda full, at: assigned(full.drop_vars("kind"), {"x": at}, full[..., :3].data),
}
MIXED = {
    "where with chunks": lambda full: full.where((full > 0).chunk(x=2)).compute(),
    "fillna with chunks": lambda gaps, full: gaps.fillna(full.chunk(x=2)).compute(),
    "corr with chunks": lambda full, plane: xr.corr(full.chunk(y=3), plane, "y").compute(),
    "a Python condition": lambda full: xr.where(True, full, 0) + xr.where(False, full, 0),
    "combine_first with a number": lambda dataset: dataset.combine_first(xr.Dataset({"other": 3})),
    "a condition of NumPy": lambda full: xr.where(np.bool_(True), full, 0) + full.where(np.bool_(False)),
    "astype with an order": lambda full: full.astype("f4", order="F", casting="same_kind"),
}
FITS = {
    "polyfit": lambda full: numbered(full).polyfit("time", 2),
    "polyfit with gaps": lambda gaps: numbered(gaps).polyfit("time", 1, full=True),
    "polyfit of one line": lambda full: numbered(full)[:, 0, 0].polyfit("time", 1, full=True),
    "polyfit of one line with gaps": lambda gaps: numbered(gaps)[:, 2, 0].polyfit("time", 1, full=True),
    "polyfit with skipna": lambda full: numbered(full).polyfit("time", 1, skipna=True, full=True),
    "polyfit of nothing": lambda full: numbered(full).where(full.y != 0).polyfit("time", 1, full=True),
    "polyfit of few": lambda gaps: numbered(gaps)[:3].polyfit("time", 2, full=True),
    "polyfit with weights": lambda full: numbered(full).polyfit("time", 1, w=np.linspace(1, 2, 8)),
    "polyfit with cov": lambda full: numbered(full).polyfit("time", 1, cov=True),
    "polyfit by chunks": lambda full: numbered(full).chunk(x=2).polyfit("time", 1).compute(),
    "polyfit of a dataset": lambda dataset: dataset.drop_vars("kind").polyfit("y", 1),
    "polyval": lambda full: xr.polyval(full.y, numbered(full).polyfit("time", 2).polyfit_coefficients),
}
CASES = {**KEYS, **MIXED, **FITS}


@pytest.mark.filterwarnings("ignore:.*(invalid value|poorly conditioned|Slicing with an out-of-order)")
@pytest.mark.parametrize("name", CASES)
def test_same_as_over_numpy(name):
    if "chunks" in name:
        pytest.importorskip("dask.array", reason="dask is not installed")
    case = CASES[name]
    arguments = list(inspect.signature(case).parameters)
    expected = case(*({**labelled.on_host(), "at": POSITIONS}[each] for each in arguments))
    given = {**labelled.on_device(), "at": gpunp.asarray(POSITIONS)}
    actual = case(*(given[each] for each in arguments))
    # Coordinates made from device arrays may be on the host or on the device.
    labelled.assert_same(actual, expected)


def test_positions_of_device_arrays_are_not_fetched():
    plane = labelled.on_device()["plane"].drop_vars("y")
    at = xr.DataArray(gpunp.asarray(POSITIONS), dims="p")
    found, waited = waits(lambda: plane.isel(y=at))
    assert isinstance(found.data, gpunp.ndarray)
    assert waited == 0


def test_memory_of_a_fit_with_gaps_is_bounded(monkeypatch):
    from gpunp.interop import xarray_functions

    monkeypatch.setattr(xarray_functions, "_BLOCK_BYTES", 1024)
    expected = numbered(labelled.on_host()["gaps"]).polyfit("time", 2, full=True)
    labelled.assert_same(numbered(labelled.on_device()["gaps"]).polyfit("time", 2, full=True), expected)
