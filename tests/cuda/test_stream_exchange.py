"""DLPack, the CUDA Array Interface and ``to_device`` on CUDA devices: pointers and order of streams."""

import gc
import weakref

import numpy as np
import pytest

pytestmark = pytest.mark.fake_driver()


@pytest.fixture
def array(cuda_device):
    if cuda_device is None:
        return None
    import gpunp

    return gpunp.asarray(np.arange(12.0).reshape(3, 4), device=cuda_device)


class Producer:
    """Another library's array on a CUDA device; records the arguments of export calls."""

    def __init__(self, array):
        self.array, self.asked = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **asked):
        self.asked.append(asked)
        return self.array.__dlpack__(**asked)


def waits(fake):
    return fake.fake_calls(b"cuStreamWaitEvent")


def test_a_consumer_waits_by_an_event(array, fake):
    import gpunp.cuda as cuda

    reader = cuda.Stream(non_blocking=True)
    for stream, expected in ((None, 0), (1, 0), (-1, 0), (2, 1), (reader.ptr, 1), (reader, 1)):
        before = waits(fake)
        array.__dlpack__(stream=stream, max_version=(1, 0))
        assert waits(fake) - before == expected
    with reader:
        for stream, expected in ((None, 1), (1, 1), (-1, 0), (reader.ptr, 0), (reader, 0)):
            before = waits(fake)
            array.__dlpack__(stream=stream)
            assert waits(fake) - before == expected


def test_streams_that_mean_nothing(array):
    for stream in (0, -2):
        with pytest.raises(ValueError, match="there is no stream"):
            array.__dlpack__(stream=stream)
    for stream in ("1", True, 1.0):
        with pytest.raises(TypeError, match="stream must be an integer"):
            array.__dlpack__(stream=stream)
    with pytest.raises(ValueError, match="no streams"):
        array.__dlpack__(stream=1, dl_device=(1, 0))


def test_producers_are_told_the_current_stream(array):
    import gpunp
    import gpunp.cuda as cuda

    producer = Producer(array)
    assert gpunp.from_dlpack(producer).data_address == array.data_address
    assert gpunp.asarray(producer).data_address == array.data_address
    side = cuda.Stream()
    with side:
        assert gpunp.from_dlpack(producer, copy=False).device is array.device
    assert [asked["stream"] for asked in producer.asked] == [1, 1, side.ptr]
    assert producer.asked[-1]["copy"] is False


def test_devices(array):
    import gpunp

    assert array.__dlpack_device__() == (2, 0)
    assert gpunp.empty(2, device="cuda:1").__dlpack_device__() == (2, 1)
    assert gpunp.from_dlpack(gpunp.empty(2, device="cuda:1")).device == "cuda:1"
    info = gpunp.__array_namespace_info__()
    assert [str(device) for device in info.devices()][:2] == ["cuda:0", "cuda:1"]
    assert str(info.devices()[-1]) == "cpu"


def test_copies_to_the_host(array):
    import gpunp

    values = np.arange(12.0).reshape(3, 4)
    assert np.array_equal(np.from_dlpack(array, device="cpu"), values)
    assert np.array_equal(np.from_dlpack(array.T, device="cpu"), values.T)
    host = gpunp.from_dlpack(Producer(array), device="cpu")
    assert host.device == "cpu"
    assert np.array_equal(np.from_dlpack(host), values)
    there = gpunp.from_dlpack(values, device="cuda:0")
    assert there.device is array.device
    assert np.array_equal(gpunp.asnumpy(there), values)
    for call in (
        lambda: array.__dlpack__(dl_device=(1, 0), copy=False),
        lambda: gpunp.from_dlpack(array, device="cpu", copy=False),
        lambda: gpunp.from_dlpack(Producer(array), device="cuda:1", copy=False),
    ):
        for error in (BufferError, ValueError):
            with pytest.raises(error, match="copy=False"):
                call()


def test_the_stream_of_to_device(array):
    import gpunp.cuda as cuda

    side = cuda.Stream(non_blocking=True)
    for stream in (side, side.ptr, 1, 2):
        host = array.to_device("cpu", stream=stream)
        assert host.tolist()[2] == [8, 9, 10, 11]
        back = host.to_device(array.device, stream=stream)
        assert back.device is array.device
        assert back.tolist() == host.tolist()
    assert array.to_device(array.device, stream=side) is array
    assert cuda.get_current_stream().ptr == 0


class Exporter:
    """Another library's array that has only the CUDA Array Interface."""

    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


def test_values_of_arrays_that_only_exchange(array):
    import gpunp

    values = np.arange(12.0).reshape(3, 4)
    exporter = Exporter(array.__cuda_array_interface__)
    for source in (exporter, Producer(array)):
        assert gpunp.asnumpy(source).tolist() == values.tolist()
        assert gpunp.asnumpy(source).dtype == np.float64
        out = np.zeros((3, 4))
        assert gpunp.asnumpy(source, out=out).tolist() == values.tolist()


def test_the_cuda_array_interface(array, fake):
    import gpunp
    import gpunp.cuda as cuda

    interface = array.__cuda_array_interface__
    assert interface == {
        "shape": (3, 4),
        "strides": None,
        "typestr": "<f8",
        "data": (array.data_address, False),
        "version": 3,
        "stream": 1,
    }
    assert array.T.__cuda_array_interface__["strides"] == (8, 32)
    side = cuda.Stream()
    exporter = Exporter({**interface, "stream": side.ptr})
    before = waits(fake)
    taken = gpunp.asarray(exporter)
    assert waits(fake) - before == 1
    assert taken.data_address == array.data_address
    alive = weakref.ref(exporter)
    del exporter
    gc.collect()
    assert alive() is not None
    del taken
    gc.collect()
    assert alive() is None
    with pytest.raises(TypeError, match="masked"):
        gpunp.asarray(Exporter({**interface, "mask": exporter_mask()}))


def exporter_mask():
    return np.zeros((3, 4), bool)


def test_mixed_devices_of_a_sequence(array):
    import gpunp

    with pytest.raises(ValueError, match=r"cuda:0 and on cpu"):
        gpunp.asarray([array, gpunp.ones((3, 4), device="cpu")])


def test_mixed_devices_are_refused_before_anything_runs(array):
    import gpunp

    here, there = array[0], gpunp.ones(4, device="cpu")
    places = gpunp.zeros(4, dtype="i8", device="cpu")
    for call in (
        lambda: here + there,
        lambda: gpunp.concat([here, there]),
        lambda: gpunp.stack([there, here]),
        lambda: gpunp.matmul(here, there),
        lambda: gpunp.isin(here, there),
        lambda: gpunp.searchsorted(here, there),
        lambda: gpunp.take(here, places),
        lambda: gpunp.take_along_axis(here, places),
        lambda: gpunp.repeat(here, places),
        lambda: gpunp.diff(here, prepend=there),
        lambda: gpunp.linalg.cross(here[:3], there[:3]),
        lambda: gpunp.convolve(here, there),
        lambda: gpunp.linalg.solve(gpunp.ones((4, 4), device="cpu"), here),
        lambda: gpunp.meshgrid(here, there),
        lambda: here[there > 0],
    ):
        with pytest.raises(ValueError, match=r"cuda:0.*cpu|cpu.*cuda:0"):
            call()


def test_arrays_move_where_a_device_is_said_or_assigned_to(array, cuda_device):
    import gpunp

    host = gpunp.ones((3, 4), device="cpu")
    for made, device in (
        (gpunp.asarray(host, device=cuda_device), cuda_device),
        (gpunp.asarray(array, device="cpu", dtype="f4"), "cpu"),
        (gpunp.array(host, like=array), cuda_device),
        (gpunp.asarray([array, host], device="cpu"), "cpu"),
        (gpunp.astype(host, "f8", device=cuda_device), cuda_device),
        (gpunp.full_like(array, host), cuda_device),
    ):
        assert made.device == device
    array[...] = host
    assert array.tolist() == host.tolist()
    np.copyto(host, array)
    with pytest.raises(ValueError, match="copy=False"):
        gpunp.asarray(host, device=cuda_device, copy=False)
