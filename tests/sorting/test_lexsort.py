import numpy as np
import pytest
from records import ALL, Record, make_values, record_test

import gpunp

SHAPES = ((1,), (7,), (0,), (3, 4), (2, 3, 4), (4, 0, 2), (33, 65))
RECORDS = (
    Record("lexsort", lambda f, a, b: f((a, b)), dtypes=ALL, shapes=((), *SHAPES), arrays=2),
    Record("lexsort", lambda f, a, b, c: f((a, b, c), 0), dtypes="?ilfD", shapes=SHAPES, arrays=3),
    Record("lexsort", lambda f, a, b: f((a, b), axis=-2), shapes=((3, 4), (2, 3, 4)), arrays=2),
    # The rows of one array are the keys.
    Record("lexsort", shapes=((3,), (1, 5), (3, 4), (2, 3, 4), (5, 300)), dtypes=ALL),
    Record("lexsort", lambda f, a: f(a, 0), shapes=((3, 4), (2, 3, 4))),
    Record("lexsort", shapes=((0,), (0, 3)), layouts=("C",), raises=True),
    Record("lexsort", lambda f, a: f((a, a[:2])), shapes=((3,), (4, 2)), layouts=("C",), raises=True),
    Record("lexsort", lambda f, a: f((a, a), axis=3), raises=True, shapes=((), (3,), (4, 2)), layouts=("C",)),
    Record("lexsort", lambda f, a: f((a, a), axis=None), raises=True, shapes=((), (3,)), layouts=("C",)),
)

test_records = record_test(RECORDS)


def test_keys_of_different_dtypes(rng):
    for size in (20, 1000, 30_000):
        keys = [rng.integers(0, 3, size).astype(char) for char in "?bHlefD"]
        expected = np.lexsort(keys)
        # NumPy dispatches a tuple of keys or an array; only gpunp.lexsort accepts a list.
        ours = np.lexsort(tuple(gpunp.asarray(key) for key in keys))
        assert ours.dtype == np.intp
        np.testing.assert_array_equal(gpunp.asnumpy(ours), expected)
        # Host keys together with device keys.
        mixed = gpunp.lexsort([keys[0], gpunp.asarray(keys[1])])
        np.testing.assert_array_equal(gpunp.asnumpy(mixed), np.lexsort(keys[:2]))


def test_ties_and_nan(rng):
    names = make_values("d", (500,))
    names[rng.random(500) < 0.3] = np.nan
    first = rng.integers(0, 4, 500)
    expected = np.lexsort((first, names))
    np.testing.assert_array_equal(
        gpunp.asnumpy(gpunp.lexsort((gpunp.asarray(first), gpunp.asarray(names)))), expected
    )


def test_messages():
    a = gpunp.asarray([1, 2, 3])
    with pytest.raises(TypeError, match="need sequence of keys with len > 0 in lexsort"):
        gpunp.lexsort(())
    with pytest.raises(TypeError, match="need sequence of keys with len > 0 in lexsort"):
        gpunp.lexsort(gpunp.asarray(3))
    with pytest.raises(ValueError, match="all keys need to be the same shape"):
        np.lexsort((a, a[:2]))
    with pytest.raises(np.exceptions.AxisError):
        np.lexsort((a, a), axis=1)
