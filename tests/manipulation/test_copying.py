import itertools

import numpy as np
import pytest
from calls import call_test
from records import ALL, Record, assert_same, make_values, record_test

import gpunp

RECORDS = (
    Record("astype", lambda f, a: f(a, np.float64)),
    Record("astype", lambda f, a: f(a, a.dtype, copy=False)),
    Record("copyto", lambda f, a: f(a.copy(), a)),
)
test_records = record_test(RECORDS)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning", "ignore:.*cast:RuntimeWarning")
@pytest.mark.parametrize(("source", "target"), list(itertools.product(ALL, ALL)), ids="-".join)
def test_astype(source, target):
    values = make_values(source, (3, 7))
    expected = values.astype(target)
    if np.dtype(source).kind in "fc" and np.dtype(target).kind == "u":
        values = np.abs(values)  # negative floats to unsigned: undefined in C, and NumPy's result varies
        expected = values.astype(target)
    assert_same(gpunp.asarray(values).astype(target), expected)
    assert_same(gpunp.asarray(values)[:, ::-2].astype(target), expected[:, ::-2])


def test_astype_casting_and_order():
    a = gpunp.asarray(np.arange(6.0).reshape(2, 3), order="F")
    assert a.astype("f4").flags.f_contiguous
    assert a.astype("f4", order="C").flags.c_contiguous
    assert a.astype(float, copy=False) is a
    with pytest.raises(TypeError, match="according to the rule 'same_kind'"):
        a.astype(int, casting="same_kind")


def test_astype_of_host_arrays():
    assert_same(gpunp.astype(np.arange(3.0), "i2"), np.arange(3, dtype="i2"))
    assert_same(gpunp.astype(np.int64(10), "f4"), np.array(10, "f4"))
    with pytest.raises(TypeError, match="must be an array, not a list"):
        gpunp.astype([1, 2], float)


def test_copyto():
    target, host = gpunp.zeros((3, 4)), np.zeros((3, 4))
    mask = np.array([True, False, True, False])
    for xp_target, xp_mask in ((target, gpunp.asarray(mask)), (host, mask)):
        np.copyto(xp_target, 2)
        np.copyto(xp_target, np.arange(4.0), where=xp_mask)
        np.copyto(xp_target[0], np.nan, where=~xp_mask)
    assert_same(target, host)
    integers = gpunp.zeros(3, dtype=int)
    for bad in (1.5, np.ones(3), gpunp.ones(3)):
        with pytest.raises(TypeError, match="same_kind"):
            np.copyto(integers, bad)
    np.copyto(integers, gpunp.full(3, 2.7), casting="unsafe")
    assert integers.tolist() == [2, 2, 2]
    with pytest.raises(TypeError, match="asnumpy"):
        np.copyto(host, target)
    with pytest.raises(TypeError, match="asnumpy"):
        np.full_like(host, target)


def test_copyto_overlapping():
    host = np.arange(10)
    a = gpunp.asarray(host)
    np.copyto(a[1:], a[:-1])
    np.copyto(host[1:], host[:-1].copy())
    assert_same(a, host)
    np.copyto(a[:-1], a[1:], where=a[1:] > 3)
    np.copyto(host[:-1], host[1:].copy(), where=host[1:].copy() > 3)
    assert_same(a, host)


@pytest.mark.parametrize("char", ALL)
def test_byteswap(char):
    host = make_values(char, (3, 4))
    a = gpunp.asarray(host)
    for view, expected in ((a, host), (a[::2, ::-1], host[::2, ::-1]), (a[0, 0], host[0, 0])):
        swapped = gpunp.asnumpy(view.byteswap())
        np.testing.assert_array_equal(
            np.ascontiguousarray(swapped).view("u1"), np.ascontiguousarray(expected.byteswap()).view("u1")
        )
    row = a[1]
    assert row.byteswap(inplace=True) is row
    assert_same(a[1].byteswap(), host[1])


# casting="same_value" raises for a value that the dtype cannot represent.
test_same_value = call_test(
    """
    A([1.0, 2]).astype("i4", casting="same_value")
    A([1.0, 2.5]).astype("i4", casting="same_value")
    A([nan, inf]).astype("f4", casting="same_value")
    A([nan]).astype("i8", casting="same_value")
    A([1e300]).astype("f4", casting="same_value")
    A([1 + 0j]).astype("f4", casting="same_value")
    A([1 + 1j]).astype("f4", casting="same_value")
    A([1 + 1j]).astype("c8", casting="same_value")
    A([complex(nan, 0)]).astype("f4", casting="same_value")
    A([complex(1, 1e300)]).astype("c8", casting="same_value")
    A([2**53 + 1]).astype("c16", casting="same_value")
    A([2**62]).astype("f8", casting="same_value")
    A([2**63 - 1]).astype("f8", casting="same_value")
    A([2**64 - 1]).astype("f8", casting="same_value")
    A([2.0**63]).astype("i8", casting="same_value")
    A([2.0**63]).astype("u8", casting="same_value")
    A([2.0**64]).astype("u8", casting="same_value")
    A([-1]).astype("u8", casting="same_value")
    A([2**63]).astype("i8", casting="same_value")
    A([256]).astype("u1", casting="same_value")
    A([2049]).astype("f2", casting="same_value")
    A([70000]).astype("f2", casting="same_value")
    A([0.5, 2]).astype(bool, casting="same_value")
    A([True]).astype("c8", casting="same_value")
    A([]).astype("i4", casting="same_value")
    A([1.0]).astype("i4", casting="same")
    """
)


@pytest.mark.parametrize(
    "convert",
    [
        lambda a, z: z.astype(float),
        lambda a, z: gpunp.asarray(z, dtype="f4"),
        lambda a, z: gpunp.full_like(a, z[0]),
        lambda a, z: np.copyto(a, z, casting="unsafe"),
        lambda a, z: np.copyto(a, z, casting="unsafe", where=z != 0),
        lambda a, z: a.__setitem__(..., z),
        lambda a, z: a.__setitem__([0, 1], z),
        lambda a, z: a.__setitem__(a == a, z),
        lambda a, z: a.flat.__setitem__(slice(None), z),
        lambda a, z: np.put(a, [0, 1], z),
        lambda a, z: a.fill(z[0]),
    ],
)
def test_dropped_imaginary_parts(convert):
    z = gpunp.asarray([1j, 2])
    with pytest.warns(np.exceptions.ComplexWarning, match="discards the imaginary part") as found:
        convert(gpunp.zeros(2), z)
    assert [one.filename for one in found] == [__file__]
    # Conversions to bool and to complex discard no imaginary part.
    z.astype(bool)
    z.astype("c8")
    gpunp.zeros(2, bool)[...] = z
