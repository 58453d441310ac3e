import numpy as np
from records import ALL, CANCELLING, Record, assert_same, make_values, record_test

import gpunp

RECORDS = (
    Record(
        "kron",
        dtypes=ALL,
        shapes=((), (3,), (0,), (3, 4), (2, 3, 2)),
        arrays=2,
        exact=False,
        absolute=CANCELLING,
    ),
    Record("kron", lambda f, a: f(a, [1, 2, 3]), dtypes="ild", shapes=((), (3,), (3, 4), (2, 3, 2))),
    Record("kron", lambda f, a: f([[1.5, 2], [3, 4]], a), dtypes="ild", shapes=((), (3,), (3, 4), (2, 3, 2))),
    Record("kron", lambda f, a, b: f(a, b[0]), dtypes="ild", shapes=((3, 4), (2, 3, 2)), arrays=2),
)
test_records = record_test(RECORDS)


def test_host_and_device():
    a, b = make_values("d", (3, 4)), make_values("f", (2, 2))
    assert_same(np.kron(a, gpunp.asarray(b)), np.kron(a, b))
