"""xarray computes with device arrays as with NumPy arrays: arithmetic, reductions, groups and windows."""

import inspect

import labelled
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from waiting import waits

import gpunp

HALF_DAYS = pd.date_range("2000-01-01 03:00", periods=3, freq="6h")

ARITHMETIC = {
    "operators": lambda gaps, plane: (gaps * 2 - plane) / 3 + gaps**2 - 1,
    "comparisons": lambda gaps, plane: (gaps > plane) & ~(gaps == plane),
    "ufuncs": lambda full: np.exp(full) + np.sqrt(abs(full)),
    "scalar first": lambda full: np.float64(2) * (1 - full),
    "alignment": lambda gaps, plane: gaps + plane.isel(y=slice(2, None)),
    "broadcasting": lambda full, plane: plane.isel(y=0, drop=True) * full,
    "in place": lambda full: full.__iadd__(1.0),
    "with host values": lambda full: full + xr.DataArray(labelled.PLANE, dims=("y", "x")),
    "datasets": lambda dataset: dataset * 2 + dataset,
    "round": lambda full: full.round(1),
    "clip": lambda full: full.clip(-1, 1),
    "astype": lambda full: full.astype("f4"),
    "full_like": lambda full: xr.full_like(full, 3.0) + xr.zeros_like(full),
    "matrix product": lambda full, plane: full @ plane,
    "dot": lambda full, plane: xr.dot(full, plane, dim="y"),
    "cov": lambda full, plane: xr.cov(full, plane),
    "corr": lambda full, plane: xr.corr(full, plane, "y"),
    "cross": lambda plane: xr.cross(plane.isel(x=slice(3)), plane.isel(x=slice(2, 5)), dim="x"),
}
REDUCTIONS = {
    **{
        f"{name} {dims}": lambda gaps, name=name, dims=dims: getattr(gaps, name)(dims)
        for name in ("sum", "mean", "std", "var", "min", "max", "prod", "count", "median")
        for dims in (None, "time", ("y", "x"))
    },
    "mean with NaN": lambda gaps: gaps.mean("y", skipna=False),
    "min_count": lambda gaps: gaps.sum("time", min_count=6),
    "ddof": lambda gaps: gaps.std("x", ddof=1),
    "of integers": lambda counts: counts.mean("time") + counts.sum("time"),
    "any and all": lambda full: (full > 0).any("x") & (full < 9).all("y"),
    "quantile": lambda gaps: gaps.quantile([0.2, 0.8], "time"),
    "argmax": lambda full: full.argmax("time"),
    "argmin with NaN": lambda gaps: gaps.argmin("time"),
    "argmax of two": lambda full: full.argmax(["x", "y"]),
    "idxmax": lambda full: full.idxmax("y"),
    "cumsum": lambda gaps: gaps.cumsum("time"),
    "cumprod": lambda full: full.cumprod("x"),
    "diff": lambda full: full.diff("time"),
    "differentiate": lambda full: full.differentiate("y"),
    "integrate": lambda full: full.integrate("y"),
    "cumulative_integrate": lambda full: full.cumulative_integrate("y"),
    "reduce": lambda full: full.reduce(np.ptp, "y"),
    "dataset": lambda dataset: dataset.mean("y"),
    "weighted mean": lambda gaps, plane: gaps.weighted(abs(plane)).mean(["y", "x"]),
    "weighted sum": lambda gaps, plane: gaps.weighted(abs(plane)).sum("y"),
    "weighted std": lambda gaps, plane: gaps.weighted(abs(plane)).std(["y", "x"]),
    "host weights": lambda full: full.weighted(np.cos(np.deg2rad(full.y))).mean("y"),
}
GROUPS = {
    **{
        f"groupby {name}": lambda full, name=name: getattr(full.groupby("kind"), name)()
        for name in ("mean", "sum", "std", "max", "median", "count", "first", "last", "cumsum")
    },
    "first that is not NaN": lambda gaps: gaps.groupby("kind").first(),
    "groupby map": lambda full: full.groupby("kind").map(lambda group: group - group.mean()),
    "anomalies": lambda full: full.groupby("kind") - full.groupby("kind").mean(),
    "groupby_bins": lambda full: full.groupby_bins("y", [0, 20, 60]).mean(),
    "groupby days": lambda full: full.groupby("time.day").max(),
    "two groups": lambda full: full.groupby(["kind", "time.hour"]).mean(),
    "resample mean": lambda full: full.resample(time="1D").mean(),
    "resample sum": lambda gaps: gaps.resample(time="1D").sum(),
    "resample interpolate": lambda full: full.resample(time="6h").interpolate("linear"),
    "resample nearest": lambda full: full.resample(time="6h").nearest(),
    "resample ffill": lambda full: full.resample(time="6h").ffill(),
}
WINDOWS = {
    **{
        f"rolling {name}": lambda gaps, name=name: getattr(gaps.rolling(time=3, min_periods=2), name)()
        for name in ("mean", "sum", "min", "max", "std", "var", "count", "prod", "median")
    },
    "centred": lambda gaps: gaps.rolling(time=3, center=True).sum(),
    "two axes": lambda full: full.rolling(time=2, y=3).mean(),
    "construct": lambda full: full.rolling(time=3).construct("window"),
    "rolling reduce": lambda full: full.rolling(time=3).reduce(np.sum),
    "rolling dataset": lambda dataset: dataset[["full", "gaps"]].rolling(time=2).mean(),
    "cumulative": lambda full: full.cumulative("time").sum(),
    "coarsen": lambda full: full.drop_vars("kind").coarsen(time=2, y=3).mean(),
    "coarsen pad": lambda gaps: gaps.coarsen(x=2, boundary="pad").max(),
    "coarsen trim": lambda gaps: gaps.coarsen(x=2, boundary="trim").sum(),
}
INTERPOLATION = {
    "linear": lambda full: full.interp(y=[5.0, 15.0, 20.0, 33.0]),
    "outside": lambda full: full.interp(y=[-1.0, 15.0, 51.0]),
    "fill_value": lambda full: full.interp(y=[-1.0, 15.0, 51.0], kwargs={"fill_value": -9.0}),
    "extrapolate": lambda full: full.interp(y=[-1.0, 15.0, 51.0], kwargs={"fill_value": "extrapolate"}),
    "one axis": lambda plane: plane.isel(x=0).interp(y=[-1.0, 5.0, 33.0]),
    "NaN beside": lambda gaps: gaps.interp(y=[0.0, 10.0, 15.0, 33.0]),
    "dates": lambda full: full.interp(y=[5.0, 15.0], time=HALF_DAYS),
    "scalar": lambda full: full.interp(y=12.0),
    "nearest": lambda full: full.interp(y=[4.0, 5.0, 16.0, 60.0], method="nearest"),
    "interp_like": lambda full, plane: full.interp_like(plane.isel(y=slice(1, 4))),
    "points": lambda full: full.interp(
        y=xr.DataArray([5.0, 12.0, 70.0], dims="p"), x=xr.DataArray([0.5, 1.5, 2.0], dims="p")
    ),
    "nearest points": lambda full: full.interp(
        y=xr.DataArray([4.0, 12.0], dims="p"), x=xr.DataArray([0.4, 1.6], dims="p"), method="nearest"
    ),
    "device coordinates": lambda full, plane: full.interp(y=abs(plane.isel(x=0).drop_vars("y")) * 10),
}
GAPS = {
    "where": lambda gaps: gaps.where(gaps > 0),
    "where other": lambda gaps, full: gaps.where(gaps > 0, full),
    "where drop": lambda full: full.where(full.y > 20, drop=True),
    "where of integers": lambda counts: counts.where(counts > 2),
    "xr.where": lambda gaps: xr.where(gaps > 0, gaps, -1.0),
    "fillna": lambda gaps, full: gaps.fillna(0) + gaps.fillna(full),
    "isnull": lambda gaps: gaps.isnull(),
    "notnull": lambda gaps: gaps.notnull(),
    "combine_first": lambda gaps, full: gaps.combine_first(full),
    "ffill": lambda gaps: gaps.ffill("time"),
    "ffill limit": lambda gaps: gaps.ffill("x", limit=1),
    "bfill": lambda gaps: gaps.bfill("y"),
    "isin": lambda counts: counts.isin([1, 2]),
    "dataset": lambda dataset: dataset.where(dataset.full > 0).fillna(0),
}
FUNCTIONS = {
    "ufunc": lambda full: xr.apply_ufunc(np.exp, full),
    "core dimension": lambda full: xr.apply_ufunc(lambda v: v.mean(-1), full, input_core_dims=[["y"]]),
    "two operands": lambda full, plane: xr.apply_ufunc(
        lambda u, v: np.einsum("...i,...i", u, v), full, plane, input_core_dims=[["y"], ["y"]]
    ),
    "new dimension": lambda full: xr.apply_ufunc(
        lambda v: np.histogram(v, bins=4)[0],
        full,
        input_core_dims=[["time", "y", "x"]],
        output_core_dims=[["bin"]],
    ),
    "sort": lambda full: xr.apply_ufunc(
        lambda v: np.sort(v, -1), full, input_core_dims=[["y"]], output_core_dims=[["y"]]
    ),
    "join": lambda full, plane: xr.apply_ufunc(np.add, full, plane.isel(y=slice(3)), join="inner"),
    "map": lambda dataset: dataset.map(np.exp),
}
CASES = {
    f"{chapter}: {name}": case
    for chapter, cases in (
        ("arithmetic", ARITHMETIC),
        ("reduction", REDUCTIONS),
        ("groups", GROUPS),
        ("windows", WINDOWS),
        ("interp", INTERPOLATION),
        ("gaps", GAPS),
        ("apply_ufunc", FUNCTIONS),
    )
    for name, case in cases.items()
}
# Operations that wait: nanargmax checks for all-NaN slices, xarray checks for missing weights and reads new
# coordinates.
WAITING = {
    "reduction: weighted mean",
    "reduction: weighted sum",
    "reduction: weighted std",
    "reduction: argmax",
    "reduction: argmin with NaN",
    "reduction: argmax of two",
    "reduction: idxmax",
    "interp: device coordinates",
}
# On the CPU device NumPy multiplies matrices, after a wait for queued work.
PRODUCTS = {
    "arithmetic: matrix product",
    "arithmetic: dot",
    "reduction: host weights",
    "apply_ufunc: two operands",
}


@pytest.mark.filterwarnings(
    "ignore:.*(All-NaN|Mean of empty|Degrees of freedom|invalid value):RuntimeWarning"
)
@pytest.mark.parametrize("name", CASES)
def test_same_as_over_numpy(name, device):
    if "ffill" in name or "bfill" in name:
        pytest.importorskip("bottleneck", reason="xarray uses bottleneck to fill NumPy arrays")
    case = CASES[name]
    arguments = list(inspect.signature(case).parameters)
    arguments = [each for each in arguments if each not in ("name", "dims")]
    expected = case(*(labelled.on_host()[each] for each in arguments))
    given = labelled.on_device()
    actual, waited = waits(lambda: case(*(given[each] for each in arguments)))
    labelled.assert_same(actual, expected)
    if not (device.is_cpu and name in PRODUCTS):
        assert bool(waited) == (name in WAITING), f"{waited} waits"


def test_coordinates_on_the_device_are_compared():
    host, given = labelled.on_host()["tall"], labelled.on_device()["tall"]
    expected = host.mean("time") + host.isel(time=0).drop_vars(["time", "kind"])
    one, other = given.mean("time"), given.isel(time=0).drop_vars(["time", "kind"]).copy(deep=True)
    actual, waited = waits(lambda: one + other)
    labelled.assert_same(actual, expected)
    assert waited == 1


def test_bottleneck_is_not_asked(monkeypatch):
    bottleneck = pytest.importorskip("bottleneck")

    def refuse(*args, **kwargs):
        raise AssertionError("bottleneck reads host memory only")

    for name in ("push", "nanmean", "nansum", "nanmedian", "move_mean", "move_sum", "nanargmax"):
        monkeypatch.setattr(bottleneck, name, refuse)
    gaps = labelled.on_device()["gaps"]
    for call in (
        gaps.mean,
        gaps.sum,
        gaps.median,
        lambda: gaps.rolling(time=2).mean(),
        lambda: gaps.ffill("y"),
    ):
        assert isinstance(call().data, gpunp.ndarray)


def test_what_is_for_the_host_says_so():
    full = labelled.on_device()["full"]
    with pytest.raises(TypeError, match="use 'linear' or 'nearest'"):
        full.interp(y=[5.0], method="cubic")
    pytest.importorskip("bottleneck")
    with pytest.raises(TypeError, match=r"gpunp\.asnumpy"):
        full.rank("time")
