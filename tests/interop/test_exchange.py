"""Arrays of other libraries in `gpunp.asarray`, the CUDA Array Interface and streams."""

import array
import gc
import weakref

import numpy as np
import pytest
from calls import call_test

import gpunp


class Exporter:
    """An object with one protocol only."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class HostDLPack:
    """A host array that has DLPack's methods only."""

    def __init__(self, values):
        self.values = values

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()

    def __dlpack__(self, **asked):
        return self.values.__dlpack__(**asked)


class WithArray:
    def __array__(self, dtype=None, copy=None):
        return np.arange(3.0, dtype=dtype)


def protocols():
    values = np.arange(3.0)
    yield "array interface", Exporter(__array_interface__=values.__array_interface__, owner=values)
    yield "__array__", WithArray()
    yield "buffer", memoryview(values)
    yield "array.array", array.array("d", [0, 1, 2])
    yield "DLPack", HostDLPack(values)
    yield "sequence", (0.0, 1.0, 2.0)
    yield "range", range(3)


@pytest.mark.parametrize(("name", "source"), list(protocols()), ids=[name for name, _ in protocols()])
def test_every_protocol_of_the_host(name, source, device):
    result = gpunp.asarray(source, dtype=np.float64)
    assert result.device is device
    assert result.dtype == np.float64
    assert result.tolist() == [0, 1, 2]
    assert gpunp.asarray(source, dtype=np.int16, device="cpu").dtype == np.int16


def _by_interface(values):
    array = gpunp.asarray(values)
    if array.device.is_cpu:
        pytest.skip("needs a CUDA device")
    return Exporter(__cuda_array_interface__=array.__cuda_array_interface__, owner=array)


@pytest.mark.parametrize(
    "wrap",
    [HostDLPack, lambda values: HostDLPack(gpunp.asarray(values)), _by_interface],
    ids=["DLPack of the host", "DLPack of the device", "CUDA Array Interface"],
)
def test_arrays_that_only_exchange_wherever_numpy_takes_arrays(wrap):
    """NumPy itself would convert such arrays to Python objects, or use their truth value."""
    three, index = wrap(np.arange(3.0)), wrap(np.array([2, 0]))
    mask, one = wrap(np.array([True, False, True])), wrap(np.array(7.0))
    x = gpunp.asarray([1.0, 2, 4])
    for actual, expected in (
        (x + three, [1, 3, 6]),
        (three * x, [0, 2, 8]),
        (np.maximum(x, three), [1, 2, 4]),
        (x == three, [False, False, False]),
        (np.add(x, 1, out=gpunp.zeros(3), where=mask), [2, 0, 5]),
        (np.sum(x, where=mask), 5),
        (x[index], [4, 1]),
        (x[mask], [1, 4]),
        (x[index, None], [[4], [1]]),
        (np.take(x, index), [4, 1]),
        (gpunp.full(2, one), [7, 7]),
        (gpunp.full(3, three), [0, 1, 2]),
        (gpunp.full_like(x, one), [7, 7, 7]),
        (gpunp.asarray([three, x]), [[0, 1, 2], [1, 2, 4]]),
        (gpunp.asarray([one, 2.0]), [7, 2]),
        (gpunp.asarray([three, three]), [[0, 1, 2], [0, 1, 2]]),
        (np.where(mask, x, three), [1, 1, 4]),
        (np.concatenate([x, three]), [1, 2, 4, 0, 1, 2]),
        (np.dot(x, three), 10),
        (x @ three, 10),
        (gpunp.random.default_rng(0).uniform(three, three), [0, 1, 2]),
    ):
        assert type(actual) is gpunp.ndarray
        assert actual.tolist() == expected
    x[index] = wrap(np.arange(2.0))
    assert x.tolist() == [1, 2, 0]
    x[:] = three
    x += three
    assert x.tolist() == [0, 2, 4]
    x.fill(one)
    assert x.tolist() == [7, 7, 7]
    x[...] = [one, 1, one]
    assert x.tolist() == [7, 1, 7]


def test_host_copies_of_arrays_that_only_exchange():
    three = HostDLPack(np.arange(3.0))
    for source, expected in ((three, [0, 1, 2]), ([three, three], [[0, 1, 2], [0, 1, 2]])):
        host = gpunp.asnumpy(source)
        assert host.dtype == np.float64
        assert host.tolist() == expected
    out = np.zeros(3)
    assert gpunp.asnumpy(three, out=out) is out
    assert out.tolist() == [0, 1, 2]


test_lowercase_orders = call_test(
    """
    [xp.asarray(a, order=order) is a for a in [A([[1, 2], [3, 4]])] for order in "cakCAK"]
    [xp.asanyarray(a, order=order) is a for a in [A([[1, 2], [3, 4]])] for order in "cak"]
    [xp.array(a, order=order, copy=False) is a for a in [A([[1, 2], [3, 4]])] for order in "cak"]
    [a.astype(int, order=order, copy=False) is a for a in [A([[1, 2], [3, 4]])] for order in "cak"]
    [xp.asarray(a, order=order).flags.fnc for a in [A([[1, 2], [3, 4]])] for order in "fF"]
    [xp.asarray(np.ones((2, 3)), order=order).flags.fnc for order in "cfak"]
    [xp.asarray([[1, 2], [3, 4]], order=order).flags.fnc for order in "cfak"]
    xp.asarray(A([[1, 2]]), order="x")
    xp.asarray(A([[1, 2]]), order=1)
    xp.asarray([1], order="x")
    """,
    own=True,
)

test_copies = call_test(
    """
    A([1, 2]).reshape(2, copy="no")
    xp.reshape(A([1, 2]), 2, copy="no")
    xp.reshape(A([1, 2]), 2, copy=0)
    xp.nan_to_num(A([1.0, 2]), copy="no")
    xp.array(A([1, 2]), copy="no")
    xp.asarray(A([1, 2]), copy="no")
    bytes(A([3]))
    bytes(A([[3, 4]], "u1"))
    bytes(A(3))
    bytes(A(3.0))
    xp.min_scalar_type([A(1)])
    xp.min_scalar_type((A(1), 2))
    xp.ones((2, 3))[[[]]]
    xp.ones((2, 3))[[[[]]]]
    xp.ones((2, 3))[:, [[]]]
    xp.ones((2, 3))[([[]], [[0]])]
    S(xp.ones((2, 3)), [[]], 7)
    """,
    own=True,
)


def scalars():
    return gpunp.asarray(1.5), gpunp.asarray(2.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda a, b: [a, b],
        lambda a, b: (a, [b][0], a),
        lambda a, b: [[a, b], [b, a]],
        lambda a, b: [[a, 2], [3.0, b]],
        lambda a, b: [[[a]], [[b]]],
        lambda a, b: [a, np.float32(1), True],
    ],
)
@pytest.mark.parametrize("order", ["C", "F", None])
def test_nested_sequences_of_device_scalars(make, order, device):
    a, b = scalars()
    result = gpunp.asarray(make(a, b), order=order)
    expected = np.asarray(make(np.array(1.5), np.array(2.5)))
    assert result.device is device
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert result.tolist() == expected.tolist()
    assert result.flags.f_contiguous or order != "F"


def test_nested_sequences_promote_and_convert():
    parts = [gpunp.asarray(1, dtype="i2"), gpunp.asarray(2.5, dtype="f4")]
    assert gpunp.asarray(parts).dtype == np.float32
    assert gpunp.asarray(parts[:1] * 2).dtype == np.int16
    assert gpunp.asarray(parts, dtype="i8").tolist() == [1, 2]
    assert gpunp.asarray([gpunp.zeros(2), gpunp.ones(2)]).tolist() == [[0, 0], [1, 1]]
    assert gpunp.asarray([gpunp.zeros((2, 0))] * 3).shape == (3, 2, 0)
    with pytest.raises(ValueError, match="inhomogeneous"):
        gpunp.asarray([gpunp.zeros(2), gpunp.ones(3)])
    with pytest.raises(ValueError, match="copy=False"):
        gpunp.asarray(parts, copy=False)


def test_sequences_of_equal_arrays_are_one_launch_and_no_wait(device):
    parts = [gpunp.asarray(float(i)) for i in range(50)]
    waits, uploads, downloads = device.transfer_counts
    result = gpunp.asarray(parts)
    # The CPU device reads few numbers one by one, and copies them together.
    assert device.transfer_counts == (waits, uploads + device.is_cpu, downloads)
    assert result.tolist() == list(range(50))


def test_sequences_stay_on_the_device_of_their_arrays(device):
    parts = [gpunp.asarray(1.0, device="cpu"), 2.0]
    with device:
        assert gpunp.asarray(parts).device == "cpu"
        assert gpunp.asarray(parts, device=device).device is device


def test_the_cpu_device_has_no_cuda_array_interface():
    host = gpunp.ones(2, device="cpu")
    assert not hasattr(host, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="CPU device"):
        host.__cuda_array_interface__  # noqa: B018


@pytest.mark.parametrize("char", "?bBhHiIqQefdFD")
def test_cuda_array_interface(char, on_cuda):
    base = gpunp.asarray(np.arange(12).reshape(3, 4).astype(char))
    for a in (base, base.T, base[::2, ::-1], base[1, 1, ...], base[:0]):
        interface = a.__cuda_array_interface__
        assert interface["version"] == 3
        assert interface["shape"] == a.shape
        assert interface["typestr"] == a.dtype.str
        assert interface["data"] == (a.data_address, False)
        assert interface["strides"] == (None if a.flags.c_contiguous else a.strides)
        assert interface["stream"] not in (0, None)
        b = gpunp.asarray(Exporter(__cuda_array_interface__=interface, owner=a))
        assert b.data_address == a.data_address
        assert b.shape == a.shape
        assert gpunp.asnumpy(b).tolist() == gpunp.asnumpy(a).tolist()


def test_cuda_array_interface_keeps_its_exporter(on_cuda):
    a = gpunp.arange(4.0)
    exporter = Exporter(__cuda_array_interface__=a.__cuda_array_interface__, owner=a)
    alive = weakref.ref(exporter)
    b = gpunp.asarray(exporter)[1:]
    del exporter, a
    gc.collect()
    assert alive() is not None
    assert b.tolist() == [1, 2, 3]
    del b
    gc.collect()
    assert alive() is None


def test_cuda_array_interface_refuses(on_cuda):
    interface = gpunp.arange(4.0).__cuda_array_interface__
    for changes, message in (
        ({"mask": object()}, "masked"),
        ({"typestr": ">f8"}, "byte order"),
        ({"typestr": "<M8[s]"}, "datetime64"),
    ):
        with pytest.raises(TypeError, match=message):
            gpunp.asarray(Exporter(__cuda_array_interface__={**interface, **changes}))
    readonly = gpunp.asarray(
        Exporter(__cuda_array_interface__={**interface, "data": (interface["data"][0], True)})
    )
    assert not readonly.flags.writeable


def test_streams_are_exchanged(on_cuda):
    ours = gpunp.cuda.Stream(non_blocking=True)
    assert ours.__cuda_stream__() == (0, ours.ptr)
    theirs = gpunp.cuda.ExternalStream(Exporter(__cuda_stream__=lambda: (0, ours.ptr)))
    assert theirs == ours == gpunp.cuda.ExternalStream(ours.ptr)
    assert gpunp.cuda.get_current_stream() != ours
    with theirs:
        assert gpunp.cuda.get_current_stream() == ours
        assert (gpunp.ones(3) * 2).__cuda_array_interface__["stream"] == ours.ptr
    with pytest.raises(ValueError, match="version 1"):
        gpunp.cuda.ExternalStream(Exporter(__cuda_stream__=lambda: (1, ours.ptr)))
    with pytest.raises(TypeError, match="integer handle"):
        gpunp.cuda.ExternalStream("stream")


def test_the_module_of_arrays():
    host = np.ones(2)
    assert gpunp.get_array_module(host, gpunp.asarray(host)) is gpunp
    assert gpunp.get_array_module(host, 1) is gpunp.get_array_module() is np
