import numpy as np
import pytest
from records import ALL, Record, assert_same, record_test

import gpunp

LAYOUTS = ("C", "F", "negative")
RECORDS = (
    Record("concatenate", lambda f, a, b: f([a, b]), dtypes=ALL, arrays=2, layouts=LAYOUTS),
    Record("concatenate", lambda f, a: f((a, a, a), axis=-1)),
    Record("concatenate", lambda f, a: f((a, a), axis=None)),
    Record("concatenate", lambda f, a: f((a, a), axis=3)),
    Record("concatenate", lambda f, a: f([a, a], dtype="f4")),
    Record("concatenate", lambda f, a: f([a, a], dtype="i2", casting="unsafe"), dtypes="?il"),
    *(
        Record(name, lambda f, a, b: f([a, b]), arrays=2, layouts=LAYOUTS)
        for name in ("stack", "vstack", "hstack", "dstack", "column_stack")
    ),
    Record("stack", lambda f, a: f([a, a], axis=-1)),
    Record("append", lambda f, a, b: f(a, b), arrays=2),
    Record("append", lambda f, a, b: f(a, b, axis=0), arrays=2),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("function", [np.concatenate, np.stack, np.hstack])
def test_mixed_dtypes(function):
    parts = [np.ones(3, dtype=d) for d in ("?", "i1", "u2", "f4")]
    assert_same(function([gpunp.asarray(p) for p in parts]), function(parts))


def test_host_parts_and_out():
    a, b = np.arange(3.0), np.arange(4)
    assert_same(np.concatenate([gpunp.asarray(a), b, [1, 2]]), np.concatenate([a, b, [1, 2]]))
    out = gpunp.empty(7)
    assert np.concatenate([gpunp.asarray(a), b], out=out) is out
    assert_same(out, np.concatenate([a, b]))
    with pytest.raises(ValueError, match="wrong shape"):
        np.concatenate([gpunp.asarray(a), b], out=gpunp.empty(6))
    with pytest.raises(TypeError, match="asnumpy"):
        np.concatenate([gpunp.asarray(a), b], out=np.empty(7))


def test_nothing_to_join():
    with pytest.raises(ValueError, match="need at least one array"):
        gpunp.concatenate([])
    with pytest.raises(ValueError, match="match exactly"):
        np.concatenate([gpunp.zeros((2, 3)), gpunp.zeros((2, 4))])
