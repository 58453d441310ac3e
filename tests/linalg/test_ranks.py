import numpy as np
import pytest
from matrices import INEXACT, close, matrix
from records import CANCELLING, Record, record_test

import gpunp
from gpunp.linalg import ranks

SHAPES = ((3, 3), (5, 3), (2, 3, 4))
SQUARES = ((3, 3), (2, 4, 4))
RECORDS = (
    Record("linalg.matrix_rank", lambda f, a: f(a), "lfdD", ((), (3,), *SHAPES), ("C", "transposed")),
    Record("linalg.matrix_rank", lambda f, a: f(a, 3.0), "d", SHAPES, ("C",)),
    Record("linalg.matrix_rank", lambda f, a: f(a, rtol=0.5), "d", SHAPES, ("C",)),
    Record(
        "linalg.matrix_rank", lambda f, a: f(a + np.swapaxes(a, -1, -2), hermitian=True), "d", SQUARES, ("C",)
    ),
    Record("linalg.matrix_rank", lambda f, a: f(a, tol=1, rtol=1), "d", SHAPES, ("C",), raises=True),
    Record(
        "linalg.pinv", lambda f, a: f(a), "ldD", SHAPES, ("C", "transposed"), exact=False, absolute=CANCELLING
    ),
    Record("linalg.pinv", lambda f, a: f(a, 0.3), "dD", SHAPES, ("C",), exact=False, absolute=CANCELLING),
    Record(
        "linalg.pinv", lambda f, a: f(a, rtol=None), "dD", SHAPES, ("C",), exact=False, absolute=CANCELLING
    ),
    Record(
        "linalg.pinv", lambda f, a: f(a, rtol=0.5), "dD", SHAPES, ("C",), exact=False, absolute=CANCELLING
    ),
    Record("linalg.pinv", lambda f, a: f(a, 0.5, rtol=0.5), "dD", SHAPES, ("C",), raises=True),
    # Limits that broadcast the matrices.
    *(
        Record("linalg.pinv", lambda f, a, limits=limits: f(a, limits), "d", shapes, ("C",), raises=True)
        for limits, shapes in (
            ([0.1], ((3, 3), (3, 2))),
            ([0.1, 0.5], ((3, 3), (1, 3, 3))),
            ([[0.1], [0.5]], ((2, 3, 3),)),
        )
    ),
    Record(
        "linalg.pinv",
        lambda f, a: f(a + np.swapaxes(a, -1, -2), hermitian=True),
        "d",
        SQUARES,
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    Record("linalg.pinv", dtypes="d", shapes=((0, 3), (3, 0), (2, 0, 0)), layouts=("C",)),
    *(
        Record(
            "linalg.cond", lambda f, a, p=p: f(a, p), "ldD", SQUARES, ("C",), exact=False, absolute=CANCELLING
        )
        for p in (None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc")
    ),
    Record("linalg.cond", dtypes="d", shapes=((0, 3), (3,)), layouts=("C",), raises=True),
    Record("linalg.cond", lambda f, a: f(a, 1), dtypes="d", shapes=((2, 3),), layouts=("C",), raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("p", [None, -2, 1, np.inf, "fro", "nuc"])
def test_condition_without_lapack(char, p):
    a = matrix(char, 3, 4, 4)
    close(ranks.condition(gpunp.asarray(a), p), np.linalg.cond(a, p), char, 100)


@pytest.mark.parametrize("function", [np.linalg.cond, ranks.condition])
@pytest.mark.parametrize("p", [1, "fro", None])
def test_condition_of_singular_matrices(function, p):
    a = np.zeros((3, 2, 2))
    a[1] = np.eye(2)
    a[2, 0, 0] = 1
    with np.errstate(all="ignore"):
        found = gpunp.asnumpy(function(gpunp.asarray(a), p))
    np.testing.assert_array_equal(found, np.linalg.cond(a, p))


def test_rank_of_stacks():
    a = np.zeros((3, 4, 4))
    a[1] = 1
    a[2] = np.eye(4)
    np.testing.assert_array_equal(gpunp.asnumpy(np.linalg.matrix_rank(gpunp.asarray(a))), [0, 1, 4])
    tolerances = gpunp.asarray([1.0, 5.0, 0.5])
    np.testing.assert_array_equal(
        gpunp.asnumpy(np.linalg.matrix_rank(gpunp.asarray(a), tolerances)), [0, 0, 4]
    )
    close(np.linalg.pinv(gpunp.asarray(a)), np.linalg.pinv(a), "d")
