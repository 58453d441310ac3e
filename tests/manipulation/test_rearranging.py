import numpy as np
import pytest
from records import ALL, SHAPES, Record, assert_same, record_test

import gpunp

RECORDS = (
    Record("roll", lambda f, a: f(a, 2), dtypes=ALL, shapes=SHAPES),
    *(Record("roll", lambda f, a, shift=shift: f(a, shift)) for shift in (0, -1, 1000, 1.7, (1, 2))),
    *(Record("roll", lambda f, a, axis=axis: f(a, 1, axis)) for axis in (0, 1, -1)),
    Record("roll", lambda f, a: f(a, (1, -2), (0, 1))),
    Record("roll", lambda f, a: f(a, 2, (0, 1))),
    Record("roll", lambda f, a: f(a, (1, 2), 0)),
    Record("roll", lambda f, a: f(a, (1, 1), (0, 0))),
    Record("roll", lambda f, a: f(a, (1, 2, 3), (0, -1, -2)), shapes=((2, 3, 4),)),
    Record("roll", lambda f, a: f(a, (1, 2, 3), (0, 1)), raises=True),
    Record("roll", lambda f, a: f(a, [[1]], 0), raises=True, shapes=((5,), (3, 4))),
    Record("roll", lambda f, a: f(a, 1, 5), raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("char", "bhfdD")
@pytest.mark.parametrize("shift", [1, 4, 16, 1024, -3])
def test_roll_of_long_arrays(char, shift):
    host = np.arange(5000).astype(char)
    assert_same(np.roll(gpunp.asarray(host), shift), np.roll(host, shift))
    image = host.reshape(50, 100)
    assert_same(
        np.roll(gpunp.asarray(image), (shift, -shift), (0, 1)), np.roll(image, (shift, -shift), (0, 1))
    )


def test_roll_keeps_memory_order():
    host = np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)
    rolled = np.roll(gpunp.asarray(np.arange(24).reshape(2, 3, 4)).transpose(2, 0, 1), 1, 0)
    assert rolled.strides == np.roll(host, 1, 0).strides
    assert_same(np.roll(gpunp.arange(5), gpunp.asarray(2)), np.roll(np.arange(5), 2))
