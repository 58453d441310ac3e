import numpy as np
import pytest
from records import CANCELLING, Record, assert_same, outcome, record_test

import gpunp

CHARS = "?bHlfdFD"
SHAPES = ((5,), (3, 4), (4, 3), (1, 6))


def counts(n):
    return np.arange(n) % 3 + 1


def shares(n):
    return np.arange(1, n + 1) / 7


# Keyword arguments of cov, given the number of observations.
KEYWORDS = (
    lambda n: {"bias": True},
    lambda n: {"ddof": 0},
    lambda n: {"ddof": 2},
    lambda n: {"fweights": counts(n)},
    lambda n: {"aweights": shares(n)},
    lambda n: {"aweights": shares(n), "fweights": counts(n)},
    lambda n: {"aweights": shares(n), "fweights": counts(n), "ddof": 0},
    lambda n: {"aweights": shares(n), "bias": True},
    lambda n: {"dtype": np.complex128},
)
RECORDS = (
    *(
        Record(name, dtypes=CHARS, shapes=SHAPES, exact=False, absolute=CANCELLING)
        for name in ("cov", "corrcoef")
    ),
    *(
        Record(
            name,
            lambda f, a: f(a, rowvar=False),
            dtypes=CHARS,
            shapes=SHAPES,
            exact=False,
            absolute=CANCELLING,
        )
        for name in ("cov", "corrcoef")
    ),
    *(
        Record(
            name,
            lambda f, a, b: f(a, b),
            dtypes="ldD",
            arrays=2,
            shapes=SHAPES,
            exact=False,
            absolute=CANCELLING,
        )
        for name in ("cov", "corrcoef")
    ),
    *(
        Record(
            name,
            lambda f, a, b: f(a, b, False),
            dtypes="ldD",
            arrays=2,
            shapes=SHAPES,
            exact=False,
            absolute=CANCELLING,
        )
        for name in ("cov", "corrcoef")
    ),
    *(
        Record(
            "cov",
            lambda f, a, k=k: f(a, **k(a.shape[-1])),
            dtypes="ldD",
            shapes=((5,), (3, 4)),
            exact=False,
            absolute=CANCELLING,
        )
        for k in KEYWORDS
    ),
    # Not for complex values: divided by zero, a result would depend on the sign of a rounding error.
    Record(
        "cov",
        lambda f, a: f(a, ddof=20),
        dtypes="ld",
        shapes=((5,), (3, 4)),
        exact=False,
        absolute=CANCELLING,
    ),
    *(Record(name, lambda f, a: f(a), shapes=((0,), (3, 0), (0, 3)), dtypes="d") for name in ("cov",)),
    *(Record(name, shapes=((2, 3, 4),), raises=True) for name in ("cov", "corrcoef")),
    *(
        Record("cov", call, dtypes="d", shapes=((3, 4),), layouts=("C",), raises=True)
        for call in (
            lambda f, a: f(a, ddof=1.5),
            lambda f, a: f(a, fweights=[1, 2, 1.5, 1]),
            lambda f, a: f(a, fweights=[1, 2]),
            lambda f, a: f(a, fweights=[1, 2, -1, 1]),
            lambda f, a: f(a, fweights=[[1, 2, 1, 1]]),
            lambda f, a: f(a, aweights=[1, 2]),
            lambda f, a: f(a, aweights=[1, 2, -1, 1]),
            lambda f, a: f(a, aweights=[[1, 2, 1, 1]]),
        )
    ),
)
test_records = record_test(RECORDS)


def test_weights_on_the_device(rng):
    host = rng.normal(size=(3, 6))
    for weights in (
        {"aweights": shares(6)},
        {"fweights": counts(6)},
        {"aweights": shares(6), "fweights": counts(6)},
    ):
        ours = np.cov(gpunp.asarray(host), **{key: gpunp.asarray(value) for key, value in weights.items()})
        assert_same(ours, np.cov(host, **weights), exact=False, absolute=CANCELLING)


@pytest.mark.parametrize("char", "fd")
def test_dtype(char, rng):
    host = rng.normal(size=(3, 50)).astype(char)
    for dtype in ("f4", "f8"):
        expected, _ = outcome(lambda dtype=dtype: np.cov(host, dtype=dtype))
        assert_same(np.cov(gpunp.asarray(host), dtype=dtype), expected, exact=False, absolute=CANCELLING)


def test_coefficients_are_in_range(rng):
    host = np.repeat(rng.normal(size=(1, 30)), 3, axis=0) * [[1], [-2], [1e5]]
    ours = gpunp.asnumpy(np.corrcoef(gpunp.asarray(host)))
    assert np.abs(ours).max() <= 1
    np.testing.assert_allclose(ours, [[1, -1, 1], [-1, 1, -1], [1, -1, 1]])
