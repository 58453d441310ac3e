import numpy as np
import pytest
from records import ALL, FEW, Record, assert_same, record_test

import gpunp


def filled(call):
    def run(function, a):
        target = a.copy("K")
        assert call(function, target) is None
        return target

    return run


MATRICES = ((3, 4), (4, 3), (0, 3), (2, 3, 4), (33, 65))
RECORDS = (
    Record("diagonal", dtypes=ALL, shapes=MATRICES),
    Record("diagonal", lambda f, a: f(a, 1), shapes=MATRICES),
    Record("diagonal", lambda f, a: f(a, offset=-2), shapes=MATRICES),
    Record("diagonal", lambda f, a: f(a, 9), shapes=((3, 4),), layouts=("C",)),
    Record("diagonal", lambda f, a: f(a, 0, -1, 0), shapes=MATRICES),
    Record("diagonal", lambda f, a: f(a, axis1=1, axis2=2), shapes=((2, 3, 4),)),
    Record("diagonal", shapes=((), (3,)), layouts=("C",), raises=True),
    Record("diagonal", lambda f, a: f(a, 0, 1, 1), shapes=MATRICES, raises=True),
    Record("diagonal", lambda f, a: f(a, 0, 0, 5), shapes=MATRICES, raises=True),
    Record("fill_diagonal", filled(lambda f, a: f(a, 1)), dtypes=ALL, shapes=((3, 4), (7, 3), (3, 3, 3))),
    Record("fill_diagonal", filled(lambda f, a: f(a, [1, 0])), shapes=((3, 4), (7, 3), (3, 3, 3))),
    Record("fill_diagonal", filled(lambda f, a: f(a, np.arange(9.0))), shapes=((3, 4), (7, 3), (3, 3, 3))),
    Record(
        "fill_diagonal", filled(lambda f, a: f(a, 1, wrap=True)), shapes=((3, 4), (10, 3), (9, 2), (3, 3, 3))
    ),
    Record("fill_diagonal", filled(lambda f, a: f(a, [1, 0], True)), shapes=((10, 3), (4, 4))),
    Record(
        "fill_diagonal", filled(lambda f, a: f(a, 1)), shapes=((7,), (3, 3, 4)), layouts=("C",), raises=True
    ),
    Record("diag_indices_from", shapes=((3, 3), (0, 0), (2, 2, 2)), layouts=("C", "F")),
    Record("diag_indices_from", shapes=((3, 4), (3,)), layouts=("C",), raises=True),
    Record("tril_indices_from", shapes=((3, 4), (4, 3), (0, 2))),
    Record("tril_indices_from", lambda f, a: f(a, k=1), shapes=((3, 4), (4, 3)), layouts=("C",)),
    Record("tril_indices_from", shapes=((3,), (2, 3, 4)), layouts=("C",), raises=True),
    Record("triu_indices_from", shapes=((3, 4), (4, 3), (0, 2))),
    Record("triu_indices_from", lambda f, a: f(a, -1), shapes=((3, 4), (4, 3)), layouts=("C",)),
    Record("triu_indices_from", shapes=((3,), (2, 3, 4)), layouts=("C",), raises=True),
)
test_records = record_test(RECORDS)


def test_indices_without_an_array():
    assert_same(gpunp.diag_indices(4), np.diag_indices(4))
    assert_same(gpunp.diag_indices(3, 3), np.diag_indices(3, 3))
    for arguments in ((4,), (4, 1), (4, -2), (4, 0, 6), (5, 1, 2)):
        assert_same(gpunp.tril_indices(*arguments), np.tril_indices(*arguments))
        assert_same(gpunp.triu_indices(*arguments), np.triu_indices(*arguments))
    for function, k in ((np.triu, 0), (np.tril, 1)):
        assert_same(gpunp.mask_indices(4, function, k), np.mask_indices(4, function, k))


@pytest.mark.parametrize("char", FEW)
def test_writing_through_a_diagonal(char):
    a = gpunp.zeros((3, 3), char)
    view = np.diagonal(a)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    assert_same(a.diagonal(1), np.zeros(2, char))
