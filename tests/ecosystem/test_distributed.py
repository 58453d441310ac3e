"""Device arrays between the processes of dask.distributed."""

import sys

import numpy as np
import pytest

import gpunp

da = pytest.importorskip("dask.array", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

from distributed.protocol import deserialize, deserialize_bytes, serialize, serialize_bytes  # noqa: E402

BASE = np.arange(24.0).reshape(4, 6)
ARRAYS = {
    "C": lambda xp, a: a,
    "F": lambda xp, a: a.copy(order="F"),
    "strides": lambda xp, a: a[::2, ::-3],
    "no dimensions": lambda xp, a: a[1, 2],
    "no elements": lambda xp, a: a[:0],
    "repeated": lambda xp, a: xp.broadcast_to(a[1], (50, 6)),
    "bool": lambda xp, a: a > 3,
    "half": lambda xp, a: a.astype("f2"),
    "complex": lambda xp, a: a.astype("c16") * 1j,
    "int8": lambda xp, a: a.astype("i1"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_serialisation(name):
    expected = np.asarray(ARRAYS[name](np, BASE))
    array = ARRAYS[name](gpunp, gpunp.asarray(BASE))
    header, frames = serialize(array, serializers=("cuda", "dask", "pickle"), on_error="raise")
    assert header["serializer"] == ("dask" if array.device.is_cpu else "cuda")
    header, frames = serialize(array)
    assert header["serializer"] == "dask"
    assert sum(memoryview(frame).nbytes for frame in frames) <= 8 * min(array.nbytes, 48 * 8)
    for found in (deserialize(header, frames), deserialize_bytes(serialize_bytes(array))):
        assert isinstance(found, gpunp.ndarray)
        assert found.device == array.device
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(gpunp.asnumpy(found), expected, strict=True)
    # The result does not share the sender's memory.
    if expected.size and name != "repeated":
        found[...] = 1
        np.testing.assert_array_equal(gpunp.asnumpy(array), expected)


def test_elements_of_the_cpu_device_are_not_copied(device):
    if not device.is_cpu:
        pytest.skip("an array of a GPU is copied to the host")
    array = gpunp.arange(1000.0)
    _, frames = serialize(array)
    assert np.shares_memory(np.frombuffer(frames[0]), np.from_dlpack(array))


def test_frames_that_are_not_aligned(device):
    if not device.is_cpu:
        pytest.skip("an array of a GPU is uploaded")
    header, frames = serialize(gpunp.arange(10.0))
    shifted = memoryview(bytearray(b"x" + bytes(frames[0])))[1:]
    found = deserialize(header, [shifted])
    np.testing.assert_array_equal(gpunp.asnumpy(found * 2), np.arange(10.0) * 2)


@pytest.fixture(scope="module")
def client():
    """Client of two workers in this process, connected by TCP so that everything is serialized."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_arrays_of_a_cluster(client):
    host = np.random.default_rng(0).normal(size=(60, 20))
    a = da.from_array(gpunp.asarray(host), chunks=(20, 20))
    found = (a @ a.T + 1).sum(axis=0).compute()
    assert isinstance(found, gpunp.ndarray)
    np.testing.assert_allclose(gpunp.asnumpy(found), (host @ host.T + 1).sum(axis=0))
    values = da.linalg.svd(a)[1].compute()
    np.testing.assert_allclose(gpunp.asnumpy(values), np.linalg.svd(host)[1])
    kept = a.rechunk((30, 10)).persist()
    np.testing.assert_array_equal(gpunp.asnumpy(kept.compute()), host)
    assert isinstance(kept.mean().to_backend("numpy").compute(), np.ndarray)


def test_scatter_and_submit(client):
    future = client.scatter(gpunp.arange(10.0))
    doubled = client.submit(lambda x: x * 2, future).result()
    assert isinstance(doubled, gpunp.ndarray)
    assert doubled.tolist() == [2.0 * i for i in range(10)]
    sizes = client.run(lambda dask_worker: [dask_worker.state.tasks[key].nbytes for key in dask_worker.data])
    assert 80 in [size for each in sizes.values() for size in each]


@pytest.mark.skipif(sys.platform != "linux", reason="worker processes are tested on Linux")
def test_a_process_of_its_own():
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        a = da.from_array(gpunp.arange(100.0), chunks=25)
        # The worker imports gpunp with its first array, and that registers the lookups of dask.array.
        found = da.percentile(a, [50], method="lower").compute()
        assert isinstance(found, gpunp.ndarray)
        assert found.tolist() == [49.0]
        assert str(client.submit(lambda x: x.device, gpunp.ones(3)).result()) == str(gpunp.get_device())
