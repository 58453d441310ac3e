import numpy as np
import pytest
from records import ALL, SHAPES, Record, record_test

import gpunp

RECORDS = (
    Record("transpose", dtypes=ALL, shapes=SHAPES),
    Record("transpose", lambda f, a: f(a, (1, 0))),
    Record("transpose", lambda f, a: f(a, (1, 1)), raises=True),
    Record("transpose", lambda f, a: f(a, (2, 0, -2))),
    Record("matrix_transpose"),
    Record("linalg.matrix_transpose"),
    Record("swapaxes", lambda f, a: f(a, 0, -1)),
    Record("swapaxes", lambda f, a: f(a, 1, 2)),
    Record("moveaxis", lambda f, a: f(a, 0, -1)),
    Record("moveaxis", lambda f, a: f(a, (0, 1), (-1, -2))),
    Record("moveaxis", lambda f, a: f(a, (0, 1), (1,)), raises=True),
    Record("rollaxis", lambda f, a: f(a, 1)),
    Record("rollaxis", lambda f, a: f(a, 0, 2)),
    Record("rollaxis", lambda f, a: f(a, 0, 9), raises=True),
    *(Record(name, shapes=SHAPES) for name in ("flip", "fliplr", "flipud", "rot90")),
    Record("flip", lambda f, a: f(a, 1)),
    Record("flip", lambda f, a: f(a, (0, -1))),
    *(Record("rot90", lambda f, a, k=k: f(a, k)) for k in (0, 2, 3, -1)),
    Record("rot90", lambda f, a: f(a, axes=(1, 2))),
    Record("rot90", lambda f, a: f(a, axes=(0, 0)), raises=True),
)
test_records = record_test(RECORDS)


def test_properties_and_method():
    a = gpunp.arange(24).reshape(2, 3, 4)
    assert a.T.shape == (4, 3, 2)
    assert a.mT.shape == (2, 4, 3)
    assert a.transpose(2, 0, 1).shape == a.transpose((2, 0, 1)).shape == (4, 2, 3)
    assert a.swapaxes(0, 1).strides == np.arange(24).reshape(2, 3, 4).swapaxes(0, 1).strides
    with pytest.raises(ValueError, match="ndim < 2"):
        gpunp.arange(3).mT  # noqa: B018


def test_an_element_is_flipped_to_a_copy():
    for xp in (np, gpunp):
        a = xp.asarray(3.0)
        assert not any(np.may_share_memory(a, np.flip(a, axis)) for axis in (None, ()))
        assert np.may_share_memory(a[None], np.flip(a[None]))
