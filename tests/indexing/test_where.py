import numpy as np
import pytest
from calls import call_test
from records import ALL, SHAPES, Record, assert_same, make_values, record_test

import gpunp

RECORDS = (
    Record(
        "where",
        lambda f, a, b: f(a > b if a.dtype.kind != "c" else a.real > 0, a, b),
        dtypes=ALL,
        shapes=SHAPES,
        arrays=2,
        layouts=("C", "F", "transposed", "negative"),
    ),
    Record("where", lambda f, a: f(a, 1, a), dtypes=ALL),
    Record("where", lambda f, a: f(a, a, 0.5), dtypes=ALL),
    Record("where", lambda f, a: f(a, a[..., :1], -1), shapes=((5,), (3, 4), (2, 3, 4))),
)
RECORDS += (
    Record("where", lambda f, a: f(a, a > 1 if a.dtype.kind != "c" else a, 3), dtypes=ALL),
    Record("where", lambda f, a: f(a, [1], 2.5)),
    Record("where", lambda f, a, b: f(a, b.astype("h"), b), dtypes="?bfD", arrays=2),
    Record("nonzero", dtypes=ALL, shapes=((7,), (0,), (3, 4), (2, 3, 4), (33, 65), (4, 0, 2))),
    Record("nonzero", shapes=((),), layouts=("C",), raises=True),
    Record("argwhere", dtypes=ALL, shapes=((), (7,), (0,), (3, 4), (2, 3, 4), (33, 65))),
    Record("flatnonzero", dtypes=ALL, shapes=((), (7,), (0,), (3, 4), (2, 3, 4), (33, 65))),
    Record("select", lambda f, a, b: f([a != 0, b != 0], [a, b], 7), dtypes=ALL, arrays=2),
    Record("select", lambda f, a: f([a != 0], [1.5]), dtypes=ALL),
    Record(
        "select",
        lambda f, a: f([a == 1, a != 0, a == a], [a, 2, a[..., :1]], default=0.5),
        shapes=((5,), (3, 4)),
    ),
    Record("select", lambda f, a: f([a != 0], [a, a]), raises=True),
    Record("select", lambda f, a: f([a], [a]), dtypes="if", raises=True),
)
test_records = record_test(RECORDS)


def test_mixed_dtypes_and_broadcasting():
    condition, x, y = make_values("?", (3, 1)), make_values("h", (4,)), make_values("f", (2, 1, 1))
    expected = np.where(condition, x, y)
    assert_same(np.where(gpunp.asarray(condition), x, y), expected)
    assert_same(np.where(condition, gpunp.asarray(x), gpunp.asarray(y)), expected)
    with pytest.raises(ValueError, match="neither"):
        np.where(gpunp.asarray(condition), x)
    with pytest.raises(ValueError, match="broadcast"):
        np.where(gpunp.asarray(condition), gpunp.ones(4), gpunp.ones(5))


@pytest.mark.parametrize("share", [0, 0.01, 0.9, 1])
def test_nonzero_of_few_and_most(share, rng):
    host = rng.random(70_001) < share
    for count in (70_001, 65_536, 33, 31, 1):
        assert_same(np.nonzero(gpunp.asarray(host[:count])), np.nonzero(host[:count]))


@pytest.mark.parametrize("char", ALL)
def test_nonzero_of_many(char, rng):
    for shape in ((70_001,), (130, 257), (5, 16_384)):
        host = rng.integers(0, 2, shape).astype(char)
        a = gpunp.asarray(host)
        assert_same(np.nonzero(a), np.nonzero(host))
        assert_same(np.where(a.T), np.where(host.T))
        assert_same(np.nonzero(a[..., 1:]), np.nonzero(host[..., 1:]))
        assert_same(np.flatnonzero(a.T), np.flatnonzero(host.T))
        assert_same(np.argwhere(a[::-1]), np.argwhere(host[::-1]))


def test_numbers_out_of_range():
    with pytest.raises(OverflowError, match="300"):
        np.where(gpunp.asarray([True]), gpunp.asarray([1], dtype="u1"), 300)


def test_select_refuses_nothing_to_select():
    with pytest.raises(ValueError, match="empty condition list"):
        gpunp.select([], [])


def test_select_wraps_a_default_that_the_dtype_lacks():
    for xp in (np, gpunp):
        found = np.select([xp.asarray([True, False])], [xp.asarray([1, 2], dtype="u1")], -1)
        assert found.dtype == np.uint8
        assert found.tolist() == [1, 255]


test_selected_numbers = call_test(
    """
    np.select([A([True, False, True])], [300], A(np.array([1, 2, 3], "i1")))
    np.select([A([True, False, True]), A([True, True, True])], [300, A(np.array([1, 2, 3], "i1"))])
    np.select([A([True, False, True])], [-129], A(np.array([1, 2, 3], "i1")))
    np.select([A([True, False, True])], [3], A(np.array([1, 2, 3], "u1")))
    np.select([A([True, False, True])], [-1], A(np.array([1, 2, 3], "u1")))
    np.select([A([True, False, True])], [2**70], A(np.array([1, 2, 3], "i1")))
    np.select([A([True, False, True])], [2**40], A(np.array([1, 2, 3], "u8")))
    np.select([A([True, False, True])], [1.5], A(np.array([1, 2, 3], "i1")))
    np.select([A([True, False, True])], [1e300], A(np.array([1, 2, 3], "f4")))
    np.select([A([True, False, True])], [1j], A(np.array([1, 2, 3], "f4")))
    np.select([A([True, False, True])], [A(np.array([1, 2, 3], "i1"))], 300)
    np.select([A([True, False, True])], [True], A(np.array([1, 2, 3], "i1")))
    """
)
