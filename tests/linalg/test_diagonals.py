import numpy as np
from records import ALL, Record, assert_same, make_values, record_test

import gpunp

MATRICES = ((3, 4), (2, 3, 4), (0, 3), (33, 65), (4, 0, 2))

RECORDS = (
    Record("trace", dtypes=ALL, shapes=MATRICES, exact=False),
    Record("trace", lambda f, a: f(a, 1), dtypes="?bLfd", shapes=MATRICES, exact=False),
    Record("trace", lambda f, a: f(a, -50), dtypes="?bLfd", shapes=MATRICES, exact=False),
    Record("trace", lambda f, a: f(a, -1, 2, 0), dtypes="bLfD", shapes=((2, 3, 4), (4, 0, 2)), exact=False),
    Record("trace", lambda f, a: f(a, dtype="D"), dtypes="bLfD", shapes=MATRICES, exact=False),
    Record("trace", dtypes="ld", shapes=((), (3,)), raises=True, layouts=("C",)),
    Record("trace", lambda f, a: f(a, axis1=1), dtypes="ld", shapes=MATRICES, raises=True),
    Record("linalg.trace", dtypes=ALL, shapes=MATRICES, exact=False),
    Record(
        "linalg.trace", lambda f, a: f(a, offset=-1, dtype="d"), dtypes="bLf", shapes=MATRICES, exact=False
    ),
    Record("linalg.diagonal", dtypes=ALL, shapes=MATRICES),
    Record("linalg.diagonal", lambda f, a: f(a, offset=2), dtypes="bLfD", shapes=MATRICES),
    Record("linalg.diagonal", dtypes="ld", shapes=((), (3,)), raises=True, layouts=("C",)),
)
test_records = record_test(RECORDS)


def test_out_and_method():
    host = make_values("d", (3, 4, 5))
    a = gpunp.asarray(host)
    out = gpunp.zeros(5)
    assert np.trace(a, out=out) is out
    assert_same(out, np.trace(host), exact=False)
    assert_same(a.trace(1, 0, 2), host.trace(1, 0, 2), exact=False)
