import numpy as np
from records import ALL, Record, record_test

import gpunp

RECORDS = (
    Record("result_type", lambda f, a: f(a, np.float32), dtypes=ALL),
    Record("result_type", lambda f, a: f(a, 1.0), dtypes=ALL),
    Record("can_cast", lambda f, a: f(a.dtype, np.float32), dtypes=ALL),
    Record("min_scalar_type", dtypes=ALL),
    Record("common_type", lambda f, a: f(a, a), dtypes="ilfdFD"),
)
test_records = record_test(RECORDS)


def test_arrays_stand_for_their_dtypes():
    a = gpunp.arange(3)
    assert np.result_type(a, gpunp.zeros(1, "f4")) == np.float64
    assert np.can_cast(a, "f8")
    assert not np.can_cast(a, "i4")
