"""Several CUDA devices in one process: copies between them, and the streams, memory and contexts used."""

import ctypes
import gc
import threading

import numpy as np
import pytest
from uploads import downloaded, uploaded

pytestmark = pytest.mark.fake_driver()


@pytest.mark.parametrize("order", ["C", "F"])
def test_copies_between_devices(pair, fake, order):
    host = np.asarray(np.arange(10_000.0).reshape(100, 100), order=order)
    for here, there in (pair, pair[::-1]):
        for current in pair:
            with current:
                source = uploaded(host, here)
                waits = here.transfer_counts
                target = source.to_device(there)
                assert there.transfer_counts == waits
                assert target.device is there
                assert target.strides == source.strides == host.strides
                assert target.data_address != source.data_address
                # The source's memory may be reused before the copy has run.
                del source
                other = uploaded(np.zeros_like(host), here)
                np.testing.assert_array_equal(downloaded(target), host)
                del other
    assert fake.fake_calls(b"cuMemcpyPeerAsync") == fake.fake_calls(b"copied_directly") == 4
    assert fake.fake_calls(b"cuMemPoolSetAccess") == 2
    assert pair[0].transfer_counts[0] == 0


@pytest.mark.fake_driver(FAKE_PEERS="0")
def test_devices_out_of_reach(pair, fake):
    host = np.arange(1000)
    target = uploaded(host, pair[0]).to_device(pair[1])
    np.testing.assert_array_equal(downloaded(target), host)
    assert fake.fake_calls(b"cuMemcpyPeerAsync") == 1
    assert fake.fake_calls(b"copied_directly") == fake.fake_calls(b"cuMemPoolSetAccess") == 0


def test_copies_follow_the_streams_of_both(pair, fake):
    import gpunp.cuda as cuda

    source = uploaded(np.arange(1000), pair[0])
    before = fake.fake_calls(b"cuStreamWaitEvent")
    with cuda.Stream(device=0), cuda.Stream(device=1):
        target = source.to_device(pair[1])
        # The copy waits for the target's allocation, and later work on the target's device for the copy.
        assert fake.fake_calls(b"cuStreamWaitEvent") == before + 2
        np.testing.assert_array_equal(downloaded(target), np.arange(1000))
    with cuda.Stream(device=1) as stream:
        target = source.to_device(pair[1], stream=stream)
    np.testing.assert_array_equal(downloaded(target), np.arange(1000))


def test_empty_arrays_move_too(pair, fake):
    target = uploaded(np.empty((0, 3)), pair[0]).to_device(pair[1])
    assert target.shape == (0, 3)
    assert target.device is pair[1]
    assert fake.fake_calls(b"cuMemcpyPeerAsync") == 0


def test_buffers_go_back_from_everywhere(pair, fake):
    import gpunp.cuda as cuda

    host = np.zeros(1 << 18)
    arrays = [uploaded(host, device) for device in pair]
    streams = [cuda.Stream(device=device) for device in pair]
    for stream, device in zip(streams, pair, strict=True):
        with stream:
            arrays.append(uploaded(host, device))
    cycle = [arrays, streams]
    cycle.append(cycle)
    del cycle, arrays, streams, stream

    def collect():
        gc.collect()

    # A thread that has not used a device has no context.
    thread = threading.Thread(target=collect)
    thread.start()
    thread.join()
    for device in pair:
        cuda.Stream.legacy_default(device).synchronize()
        assert cuda.get_default_memory_pool(device).used_bytes() == 0


def test_pools_of_each_device(pair):
    import gpunp.cuda as cuda

    pools = [cuda.get_default_memory_pool(device) for device in pair]
    with pair[1]:
        array = uploaded(np.zeros(1000), pair[0])
        assert cuda.get_default_memory_pool() is pools[1]
    assert [pool.used_bytes() > 0 for pool in pools] == [True, False]
    array = array.to_device(pair[1])
    assert [pool.used_bytes() > 0 for pool in pools] == [False, True]
    assert array.device is pair[1]


def test_foreign_memory_is_where_its_pointer_says(pair):
    import gpunp

    class Foreign:
        def __init__(self, owner):
            self.owner = owner
            self.__cuda_array_interface__ = owner.__cuda_array_interface__

    for device in pair:
        for current in pair:
            with current:
                owner = uploaded(np.arange(10.0), device)
                array = gpunp.asarray(Foreign(owner))
                assert array.device is device
                assert array.data_address == owner.data_address


def test_foreign_streams_are_where_their_handle_says(pair):
    import gpunp.cuda as cuda

    for device in pair:
        owned = cuda.Stream(device=device)
        foreign = cuda.ExternalStream(owned.ptr)
        assert foreign.device is device
        assert foreign == owned
        with foreign:
            assert cuda.get_current_stream(device) is foreign
        foreign.record().synchronize()
    with pair[1]:
        assert cuda.ExternalStream(1).device is pair[1]


@pytest.mark.parametrize("index", [2, 64, 1000, -1])
def test_indices_without_a_device(pair, index):
    import gpunp.cuda as cuda

    for ask in (
        cuda.get_current_stream,
        cuda.get_default_memory_pool,
        cuda.Stream.legacy_default,
        lambda device: cuda.Stream(device=device),
        lambda device: cuda.ExternalStream(1, device),
    ):
        with pytest.raises(ValueError, match=f"no CUDA device {index}; this process sees 2"):
            ask(index)


def test_kernels_are_of_their_device(pair, units):
    import struct

    import gpunp.cuda as cuda

    units("memory", "fill nothing")
    for current in pair:
        with current:
            for device in pair:
                buffer = cuda.get_default_memory_pool(device).malloc(100)
                kernel = device.get_kernel("memory", "fill")
                with cuda.Stream(device=device):
                    params = struct.pack("PQi4x", buffer.address, 100, 5)
                    device.launch_kernel(kernel, (1, 1, 1), 32, params)
                    result = bytearray(100)
                    buffer.copy_to(result)
                assert result == b"\x05" * 100


def test_producers_find_their_device_current(pair, fake):
    """PyTorch refuses to export a tensor of another device than the current one."""
    import gpunp

    def current():
        context = ctypes.c_void_p()
        fake.cuCtxGetCurrent(ctypes.byref(context))
        return context.value

    class Producer:
        def __init__(self, array):
            self.array = array
            self.__dlpack_device__ = array.__dlpack_device__

        def __dlpack__(self, **keywords):
            seen.append(current())
            return self.array.__dlpack__(**keywords)

    for device, other in (pair, pair[::-1]):
        seen = []
        producer = Producer(uploaded(np.arange(5.0), device))
        expected = current()
        uploaded(np.arange(5.0), other)
        assert current() != expected
        assert gpunp.from_dlpack(producer).device is device
        assert seen == [expected]
