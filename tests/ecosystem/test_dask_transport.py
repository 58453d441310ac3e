"""Arrays between workers of dask without a host trip, and what is sent through the host."""

import pathlib
import sys

import numpy as np
import pytest

import gpunp

da = pytest.importorskip("dask.array", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

import cloudpickle  # noqa: E402
from distributed.protocol import deserialize, serialize  # noqa: E402
from shared_blocks import SharedBlocks  # noqa: E402

from gpunp.interop import dask_transport  # noqa: E402

# Workers get functions of this module as code, and need not import it.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SMALL, LARGE = 1 << 17, 1 << 20
SAME_HOST = {"sender": {"address": "tcp://10.0.0.1:1"}, "recipient": {"address": "tcp://10.0.0.1:2"}}
OTHER_HOST = {"sender": {"address": "tcp://10.0.0.1:1"}, "recipient": {"address": "tcp://10.0.0.2:2"}}


@pytest.fixture
def exports(device, monkeypatch, tmp_path):
    """Blocks in shared memory for this process, in place of those of a GPU."""
    with gpunp.Device("cpu"):
        found = dask_transport.Exports(SharedBlocks(tmp_path), {SMALL: 2, LARGE: 2})
        monkeypatch.setattr(dask_transport, "exports", found)
        yield found


@pytest.fixture
def message():
    """The blocks of an answer that is being written."""
    blocks = []
    token = dask_transport._message.set(blocks)
    yield blocks
    dask_transport._message.reset(token)


def sent(array, context=SAME_HOST):
    return serialize(array, serializers=dask_transport.SERIALIZERS, context=context, on_error="raise")


ARRAYS = {
    "one block": lambda: np.arange(10_000.0),
    "columns": lambda: np.asfortranarray(np.arange(20_000.0).reshape(100, 200)),
    "strides": lambda: np.arange(40_000.0)[::2],
    "several blocks": lambda: np.arange(220_000.0).reshape(2, -1),
    "complex": lambda: np.arange(9_000) * (1 + 2j),
    "bytes": lambda: np.arange(100_000).astype("i1"),
    "repeated": lambda: np.broadcast_to(np.arange(10_000.0), (3, 10_000)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_come_as_they_were(name, exports, message):
    host = ARRAYS[name]()
    if name == "repeated":
        array = gpunp.broadcast_to(gpunp.asarray(host[0]), host.shape)
    else:
        array = gpunp.asarray(host)
    header, frames = sent(array)
    assert header["serializer"] == dask_transport.FAMILY
    assert frames == []
    assert message
    found = deserialize(header, frames, deserializers=dask_transport.SERIALIZERS)
    assert found.dtype == host.dtype
    np.testing.assert_array_equal(gpunp.asnumpy(found), host)
    assert exports.sent == exports.received == gpunp.asarray(host).nbytes // (3 if name == "repeated" else 1)


def test_blocks_are_used_again(exports, message):
    array = gpunp.arange(20_000.0)
    made = []
    for _ in range(5):
        header, _ = sent(array)
        made.append(header["parts"][0][1])
        exports.give_back(message)
        message.clear()
    assert len(set(made)) == 1
    assert exports.made == {SMALL: 0, LARGE: 1}


def test_through_the_host(exports, message):
    array = gpunp.arange(20_000.0)
    host = {
        "few bytes": (array[:100], SAME_HOST),
        "no bytes": (array[:0].reshape(0, 3), SAME_HOST),
        "strides": (array[::2], OTHER_HOST),
        "another host": (array, OTHER_HOST),
        "no connection": (array, None),
        "more than all blocks": (gpunp.arange(400_000.0), SAME_HOST),
        "scalar": (array.sum(), SAME_HOST),
    }
    for name, (value, context) in host.items():
        header, frames = sent(value, context)
        assert header["serializer"] == dask_transport.FAMILY, name
        assert sum(memoryview(frame).nbytes for frame in frames) == value.nbytes, name
        assert not message, name
        found = deserialize(header, frames, deserializers=dask_transport.SERIALIZERS)
        assert found.shape == value.shape, name
        np.testing.assert_array_equal(gpunp.asnumpy(found), gpunp.asnumpy(value))
    # As many messages as there are blocks, then one through the host, then one with a block again.
    in_blocks = [not sent(array)[1] for _ in range(3)]
    assert in_blocks == [True, True, False]
    exports.give_back(message[:1])
    assert not sent(array)[1]


def test_answers_to_others_go_through_the_host(exports):
    assert sent(gpunp.arange(20_000.0))[0]["serializer"] == "dask"


def _use_shared_blocks(folder):
    from shared_blocks import SharedBlocks

    from gpunp.interop import dask_transport

    dask_transport.exports = dask_transport.Exports(SharedBlocks(folder), {1 << 20: 8})


def _counts():
    from gpunp.interop import dask_transport

    free = sum(map(len, dask_transport.exports.free.values()))
    return (
        dask_transport.exports.sent,
        dask_transport.exports.received,
        free == sum(dask_transport.exports.made.values()),
    )


def test_between_workers(tmp_path):
    from gpunp.distributed.dask_cluster import local_cluster

    host = np.random.default_rng(1).normal(size=(600, 400))
    with (
        local_cluster(["cpu", "cpu"]) as cluster,
        distributed.Client(cluster) as client,
        gpunp.Device("cpu"),
    ):
        client.upload_file(str(pathlib.Path(__file__).parents[1] / "shared_blocks.py"))
        client.run(_use_shared_blocks, str(tmp_path))
        a = da.from_array(gpunp.asarray(host), chunks=(150, 200))
        found = (a @ a.T).sum(axis=0).compute()
        np.testing.assert_allclose(gpunp.asnumpy(found), (host @ host.T).sum(axis=0))
        counts = list(client.run(_counts).values())
    assert sum(sent for sent, _, _ in counts) == sum(received for _, received, _ in counts) > 0
    # Every block was given back.
    assert all(free for _, _, free in counts)


def _limits(dask_worker):
    import gpunp

    return str(gpunp.get_device()), dask_worker.data.limit, dask_worker.data.bytes_on_device


# The test sends 30 MB with the graph.
@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_between_gpus(device):
    if device.is_cpu:
        pytest.skip("needs a GPU")
    from gpunp.distributed.dask_cluster import local_cluster

    failure = dask_transport.CudaBlocks().failure()
    if failure is not None:
        pytest.skip(f"processes cannot share GPU memory here: {failure}")
    count = gpunp.cuda.device_count()
    host = np.random.default_rng(2).normal(size=(4000, 1000))
    with (
        # Two workers may share a GPU.
        local_cluster([0, count - 1], device_memory_limit=64 << 20) as cluster,
        distributed.Client(cluster) as client,
    ):
        a = da.from_array(gpunp.asarray(host), chunks=(1000, 500)).persist()
        distributed.wait(a)
        found = (a @ a.T).sum(axis=0).compute()
        np.testing.assert_allclose(gpunp.asnumpy(found), (host @ host.T).sum(axis=0))
        transposed = (a.T + a[:1000].T.sum()).rechunk((1000, 500)).compute()
        np.testing.assert_allclose(gpunp.asnumpy(transposed), host.T + host[:1000].sum())
        counts = list(client.run(_counts).values())
        for place, limit, held in client.run(_limits).values():
            assert place == "cuda:0"
            assert limit == 64 << 20 >= held
    assert sum(sent for sent, _, _ in counts) == sum(received for _, received, _ in counts) > 0
    assert all(free for _, _, free in counts)


def test_where_blocks_cannot_be_shared(monkeypatch, device):
    blocks = dask_transport.CudaBlocks()
    with gpunp.Device("cpu"):
        assert blocks.failure() is None
    monkeypatch.setattr(dask_transport, "get_device", lambda: device if device.kind == "cuda" else _Gpu())
    monkeypatch.setattr(blocks, "create", lambda nbytes: (None, b"\x00" * 64))
    # No block has this handle, and without a GPU there is no driver.
    assert blocks.failure()

    def no_memory(nbytes):
        raise MemoryError("none left")

    monkeypatch.setattr(blocks, "create", no_memory)
    assert blocks.failure() == "none left"


class _Gpu:
    is_cpu = False
