import numpy as np
import pytest
from records import ALL, SHAPES, Record, assert_same, record_test

import gpunp

RECORDS = (
    Record("real", dtypes=ALL, shapes=SHAPES),
    Record("imag", dtypes=ALL, shapes=SHAPES),
    Record("angle", dtypes=ALL.replace("?", ""), exact=False),
    Record("angle", lambda f, a: f(a, deg=True), dtypes="fdFD", exact=False),
    Record("real_if_close", dtypes="ifFD"),
    Record("real_if_close", lambda f, a: f(a + 0j)),
)
test_records = record_test(RECORDS)


def test_parts_are_written_through():
    a, host = gpunp.zeros(3, complex), np.zeros(3, complex)
    for array in (a, host):
        array.real = 2
        array.imag[1:] = 5
    assert_same(a, host)
    with pytest.raises(TypeError, match="imaginary"):
        gpunp.zeros(3).imag = 1
    with pytest.raises(ValueError, match="read-only"):
        gpunp.zeros(3).imag[0] = 1
