"""Results of dask that move from the device to the host and to disk."""

import pickle

import numpy as np
import pytest

import gpunp

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

from gpunp.interop import dask_spilling  # noqa: E402
from gpunp.interop.dask_spilling import DeviceData, OnHost, bytes_on_device  # noqa: E402


def everything(array):
    """Count arrays of every device, also those of the CPU."""
    return True


@pytest.fixture
def data(tmp_path):
    return DeviceData(str(tmp_path), "100 kB", "200 kB", counts=everything)


def array(number, size=5000):
    return gpunp.full(size, float(number))


def test_sizes():
    x = gpunp.ones(100)
    assert bytes_on_device([x, (x, {"a": x}), 5, "text"], everything) == 2400
    assert bytes_on_device(gpunp.broadcast_to(x, (9, 100)), everything) == 800
    assert bytes_on_device(np.ones(3), everything) == bytes_on_device(None, everything) == 0
    assert bytes_on_device(x) == (0 if x.device.is_cpu else 800)


@pytest.mark.parametrize(
    "value",
    [
        lambda: gpunp.arange(1000.0).reshape(10, 100).T,
        lambda: [gpunp.arange(10), "text", 5],
        lambda: (np.arange(3), gpunp.ones((2, 2), "f4")),
        lambda: {"a": gpunp.zeros(3), "b": None},
    ],
)
def test_copies_on_the_host(value):
    value = value()
    held = OnHost.of(value)
    header, frames = distributed.protocol.serialize(held)
    for each in (held, distributed.protocol.deserialize(header, frames)):
        found = each.value()
        assert type(found) is type(value)
        first, second = (
            list(v.values()) if isinstance(v, dict) else v if isinstance(v, list | tuple) else [v]
            for v in (found, value)
        )
        for one, other in zip(first, second, strict=True):
            assert type(one) is type(other)
            if isinstance(other, gpunp.ndarray):
                np.testing.assert_array_equal(gpunp.asnumpy(one), gpunp.asnumpy(other), strict=True)
    assert dask.sizeof.sizeof(held) >= bytes_on_device(value, everything)


def test_a_result_is_back_before_it_is_sent_on(monkeypatch):
    class Waits:
        def __init__(self):
            self.count = 0

        def synchronize(self):
            self.count += 1

    device = Waits()
    held = OnHost.of(gpunp.arange(1000.0))
    monkeypatch.setattr(dask_spilling, "get_device", lambda: device)
    np.testing.assert_array_equal(gpunp.asnumpy(held.value()), np.arange(1000.0))
    # Streams of answers to other workers do not wait for uploads.
    assert device.count == 1


def test_the_limit_holds(data):
    for i in range(40):
        data[f"key-{i}"] = array(i)
        assert data.bytes_on_device <= 100_000
    # Two arrays fit the device, five the host; the others are on disk.
    assert len(data) == len(list(data)) == 40
    assert len(data.device.fast) == 2
    assert len(data.host.fast) == 5
    assert data.spilled_total[1] >= 33 * 40_000
    for i in (0, 39, 17, 3):
        assert data[f"key-{i}"].tolist()[:2] == [i, i]
        assert data.bytes_on_device <= 100_000
    for i in range(40):
        del data[f"key-{i}"]
    assert len(data) == data.bytes_on_device == 0
    assert "key-3" not in data
    with pytest.raises(KeyError):
        data["key-3"]


def test_what_was_used_stays(data):
    data["a"], data["b"] = array(1), array(2)
    data["a"]
    data["c"] = array(3)
    assert set(data.device.fast) == {"a", "c"}


def test_larger_than_the_limit(data):
    data["large"] = array(7, 50_000)
    assert data.bytes_on_device == 0
    assert float(data["large"].sum()) == 350_000


def test_other_results(data):
    data["host"] = np.ones(10)
    data["number"] = 5
    data["mixed"] = [gpunp.ones(100), 5]
    assert data["number"] == 5
    assert isinstance(data["host"], np.ndarray)
    assert data.bytes_on_device == 800
    data["host"] = gpunp.ones(10)
    assert data.bytes_on_device == 880
    assert len(data) == 3


def test_the_worker_moves_results_to_disk(data):
    assert data.evict() == -1
    data["host"] = np.ones(1000)
    assert data.fast
    assert data.evict() > 0
    assert not data.fast
    assert data["host"].sum() == 1000


def test_without_a_target_on_the_host(tmp_path):
    data = DeviceData(str(tmp_path), 100, counts=everything)
    data["a"], data["b"] = gpunp.ones(10), gpunp.ones(10)
    assert float(data["a"].sum() + data["b"].sum()) == 20
    assert data.spilled_total == (0, 0)
    assert data.evict() == -1
    assert not data.fast


def _held(dask_worker):
    data = dask_worker.data
    return data.bytes_on_device, len(data)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_worker_with_a_limit(tmp_path, threads):
    import dask.array as da

    limits = {"device_memory_limit": 200_000, "host_target": 400_000, "counts": everything}
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=threads,
            processes=False,
            dashboard_address=":0",
            data=(DeviceData, limits),
            local_directory=str(tmp_path),
        ) as cluster,
        distributed.Client(cluster) as client,
        dask.config.set({"array.backend": "gpunp"}),
    ):
        x = da.random.default_rng(3).normal(size=(400, 500), chunks=(50, 500)).persist()
        distributed.wait(x)
        (held,) = client.run(_held).values()
        assert held[0] <= 200_000
        assert held[1] >= 8
        np.testing.assert_allclose(float((x - x.mean(axis=0)).std()), float(x.std(axis=0).mean()), rtol=0.1)
        again = da.random.default_rng(3).normal(size=(400, 500), chunks=(50, 500))
        assert float(abs(x - again).max()) == 0
        (held,) = client.run(_held).values()
        assert held[0] <= 200_000


def test_the_class_can_be_sent():
    assert pickle.loads(pickle.dumps((DeviceData, {"device_memory_limit": 5})))[0] is DeviceData
