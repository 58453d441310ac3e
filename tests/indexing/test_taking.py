import numpy as np
import pytest
from calls import call_test
from records import ALL, FEW, Record, assert_same, record_test

import gpunp


def on(xp, values):
    """Return the values as a host array or as a device array."""
    return values if xp is np else gpunp.asarray(values)


def xp_of(a):
    return gpunp if isinstance(a, gpunp.ndarray) else np


def index(a, shape, kind="l"):
    """Return the indices -1, 0 and 1, which are valid for any axis of two or more elements."""
    return on(xp_of(a), (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3 - 1).astype(kind))


def along(a, axis):
    """Return indices along an axis, one more than its length, different for every lane."""
    shape = list(a.shape)
    shape[axis] += 1
    n = max(a.shape[axis], 1)
    return on(xp_of(a), np.random.default_rng(3).integers(-n, n, shape))


def taken_into(f, a, axis, dtype=None):
    shape = np.take(np.empty(a.shape), np.zeros((2, 3), int), axis).shape
    out = xp_of(a).zeros(shape, dtype or a.dtype)
    result = f(a, index(a, (2, 3)), axis, out)
    assert result is out
    return result


def settled(call):
    """Synchronize after the call: on a GPU an index out of bounds is reported by a later call."""

    def run(function, *arrays):
        result = call(function, *arrays)
        gpunp.get_device().synchronize()
        return result

    return run


NOT_EMPTY = ((1,), (7,), (3, 4), (2, 3, 4))
# Dtypes that NumPy can take into float32; before 2.5 it required a safe cast from out's dtype to a's.
INTO_SINGLE = "d?e" if np.lib.NumpyVersion(np.__version__) >= "2.5.0" else "d"
RECORDS = (
    Record("take", lambda f, a: f(a, index(a, (4,))), dtypes=ALL),
    Record("take", lambda f, a: f(a, index(a, (2, 2), "h"), axis=0), shapes=NOT_EMPTY),
    Record("take", lambda f, a: f(a, index(a, (2, 2)), -1), shapes=NOT_EMPTY),
    Record("take", lambda f, a: f(a, index(a, ()), axis=1), shapes=((3, 4), (2, 3, 4), (3, 40))),
    Record("take", lambda f, a: f(a, [0, -1], axis=-2), shapes=((3, 4), (2, 3, 4))),
    Record("take", lambda f, a: f(a, 0), shapes=NOT_EMPTY),
    Record("take", lambda f, a: f(a, []), shapes=((0,), (3, 4))),
    Record("take", lambda f, a: f(a, index(a, (5,)) * 9, axis=0, mode="wrap"), shapes=NOT_EMPTY),
    Record("take", lambda f, a: f(a, index(a, (5,)) * 9, mode="clip"), shapes=NOT_EMPTY),
    Record("take", lambda f, a: f(a, index(a, (5,)) - 90, mode="wrap"), shapes=NOT_EMPTY),
    Record("take", lambda f, a: taken_into(f, a, 0), shapes=NOT_EMPTY),
    Record("take", lambda f, a: taken_into(f, a, None), shapes=NOT_EMPTY),
    Record("take", lambda f, a: taken_into(f, a, 0, "f"), dtypes=INTO_SINGLE, shapes=((3, 4),)),
    Record("take", lambda f, a: f(a, [0], 0, xp_of(a).zeros((2, 2), a.dtype)), shapes=((3, 4),), raises=True),
    Record("take", lambda f, a: f(a, [0], mode="x"), raises=True),
    Record("take", lambda f, a: f(a, [0.5]), shapes=NOT_EMPTY),
    Record("take", lambda f, a: f(a, on(xp_of(a), np.array([0.5]))), raises=True),
    Record("take", lambda f, a: f(a, [0], axis=5), raises=True),
    Record("take", lambda f, a: f(a, [0], mode="clip"), shapes=((0,), (0, 4)), raises=True),
    Record("take", lambda f, a: f(a, [9], 0), shapes=((3, 4),), raises=True),
    Record("take_along_axis", lambda f, a: f(a, along(a, -1)), dtypes=ALL, shapes=((7,), (3, 4), (2, 3, 4))),
    Record("take_along_axis", lambda f, a: f(a, along(a, 0), axis=0), shapes=((7,), (3, 4), (2, 3, 4))),
    Record("take_along_axis", lambda f, a: f(a, along(a, 1)[:1], axis=1), shapes=((3, 4), (2, 3, 4))),
    Record("take_along_axis", lambda f, a: f(a, index(a, (4,)), axis=None), shapes=NOT_EMPTY),
    Record("take_along_axis", lambda f, a: f(a, index(a, (4,)), axis=1), shapes=((3, 4),), raises=True),
    Record("take_along_axis", lambda f, a: f(a, a + 0.5, axis=0), shapes=((3, 4),), raises=True),
    Record(
        "take_along_axis",
        lambda f, a: f(a, index(a, (2, 4)), axis=1),
        shapes=((3, 4),),
        layouts=("C",),
        raises=True,
    ),
    Record("choose", lambda f, a, b: f(index(a, a.shape) + 1, [a, b, 7]), dtypes=ALL, arrays=2),
    Record("choose", lambda f, a: f(index(a, (2, 1)) + 1, a), shapes=((3,), (3, 4), (4, 2, 5))),
    Record("choose", lambda f, a: f(index(a, (4,)), [a, a + a], mode="wrap"), shapes=((), (4,), (3, 4))),
    Record("choose", lambda f, a: f(index(a, (4,)) * 9, (a, a + a), mode="clip"), shapes=((), (4,), (3, 4))),
    Record(
        "choose",
        lambda f, a: f(index(a, (4,)) % 2, [a, 1], out=xp_of(a).zeros(a.shape)),
        dtypes="?fl",
        shapes=((3, 4), (2, 3, 4)),
    ),
    Record("choose", settled(lambda f, a: f(index(a, (4,)), [a, a])), shapes=((4,),), raises=True),
    Record("choose", lambda f, a: f(a + 0.5, [a, a]), shapes=((4,),), raises=True),
    Record(
        "choose",
        lambda f, a: f(index(a, (4,)) * 0, [a, a], out=xp_of(a).zeros(3)),
        shapes=((4,),),
        raises=True,
    ),
    Record("compress", lambda f, a: f([True, False, True], a, axis=0), dtypes=ALL, shapes=((7,), (3, 4))),
    Record("compress", lambda f, a: f(on(xp_of(a), np.array([0, 2.5, 1])), a, -1), shapes=NOT_EMPTY[1:]),
    Record("compress", lambda f, a: f(a > 1, a), dtypes="bfd", shapes=((7,), (0,))),
    Record("compress", lambda f, a: f([False, True], a), shapes=NOT_EMPTY[1:]),
    Record(
        "compress",
        lambda f, a: f([False, True], a, 0, out=xp_of(a).zeros((1, 4), a.dtype)),
        shapes=((3, 4),),
        layouts=("C", "negative"),
    ),
    Record("compress", lambda f, a: f([[True]], a), raises=True),
    Record("compress", settled(lambda f, a: f([False] * 9 + [True], a, 0)), shapes=((3, 4),), raises=True),
    Record("extract", lambda f, a: f(a != 0, a), dtypes=ALL, shapes=((), (7,), (0,), (3, 4), (2, 3, 4))),
    Record("extract", lambda f, a: f([1, 0, 1], a), shapes=NOT_EMPTY[1:]),
    Record("extract", settled(lambda f, a: f([0] * 40 + [1], a)), shapes=((3, 4),), raises=True),
)
test_records = record_test(RECORDS)


def test_methods(rng):
    host = rng.random((3, 4))
    a = gpunp.asarray(host)
    assert_same(a.take([1, 2], axis=1), host.take([1, 2], axis=1))
    assert_same(a.compress([True, False], axis=0), host.compress([True, False], axis=0))
    which = np.array([1, 0])
    assert_same(gpunp.asarray(which).choose([[5, 6], [7, 8]]), which.choose([[5, 6], [7, 8]]))


@pytest.mark.parametrize("char", FEW)
def test_large(char, rng):
    host = rng.integers(0, 2, (70, 33, 65)).astype(char)
    a = gpunp.asarray(host)
    for axis in (0, 1, 2):
        rows = rng.integers(-33, 33, 100)
        assert_same(a.take(gpunp.asarray(rows), axis=axis), host.take(rows, axis=axis))
        order = rng.integers(-33, 33, host.shape)
        assert_same(np.take_along_axis(a, gpunp.asarray(order), axis), np.take_along_axis(host, order, axis))


def test_many_choices(rng):
    choices = rng.random((70, 1, 5))
    which = rng.integers(0, 70, (40, 5))
    expected = np.take_along_axis(choices[:, 0], which, 0)
    assert_same(np.choose(gpunp.asarray(which), list(map(gpunp.asarray, choices))), expected)
    deep = which.reshape(2, 1, 2, 1, 2, 1, 5, 5)[..., None, None][:, ::-1]
    parts = [gpunp.asarray(c[0].reshape(5, 1, 1)) for c in choices]
    assert_same(
        np.choose(gpunp.asarray(deep), parts),
        choices[:, 0].reshape(70, 5, 1, 1)[deep[..., 0, 0], np.arange(5)],
    )


def test_a_result_that_overlaps_its_source():
    host = np.arange(6.0)
    a = gpunp.asarray(host)
    for array in (host, a):
        np.take(array, [5, 4, 3, 2], out=array[:4])
    assert_same(a, host)


def test_taking_from_nothing_that_wraps():
    """Not compared with NumPy, whose release 2.4 never returns from this call."""
    empty = gpunp.zeros((0, 0))
    assert np.take(empty, [-1, 0, 1], axis=0, mode="wrap").shape == (3, 0)
    with pytest.raises(IndexError):
        np.take(gpunp.zeros((0, 3)), [0], axis=0, mode="wrap")


def test_axis_must_be_an_integer():
    for xp in (np, gpunp):
        with pytest.raises(TypeError):
            np.take(xp.ones((2, 3)), [0], 1.0)


@pytest.mark.parametrize("numbers", [(1000, [1]), ([1], -1), (2.5, [1])])
def test_choose_takes_numbers_weakly(numbers):
    for xp in (np, gpunp):
        choices = [n if isinstance(n, (int, float)) else xp.asarray(n, dtype="u1") for n in numbers]
        found = np.choose(xp.asarray([0, 1]), choices)
        assert found.dtype == np.result_type(*(getattr(n, "dtype", n) for n in choices))
        assert found.tolist() in ([232, 1], [1, 255], [2.5, 1.0])


@pytest.mark.parametrize("char", ["b", "f", "D"])
@pytest.mark.parametrize("least", [0, -300])
def test_many_rows(rng, char, least):
    host = rng.integers(0, 100, (300, 41)).astype(char)
    rows = rng.integers(least, 300, 500)
    columns = rng.integers(max(least, -41), 41, 200)
    a = gpunp.asarray(host)
    for dtype in ("i8", "i4"):
        index, along = gpunp.asarray(rows.astype(dtype)), gpunp.asarray(columns.astype(dtype))
        assert_same(np.take(a, index, axis=0), np.take(host, rows, axis=0))
        assert_same(a[index], host[rows])
        assert_same(a[:, 0][index], host[:, 0][rows])
        assert_same(a.ravel()[index], host.ravel()[rows])
        assert_same(a[:, along], host[:, columns])
        written, expected = a.copy(), host.copy()
        written[index] = a[0]
        expected[rows] = host[0]
        assert_same(written, expected)


test_modes = call_test("""
xp.take(A([1, 2, 3]), A([0, 2]), mode=None)
xp.take(A([1, 2, 3]), [0, 5], mode=None)
xp.take(A([1, 2, 3]), [0, 5], mode=b"wrap")
xp.take(A([1, 2, 3]), [0, 5], mode=1)
xp.take(A([1, 2, 3]), A([0, 2]), mode=True)
xp.take(A([1, 2, 3]), A([0, 2]), mode="bogus")
A([1, 2, 3]).take(A([0, 2]), mode=None)
xp.choose(A([0, 1]), [A([1, 2]), A([3, 4])], mode=None)
xp.choose(A([0, 1]), [A([1, 2]), A([3, 4])], mode=1.0)
S(A([1, 2, 3]), slice(0, 0), 0).put([0, 2], 9, mode=None)
xp.take(A([1, 2, 3]), np.float32(1.5))
S(A([1, 2, 3]), slice(0, 0), 0).put(A([1.0]), 5)
S(A([1, 2, 3]), slice(0, 0), 0).put(A([1], dtype="u8"), 5)
xp.take(A([1, 2, 3]), [np.float64(1.5)])
""")

test_choose_method = call_test("""
A([0, 1]).choose(A([1, 2]), A([3, 4]))
A([0, 1]).choose([A([1, 2]), A([3, 4])])
A([0, 1]).choose(5, A([3, 4]))
A([0, 3]).choose(5, A([3, 4]), mode="wrap")
A([0, 1]).choose(A([[1, 2], [3, 4]]), mode="clip")
A([0, 1]).choose(A([1, 2]), A([3, 4]), out=A([0, 0]))
A([0, 1]).choose([])
""")
