"""xarray's objects over device arrays: selection, assignment, combination, transfers, printing, pickling."""

import copy
import inspect
import pickle

import labelled
import numpy as np
import pytest
import xarray as xr
from waiting import waits

import gpunp


def points(*places):
    """Make indices of points along a new dimension."""
    return xr.DataArray(list(places), dims="p")


def assigned(target, key, value):
    """Return the target after an assignment."""
    target[key] = value
    return target


def assigned_by_label(target, key, value):
    """Return the target after an assignment by labels."""
    target.loc[key] = value
    return target


SELECTION = {
    "sel": lambda full: full.sel(y=20.0),
    "sel slice": lambda full: full.sel(y=slice(10, 40), time="2000-01-02"),
    "sel nearest": lambda full: full.sel(y=[11, 33], method="nearest"),
    "sel points": lambda full: full.sel(y=xr.DataArray([0.0, 20.0], dims="p"), x=points(1, 2)),
    "isel": lambda full: full.isel(x=2, y=[1, 3, 5]),
    "isel steps": lambda full: full.isel(time=slice(None, None, -2)),
    "isel orthogonal": lambda full: full.isel(y=[0, 2, 4], x=[1, 2, 3]),
    "isel points": lambda full: full.isel(y=points(0, 2, 4), x=points(1, 2, 3)),
    "isel points apart": lambda full: full.isel(time=points(0, 2), x=points(1, 2)),
    "mask": lambda full: full[:, np.array([True, False] * 3)],
    "loc": lambda full: full.loc[{"y": 30.0}],
    "head and thin": lambda full: full.head(y=4).thin(x=2),
    "dataset": lambda dataset: dataset.sel(time="2000-01-02").isel(x=[0, 2]),
    "drop": lambda full: full.drop_isel(y=[0, 1]),
}
ASSIGNMENT = {
    "basic": lambda full: assigned(full, (0, slice(None)), 5.0),
    "labels": lambda full: assigned_by_label(full, {"y": 30.0}, 0.0),
    "list": lambda full: assigned(full, {"y": [1, 3]}, -1.0),
    "orthogonal": lambda full: assigned(full, {"y": [0, 2], "x": [1, 3]}, 7.0),
    "points": lambda full: assigned(full, {"y": points(0, 1), "x": points(1, 2)}, 9.0),
    "array": lambda full, plane: assigned(full, 0, plane),
    "array at points": lambda full, plane: assigned(
        full, {"y": points(0, 1), "x": points(1, 2)}, full.isel(y=points(2, 3), x=points(0, 0)).data
    ),
    "variable": lambda dataset: assigned(dataset, "full", dataset.full + 1),
}
COMBINATION = {
    "concat": lambda full, gaps: xr.concat([full, gaps.rename("full")], "time"),
    "concat new": lambda full, gaps: xr.concat([full, gaps.rename("full")], "new"),
    "merge": lambda gaps, plane: xr.merge([gaps, plane], compat="no_conflicts", join="outer"),
    "combine_by_coords": lambda dataset: xr.combine_by_coords(
        [dataset[["full"]].isel(y=slice(3)), dataset[["full"]].isel(y=slice(3, 6))],
        data_vars="all",
        join="outer",
        compat="no_conflicts",
    ),
    "stack": lambda full: full.stack(place=("y", "x")),
    "stack mean": lambda full: full.stack(place=("y", "x")).mean("place"),
    "unstack": lambda plane: plane.stack(place=("y", "x")).isel(place=slice(3, 17)).unstack("place"),
    "to_array": lambda dataset: dataset[["full", "gaps"]].to_array(),
    "to_dataset": lambda full: full.to_dataset("x"),
    "expand_dims": lambda plane: plane.expand_dims(k=3),
    "transpose": lambda full: full.transpose("x", ...),
    "squeeze": lambda full: full[:1].squeeze(),
    "broadcast": lambda full, plane: xr.broadcast(plane, full)[0],
    "align outer": lambda full, plane: xr.align(
        full.isel(y=slice(2, None)), plane.isel(y=slice(3)), join="outer"
    )[0],
    "reindex": lambda full: full.reindex(y=[0.0, 5.0, 10.0]),
    "reindex nearest": lambda full: full.reindex(y=[0.0, 5.0, 11.0], method="nearest"),
    "sortby": lambda full: full.sortby("kind"),
    "set_index": lambda full: full.set_index(time="kind"),
    "pad": lambda full: full.pad(y=2),
    "pad constant": lambda plane: plane.pad(y=(1, 2), mode="constant", constant_values=0),
    "pad reflect": lambda full: full.pad(y=2, mode="reflect"),
    "shift": lambda full: full.shift(time=2) + full.shift(y=-1, fill_value=0),
    "roll": lambda full: full.roll(time=2, roll_coords=False),
    "assign": lambda dataset: dataset.assign(full=dataset.full + dataset.plane),
    "copy": lambda full: full.copy(deep=True),
    "deepcopy": lambda full: copy.deepcopy(full),
    "pickle": lambda dataset: pickle.loads(pickle.dumps(dataset)),
    "tree": lambda dataset: xr.DataTree.from_dict({"/a": dataset}).mean("y")["/a"].to_dataset(),
}
CASES = {
    f"{chapter}: {name}": case
    for chapter, cases in (("select", SELECTION), ("assign", ASSIGNMENT), ("combine", COMBINATION))
    for name, case in cases.items()
}
WAITING = {"combine: pickle"}


@pytest.mark.parametrize("name", CASES)
def test_same_as_over_numpy(name):
    case = CASES[name]
    arguments = list(inspect.signature(case).parameters)
    expected = case(*(labelled.on_host()[each] for each in arguments))
    given = labelled.on_device()
    actual, waited = waits(lambda: case(*(given[each] for each in arguments)))
    labelled.assert_same(actual, expected)
    assert bool(waited) == (name in WAITING), f"{waited} waits"


def test_indices_on_the_device():
    bare = xr.DataArray(gpunp.asarray(labelled.FULL), dims=("time", "y", "x"))
    rows = xr.DataArray(gpunp.asarray([3, 1]), dims="p")
    np.testing.assert_array_equal(
        bare.isel(y=rows).transpose("p", ...).to_numpy(), labelled.FULL[:, [3, 1]].swapaxes(0, 1)
    )
    full = labelled.on_device()["full"]
    # pandas keeps the labels of y on the host, so the row indices are fetched.
    found, waited = waits(lambda: full.isel(y=rows))
    labelled.assert_same(found, full.isel(y=rows.as_numpy()))
    assert waited


def test_host_values():
    full = labelled.on_device()["full"]
    host, copies = waits(full.to_numpy)
    np.testing.assert_array_equal(host, labelled.FULL)
    assert copies == 1
    assert isinstance(full.as_numpy().data, np.ndarray)
    with pytest.raises(TypeError, match=r"gpunp\.asnumpy"):
        full.values  # noqa: B018 - a property that raises
    assert float(full[0, 0, 0]) == full[0, 0, 0].item() == labelled.FULL[0, 0, 0]
    assert bool((full == full).all())
    assert int(full.count()) == labelled.FULL.size
    assert complex(full[0, 0, 0].variable) == labelled.FULL[0, 0, 0]


def test_numpy_objects_are_as_before():
    pytest.importorskip("bottleneck", reason="xarray uses bottleneck to fill NumPy arrays")
    full = labelled.on_host()["full"]
    assert isinstance(full.to_numpy(), np.ndarray)
    assert float(full[0, 0, 0]) == labelled.FULL[0, 0, 0]
    assert isinstance(full.ffill("y").interp(y=[5.0], method="cubic").data, np.ndarray)


def test_chunks():
    pytest.importorskip("dask.array")
    full = labelled.on_device()["full"]
    chunked = full.chunk(time=4)
    assert chunked.gpunp.is_gpunp
    for call in (
        lambda a: a.mean("time"),
        lambda a: a.interp(y=[5.0, 12.0]),
        lambda a: a.rolling(time=3).sum(),
        lambda a: a.ffill("time"),
        lambda a: a.drop_vars("kind").coarsen(time=2).mean(),
        lambda a: xr.apply_ufunc(np.sqrt, abs(a), dask="parallelized"),
    ):
        found = call(chunked).compute()
        assert isinstance(found.data, gpunp.ndarray)
        np.testing.assert_allclose(found.to_numpy(), call(full).to_numpy(), rtol=1e-12)
    np.testing.assert_array_equal(chunked.to_numpy(), labelled.FULL)
    assert isinstance(chunked.gpunp.asnumpy().compute().data, np.ndarray)


def test_arrays_of_objects(device):
    host = np.arange(6.0).reshape(2, 3)
    for values in (host, gpunp.asarray(host)):
        a = xr.DataArray(values, dims=("x", "y"))
        for held in (a, a.variable):
            assert type(gpunp.asarray(held)) is gpunp.ndarray
            assert gpunp.asarray(held, device=device).tolist() == host.tolist()
            assert gpunp.asnumpy(held).tolist() == host.tolist()


def test_accessor():
    host, given = labelled.on_host(), labelled.on_device()
    assert not host["full"].gpunp.is_gpunp
    moved = host["full"].gpunp.asarray()
    assert moved.gpunp.is_gpunp
    assert moved.attrs == host["full"].attrs
    xr.testing.assert_identical(moved.gpunp.asnumpy(), host["full"])
    assert given["dataset"].gpunp.is_gpunp
    assert not given["dataset"].assign(plane=host["plane"]).gpunp.is_gpunp
    mixed = host["dataset"].assign(when=("time", host["full"].time.data)).gpunp.asarray(gpunp.get_device())
    assert isinstance(mixed.full.data, gpunp.ndarray)
    assert isinstance(mixed.when.data, np.ndarray)
    assert mixed.attrs == {"title": "t"}
    xr.testing.assert_identical(given["dataset"].gpunp.asnumpy(), host["dataset"])
    with pytest.raises(TypeError, match="dtype"):
        xr.DataArray(["a"]).gpunp.asarray()


def test_comparisons_of_objects():
    full = labelled.on_device()["full"]
    assert full.equals(full.copy(deep=True))
    assert full.identical(full.copy(deep=True))
    xr.testing.assert_allclose(full, full + 1e-12)


def test_printing_copies_little():
    dataset = labelled.on_device()["dataset"]
    text, copies = waits(lambda: repr(dataset))
    assert copies == 0
    assert f"gpunp.ndarray<{gpunp.get_device()}>" in text
    text, copies = waits(lambda: repr(dataset.mean()))
    assert copies == 3
    assert str(float(dataset.full.mean())) in text
    _, copies = waits(lambda: repr(dataset.full))
    assert copies == 1
    _, copies = waits(dataset._repr_html_)
    assert copies <= 2 * len(dataset)
