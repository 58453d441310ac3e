"""Groups and distributed arrays on CUDA devices: streams and calls, on stand-ins of driver and NCCL."""

import sys
import types

import numpy as np
import pytest
from uploads import downloaded, uploaded

pytestmark = pytest.mark.fake_driver()


def test_copies_have_streams_of_their_own(pair, fake):
    import gpunp.cuda as cuda
    from gpunp.distributed.array.chunks import Chunk, Copies

    hosts = np.arange(1000.0), np.arange(1000.0, 2000)
    arrays = [uploaded(host, device) for host, device in zip(hosts, pair, strict=True)]
    with Copies((0, 1), on_cpu=False) as copies:
        there = copies.move(arrays[0], 0, 1)
        here = copies.move(arrays[1], 1, 0)
        assert copies.move(arrays[0], 0, 0) is arrays[0]
        assert isinstance(copies.event(0), cuda.Event)
        copies.turn()
        streams = {stream.ptr for number in (0, 1) for stream in copies._pair(number)}
        assert len(streams) == 4
        with copies.receiving(1):
            assert cuda.get_current_stream(1) == copies._pair(1)[1]
        assert cuda.get_current_stream(1) == cuda.Stream.legacy_default(1)
    assert fake.fake_calls(b"cuMemcpyPeerAsync") == 2
    assert (there.device, here.device) == pair[::-1]
    np.testing.assert_array_equal(downloaded(there), hosts[0])
    np.testing.assert_array_equal(downloaded(here), hosts[1])
    # A whole chunk is copied once, and what is on the device is not copied at all.
    chunks = [Chunk(arrays[0], 0, (range(1000),)), Chunk(there, 1, (range(1000),))]
    with Copies((0, 1), on_cpu=False) as copies:
        found = copies.fetch("f", chunks, (range(10, 20),), 1, np.dtype("f8"))
        assert found.data_address == there.data_address + 80
    assert fake.fake_calls(b"cuMemcpyPeerAsync") == 2


def test_arrays_over_two_devices(pair, fake):
    import gpunp
    from gpunp.distributed.array import distributed_array

    host = np.arange(24.0).reshape(6, 4)
    with pair[0]:
        made = distributed_array(host, {0: slice(4), 1: slice(4, None)})
    assert [[each.device for each in chunks] for chunks in made.all_chunks().values()] == [
        [pair[0]],
        [pair[1]],
    ]
    np.testing.assert_array_equal(made.get(), host)
    turned = made.reshard({1: slice(4), 0: slice(4, None)})
    assert [[each.device for each in chunks] for chunks in turned.all_chunks().values()] == [
        [pair[0]],
        [pair[1]],
    ]
    np.testing.assert_array_equal(turned.get(), host)
    assert fake.fake_calls(b"cuMemcpyPeerAsync") == 2
    again = distributed_array(turned.all_chunks()[1][0], {0: slice(None)})
    np.testing.assert_array_equal(again.get(), host[:4])
    made.synchronize()
    with pair[1]:
        assert gpunp.get_device() is pair[1]


class Communicator:
    """What `gpunp.cuda.nccl` uses of nccl4py's class."""

    nranks, rank, _comm = 2, 0, 77

    def __init__(self):
        self.ended = False

    @classmethod
    def init(cls, count, rank, identifier):
        assert (count, rank, bytes(identifier)) == (1, 0, bytes(range(128)))
        cls.made = cls()
        return cls.made

    def destroy(self):
        self.ended = True


class Library(types.ModuleType):
    """The library's functions, which note their calls."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args: self.calls.append((name, *args))


class UniqueId(bytes):
    """128 bytes."""

    @classmethod
    def from_bytes(cls, value):
        return cls(value)


@pytest.fixture
def stand_in(monkeypatch):
    """A package ``nccl`` without the library."""
    core = types.ModuleType("nccl.core")
    core.groups = []
    core.Communicator = Communicator
    core.UniqueId = UniqueId
    core.get_unique_id = lambda: UniqueId(bytes(range(128)))
    core.NcclRedOp = types.SimpleNamespace(SUM="sum", PROD="prod", MAX="max", MIN="min")
    core.group_start = lambda: core.groups.append("start")
    core.group_end = lambda: core.groups.append("end")
    library = Library("nccl.bindings.nccl")
    library.calls = core.calls = []
    bindings, package = types.ModuleType("nccl.bindings"), types.ModuleType("nccl")
    bindings.nccl, package.core, package.bindings = library, core, bindings
    monkeypatch.setitem(sys.modules, "nccl.bindings", bindings)
    monkeypatch.setitem(sys.modules, "nccl.bindings.nccl", library)
    monkeypatch.setitem(sys.modules, "nccl", package)
    monkeypatch.setitem(sys.modules, "nccl.core", core)
    return core


def test_calls_of_nccl(pair, stand_in):
    import os

    import gpunp.cuda as cuda
    from gpunp.distributed import init_process_group

    with pair[0]:
        comm = init_process_group(1, 0, port=0)
        assert type(comm).__name__ == "NCCLBackend"
        assert os.environ["NCCL_NVLS_ENABLE"] == "0"
        calls = stand_in.calls
        x = uploaded(np.arange(4.0), pair[0])
        z = uploaded(np.arange(4) * 1j, pair[0])
        b = uploaded(np.ones(4, "?"), pair[0])
        at, pairs, flags = x.data_address, z.data_address, b.data_address
        comm.all_reduce(x, x, "max")
        assert calls.pop() == ("all_reduce", at, at, 4, 8, 2, 77, 0)
        comm.all_reduce(z, z)
        assert calls.pop() == ("all_reduce", pairs, pairs, 8, 8, 0, 77, 0)
        comm.broadcast(b)
        assert calls.pop()[:5] == ("broadcast", flags, flags, 4, 1)
        stream = cuda.Stream(device=0)
        comm.reduce(x, x, stream=stream)
        assert calls.pop() == ("reduce", at, at, 4, 8, 0, 0, 77, stream.ptr)
        with stream:
            comm.reduce_scatter(x, x, 4)
        assert calls.pop()[0] == "reduce_scatter"
        comm.barrier()
        with pytest.raises(ValueError, match="in_array is on cuda:1, but the group was made on cuda:0"):
            comm.all_reduce(uploaded(np.zeros(3), pair[1]), x)
        comm.stop()
        assert Communicator.made.ended
        # Again nothing happens, and the library's communicator is not used any more.
        Communicator.made.ended = False
        comm.stop()
        assert not Communicator.made.ended
        for call in (lambda: comm.all_reduce(x, x), comm.barrier, comm.check_async_error):
            with pytest.raises(RuntimeError, match="this process has left its group; join another"):
                call()


def test_exchanges_of_nccl_are_groups(pair, stand_in):
    from gpunp.cuda.nccl import NcclCommunicator
    from gpunp.distributed.nccl import _Transport

    raw = NcclCommunicator.__new__(NcclCommunicator)
    raw._comm, raw._device = Communicator(), 0
    transport = _Transport(raw, 0)
    x, y = (uploaded(np.arange(3, dtype="f"), pair[0]) for _ in range(2))
    empty = uploaded(np.empty(0, "f"), pair[0])
    transport.exchange([(x, 1), (empty, 1)], [(y, 1)])
    assert stand_in.groups == ["start", "end"]
    assert [(call[0], *call[2:5]) for call in stand_in.calls] == [("send", 3, 7, 1), ("recv", 3, 7, 1)]
    for call in ("all_reduce", "reduce_scatter"):
        getattr(transport, call)(empty, empty, "sum")
    transport.broadcast(empty, 0)
    transport.all_gather(empty, empty)
    assert len(stand_in.calls) == 2


def test_results_of_other_devices_are_read_where_they_are(pair, fake):
    import gpunp
    from gpunp.distributed.array import chunks

    arrays = [uploaded(np.full((), value), device) for value, device in zip((1.0, 2.0), pair, strict=True)]
    result, calls = uploaded(np.full((), 3.0), pair[0]), []

    def add(one, other):
        calls.append((one, other, gpunp.get_device()))
        return result

    pair[0].synchronize()
    fake.fake_hold(1)
    assert chunks.combined_results(arrays, pair[0], add) is result
    ((one, other, device),) = calls
    assert one is arrays[0]
    assert (other.device, other.data_address, device) == (pair[0], arrays[1].data_address, pair[0])
    # The memory of the other device is kept until it was read.
    ((kept,), _) = chunks._read[-1]
    assert kept is arrays[1]
    fake.fake_hold(0)
    pair[0].synchronize()
    chunks.combined_results(arrays[::-1], pair[0], lambda one, other: result)
    assert len(chunks._read) <= 1
    assert fake.fake_calls(b"cuMemcpyPeerAsync") == 0


@pytest.mark.fake_driver(FAKE_PEERS="0")
def test_results_that_cannot_be_reached_are_copied(pair, fake):
    from gpunp.distributed.array import chunks

    arrays = [uploaded(np.full((), value), device) for value, device in zip((1.0, 2.0), pair, strict=True)]
    total = chunks.combined_results(arrays, pair[0], lambda one, other: other)
    assert (total.device, total.get()) == (pair[0], 2)
    assert fake.fake_calls(b"cuMemcpyPeerAsync") == 1
