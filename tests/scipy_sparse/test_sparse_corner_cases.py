"""Rare forms of calls of sparse arrays, against SciPy and NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as splinalg
from scipy.sparse import csgraph
from sparse_arrays import on_device

import gpunp
import gpunp_scipy


def dense(shape):
    x = np.arange(np.prod(shape), dtype=float).reshape(shape) % 5 - 1
    x[..., ::3] = 0
    return x


ROWS = {"numbers": np.array([2, 0, 0]), "mask": np.array([0, 1, 0, 1], bool), "nothing": np.array([], int)}
COLUMNS = [
    *(slice(None, None, k) for k in (-2, -1, 2, 3)),
    slice(4, None, -1),
    slice(3, 1, -1),
    slice(0, 0, 2),
]


@pytest.mark.parametrize("columns", COLUMNS, ids=str)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("form", ["csr_array", "csc_array", "coo_array", "csr_matrix", "csc_matrix"])
def test_rows_and_columns_with_steps(device, form, rows, columns):
    """All the rows in all the columns; SciPy pairs them in a csr array."""
    x = dense((4, 5))
    found = on_device(getattr(sp, form)(x))[gpunp.asarray(ROWS[rows]), columns]
    np.testing.assert_array_equal(found.toarray().get(), x[ROWS[rows]][:, columns])


MORE_AXES = {
    "sum": lambda a, x: a + a,
    "difference": lambda a, x: a - 3 * a,
    "product": lambda a, x: a @ x,
    "product of two": lambda a, x: a @ sp.coo_array(a.transpose((0, 2, 1))),
    "wider": lambda a, x: a._broadcast_to((3, *a.shape)),
    "wider in the middle": lambda a, x: a.reshape((a.shape[0], 1, -1))._broadcast_to((a.shape[0], 2, 6)),
}


@pytest.mark.parametrize("case", MORE_AXES)
@pytest.mark.parametrize("shape", [(2, 3, 2), (1, 3, 2), (2, 2, 3)])
def test_three_axes(device, case, shape):
    a, x = sp.coo_array(dense(shape)), dense((shape[-1], 2))
    expected = MORE_AXES[case](a, x)
    found = MORE_AXES[case](on_device(a), gpunp.asarray(x))
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    expected = expected.toarray() if sp.issparse(expected) else expected
    found = found.toarray() if sp.issparse(found) else found
    np.testing.assert_array_equal(found.get(), expected)


def test_product_with_a_stack_of_matrices(device):
    a, x = sp.coo_array(dense((4, 3))), dense((2, 3, 2))
    np.testing.assert_array_equal((on_device(a) @ gpunp.asarray(x)).get(), a @ x)


@pytest.mark.parametrize("key", [(slice(-2, 2), 3), (-1, slice(-1, 0))], ids=str)
def test_assignment_to_no_place(device, key):
    """SciPy keeps the coordinates as a list then; they can be downloaded all the same."""
    a = sp.coo_array(dense((4, 5)))
    found = on_device(a)
    found[key] = 3
    np.testing.assert_array_equal(found.toarray().get(), a.toarray())
    np.testing.assert_array_equal(found.get().toarray(), a.toarray())


@pytest.mark.parametrize("form", ["csr_array", "csc_matrix", "coo_array"])
def test_inverse_of_one_number(device, direct_solver, form):
    a = getattr(sp, form)(np.array([[4.0]]))
    expected, found = splinalg.inv(a.tocsc()), splinalg.inv(on_device(a.tocsc()))
    assert type(found) is gpunp.ndarray
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize(
    "options", [{}, {"normed": True}, {"symmetrized": True}, {"use_out_degree": True}], ids=str
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_laplacian_of_a_dense_graph(device, order, options):
    graph = np.array([[1.0, 2, 0], [0, 0, 3], [4, 1, 0]], order=order)
    expected = csgraph.laplacian(graph, **options)
    np.testing.assert_allclose(csgraph.laplacian(gpunp.asarray(graph), **options).get(), expected)


@pytest.mark.parametrize("form", ["csr_array", "bsr_matrix", "dia_array", "coo_array"])
def test_blocks_along_the_diagonal(device, form):
    blocks = [getattr(sp, form)(dense(shape)) for shape in ((2, 3), (4, 1))]
    expected = sp.block_diag(blocks)
    found = sp.block_diag([on_device(block) for block in blocks])
    assert (found.format, found.dtype) == (expected.format, expected.dtype)
    np.testing.assert_array_equal(found.toarray().get(), expected.toarray())


@pytest.mark.parametrize("name", ["floyd_warshall", "shortest_path", "dijkstra", "johnson", "bellman_ford"])
def test_paths_of_a_dense_graph_in_fortran_order(device, name):
    """SciPy's floyd_warshall only prints an error there, and returns the graph."""
    graph = np.array([[0, 1.0, 0], [0, 0, 2], [4, 0, 0]])
    found = getattr(csgraph, name)(gpunp.asarray(np.asfortranarray(graph)))
    np.testing.assert_array_equal(found.get(), getattr(csgraph, name)(graph))


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_assertions_of_numpy(device):
    """They get a copy on the host, with which they do what they do with SciPy's arrays."""
    host = sp.csr_array(np.eye(3))
    a = on_device(host)
    for name in ("assert_equal", "assert_array_equal", "assert_allclose"):
        with pytest.raises((ValueError, TypeError)) as expected:
            getattr(np.testing, name)(host, host)
        with pytest.raises(expected.type):
            getattr(np.testing, name)(a, a)
    np.testing.assert_equal(a.nnz, 3)


def test_dense_blocks(device):
    """Arrays beside sparse ones are blocks; of one axis they are rows."""
    a, row, column = sp.csr_array(dense((2, 3))), np.arange(3.0), np.ones((2, 1))
    for function, *blocks in (
        (sp.vstack, a, row),
        (sp.vstack, a, row[None]),
        (sp.hstack, a, column),
        (sp.hstack, a.tocoo(), column, column),
        (lambda blocks: sp.block_array([blocks, blocks]), a, column),
    ):
        expected = function(blocks)
        found = function([on_device(each) for each in blocks])
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found.toarray().get(), expected.toarray())


def test_products_without_entries(device):
    """As in SciPy, their indices are int32."""
    wide = sp.csr_array((np.ones(2), np.array([0, 3], "i8"), np.array([0, 1, 2], "i8")), shape=(2, 5))
    for a, b in (
        (wide, sp.csr_array((5, 3))),
        (sp.csr_array((4, 2)), wide),
        (wide.tocsc(), sp.csc_array((5, 3))),
    ):
        found, expected = on_device(a) @ on_device(b), a @ b
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
        assert found.indptr.dtype == expected.indptr.dtype


@pytest.mark.parametrize("name", ["coo_array", "csr_array", "csc_matrix"])
def test_dtypes_that_results_cannot_have(device, name):
    """The square root of a truth value is float16."""
    a = getattr(sp, name)(np.eye(3, dtype=bool))
    for each in (a, on_device(a)):
        with pytest.raises(ValueError, match="float16"):
            each.sqrt()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("form", ["coo", "dia"])
def test_products_with_what_is_not_finite(device, functions, form, value):
    """Stored zeros of coordinates give 0 with any number; diagonals end at the edges of the array."""
    a = sp.coo_array(([0.0, 2.0, 1.0], ([0, 1, 2], [0, 1, 0])), shape=(4, 5)).asformat(form)
    x = np.arange(5.0)
    x[[0, 2]] = value
    for other in (x, np.stack([x, x[::-1]], axis=1)):
        np.testing.assert_array_equal((on_device(a) @ gpunp.asarray(other)).get(), a @ other)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_index_dtype_of_a_product_of_nothing(device, functions, form):
    parts = np.array([1.0]), np.array([1]), np.array([0, 1, 1])
    a = sp.csr_array(parts, shape=(2, 2)).asformat(form)
    expected, found = a @ a, on_device(a) @ on_device(a)
    assert (found.indices.dtype, found.indptr.dtype) == (expected.indices.dtype, expected.indptr.dtype)
    assert found.nnz == expected.nnz == 0


def test_product_of_blocks_of_one_number_without_zeros(device, functions):
    a = sp.bsr_array((np.zeros((1, 1, 1)), [0], [0, 1]), shape=(1, 1))
    assert (on_device(a) @ on_device(a)).nnz == (a @ a).nnz == 0


@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_diagonals_one_by_one(device, kind):
    d = np.arange(6.0) + 1
    x = gpunp.asarray(d)
    expected = getattr(sp, f"dia_{kind}")(((d, 2 * d, d[::-1]), (-3, 0, 2)), shape=(6, 6))
    found = getattr(gpunp_scipy.sparse, f"dia_{kind}")(((x, 2 * x, x[::-1]), (-3, 0, 2)), shape=(6, 6))
    np.testing.assert_array_equal(found.get().data, expected.data)
    np.testing.assert_array_equal(found.get().offsets, expected.offsets)
    with pytest.raises(ValueError, match="number of diagonals"):
        getattr(gpunp_scipy.sparse, f"dia_{kind}")(([x, x], [0]), shape=(6, 6))
