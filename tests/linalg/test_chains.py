from itertools import pairwise

import numpy as np
import pytest
from matrices import close, matrix
from records import CANCELLING, Record, record_test

import gpunp

RECORDS = (
    Record(
        "linalg.multi_dot",
        lambda f, a, b: f([a, b.T]),
        "lfdD",
        ((3, 4),),
        arrays=2,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.multi_dot",
        lambda f, a, b: f([a, b.T, a]),
        "lfdD",
        ((3, 4),),
        arrays=2,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.multi_dot",
        lambda f, a: f([a[0], a.T, a, a[:, 0]][1:]),
        "ld",
        ((3, 4),),
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.multi_dot",
        lambda f, a: f([a[:, 0], a, a.T]),
        "ld",
        ((3, 4),),
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.multi_dot",
        lambda f, a: f([a[:, 0], a, a.T, a, a[0]]),
        "ld",
        ((3, 4),),
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    Record("linalg.multi_dot", lambda f, a: f([a]), "d", ((3, 4),), ("C",), raises=True),
    Record("linalg.multi_dot", lambda f, a: f([a, a[None], a]), "d", ((3, 3),), ("C",), raises=True),
    Record("linalg.multi_dot", lambda f, a: f([a, a, a]), "d", ((3, 4),), ("C",), raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("extents", [(10, 100, 5, 50), (6, 2, 5, 2, 2, 1)])
def test_order_and_out(extents):
    arrays = [matrix("d", m, n, seed=m) for m, n in pairwise(extents)]
    out = gpunp.empty((extents[0], extents[-1]))
    found = np.linalg.multi_dot([gpunp.asarray(a) for a in arrays], out=out)
    assert found is out
    close(out, np.linalg.multi_dot(arrays), "d")
