"""DLPack import and export: sharing of memory, lifetimes, and what is refused."""

import ctypes
import gc
import weakref

import numpy as np
import pytest
from calls import call_test

import gpunp
from gpunp.interop import exchange

CHARS = "?bBhHiIqQefdFD"
VIEWS = {
    "plain": lambda a: a,
    "transposed": lambda a: a.T,
    "steps": lambda a: a[::2, ::-1],
    "column": lambda a: a[:, 1],
    "scalar": lambda a: a[1, 2, ...],
    "empty": lambda a: a[:0],
    "broadcast": lambda a: a[None, 0],
}


class Producer:
    """An array of another library with DLPack's methods only; records the arguments of each call."""

    def __init__(self, array, device=None, old=False):
        self.array, self.place, self.old, self.asked = array, device, old, []

    def __dlpack_device__(self):
        return self.place or self.array.__dlpack_device__()

    def __dlpack__(self, **asked):
        self.asked.append(asked)
        if self.old and asked.keys() - {"stream"}:
            raise TypeError("unexpected keyword argument")
        return self.array.__dlpack__(**asked)


def values(char):
    return np.arange(12).reshape(3, 4).astype(char)


def same(array, host):
    got = gpunp.asnumpy(array)
    return got.dtype == host.dtype and got.shape == host.shape and np.array_equal(got, host)


@pytest.fixture
def on_cpu(device):
    if not device.is_cpu:
        pytest.skip("only arrays of the CPU device share memory with NumPy")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("char", CHARS)
def test_numpy_reads_every_dtype_and_layout(char, view, device):
    host = VIEWS[view](values(char))
    array = VIEWS[view](gpunp.asarray(values(char)))
    out = np.from_dlpack(array, device="cpu")
    assert out.dtype == host.dtype
    assert out.shape == host.shape
    assert np.array_equal(out, host)
    if device.is_cpu and host.size:
        assert out.__array_interface__["data"][0] == array.data_address
        assert out.strides == array.strides


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("char", CHARS)
def test_numpy_arrays_come_without_a_copy(char, view, versioned):
    host = VIEWS[view](values(char))
    array = gpunp.from_dlpack(host if versioned else Producer(host, old=True))
    assert array.device == "cpu"
    assert same(array, host)
    if host.size:
        assert array.data_address == host.__array_interface__["data"][0]
        assert array.strides == host.strides


def test_memory_is_shared_both_ways(on_cpu):
    host = np.zeros(4)
    array = gpunp.from_dlpack(host)
    back = np.from_dlpack(array)
    array[1] = 5
    host[2] = 6
    back[3] = 7
    assert host.tolist() == back.tolist() == array.tolist() == [0, 5, 6, 7]


@pytest.mark.parametrize("char", CHARS)
@pytest.mark.parametrize("view", VIEWS)
def test_own_arrays_are_views(char, view):
    array = VIEWS[view](gpunp.asarray(values(char)))
    for again in (gpunp.from_dlpack(array), gpunp.from_dlpack(array.__dlpack__(max_version=(1, 0)))):
        assert again is not array
        assert again.device is array.device
        assert same(again, gpunp.asnumpy(array))
        if array.size:
            assert again.data_address == array.data_address
            assert again.strides == array.strides


def test_device_numbers(device):
    expected = (1, 0) if device.is_cpu else (2, device.index)
    assert gpunp.ones(2).__dlpack_device__() == expected
    assert all(type(part) is int for part in gpunp.ones(2).__dlpack_device__())


@pytest.mark.parametrize(
    ("max_version", "name"),
    [
        (None, "dltensor"),
        ((0, 8), "dltensor"),
        ((1, 0), "dltensor_versioned"),
        ((2, 1), "dltensor_versioned"),
    ],
)
def test_names_of_capsules(max_version, name):
    capsule = gpunp.ones(2).__dlpack__(max_version=max_version)
    assert f'"{name}"' in repr(capsule)
    gpunp.from_dlpack(capsule)
    assert f'"used_{name}"' in repr(capsule)
    for read in (exchange.read_capsule, gpunp.from_dlpack):
        with pytest.raises(BufferError, match="consumed before"):
            read(capsule)


def test_copy(device):
    array = gpunp.arange(3.0)
    for copied in (
        gpunp.from_dlpack(array, copy=True),
        gpunp.from_dlpack(array.__dlpack__(max_version=(1, 0), copy=True)),
        gpunp.from_dlpack(array.__dlpack__(copy=True)),
    ):
        copied[0] = 9
        assert array.tolist() == [0, 1, 2]
    shared = gpunp.from_dlpack(array, copy=False)
    shared[0] = 9
    assert array.tolist() == [9, 1, 2]


def test_a_copy_is_flagged_and_made_once():
    array = gpunp.arange(3.0)
    assert exchange.read_capsule(array.__dlpack__(max_version=(1, 0), copy=True))[1] is True
    assert exchange.read_capsule(array.__dlpack__(max_version=(1, 0)))[1] is False
    producer = Producer(np.arange(3.0))
    result = gpunp.from_dlpack(producer, copy=True)
    assert producer.asked[-1]["copy"] is True
    assert result.data_address != producer.array.__array_interface__["data"][0]


def test_producers_from_before_1_0():
    host = np.arange(3.0)
    producer = Producer(host, old=True)
    assert gpunp.from_dlpack(producer).data_address == host.__array_interface__["data"][0]
    assert producer.asked == [{"max_version": (1, 0)}, {}]
    copied = gpunp.from_dlpack(Producer(host, old=True), copy=True)
    assert copied.data_address != host.__array_interface__["data"][0]


def test_memory_out_of_reach_is_asked_for_on_the_host():
    producer = Producer(np.arange(3.0), device=(8, 0))
    assert gpunp.from_dlpack(producer).tolist() == [0, 1, 2]
    assert producer.asked[-1]["dl_device"] == (1, 0)


def test_read_only():
    host = np.arange(3.0)
    host.flags.writeable = False
    array = gpunp.from_dlpack(host)
    assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    assert not gpunp.from_dlpack(array.__dlpack__(max_version=(1, 0))).flags.writeable
    assert not np.from_dlpack(array).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        array.__dlpack__()
    assert gpunp.from_dlpack(array.__dlpack__(copy=True)).flags.writeable
    assert gpunp.from_dlpack(array, copy=True).flags.writeable


def test_devices(device):
    array = gpunp.arange(3.0)
    assert np.from_dlpack(Producer(array), device="cpu").tolist() == [0, 1, 2]
    assert gpunp.from_dlpack(array, device=device).data_address == array.data_address
    host = gpunp.from_dlpack(array, device="cpu")
    assert host.device == "cpu"
    assert host.tolist() == [0, 1, 2]
    there = gpunp.from_dlpack(np.arange(3.0), device=device)
    assert there.device is device
    assert there.tolist() == [0, 1, 2]
    if not device.is_cpu:
        for call in (
            lambda: gpunp.from_dlpack(np.arange(3.0), device=device, copy=False),
            lambda: gpunp.from_dlpack(array, device="cpu", copy=False),
            lambda: array.__dlpack__(dl_device=(1, 0), copy=False),
        ):
            for error in (BufferError, ValueError):
                with pytest.raises(error, match="copy=False"):
                    call()


@pytest.mark.parametrize(
    ("kind", "index"), [(3, 0), (4, 0), (8, 0), (10, 0), (14, 0), (1, 9), (1, -1), (2, 99), (2, -1)]
)
def test_other_devices_are_refused(kind, index):
    with pytest.raises(BufferError, match=rf"device \({kind}, {index}\) of DLPack"):
        gpunp.ones(2).__dlpack__(dl_device=(kind, index))


test_arguments = call_test(
    """
    A([1.0]).__dlpack__(dl_device=1)
    A([1.0]).__dlpack__(dl_device=(1,))
    A([1.0]).__dlpack__(dl_device=(1, "a"))
    A([1.0]).__dlpack__(max_version=1)
    A([1.0]).__dlpack__(copy="no")
    xp.from_dlpack(A([1.0]), copy="no")
    """,
    own=True,
)


def test_streams(device):
    array = gpunp.ones(3)
    if device.is_cpu:
        array.__dlpack__(stream=None)
        for stream in (1, -1, 0):
            with pytest.raises(ValueError, match="no streams"):
                array.__dlpack__(stream=stream)
        return
    side = gpunp.cuda.Stream(non_blocking=True)
    for stream in (None, -1, 1, 2, side.ptr, side):
        assert gpunp.from_dlpack(array.__dlpack__(stream=stream)).tolist() == [1, 1, 1]
    for stream in (0, -2):
        with pytest.raises(ValueError, match="there is no stream"):
            array.__dlpack__(stream=stream)
    with pytest.raises(TypeError, match="stream must be an integer"):
        array.__dlpack__(stream="1")


def test_a_consumer_waits_for_the_current_stream(device):
    if device.is_cpu:
        pytest.skip("the host has no streams")
    reader = gpunp.cuda.Stream(non_blocking=True)
    with gpunp.cuda.Stream(non_blocking=True):
        array = gpunp.zeros(1 << 22)
        for _ in range(100):
            array += 1
        capsule = array.__dlpack__(stream=reader.ptr)
    with reader:
        result = gpunp.from_dlpack(capsule) * 2
        assert float(result.min()) == 200


def patched(array, offset, kind, value, versioned=False):
    """Make a capsule of an array and overwrite one field of its structure."""
    capsule = array.__dlpack__(max_version=(1, 0) if versioned else None)
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    pointer = address(capsule, b"dltensor_versioned" if versioned else b"dltensor")
    kind.from_address(pointer + offset).value = value
    return capsule


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ((20, ctypes.c_uint8, 4), "type code 4 with 64 bits and 1 lanes"),
        ((21, ctypes.c_uint8, 128), "type code 2 with 128 bits"),
        ((22, ctypes.c_uint16, 4), "64 bits and 4 lanes"),
        ((16, ctypes.c_int32, 65), "65 dimensions"),
        ((8, ctypes.c_int32, 10), "device type 10"),
        ((0, ctypes.c_uint32, 2, True), r"version 2\.0"),
    ],
)
def test_what_gpunp_has_not_is_refused_and_released(field, message):
    array = gpunp.ones(2)
    alive = weakref.ref(array)
    capsule = patched(array, *field)
    with pytest.raises(BufferError, match=message):
        gpunp.from_dlpack(capsule)
    del array
    gc.collect()
    assert alive() is not None
    del capsule
    gc.collect()
    assert alive() is None


def test_negative_strides_divided_as_unsigned_numbers():
    array = gpunp.arange(4.0)[::-1]
    capsule = array.__dlpack__()
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    strides = ctypes.c_void_p.from_address(address(capsule, b"dltensor") + 32).value
    assert ctypes.c_int64.from_address(strides).value == -1
    ctypes.c_uint64.from_address(strides).value = (2**64 - 8) // 8
    again = gpunp.from_dlpack(capsule)
    assert again.strides == (-8,)
    assert again.tolist() == [3, 2, 1, 0]


def test_what_is_no_producer_is_refused():
    with pytest.raises(AttributeError, match="__dlpack"):
        gpunp.from_dlpack([1, 2])


@pytest.mark.parametrize(("char", "offset"), [("d", 1), ("d", 4), ("F", 4), ("D", 8)])
def test_memory_that_is_not_aligned_is_refused(char, offset):
    raw = np.zeros(80, np.uint8)
    start = -raw.__array_interface__["data"][0] % 16 + offset
    host = raw[start : start + 32].view(char)
    with pytest.raises(BufferError, match="not aligned"):
        gpunp.from_dlpack(host)
    assert gpunp.asarray(host).tolist() == host.tolist()


def test_strides_of_axes_of_length_one():
    # NumPy allows any strides there.
    host = np.ndarray((1, 4), "u2", bytearray(16), strides=(3, 2))
    array = gpunp.asarray(host, device="cpu", copy=False)
    assert np.from_dlpack(array).tolist() == host.tolist() == [[0] * 4]


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_capsules_keep_and_release_arrays(max_version):
    array = gpunp.arange(5.0)
    alive = weakref.ref(array)
    capsule = array.__dlpack__(max_version=max_version)
    del array
    gc.collect()
    assert alive() is not None
    del capsule
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_consumers_keep_and_release_arrays(max_version):
    array = gpunp.arange(5.0)
    alive = weakref.ref(array)
    consumer = gpunp.from_dlpack(array.__dlpack__(max_version=max_version))
    view = consumer[1:3]
    del array, consumer
    gc.collect()
    noise = [gpunp.full(5, 7.0) for _ in range(20)]
    assert alive() is not None
    assert view.tolist() == [1, 2]
    del view, noise
    gc.collect()
    assert alive() is None


def test_numpy_keeps_and_releases_arrays(on_cpu):
    array = gpunp.arange(5.0)
    alive = weakref.ref(array)
    host = np.from_dlpack(array)[1:3]
    del array
    gc.collect()
    assert alive() is not None
    assert host.tolist() == [1, 2]
    del host
    gc.collect()
    assert alive() is None


class Host(np.ndarray):
    """A NumPy array that weak references can point to."""


@pytest.mark.parametrize("old", [True, False])
def test_freed_producers_live_on(old):
    host = np.arange(5.0).view(Host)
    alive = weakref.ref(host)
    array = gpunp.from_dlpack(Producer(host, old=old))[1:3]
    del host
    gc.collect()
    assert alive() is not None
    assert array.tolist() == [1, 2]
    del array
    gc.collect()
    assert alive() is None
