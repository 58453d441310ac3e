import array as python_array

import numpy as np
import pytest
from calls import call_test
from records import ALL, Record, assert_same, make_values, record_test

import gpunp

RECORDS = (Record("copy", dtypes=ALL), Record("copy", lambda f, a: f(a, order="C").strides, shapes=((3, 4),)))
COVERS = (
    "array",
    "asarray",
    "asanyarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "require",
    "frombuffer",
    "fromiter",
    "fromfile",
    "fromstring",
    "fromfunction",
)
test_records = record_test(RECORDS)

SOURCES = [
    3,
    2.5,
    True,
    1j,
    [],
    [1, 2],
    [[1, 2.5], [3, 4]],
    ((True, False),),
    range(4),
    np.float32(2),
    np.arange(3)[::-1],
    np.zeros((0, 3)),
    bytearray(b"abc"),
    memoryview(b"abcd"),
    python_array.array("d", [1, 2]),
    [np.arange(2), [3, 4]],
]


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: f"{type(s).__name__}")
def test_asarray(source):
    assert_same(gpunp.asarray(source), np.asarray(source))
    assert_same(gpunp.array(source, ndmin=3), np.array(np.asarray(source), ndmin=3))
    assert_same(gpunp.asanyarray(source, dtype=complex), np.asarray(source, dtype=complex))


@pytest.mark.parametrize("char", ALL)
def test_host_arrays_of_every_dtype_and_byte_order(char):
    host = make_values(char, (3, 5))
    assert_same(gpunp.asarray(host), host)
    assert_same(gpunp.asarray(host.astype(host.dtype.newbyteorder(">"))), host)
    assert_same(gpunp.asarray(host[::-1, ::2]), host[::-1, ::2])
    assert gpunp.asarray(host).dtype.isnative


@pytest.mark.parametrize(
    "host",
    [
        np.array(["a"]),
        np.array([b"a"]),
        np.array([None]),
        np.array(["2020-01-01"], "M8[D]"),
        np.array([1], "m8[s]"),
        np.zeros(2, "i4,f4"),
        np.longdouble(1),
        np.array([1], "G"),
        "text",
        None,
        [1, "a"],
        [None],
    ],
    ids=repr,
)
def test_dtypes_that_no_array_has(host):
    with pytest.raises(TypeError, match="gpunp has no"):
        gpunp.asarray(host)


def test_dtype_argument():
    assert_same(gpunp.asarray([1.7, 2], dtype=int), np.asarray([1.7, 2], dtype=int))
    with pytest.raises(OverflowError):
        gpunp.asarray([300], dtype=np.uint8)
    with pytest.raises(TypeError, match="gpunp has no"):
        gpunp.asarray([1], dtype=object)
    with pytest.raises(ValueError, match="inhomogeneous"):
        gpunp.asarray([[1, 2], [3]])


def test_copy_and_order():
    a = gpunp.asarray(np.arange(6.0).reshape(2, 3))
    assert gpunp.asarray(a) is a
    assert gpunp.array(a, copy=False) is a
    for part in (a, a.T, a[:, ::2], a[::-1]):
        # Without a copy, "A" leaves the order as it is.
        assert gpunp.asarray(part, order="A") is gpunp.array(part, copy=None, order="A") is part
        assert gpunp.array(part, order="A").flags.fnc == part.flags.fnc
    assert not np.may_share_memory(gpunp.array(a), a)
    assert gpunp.asarray(a, order="F").flags.f_contiguous
    assert gpunp.asarray(np.asfortranarray(np.ones((2, 3)))).flags.f_contiguous
    for convert in (lambda: gpunp.asarray(a, dtype="f4", copy=False), lambda: gpunp.asarray([1], copy=False)):
        with pytest.raises(ValueError, match="copy=False"):
            convert()


def test_copy_false_of_host_memory(device):
    host = np.arange(3.0)
    if device.kind != "cpu":
        with pytest.raises(ValueError, match="copy=False"):
            gpunp.asarray(host, copy=False)
        return
    shared = gpunp.asarray(host, copy=False)
    shared[0] = 7
    assert host[0] == 7
    separate = gpunp.asarray(host)
    separate[0] = 8
    assert host[0] == 7


def test_device_arrays_in_sequences():
    a, host = gpunp.arange(3.0), np.arange(3.0)
    assert_same(gpunp.asarray([a, [5, 6, 7]]), np.asarray([host, [5, 6, 7]]))
    assert_same(gpunp.array([a[0], 5, a[2]]), np.array([host[0], 5, host[2]]))
    assert_same(gpunp.asarray([[a, a], [a, host]], dtype="f4"), np.asarray([[host] * 2] * 2, dtype="f4"))
    with pytest.raises(ValueError, match="inhomogeneous"):
        gpunp.asarray([a, [1, 2]])


def test_contiguous_and_require():
    a = gpunp.asarray(np.arange(6).reshape(2, 3)).T
    assert gpunp.ascontiguousarray(a).flags.c_contiguous
    assert gpunp.asfortranarray(a) is a
    assert gpunp.ascontiguousarray(3).shape == (1,)
    assert gpunp.require(a, requirements="C").flags.c_contiguous
    owner = gpunp.require(a, "f4", ["F", "O", "W"])
    assert owner.flags.f_contiguous
    assert owner.flags.owndata
    with pytest.raises(ValueError, match="both"):
        gpunp.require(a, requirements=["C", "F"])


def test_from_functions_with_like(tmp_path):
    like = gpunp.zeros(1)
    assert_same(np.frombuffer(b"\1\2\3", np.uint8, like=like), np.frombuffer(b"\1\2\3", np.uint8))
    assert_same(np.frombuffer(b"\1\2\3", ">u1", 1, 1, like=like), np.frombuffer(b"\1\2\3", np.uint8, 1, 1))
    assert_same(np.fromiter((i * i for i in range(4)), float, like=like), np.array([0.0, 1, 4, 9]))
    assert_same(np.fromstring("1 2 3", sep=" ", like=like), np.array([1.0, 2, 3]))
    path = tmp_path / "numbers"
    np.arange(5.0).tofile(path)
    assert_same(np.fromfile(path, like=like), np.arange(5.0))
    assert_same(
        np.fromfunction(lambda i, j: i * 10 + j, (2, 3), dtype=int, like=like),
        np.fromfunction(lambda i, j: i * 10 + j, (2, 3), dtype=int),
    )
    assert_same(np.array([1, 2], like=like), np.array([1, 2]))
    assert_same(np.asarray([1.5], like=like), np.array([1.5]))


class Foreign:
    """An object of another library, with one exchange interface."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def test_interfaces():
    host = np.arange(6, dtype="f4").reshape(2, 3)
    assert_same(gpunp.asarray(Foreign(__array_interface__=host.__array_interface__, owner=host)), host)
    with pytest.raises(TypeError, match="DLPack device"):
        gpunp.asarray(Foreign(__dlpack_device__=lambda: (10, 0)))
    with pytest.raises(TypeError, match="masked"):
        gpunp.asarray(Foreign(__cuda_array_interface__={"mask": 1}))


def test_asarray_chkfinite():
    assert_same(gpunp.asarray_chkfinite([1, 2.5]), np.array([1, 2.5]))
    assert gpunp.asarray_chkfinite([1, 2], dtype="f4", order="F").dtype == np.float32
    for bad in ([1, np.nan], gpunp.asarray([np.inf, 1]), [1j, complex(0, np.inf)]):
        with pytest.raises(ValueError, match="infs or NaNs"):
            gpunp.asarray_chkfinite(bad)


def test_require_keeps_what_will_do():
    a = gpunp.zeros((2, 3))
    assert gpunp.require(a, requirements=["C", "A", "W", "E"]) is a
    assert gpunp.require(a[:, ::2], requirements="O").base is None
    assert_same(np.require([1, 2], "f4", like=a), np.array([1, 2], "f4"))
    with pytest.raises(KeyError):
        gpunp.require(a, requirements=["X"])


def test_fromfunction_options():
    assert_same(gpunp.fromfunction(lambda i, scale: i * scale, (4,), scale=3), np.arange(4.0) * 3)
    assert gpunp.fromfunction(lambda i, j: i == j, (2, 2), dtype="i4").tolist() == [
        [True, False],
        [False, True],
    ]


test_copy_argument = call_test(
    """
    xp.array([1, 2], copy="always")
    xp.asarray(A([1, 2]), copy="never")
    xp.array(A([1, 2]), copy=np._CopyMode.IF_NEEDED)
    xp.array(A([1, 2]), copy=np._CopyMode.NEVER)
    xp.array(A([1, 2]), copy=np._CopyMode.ALWAYS)
    xp.array(A([1, 2]), copy=2)
    """,
    own=True,
)


@pytest.mark.parametrize("name", ["array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray"])
def test_host_data_is_read_before_the_function_returns(name, device):
    a = np.arange(2.0**16)
    for blocking in (False, True):
        x = getattr(gpunp, name)(a, blocking=blocking)
        a += 1
        np.testing.assert_array_equal(x, a - 1)
