import numpy as np
import pytest
from calls import call_test
from hypothesis import given, settings
from hypothesis import strategies as st
from records import ALL, assert_same, outcome

import gpunp

COVERS = ("arange", "linspace", "logspace", "geomspace")
NUMERIC = ALL.replace("?", "")


def compare(call_host, call_device, exact=True):
    expected, error = outcome(call_host)
    actual, raised = outcome(call_device)
    if error is not None:
        assert isinstance(raised, type(error)), (error, raised)
    else:
        if raised is not None:
            raise raised
        assert_same(actual, expected, exact)


ARGUMENTS = [
    (5,),
    (0,),
    (1, 10, 3),
    (10, 1, -3),
    (5, 1),
    (0, 1, 0.1),
    (1.5, 7),
    (0, -1, -0.3),
    (np.float32(3),),
    (np.int8(3),),
    (np.uint64(4),),
    (1j,),
    (0, 5, 0),
    (0, np.inf),
    (0, np.nan),
    (-0.0, 1),
    (2**53, 2**53 + 8),
    (1e-300, 5e-300, 1e-300),
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
@pytest.mark.parametrize("char", [None, *NUMERIC])
def test_arange(arguments, char):
    compare(lambda: np.arange(*arguments, dtype=char), lambda: gpunp.arange(*arguments, dtype=char))


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(0.5, 50).map(lambda x: round(x, 3)))
@settings(max_examples=100, deadline=None)
def test_arange_of_floats(start, stop, step):
    compare(lambda: np.arange(start, stop, step), lambda: gpunp.arange(start, stop, step))


def test_arange_of_device_scalars_and_booleans():
    assert_same(gpunp.arange(gpunp.asarray(3)), np.arange(3))
    assert_same(gpunp.arange(2, dtype=bool), np.arange(2, dtype=bool))
    with pytest.raises(TypeError):
        gpunp.arange(3, dtype=bool)
    assert_same(np.arange(4, like=gpunp.zeros(1)), np.arange(4))
    assert_same(np.arange(1, 8, 2, "f4", like=gpunp.zeros(1)), np.arange(1, 8, 2, "f4"))


ENDS = [(0, 1), (0, 10), (1, 1), (-3, 7.5), (0, 1j), (np.float32(0), np.float32(1)), (5, -5)]
OPTIONS = [
    {},
    {"endpoint": False},
    {"num": 1},
    {"num": 0},
    {"dtype": int},
    {"dtype": "f4"},
    {"retstep": True},
    {"num": 257},
    {"num": -1},
    {"num": 2.5},
    {"dtype": "i2", "num": 7},
]


@pytest.mark.parametrize(("start", "stop"), ENDS, ids=str)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_linspace(start, stop, options):
    if np.iscomplexobj(stop) and np.dtype(options.get("dtype", "D")).kind != "c":
        pytest.skip("NumPy casts a complex result to a real one with a warning")
    compare(lambda: np.linspace(start, stop, **options), lambda: gpunp.linspace(start, stop, **options))


@pytest.mark.parametrize(
    "options", [{}, {"axis": -1}, {"endpoint": False}, {"num": 1}, {"dtype": int}], ids=str
)
def test_linspace_of_arrays(options):
    start, stop = np.array([0.0, 1, 2]), np.array([[3.0], [1]])
    expected = np.linspace(start, stop, **options)
    assert_same(np.linspace(gpunp.asarray(start), gpunp.asarray(stop), **options), expected)
    assert_same(gpunp.linspace(start, stop, **options), expected)
    assert_same(np.linspace(gpunp.asarray(start), 2.0), np.linspace(start, 2.0))


@pytest.mark.parametrize(
    "options", [{}, {"num": 7}, {"endpoint": False}, {"base": 2}, {"dtype": "f4"}], ids=str
)
def test_logspace(options):
    compare(lambda: np.logspace(0, 3, **options), lambda: gpunp.logspace(0, 3, **options), exact=False)
    ends = np.array([0.0, 1.0])
    compare(
        lambda: np.logspace(ends, 2, **options), lambda: np.logspace(gpunp.asarray(ends), 2, **options), False
    )


def test_logspace_of_bases():
    bases = np.array([2.0, 10.0])
    assert_same(
        np.logspace(0, 2, 5, base=gpunp.asarray(bases)), np.logspace(0, 2, 5, base=bases), exact=False
    )


@pytest.mark.parametrize(("start", "stop"), [(1, 1000), (1000, 1), (-1, -8), (1j, 1000j), (0, 3)], ids=str)
@pytest.mark.parametrize("options", [{}, {"num": 4}, {"endpoint": False}, {"dtype": "f4"}], ids=str)
def test_geomspace(start, stop, options):
    if isinstance(start, complex) and "dtype" in options:
        pytest.skip("NumPy casts a complex result to a real one with a warning")
    compare(
        lambda: np.geomspace(start, stop, **options), lambda: gpunp.geomspace(start, stop, **options), False
    )


def test_geomspace_of_arrays():
    start = np.array([1.0, 2.0])
    for axis in (0, -1):
        assert_same(
            np.geomspace(gpunp.asarray(start), 100.0, 5, axis=axis),
            np.geomspace(start, 100.0, 5, axis=axis),
            exact=False,
        )


def test_geomspace_does_not_look_at_device_values():
    with pytest.raises(ValueError, match="cannot include zero"):
        gpunp.geomspace(np.array([0.0, 1.0]), 8.0)
    assert not np.isfinite(gpunp.asnumpy(np.geomspace(gpunp.asarray([0.0, 1.0]), 8.0, 3))).all()


def test_linspace_of_denormals():
    tiny = np.array([0.0, 1.0]), np.array([np.nextafter(0, 1), 2.0])
    assert_same(np.linspace(gpunp.asarray(tiny[0]), gpunp.asarray(tiny[1]), 5), np.linspace(*tiny, 5))


def test_arange_from_minus_zero():
    assert np.signbit(gpunp.arange(-0.0, 2.0)).tolist() == [True, False]
    assert np.signbit(gpunp.arange(0.0, -2.0, -1.0)).tolist() == [False, True]


test_start_and_stop_by_name = call_test(
    """
    xp.arange(stop=3)
    xp.arange(stop=3.5, step=2, dtype="f4")
    xp.arange(start=3, stop=9)
    xp.arange(start=3, stop=None)
    xp.arange(0, stop=3)
    xp.arange(start=3)
    xp.arange(stop=None)
    xp.arange(1, start=2)
    xp.arange(step=3)
    xp.arange()
    xp.arange(start_or_stop=3)
    """,
    own=True,
)


def test_start_by_name_like():
    made = np.arange(start=1, stop=3, like=gpunp.zeros(1))
    assert_same(made, np.arange(1, 3))
