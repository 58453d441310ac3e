import numpy as np
import pytest
from records import ALL, REAL, Record, assert_same, record_test

import gpunp

RECORDS = (
    Record("i0", dtypes=REAL, exact=False),
    Record("i0", dtypes="FD", raises=True),
    Record("sinc", dtypes=ALL, exact=False),
    Record("sinc", dtypes="fdD", shapes=((33, 65),), exact=False),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("char", "fd")
def test_i0_on_both_sides_of_eight(char):
    host = np.linspace(-30, 30, 2001).astype(char)
    exact = np.i0(host.astype("d"))
    actual = gpunp.asnumpy(np.i0(gpunp.asarray(host)))
    np.testing.assert_allclose(actual, exact, rtol=1e-6 if char == "f" else 1e-14)


def test_sinc_at_whole_numbers():
    host = np.array([0.0, -0.0, 1, -2, 1e-30, np.inf])
    with np.errstate(all="ignore"):
        expected = np.sinc(host)
    np.testing.assert_allclose(gpunp.asnumpy(np.sinc(gpunp.asarray(host))), expected, rtol=1e-15, atol=1e-18)
    assert_same(np.sinc(gpunp.asarray(host[:2])), expected[:2])
