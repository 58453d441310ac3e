import numpy as np
import pytest
from calls import call_test
from hypothesis import given, settings
from hypothesis import strategies as st
from records import ALL, Record, assert_same, outcome, record_test

import gpunp

MODES = ("constant", "edge", "linear_ramp", "maximum", "mean", "minimum", "reflect", "symmetric", "wrap")
SHAPES = ((5,), (1,), (3, 4), (2, 3, 4), (0, 3), (0,), ())
FEW_LAYOUTS = ("C", "F", "negative", "steps")


def ramp(vector, width, axis, keywords):
    vector[: width[0]] = keywords.get("value", 7) + axis
    if width[1]:
        vector[-width[1] :] = vector[width[0]]


RECORDS = (
    *(
        Record(
            "pad",
            lambda f, a, mode=mode: f(a, 2, mode),
            dtypes=ALL if mode in MODES[:2] else "?ilfD",
            shapes=SHAPES,
            layouts=FEW_LAYOUTS,
            exact=mode not in ("mean", "linear_ramp"),
        )
        for mode in MODES
        if mode != "linear_ramp"
    ),
    *(
        Record(
            "pad",
            lambda f, a, mode=mode: f(a, ((9, 13), (0, 7)), mode),
            shapes=((3, 4), (5, 2), (1, 3)),
            layouts=("C", "F"),
            dtypes="ifD",
            exact=mode != "mean",
        )
        for mode in MODES
        if mode != "linear_ramp"
    ),
    Record(
        "pad",
        lambda f, a: f(a, (1, 3), "linear_ramp"),
        shapes=SHAPES,
        dtypes="ilfD",
        exact=False,
        layouts=FEW_LAYOUTS,
    ),
    Record(
        "pad",
        lambda f, a: f(a, 2, "linear_ramp", end_values=((5, -4), (1.5, 2))),
        shapes=((3, 4),),
        exact=False,
        dtypes="ilfD",
    ),
    Record("pad", lambda f, a: f(a, 1), shapes=((2, 3, 4),)),
    Record(
        "pad", lambda f, a: f(a, ((1, 0), (0, 2)), constant_values=((1, 2), (3, 4))), shapes=((3, 4), (0, 3))
    ),
    Record("pad", lambda f, a: f(a, 2, constant_values=(9, 5)), shapes=((3, 4), (2, 3, 4))),
    Record("pad", lambda f, a: f(a, [[1], [2]], constant_values=[[1], [0]]), shapes=((3, 4),)),
    Record("pad", lambda f, a: f(a, 1, constant_values=1.5), dtypes="ifD", shapes=((3, 4),)),
    Record("pad", lambda f, a: f(a, 2, "empty")[..., 2:-2], shapes=((5,), (0,)), layouts=("C",)),
    Record("pad", lambda f, a: f(a, {-1: (1, 2)}, "edge"), shapes=((5,), (3, 4))),
    Record("pad", lambda f, a: f(a, {0: 2}), shapes=((5,), (3, 4), (2, 3, 4))),
    *(
        Record(
            "pad",
            lambda f, a, mode=mode: f(a, ((7, 5), (1, 4)), mode, reflect_type="odd"),
            shapes=((3, 4), (2, 5), (1, 2)),
            layouts=("C", "F"),
        )
        for mode in ("reflect", "symmetric")
    ),
    *(
        Record(
            "pad",
            lambda f, a, mode=mode: f(a, 2, mode, stat_length=((2, 3), (1, 9))),
            shapes=((3, 4),),
            exact=mode != "mean",
        )
        for mode in ("maximum", "minimum", "mean")
    ),
    Record("pad", lambda f, a: f(a, 2, "maximum", stat_length=0), raises=True, shapes=((3, 4),)),
    Record(
        "pad", lambda f, a: f(a, (1, 2), ramp, value=3), shapes=((5,), (3, 4), (2, 3, 4)), layouts=("C", "F")
    ),
    Record("pad", lambda f, a: f(a, -1), raises=True, shapes=((5,), (3, 4))),
    Record("pad", lambda f, a: f(a, 1.5), raises=True),
    Record("pad", lambda f, a: f(a, ((1, 2), (3, 4), (5, 6))), raises=True, shapes=((3, 4),), layouts=("C",)),
    Record("pad", lambda f, a: f(a, 1, "nonsense"), raises=True),
    Record("pad", lambda f, a: f(a, 1, "edge", constant_values=1), raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.skipif("median" not in gpunp.__dir__(), reason="np.median is not implemented")
def test_median():
    host = np.arange(30.0).reshape(5, 6) ** 2
    for options in ({}, {"stat_length": 3}, {"stat_length": ((2, 1), (4, 3))}):
        assert_same(
            np.pad(gpunp.asarray(host), 2, "median", **options),
            np.pad(host, 2, "median", **options),
            exact=False,
        )


@given(
    st.integers(1, 7),
    st.integers(0, 40),
    st.integers(0, 40),
    st.sampled_from(("reflect", "symmetric", "wrap")),
    st.sampled_from("bd"),
)
@settings(max_examples=200, deadline=None)
def test_far_beyond_the_array(length, before, after, mode, char):
    host = np.arange(3 * length).reshape(3, length).astype(char)
    for width in (((0, 0), (before, after)), ((after, before), (0, 0))):
        assert_same(np.pad(gpunp.asarray(host), width, mode), np.pad(host, width, mode))


@pytest.mark.parametrize("char", "bhfdD")
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_images(char, mode):
    host = np.arange(64 * 48).reshape(64, 48).astype(char)
    for width in (4, 16, ((3, 1), (5, 2)), ((0, 2), (0, 0))):
        assert_same(np.pad(gpunp.asarray(host), width, mode), np.pad(host, width, mode))
    colours = host.reshape(32, 32, 3)
    width = ((2, 2), (3, 3), (0, 0))
    assert_same(np.pad(gpunp.asarray(colours), width, mode), np.pad(colours, width, mode))


def test_values_on_the_device():
    host = np.arange(6.0).reshape(2, 3)
    a = gpunp.asarray(host)
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    expected = np.pad(host, 1, constant_values=values)
    assert_same(np.pad(a, 1, constant_values=gpunp.asarray(values)), expected)
    nested = [[a[0, 1], 2.0], [3.0, 4.0]]
    assert_same(np.pad(a, 1, constant_values=nested), expected)
    assert_same(np.pad(a, gpunp.asarray([1, 2]), "edge"), np.pad(host, (1, 2), "edge"))


@pytest.mark.parametrize("value", [300, -1, 2.7, np.int64(300), [[1, 300], [0, 0]], 1j])
def test_values_that_do_not_fit(value):
    host = np.zeros((2, 2), "u1")
    expected, error = outcome(lambda: np.pad(host, 1, constant_values=value))
    actual, raised = outcome(lambda: np.pad(gpunp.asarray(host), 1, constant_values=value))
    if error is None:
        assert_same(actual, expected)
    else:
        assert isinstance(raised, type(error)), raised


def test_many_axes():
    host = np.arange(2**10).reshape((2,) * 10)
    width = [(1, 0), (0, 0)] * 5
    for mode in ("constant", "edge", "wrap"):
        assert_same(np.pad(gpunp.asarray(host).T, width, mode), np.pad(host.T, width, mode))


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("char", "BhfdD")
def test_narrow_paddings_of_long_rows(char, mode):
    # On a GPU these have a kernel of their own, whose blocks span rows.
    for shape, width in (
        ((9, 1100), 1),
        ((5, 4099), (3, 2)),
        ((3, 4, 2047), ((0, 0), (2, 1), (1, 4))),
        ((2, 9001), 4),
    ):
        host = np.arange(np.prod(shape), dtype=char).reshape(shape)
        found = np.pad(gpunp.asarray(host), width, mode)
        np.testing.assert_array_equal(found.get(), np.pad(host, width, mode))
    shifted = np.roll(gpunp.asarray(host), (1, 3), axis=(0, 1))
    np.testing.assert_array_equal(shifted.get(), np.roll(host, (1, 3), axis=(0, 1)))


def test_messages():
    a = gpunp.zeros((0, 2))
    with pytest.raises(ValueError, match="can't extend empty axis 0"):
        np.pad(a, 1, "edge")
    with pytest.raises(ValueError, match="unsupported keyword arguments for mode 'edge'"):
        np.pad(a, 1, "edge", stat_length=2)
    with pytest.raises(TypeError, match="integral"):
        np.pad(a, 1.5)


test_values_of_too_many_dimensions = call_test("""
xp.pad(A([1, 2]), 1, constant_values=np.ones((1, 1, 1)))
xp.pad(A([1, 2]), 1, mode="linear_ramp", end_values=np.ones((1, 1, 1)))
xp.pad(A([1, 2]), 1, mode="mean", stat_length=np.ones((1, 1, 1), int))
xp.pad(A([1, 2]), 1, constant_values=np.ones((1, 1)))
""")
