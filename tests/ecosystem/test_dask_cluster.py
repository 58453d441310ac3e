"""A worker of dask for each device, and results that survive the end of a worker."""

import os
import pathlib
import signal
import sys
import time

import numpy as np
import pytest

import gpunp

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array", reason="dask.array is not available")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="worker processes are tested on Linux")

import cloudpickle  # noqa: E402

from gpunp.distributed import dask_cluster  # noqa: E402

# Workers get functions of this module as code, and need not import it.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

HOST = np.random.default_rng(11).normal(size=(240, 60))


@pytest.fixture(autouse=True)
def _on_cpu():
    with gpunp.Device("cpu"):
        yield


@pytest.fixture(scope="module")
def client():
    """Client of two worker processes without GPUs."""
    with (
        dask_cluster.local_cluster(["cpu", "cpu"]) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def x(client):
    return da.from_array(gpunp.asarray(HOST), chunks=(60, 60))


def _place():
    import gpunp

    return str(gpunp.get_device()), os.environ["CUDA_VISIBLE_DEVICES"], os.getcwd()


def test_a_worker_for_each_device(client):
    found = client.run(_place)
    assert len(found) == 2
    assert {each[:2] for each in found.values()} == {("cpu", "")}


CALLS = {
    "elementwise": lambda x: np.sqrt(np.abs(x)) + 1,
    "reductions": lambda x: x.mean(axis=0) + x.std(axis=0),
    "products": lambda x: x.T @ x,
    "tensordot": lambda x: da.tensordot(x, x, axes=((0,), (0,))) if isinstance(x, da.Array) else x.T @ x,
    "rechunked": lambda x: (
        x.rechunk((240, 20)).cumsum(axis=0) if isinstance(x, da.Array) else x.cumsum(axis=0)
    ),
    "fft": lambda x: abs(da.fft.rfft(x, axis=1)) if isinstance(x, da.Array) else abs(np.fft.rfft(x, axis=1)),
    "svd": lambda x: da.linalg.svd(x)[1] if isinstance(x, da.Array) else np.linalg.svd(x)[1],
    "overlaps": lambda x: (
        x.map_overlap(lambda b: b + np.roll(b, 1, 0), depth={0: 1, 1: 0}, boundary="periodic")
        if isinstance(x, da.Array)
        else x + np.roll(x, 1, 0)
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_of_two_workers(name, x):
    found = CALLS[name](x).compute()
    assert isinstance(found, gpunp.ndarray)
    np.testing.assert_allclose(gpunp.asnumpy(found), CALLS[name](HOST), rtol=1e-10, atol=1e-10)


def test_random_numbers_of_two_workers(client):
    with dask.config.set({"array.backend": "gpunp"}):
        x = da.random.default_rng(4).normal(size=(1000, 40), chunks=(100, 40))
        found, again = x.compute(), x.compute(scheduler="sync")
    assert isinstance(found, gpunp.ndarray)
    np.testing.assert_array_equal(gpunp.asnumpy(found), gpunp.asnumpy(again))


def test_xarray_on_top(x):
    xarray = pytest.importorskip("xarray")
    labelled = xarray.DataArray(x, dims=("time", "place"), coords={"time": np.arange(240)})
    found = (labelled - labelled.mean("time")).sel(time=slice(10, 49)).std("place").compute()
    expected = (HOST - HOST.mean(0))[10:50].std(1)
    assert isinstance(found.data, gpunp.ndarray)
    np.testing.assert_allclose(gpunp.asnumpy(found.data), expected)


@pytest.mark.parametrize("library", ["zarr", "h5py"])
def test_files(library, x, tmp_path):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    if library == "zarr":
        target = module.create_array(str(tmp_path / "x.zarr"), shape=x.shape, chunks=(60, 60), dtype=x.dtype)
        (x + 1).to_backend("numpy").store(target)
    else:
        # Files of HDF5 are written by one process.
        file = module.File(tmp_path / "x.h5", "w")
        target = file.create_dataset("x", x.shape, x.dtype)
        (x + 1).to_backend("numpy").store(target, scheduler="sync")
    read = da.from_array(target, chunks=(120, 60)).to_backend("gpunp")
    found = read.sum(axis=0).compute(scheduler="sync")
    assert isinstance(found, gpunp.ndarray)
    np.testing.assert_allclose(gpunp.asnumpy(found), (HOST + 1).sum(axis=0))


def test_a_worker_that_dies(tmp_path):
    began = tmp_path / "began"
    began.mkdir()

    # Of a function of the module pickle sends the name only, and the workers cannot import the module.
    def slowly(block, folder):
        """Wait so that the worker can be ended meanwhile; note which process has begun."""
        (pathlib.Path(folder) / str(os.getpid())).touch()
        time.sleep(0.3)
        return block * 2

    with (
        dask_cluster.local_cluster(["cpu", "cpu"]) as cluster,
        distributed.Client(cluster) as client,
    ):
        x = da.from_array(gpunp.asarray(HOST), chunks=(40, 60)).persist()
        distributed.wait(x)
        done = (x.map_blocks(slowly, str(began), dtype=float, meta=x._meta) @ x.T).sum(axis=0).persist()
        pids = client.run(os.getpid)
        assert len(pids) == 2
        until = time.monotonic() + 20
        while not any((began / str(pid)).exists() for pid in pids.values()) and time.monotonic() < until:
            time.sleep(0.01)
        # Its chunks of `x` are lost, too: they are made again from the graph.
        os.kill(next(iter(pids.values())), signal.SIGKILL)
        found = done.compute()
        np.testing.assert_allclose(gpunp.asnumpy(found), (2 * HOST @ HOST.T).sum(axis=0), rtol=1e-10)


def test_gpus_come_first_in_their_workers(monkeypatch, tmp_path):
    if 0 < dask_cluster._count() < 3:
        pytest.skip("needs three GPUs, or none")
    monkeypatch.setattr(dask_cluster, "_count", lambda: 3)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.chdir(tmp_path)
    with (
        dask_cluster.local_cluster([2, "cuda:0"], device_memory_limit=10_000) as cluster,
        distributed.Client(cluster) as client,
    ):
        visible = client.run(lambda: (os.environ["GPUNP_DEVICE"], os.environ["CUDA_VISIBLE_DEVICES"]))
        assert sorted(visible.values()) == [("cuda", "0,1,2"), ("cuda", "2,0,1")]
        limits = client.run(lambda dask_worker: (type(dask_worker.data).__name__, dask_worker.data.limit))
        assert set(limits.values()) == {("DeviceData", 10_000)}
        folder = pathlib.Path(cluster._folder.name)
        assert folder.exists()
    assert not folder.exists()
    assert list(tmp_path.iterdir()) == []


PLACES = [
    (None, [0, 1, 2]),
    (2, [0, 1]),
    ([1], [1]),
    (["cuda:2", "cpu"], [2, None]),
    ([gpunp.Device("cpu")], [None]),
]


@pytest.mark.parametrize(("devices", "expected"), PLACES)
def test_places(devices, expected, monkeypatch):
    monkeypatch.setattr(dask_cluster, "_count", lambda: 3)
    assert dask_cluster._places(devices) == expected


def test_without_a_gpu(monkeypatch):
    monkeypatch.setattr(dask_cluster, "_count", lambda: 0)
    assert dask_cluster._places(None) == [None]


BAD = {
    "no such index": ({"devices": [3]}, "no device 'cuda:3'; this process sees 3"),
    "too many": ({"devices": 4}, "no device 'cuda:3'"),
    "no such name": ({"devices": ["gpu"]}, "no device 'gpu'"),
    "none": ({"devices": []}, "devices is empty"),
    "no fraction": ({"device_memory_limit": 1.5}, r"device_memory_limit=1\.5 is not a fraction"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments(name, monkeypatch):
    monkeypatch.setattr(dask_cluster, "_count", lambda: 3)
    options, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        dask_cluster.local_cluster(**options)


def test_names_of_visible_devices(monkeypatch):
    monkeypatch.setattr(dask_cluster, "_count", lambda: 2)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-a, GPU-b")
    visible = dask_cluster._visible()
    assert visible == ["GPU-a", "GPU-b"]
    assert dask_cluster._environment(1, visible)["CUDA_VISIBLE_DEVICES"] == "GPU-b,GPU-a"
    assert dask_cluster._environment(None, visible) == {"GPUNP_DEVICE": "cpu", "CUDA_VISIBLE_DEVICES": ""}
