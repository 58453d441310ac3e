import numpy as np
import pytest
from calls import call_test
from records import Record, assert_same, record_test

import gpunp


def within(a, n):
    """Map ``a`` to integers from 0 to n - 1, keeping shape and layout."""
    return abs(a.astype("l")) % n


INTEGERS = "bHilL"
RECORDS = (
    Record("ix_", lambda f, a, b: f(a, b, a), dtypes="?il", shapes=((3,), (0,)), arrays=2),
    Record("ix_", lambda f, a: f(a, [1, 0], [True, False]), dtypes="?i", shapes=((4,),)),
    Record("ix_", lambda f, a: f(a), shapes=((), (3, 4)), layouts=("C",), raises=True),
    Record("unravel_index", lambda f, a: f(abs(a.astype("d")).astype(a.dtype), (5, 4, 6)), dtypes=INTEGERS),
    Record("unravel_index", lambda f, a: f(within(a, 24), (4, 6), "F"), dtypes=INTEGERS),
    Record("unravel_index", lambda f, a: f(within(a, 24), 24), dtypes="i"),
    Record("unravel_index", lambda f, a: f(a, (5, 4)), dtypes="fD", raises=True),
    Record("unravel_index", lambda f, a: f(a, (5, 40), order="A"), dtypes="i", raises=True),
    Record(
        "unravel_index",
        lambda f, a: f(a * 0 + 20, (5, 4)),
        dtypes="il",
        shapes=((), (5,), (3, 4)),
        raises=True,
    ),
    Record(
        "unravel_index",
        lambda f, a: f(a * 0 - 1, (5, 4)),
        dtypes="il",
        shapes=((), (5,), (3, 4)),
        raises=True,
    ),
    Record(
        "ravel_multi_index",
        lambda f, a, b: f((within(a, 5), within(b, 6)), (5, 6)),
        dtypes=INTEGERS,
        arrays=2,
    ),
    Record(
        "ravel_multi_index",
        lambda f, a, b: f((within(a, 5), within(b, 6), 1), (5, 6, 2), order="F"),
        dtypes="i",
        arrays=2,
    ),
    Record("ravel_multi_index", lambda f, a, b: f([a - 50, b], (5, 6), mode="wrap"), dtypes="il", arrays=2),
    Record(
        "ravel_multi_index", lambda f, a, b: f([a, b], (5, 6), mode=("clip", "wrap")), dtypes="il", arrays=2
    ),
    Record(
        "ravel_multi_index", lambda f, a: f(within(a, 3)[:2], (3, 3)), dtypes="i", shapes=((3, 4), (2, 3, 4))
    ),
    Record("ravel_multi_index", lambda f, a: f((a, a), (5, 6, 7)), dtypes="i", raises=True),
    Record("ravel_multi_index", lambda f, a: f((a, a), (5, 6)), dtypes="fD", raises=True),
    Record("ravel_multi_index", lambda f, a: f((a, a), (5, 6), "none"), dtypes="i", raises=True),
    Record(
        "ravel_multi_index",
        lambda f, a: f((a * 0, a * 0 - 1), (5, 6)),
        dtypes="il",
        shapes=((), (5,)),
        raises=True,
    ),
    Record(
        "ravel_multi_index",
        lambda f, a: f((a * 0 + 5, a * 0), (5, 6)),
        dtypes="il",
        shapes=((), (5,)),
        raises=True,
    ),
)


def check(record):
    """Synchronize too: on a GPU an index out of bounds is reported by a later call."""

    def call(function, *arrays, inner=record.call):
        result = inner(function, *arrays)
        gpunp.get_device().synchronize()
        return result

    return Record(**{**record.__dict__, "call": call})


test_records = record_test(tuple(map(check, RECORDS)))


@pytest.mark.parametrize("sparse", [False, True])
def test_indices(sparse):
    for dimensions in ((), (3,), (2, 3), (2, 0, 3)):
        assert_same(gpunp.indices(dimensions, sparse=sparse), np.indices(dimensions, sparse=sparse))
    assert_same(gpunp.indices((2, 3), "f", sparse), np.indices((2, 3), "f", sparse))


def test_scalars():
    assert gpunp.unravel_index(0, ()) == ()
    assert [int(i) for i in gpunp.unravel_index(7, (2, 5))] == [1, 2]
    assert_same(np.ravel_multi_index((gpunp.asarray(1), 2), (2, 5)), np.int64(7))
    with pytest.raises(ValueError, match="index 10 is out of bounds for array with size 10"):
        gpunp.unravel_index(10, (2, 5))


def test_there_and_back(rng):
    numbers = rng.integers(0, 7 * 11 * 13, 100_000)
    for order in "CF":
        coordinates = np.unravel_index(gpunp.asarray(numbers), (7, 11, 13), order)
        assert_same(coordinates, np.unravel_index(numbers, (7, 11, 13), order))
        assert_same(np.ravel_multi_index(coordinates, (7, 11, 13), order=order), numbers)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_shapes_without_elements(mode):
    for xp in (np, gpunp):
        assert xp.ravel_multi_index(xp.zeros((3, 0), "i8"), (2, 1, 0), mode=mode).shape == (0,)
        with pytest.raises(ValueError, match=r"zero entries|no elements"):
            np.ravel_multi_index(xp.zeros((3, 1), "i8"), (2, 1, 0), mode=mode)
        with pytest.raises(ValueError, match="out of bounds"):
            np.unravel_index(xp.zeros(1, "i8"), (2, 0))
        with pytest.raises(TypeError):
            np.unravel_index(xp.zeros(1, "i8"), (2.0, 3))


test_modes = call_test("""
xp.ravel_multi_index((A([0, 1]), A([1, 1])), (2, 3), mode=None)
xp.ravel_multi_index((A([0, 5]), A([1, 1])), (2, 3), mode=1)
xp.ravel_multi_index((A([0, 5]), A([1, 4])), (2, 3), mode=["clip", "wrap"])
xp.ravel_multi_index((A([0, 5]), A([1, 4])), (2, 3), mode=("clip",))
xp.ravel_multi_index((A([0, 5]), A([1, 4])), (2, 3), mode=("clip",) * 3)
xp.ravel_multi_index((A([0, 5]), A([1, 4])), (2, 3), mode=True)
""")
