import numpy as np
import pytest
from calls import check_call
from records import ALL, Record, assert_same, record_test

import gpunp

RECORDS = (
    *(
        Record(
            name,
            lambda f, a, k=k: f(a, k),
            dtypes=ALL if k == 0 else "if",
            shapes=((5,), (3, 4), (2, 4, 3), (0, 3)),
        )
        for name in ("tril", "triu")
        for k in (0, 1, -2)
    ),
    Record("meshgrid", lambda f, a, b: f(a, b[:3]), shapes=((5,),), arrays=2),
    Record("meshgrid", lambda f, a, b: f(a, b, indexing="ij"), shapes=((5,),), arrays=2),
    Record("meshgrid", lambda f, a, b: f(a, b, a, sparse=True), shapes=((5,),), arrays=2),
    Record("meshgrid", lambda f, a, b: f(a, b, copy=False), shapes=((5,), ()), arrays=2),
)
# The diagonal of a matrix is a view in NumPy and in gpunp.
MORE = (
    *(
        Record(
            "diag",
            lambda f, a, k=k: f(a, k),
            dtypes=ALL if k == 0 else "ifD",
            shapes=((5,), (3, 4), (0,), (4, 2), (0, 3)),
        )
        for k in (0, 1, -2, 7)
    ),
    Record("diag", lambda f, a: f(a), shapes=((), (2, 3, 4)), layouts=("C",), raises=True),
    *(Record("diagflat", lambda f, a, k=k: f(a, k), dtypes="?ifD") for k in (0, 2, -1)),
    Record(
        "vander",
        dtypes=ALL.replace("e", ""),
        shapes=((5,), (0,), (1,)),
        layouts=("C", "negative", "steps"),
        exact=False,
    ),
    Record("vander", lambda f, a: f(a, 3), shapes=((5,),), layouts=("C",), exact=False),
    Record("vander", lambda f, a: f(a, 4, True), shapes=((5,),), layouts=("C",), exact=False),
    Record("vander", lambda f, a: f(a, 0), shapes=((5,),), layouts=("C",)),
    Record("vander", lambda f, a: f(a, 1), shapes=((5,),), layouts=("C",)),
    Record("vander", shapes=((), (3, 4)), layouts=("C",), raises=True),
)
COVERS = ("eye", "identity", "tri")
test_records = record_test(RECORDS + MORE)


@pytest.mark.parametrize("k", [0, 1, -2, 5, -7])
@pytest.mark.parametrize(("rows", "columns"), [(3, None), (3, 5), (5, 3), (0, 2)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_eye_and_tri(rows, columns, k, order):
    assert_same(gpunp.eye(rows, columns, k, "i4", order), np.eye(rows, columns, k, "i4", order))
    assert_same(gpunp.tri(rows, columns, k), np.tri(rows, columns, k))


def test_identity_and_like():
    like = gpunp.zeros(1)
    assert_same(np.identity(3, like=like), np.identity(3))
    assert_same(gpunp.identity(3), np.identity(3))
    assert_same(np.eye(2, like=like), np.eye(2))
    assert_same(np.tri(2, like=like), np.tri(2))


def test_meshgrid_indexing():
    with pytest.raises(ValueError, match="indexing"):
        np.meshgrid(gpunp.arange(2), indexing="no")


def test_diagonal_is_read_only():
    view = np.diag(gpunp.zeros((3, 3)))
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (1, 1), (3, 200), (200, 3), (2, 17, 33)])
def test_triangles_of_many_shapes(rng, shape):
    for dtype in ("u1", "i2", "f4", "f8", "c16"):
        host = rng.integers(1, 100, shape).astype(dtype)
        a = gpunp.asarray(host)
        for k in (-40, -2, 0, 1, 16, 300):
            assert_same(np.tril(a, k), np.tril(host, k))
            assert_same(np.triu(a, k), np.triu(host, k))
        assert_same(np.tril(a[..., ::-1, 1:], -1), np.tril(host[..., ::-1, 1:], -1))


FRACTIONS = (-10.5, -1.5, -0.5, 0.0, 0.5, 1.2, 2.7, np.float32(1.5))


@pytest.mark.parametrize("k", FRACTIONS)
def test_diagonals_by_fractions(k):
    check_call("xp.tri(4, 5, k)", own=True, k=k)
    check_call("xp.tri(2.5, k=k)", own=True, k=k)
    check_call("xp.triu_indices(4, k, 3)", own=True, k=k)
    for name in ("tril", "triu"):
        for shape in ((4, 4), (2, 5, 3), (3, 1), (4,)):
            check_call(f"xp.{name}(A(np.ones(shape)), k)", k=k, shape=shape)
