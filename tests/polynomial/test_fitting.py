import warnings

import numpy as np
import pytest
from records import assert_same

import gpunp

COVERS = ("polyfit",)
X = np.linspace(-1, 2, 12)
Y = X**3 - 2 * X + np.sin(X * 9) / 10
W = np.linspace(0.5, 1.5, 12)
CALLS = [
    lambda f, x, y, w: f(x, y, 3),
    lambda f, x, y, w: f(x, y, 0),
    lambda f, x, y, w: f(x, y, 2, rcond=1e-10),
    lambda f, x, y, w: f(x, y, 2, w=w),
    lambda f, x, y, w: f(x, y, 2, full=True),
    lambda f, x, y, w: f(x, y, 2, cov=True),
    lambda f, x, y, w: f(x, y, 2, None, False, w, "unscaled"),
    lambda f, x, y, w: f(x, (y[:, None] * w[:3]), 2),
    lambda f, x, y, w: f(x, (y[:, None] * w[:3]), 2, w=w, cov=True),
    lambda f, x, y, w: f(x, (y * 10).astype(int), 1),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("char", "fd")
def test_polyfit(call, char, solvers):
    arrays = [a.astype(char) for a in (X, Y, W)]
    expected = call(np.polyfit, *arrays)
    actual = call(np.polyfit, *map(gpunp.asarray, arrays))
    expected = expected if isinstance(expected, tuple) else (expected,)
    actual = actual if isinstance(actual, tuple) else (actual,)
    assert len(actual) == len(expected)
    for one, other in zip(actual, expected, strict=True):
        one, other = gpunp.asnumpy(one), np.asarray(other)
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=2e-3 if char == "f" else 1e-8, atol=1e-5)


def test_warning_of_an_ill_conditioned_fit(solvers):
    x = gpunp.asarray(np.array([1.0, 1.0, 1.0]))
    with pytest.warns(np.exceptions.RankWarning, match="poorly conditioned"):
        np.polyfit(x, x, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.polyfit(x, x, 2, full=True)


@pytest.mark.parametrize(
    "arguments",
    [
        (X, Y, -1),
        (X[None], Y, 1),
        (X[:0], Y[:0], 1),
        (X, Y[:, None, None], 1),
        (X, Y[:3], 1),
        (X, Y, 1, None, False, W[:3]),
        (X, Y, 1, None, False, W[None]),
        (X[:2], Y[:2], 1, None, False, None, True),
    ],
)
def test_errors(arguments, solvers):
    with pytest.raises((TypeError, ValueError)) as expected:
        np.polyfit(*arguments)
    on_device = [gpunp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    with pytest.raises(expected.type) as actual:
        np.polyfit(*on_device)
    assert str(actual.value) == str(expected.value)


def test_values_on_the_host(solvers):
    assert_same(np.polyfit(gpunp.asarray(X), Y, 1), np.polyfit(X, Y, 1), exact=False)
