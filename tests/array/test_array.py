import copy
import pickle

import numpy as np
import pytest
from records import ALL, assert_same, make_values

import gpunp

SHAPES = [(), (5,), (0,), (3, 4), (2, 3, 4)]


def pairs(char="d"):
    for shape in SHAPES:
        host = make_values(char, shape)
        yield host, gpunp.asarray(host)
        yield host.T, gpunp.asarray(host).T


@pytest.mark.parametrize("char", ALL)
def test_host_copies(char):
    for host, a in pairs(char):
        assert a.tobytes() == host.tobytes()
        np.testing.assert_array_equal(a.get(), host)
        assert a.get().flags.f_contiguous == host.flags.f_contiguous
        assert np.array_equal(np.array(a.tolist(), char), host, equal_nan=host.dtype.kind in "fc")
        for clone in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a), a.copy(), a.copy("F")):
            assert_same(clone, host)
            assert not np.may_share_memory(clone, a)


def test_asnumpy_out():
    host = make_values("d", (3, 4))
    a = gpunp.asarray(host)
    for out in (
        np.empty((3, 4)),
        np.empty((3, 4), order="F"),
        np.empty((3, 8))[:, ::2],
        np.empty((3, 4), "f4"),
    ):
        assert gpunp.asnumpy(a, out=out) is out
        np.testing.assert_allclose(out, host, rtol=1e-6)
    for bad, error in ((np.empty(3), ValueError), ([1], TypeError), (np.empty((3, 4), int), TypeError)):
        with pytest.raises(error):
            gpunp.asnumpy(a, out=bad)
    assert gpunp.asnumpy([1, 2]).tolist() == [1, 2]
    np.testing.assert_array_equal(gpunp.asnumpy(a[::2, ::-1]), host[::2, ::-1])
    np.testing.assert_array_equal(gpunp.asnumpy([a[0], a[1]]), host[:2])


def test_set_and_fill():
    a = gpunp.zeros((2, 3))
    a.set(np.arange(6).reshape(2, 3))
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    a.T.set(np.ones((3, 2)))
    assert a.tolist() == [[1, 1, 1], [1, 1, 1]]
    a[:, ::2].set(np.full((2, 2), 7))
    assert a.tolist() == [[7, 1, 7], [7, 1, 7]]
    a[:, 1].fill(np.nan)
    assert np.isnan(a.get()[:, 1]).all()
    with pytest.raises(ValueError, match="shape"):
        a.set(np.zeros(3))
    with pytest.raises(ValueError, match="sequence"):
        a.fill([1, 2])


def test_item():
    host = np.arange(6.0).reshape(2, 3)
    a = gpunp.asarray(host)
    assert a.item(4) == host.item(4)
    assert a.item(-1) == 5
    assert a.item(1, 0) == a.item((1, 0)) == 3
    assert type(gpunp.asarray(np.float32(2)).item()) is float
    assert type(gpunp.asarray(3).item()) is int
    for arguments in ((), (6,), (0, 0, 0)):
        with pytest.raises((ValueError, IndexError)) as expected:
            host.item(*arguments)
        with pytest.raises(expected.type):
            a.item(*arguments)


def test_view():
    host = np.arange(12, dtype="i4").reshape(3, 4)
    a = gpunp.asarray(host)
    for dtype in ("u4", "f4", "i2", "i8", "c8"):
        assert_same(a.view(dtype), host.view(dtype))
        assert np.may_share_memory(a.view(dtype), a)
    assert_same(a.view(), host)
    with pytest.raises(ValueError, match="contiguous"):
        a[:, ::2].view("i2")
    with pytest.raises(ValueError, match="0d"):
        gpunp.asarray(1).view("i2")


def test_type_of_a_view():
    a = gpunp.arange(4)
    assert_same(a.view(type=gpunp.ndarray), np.arange(4))
    assert_same(a.view("f8", np.ndarray), np.arange(4).view("f8", np.ndarray))
    for kind in ("matrix", int, 3):
        for arguments in ((), ("f8",)):
            with pytest.raises(ValueError, match=r"[Tt]ype must be"):
                np.arange(4).view(*arguments, type=kind)
            with pytest.raises(ValueError, match=r"view: type must be"):
                a.view(*arguments, type=kind)


@pytest.mark.parametrize("shape", [(), (1,), (3, 2)], ids=str)
def test_reshape_without_a_shape(shape):
    for a in (np.zeros(shape), gpunp.zeros(shape)):
        with pytest.raises(TypeError):
            a.reshape()
        with pytest.raises(TypeError):
            a.reshape(order="F")


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_flatten(order):
    for host, a in pairs():
        assert_same(a.flatten(order), host.flatten(order))
        assert not np.may_share_memory(a.flatten(order), a)


def test_flags():
    host = np.arange(12).reshape(3, 4)
    a = gpunp.asarray(host)
    for make in (lambda x: x, lambda x: x.T, lambda x: x[::2], lambda x: x[:1], lambda x: x[:0]):
        one, other = make(a).flags, make(host).flags
        for name in (
            "c_contiguous",
            "f_contiguous",
            "writeable",
            "fnc",
            "forc",
            "behaved",
            "carray",
        ):
            assert getattr(one, name) == getattr(other, name)
        assert one["C"] == other["C"]
    a.flags.writeable = False
    for write in (
        lambda: a.__setitem__(0, 1),
        lambda: a.fill(1),
        lambda: a.__iadd__(1),
        lambda: a[1:].fill(2),
    ):
        with pytest.raises(ValueError, match="read-only"):
            write()
    with pytest.raises(KeyError):
        a.flags["NONE"]
    for flags in (a.flags, host.flags):
        flags.aligned = True
        flags["X"] = False
        with pytest.raises(ValueError, match="WRITEBACKIFCOPY"):
            flags.writebackifcopy = True
        with pytest.raises(KeyError):
            flags["C"] = True


def test_functions_as_methods():
    host = np.abs(make_values("d", (3, 4)))
    a = gpunp.asarray(host)
    for name in (
        "all",
        "any",
        "argmax",
        "argmin",
        "cumprod",
        "cumsum",
        "max",
        "mean",
        "min",
        "prod",
        "ravel",
        "round",
        "squeeze",
        "std",
        "sum",
        "var",
        "conj",
        "conjugate",
    ):
        assert_same(getattr(a, name)(), getattr(host, name)(), exact=False)
    assert_same(a.sum(axis=1, keepdims=True), host.sum(axis=1, keepdims=True), exact=False)
    assert_same(a.dot(a.T), host.dot(host.T), exact=False)


def test_to_device(device):
    a = gpunp.arange(3)
    assert a.to_device(device) is a
    other = a.to_device("cpu")
    assert other.device.kind == "cpu"
    assert other.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="no streams"):
        other.to_device("cpu", stream=1)


def test_contains_and_files(tmp_path):
    a = gpunp.arange(4)
    assert 3 in a
    assert 9 not in a
    a.tofile(tmp_path / "raw")
    assert np.fromfile(tmp_path / "raw", int).tolist() == [0, 1, 2, 3]
    a.dump(tmp_path / "pickle")
    assert (
        pickle.loads((tmp_path / "pickle").read_bytes()).tolist()
        == pickle.loads(a.dumps()).tolist()
        == [0, 1, 2, 3]
    )


def test_constructor():
    a = gpunp.ndarray((2, 3), "f4", order="F")
    a[...] = 2
    assert a.sum() == 12
    assert a.flags.f_contiguous
    assert gpunp.ndarray(3).dtype == np.float64
    with pytest.raises(TypeError, match="second time"):
        a.__init__(3)


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_assigning_to_the_shape():
    for xp in (np, gpunp):
        a = xp.arange(4096)
        for shape in ((2,) * 12, (64, -1), 4096, (16, 256)):
            a.shape = shape
            assert a.shape == np.empty(4096).reshape(shape).shape
            assert a.flags.c_contiguous
            assert int(a.sum()) == 4096 * 4095 // 2
        assert a[1].tolist() == list(range(256, 512))
        with pytest.raises(ValueError, match="cannot reshape array of size 4096"):
            a.shape = (5, 5)
        with pytest.raises(AttributeError, match="in-place modification"):
            a.T.shape = (4096,)


def test_resize_without_a_shape():
    for xp in (np, gpunp):
        a = xp.eye(3)
        a.resize()
        a.resize(None)
        assert a.shape == (3, 3)


def test_axes_and_shapes_in_arrays():
    for axes in (np.asarray([1, 0, 2]), gpunp.asarray([1, 0, 2])):
        assert gpunp.ones((2, 3, 4)).transpose(axes).shape == (3, 2, 4)
        a = gpunp.ones(4)
        a.resize(axes + 1)
        assert a.shape == (2, 1, 3)


def test_conjugates_go_into_out():
    for xp in (np, gpunp):
        a, out = xp.asarray([1 + 2j]), xp.zeros(1, dtype="D")
        for method in (a.conj, a.conjugate):
            assert method(out) is out
            assert out.tolist() == [1 - 2j]
