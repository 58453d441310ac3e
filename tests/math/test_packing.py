import numpy as np
import pytest
from records import Record, assert_same, record_test

import gpunp

INTEGERS = "?bBhHiIlL"
SHAPES = ((), (1,), (7,), (0,), (3, 4), (2, 8, 4), (4, 0, 2), (33, 64), (16, 24))
# Without empty arrays: NumPy does not write the padding of unpackbits for these.
FULL = tuple(shape for shape in SHAPES if 0 not in shape)

RECORDS = (
    *(
        Record("packbits", lambda f, a, order=order: f(a % 3 > 1, bitorder=order), dtypes="l", shapes=SHAPES)
        for order in ("little", "big")
    ),
    Record("packbits", dtypes=INTEGERS, shapes=SHAPES),
    Record("packbits", lambda f, a: f(a, 0), dtypes=INTEGERS, shapes=SHAPES),
    Record("packbits", lambda f, a: f(a, axis=-1, bitorder="little"), dtypes=INTEGERS, shapes=SHAPES),
    Record("packbits", dtypes="efdFD", raises=True),
    Record("packbits", lambda f, a: f(a, bitorder="x"), dtypes="B", raises=True),
    Record("packbits", lambda f, a: f(a, bitorder=1), dtypes="B", raises=True),
    Record("packbits", lambda f, a: f(a, axis=7), dtypes="B", shapes=((3,), (2, 3)), raises=True),
    Record("unpackbits", dtypes="B", shapes=SHAPES),
    Record("unpackbits", lambda f, a: f(a, axis=0), dtypes="B", shapes=SHAPES),
    *(
        Record("unpackbits", lambda f, a, n=n, order=order: f(a, -1, n, order), dtypes="B", shapes=FULL[1:])
        for n in (0, 3, 8, 100, -1, -7)
        for order in ("little", "big")
    ),
    Record("unpackbits", lambda f, a: f(a, count=19, bitorder="l"), dtypes="B", shapes=FULL),
    Record("unpackbits", lambda f, a: f(a, count=-1), dtypes="B", shapes=((0,), (4, 0, 2)), raises=True),
    Record("unpackbits", lambda f, a: f(a, count=2.5), dtypes="B", raises=True),
    Record("unpackbits", lambda f, a: f(a, bitorder="x"), dtypes="B", raises=True),
    Record("unpackbits", lambda f, a: f(a, axis=7), dtypes="B", shapes=((3,), (2, 3)), raises=True),
    Record("unpackbits", dtypes="?bHlfD", raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("size", [64, 65, 100_000, 100_003])
def test_long_arrays(order, size, rng):
    host = rng.integers(0, 3, size).astype("B")
    for part in (slice(None), slice(1, None), slice(8, None)):
        packed = np.packbits(gpunp.asarray(host)[part], bitorder=order)
        assert_same(packed, np.packbits(host[part], bitorder=order))
        unpacked = np.unpackbits(packed, count=host[part].size, bitorder=order)
        assert_same(unpacked, (host[part] != 0).astype("B"))
        assert_same(
            np.unpackbits(packed, bitorder=order)[: size - 8][: host[part].size],
            (host[part] != 0).astype("B")[: size - 8],
        )
