import numpy as np
import pytest
from records import ALL, FEW, INEXACT, LAYOUTS, SHAPES, Record, make_values, record_test

import gpunp
from gpunp.sorting import engine

FULL = ((1,), (7,), (0,), (3, 4), (2, 3, 4), (4, 0, 2), (33, 65), (300,))
# Before NumPy 2.5 only gpunp's own functions have the keyword `descending`.
NUMPY_DESCENDS = np.lib.NumpyVersion(np.__version__) >= "2.5.0"
RECORDS = (
    *(
        Record(name, lambda f, a: f(a, kind="stable"), dtypes=ALL, shapes=FULL)
        for name in ("sort", "argsort")
    ),
    *(Record(name, lambda f, a: f(a, stable=True), shapes=FULL) for name in ("sort", "argsort")),
    *(
        Record(name, lambda f, a: f(a, 0, stable=True), dtypes=ALL, shapes=FULL)
        for name in ("sort", "argsort")
    ),
    *(Record(name, lambda f, a: f(a, None, "stable"), shapes=SHAPES) for name in ("sort", "argsort")),
    *(
        Record(name, lambda f, a: f(a, -2, "mergesort"), shapes=((3, 4), (2, 3, 4)))
        for name in ("sort", "argsort")
    ),
    # Distinct elements have a single order, whatever the kind.
    *(
        Record(
            name,
            lambda f, a, k=kind: f(a - a + np.array([3, 1, 2, 0], "f"), kind=k),
            dtypes="f",
            shapes=((4,),),
        )
        for name in ("sort", "argsort")
        for kind in (None, "quicksort", "heapsort", "Quick", b"stable")
    ),
    Record("argsort", lambda f, a: f(a), shapes=((),), layouts=("C",)),
    Record("sort_complex", dtypes=ALL.replace("e", "").replace("?", ""), shapes=FULL),
    Record("sort_complex", lambda f, a: f(a - a), dtypes="fF", shapes=FULL),
    *(Record(name, raises=True, shapes=((),), layouts=("C",)) for name in ("sort", "sort_complex")),
    *(
        Record(
            name, lambda f, a, o=options: f(a, **o), raises=True, shapes=((), (4,), (2, 3)), layouts=("C",)
        )
        for name in ("sort", "argsort")
        for options in (
            {"axis": 5},
            {"axis": 0.5},
            {"axis": "0"},
            {"kind": "foo"},
            {"kind": 3},
            {"kind": ""},
            {"order": "x"},
            {"kind": "stable", "stable": True},
        )
    ),
)

test_records = record_test(RECORDS)


def bits(a):
    """Return the array as bytes, with identical NaNs; equal elements such as 0.0 and -0.0 may differ."""
    a = np.array(a, order="C")
    parts = a.view(a.real.dtype) if a.dtype.kind == "c" and a.ndim else a
    if parts.dtype.kind == "f":
        parts = np.where(np.isnan(parts), parts.dtype.type(np.nan), parts)
    return parts.tobytes()


def hard_values(char, size, rng):
    """Draw values with many ties, special values, and NaNs of both signs."""
    dtype = np.dtype(char)
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, size, dtype=dtype, endpoint=True)
        values[rng.random(size) < 0.3] = info.max
        values[rng.random(size) < 0.2] = info.min
        return values
    part = np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype
    shape = (size, 2) if dtype.kind == "c" else (size,)
    values = rng.normal(0, 3, shape).astype(part)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1.0, -1.0, 1e-7, -1e-7], part)
    chosen = rng.random(shape) < 0.6
    values[chosen] = special[rng.integers(0, special.size, shape)][chosen]
    return values.view(dtype).reshape(size)


# Sizes around a warp, a short row, the blocks that sort rows, and several tiles of the radix sort.
SIZES = (1, 2, 31, 33, 255, 256, 257, 1000, 1025, 3000, 4097, 8192, 8193, 30_011, 100_003)


@pytest.mark.parametrize("char", ALL)
def test_values_and_order(char, rng):
    for size in SIZES:
        host = hard_values(char, size, rng)
        a = gpunp.asarray(host)
        expected = np.argsort(host, kind="stable")
        np.testing.assert_array_equal(gpunp.asnumpy(np.argsort(a)), expected, err_msg=f"{char} {size}")
        for ours in (np.sort(a), engine.sort_rows_with_order(a)[0]):
            assert bits(gpunp.asnumpy(ours)) == bits(host[expected]), (char, size)
        assert bits(gpunp.asnumpy(a)) == bits(host)
        a.sort()
        assert bits(gpunp.asnumpy(a)) == bits(host[expected]), (char, size)


@pytest.mark.parametrize("char", "efd")
def test_negative_zeros(char, rng):
    """Without negative zeros the first pass need not be stable; a single one requires it."""
    host = rng.normal(0, 3, 100_003).astype(char)
    host[host == 0] = 0.0
    host[::5] = 0.0
    for negative in (0, 1, 30_000):
        host[rng.integers(0, host.size, negative)] = -0.0
        expected = host[np.argsort(host, kind="stable")]
        for rows in (1, 3):
            a = gpunp.asarray(np.tile(host, (rows, 1)))
            assert bits(gpunp.asnumpy(np.sort(a))) == bits(np.tile(expected, (rows, 1)))


@pytest.mark.parametrize("char", "?bHifdeFD")
def test_many_rows(char, rng):
    for rows, length in ((1000, 3), (77, 40), (9, 257), (5, 3100), (3, 9001), (7, 20_000)):
        host = hard_values(char, rows * length, rng).reshape(rows, length)
        # Rows whose digits differ: a constant row, and a row of zeros and ones.
        host[1] = host[1, 0]
        host[2] = host[2] == host[2, 0]
        a = gpunp.asarray(host)
        expected = np.argsort(host, axis=1, kind="stable")
        moved = np.take_along_axis(host, expected, 1)
        np.testing.assert_array_equal(gpunp.asnumpy(np.argsort(a, axis=1)), expected)
        assert bits(gpunp.asnumpy(np.sort(a))) == bits(moved)
        columns = gpunp.asarray(np.ascontiguousarray(host.T))
        assert bits(gpunp.asnumpy(np.sort(columns, axis=0)).T.copy()) == bits(moved)
        a.sort(axis=-1)
        assert bits(gpunp.asnumpy(a)) == bits(moved)


@pytest.mark.parametrize("char", ALL)
def test_descending(char, rng):
    for size in (1, 40, 300, 3000, 9001, 30_011):
        host = hard_values(char, size, rng)
        if NUMPY_DESCENDS:
            expected = np.argsort(host, stable=True, descending=True)
        else:
            # Without ties and NaN, the reverse of the ascending order.
            # NumPy 2.4 sorts long float16 arrays incorrectly.
            host = np.unique(host[~np.isnan(host)].astype("f" if char == "e" else char)).astype(char)
            host = host[: 1 if host.dtype.kind == "c" else None]
            expected = np.argsort(host, kind="stable")[::-1]
        a = gpunp.asarray(host)
        np.testing.assert_array_equal(gpunp.asnumpy(gpunp.argsort(a, descending=True)), expected)
        assert bits(gpunp.asnumpy(gpunp.sort(a, descending=True))) == bits(host[expected]), (char, size)
        ascending = gpunp.sort(a, stable=False, descending=False)
        assert bits(gpunp.asnumpy(ascending)) == bits(host[np.argsort(host, kind="stable")])
        a.sort(descending=True)
        assert bits(gpunp.asnumpy(a)) == bits(host[expected]), (char, size)


def test_descending_errors():
    a = gpunp.asarray([[1, 2], [4, 3]])
    with pytest.raises(ValueError, match="`kind` and keyword parameters"):
        gpunp.sort(a, kind="stable", descending=False)
    with pytest.raises(ValueError, match="truth value"):
        gpunp.argsort(a, descending=np.array([1, 2]))
    assert gpunp.sort(a, axis=0, descending=True).tolist() == [[4, 3], [1, 2]]
    assert gpunp.argsort(a, axis=None, descending=None).tolist() == [0, 1, 3, 2]


@pytest.mark.parametrize("char", "bHlQ")
def test_digits_that_do_not_vary(char, rng):
    """The radix sort skips passes of constant digits; an even and an odd number of passes remain."""
    info = np.iinfo(char)
    for high in (0, 1, 200, 60_000, 1 << 20, 1 << 30):
        host = rng.integers(0, min(high, int(info.max)) + 1, 50_000).astype(char)
        expected = np.argsort(host, kind="stable")
        a = gpunp.asarray(host)
        np.testing.assert_array_equal(gpunp.asnumpy(np.argsort(a)), expected)
        np.testing.assert_array_equal(gpunp.asnumpy(np.sort(a)), host[expected])
        a.sort()
        np.testing.assert_array_equal(gpunp.asnumpy(a), host[expected])


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_method_sorts_in_place(layout, axis):
    for char in FEW:
        values = make_values(char, (33, 65))
        host = LAYOUTS[layout](np, values)
        ours = LAYOUTS[layout](gpunp, gpunp.asarray(values))
        if layout == "broadcast":
            with pytest.raises(ValueError, match="read-only"):
                ours.sort(axis)
            continue
        host.sort(axis=axis, kind="stable")
        assert ours.sort(axis=axis) is None
        assert bits(gpunp.asnumpy(ours)) == bits(host)


def test_method_errors():
    a = gpunp.asarray([3, 1, 2])
    for options, error in (
        ({"axis": None}, TypeError),
        ({"axis": 1}, np.exceptions.AxisError),
        ({"kind": "z"}, ValueError),
        ({"order": "x"}, ValueError),
    ):
        with pytest.raises(error):
            a.sort(**options)
    with pytest.raises(np.exceptions.AxisError):
        gpunp.asarray(3.0).sort()
    a.flags.writeable = False
    with pytest.raises(ValueError, match="sort array is read-only"):
        a.sort()
    assert a.argsort().tolist() == [1, 2, 0]


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_messages(name):
    function = getattr(np, name)
    host = np.array([3.0, 1.0])
    for options in ({"kind": "foo"}, {"kind": 3}, {"order": "x"}, {"kind": "q", "stable": True}, {"axis": 1}):
        with pytest.raises((TypeError, ValueError)) as theirs:
            function(host, **options)
        with pytest.raises(type(theirs.value)) as ours:
            function(gpunp.asarray(host), **options)
        assert str(ours.value) == str(theirs.value)


def test_sort_complex_dtypes():
    for char in "?bBhHiIlLefdFD":
        host = np.array([1, 0, 1], char)
        ours = np.sort_complex(gpunp.asarray(host))
        expected = np.sort_complex(host)
        assert ours.dtype == expected.dtype
        np.testing.assert_array_equal(gpunp.asnumpy(ours), expected)


@pytest.mark.parametrize("char", INEXACT + "hL")
def test_chained_order(char, rng):
    """A second sort preserves the given order among equal elements."""
    for size in (100, 5000, 40_000):
        second = gpunp.asarray(hard_values(char, size, rng))
        start = rng.permutation(size)
        order = engine.argsort_rows(second, gpunp.asarray(start))
        host = gpunp.asnumpy(second)
        np.testing.assert_array_equal(gpunp.asnumpy(order), start[np.argsort(host[start], kind="stable")])


def test_pairs(rng):
    keys = rng.integers(0, 50, (4, 3000)).astype("i2")
    for char in "?hfdD":
        values = rng.integers(0, 2, keys.shape).astype(char) * np.arange(keys.shape[1]).astype(char)
        values = values.astype(char)
        ours = engine.sort_pairs(gpunp.asarray(keys), gpunp.asarray(values))
        order = np.argsort(keys, kind="stable")
        np.testing.assert_array_equal(gpunp.asnumpy(ours[0]), np.take_along_axis(keys, order, 1))
        np.testing.assert_array_equal(gpunp.asnumpy(ours[1]), np.take_along_axis(values, order, 1))
