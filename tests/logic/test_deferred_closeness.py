"""Deferred isclose and allclose give what they give at once, and NumPy's results."""

import warnings

import numpy as np
import pytest

import gpunp
from gpunp import fusion

VALUES = [0, 1, 1 + 1e-5, 1.00002, -1, np.inf, -np.inf, np.nan, 1e-8, 65504, 3e38, 1e308, 5]
REAL = ["?", "i1", "i4", "i8", "u8", "f2", "f4", "f8"]
COMPLEX = ["c8", "c16"]
NUMBERS = [1.0, 2, True, float("nan")]
SHAPES = [((300,), (300,)), ((7, 1, 5), (4, 1)), ((3, 40), (40, 3)), ((1,), (9,)), ((5,), ())]
TOLERANCES = [
    {},
    {"rtol": 1e-3, "atol": 1},
    {"rtol": 0, "atol": 0, "equal_nan": True},
    {"rtol": 1},
    {"rtol": float("inf")},
]


@pytest.fixture(autouse=True)
def deferring():
    """Calls of all sizes are deferred."""
    before = fusion.set_least_elements(1)
    yield
    fusion.set_least_elements(before)


def values(rng, dtype, shape):
    host = rng.choice(VALUES, size=shape)
    if dtype in COMPLEX:
        real, host = host, np.empty(shape, "c16")
        host.real, host.imag = real, rng.choice(VALUES, size=shape)
    if np.dtype(dtype).kind not in "fc":
        host = np.nan_to_num(host, posinf=3, neginf=2) % 100
    with np.errstate(all="ignore"):
        return host.astype(dtype)


def result(function, *given, **keywords):
    """What a call returns, or the type and the text of its exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = function(*given, **keywords)
        except Exception as error:
            return type(error)
    if isinstance(found, gpunp.ndarray):
        return found.strides, found.get().tolist()
    return found.tolist() if isinstance(found, np.ndarray) else found


@pytest.mark.parametrize("first", REAL + COMPLEX)
@pytest.mark.parametrize("second", REAL + COMPLEX + NUMBERS)
def test_same_as_at_once_and_as_numpy(first, second, rng):
    for shape, other in SHAPES:
        x = values(rng, first, shape)
        y = values(rng, second, other) if isinstance(second, str) else second
        a, b = (gpunp.asarray(each) if isinstance(each, np.ndarray) else each for each in (x, y))
        for keywords in TOLERANCES:
            for function in (np.isclose, np.allclose):
                with gpunp.config.using(fusion="off"):
                    expected = result(function, a, b, **keywords)
                found = result(function, a + 0 if first != "?" else a, b, **keywords)
                assert found == expected
                if first in REAL and second not in COMPLEX:
                    wanted = result(function, x, y, **keywords)
                    assert (found[1] if isinstance(found, tuple) else found) == wanted


def test_shapes_that_do_not_match():
    x = gpunp.ones(3)
    with pytest.raises(ValueError, match="could not be broadcast together"):
        np.isclose(x + 1, gpunp.ones(4))
    with pytest.raises(ValueError, match="could not be broadcast together"):
        np.allclose(x + 1, gpunp.ones(4))


def test_order_of_the_result():
    x = gpunp.asarray(np.ones((4, 5), order="F"))
    assert np.isclose(x * 2, x).flags.f_contiguous


def test_no_elements():
    x = gpunp.ones((0, 3))
    assert np.isclose(x, x + 1).shape == (0, 3)
    assert np.allclose(x, x + 1) is True
