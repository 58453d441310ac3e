"""Sparse arrays and matrices on the device, each operation against SciPy's on the host."""

import operator
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from solvers import Waits
from sparse_arrays import FORMATS, KINDS, assert_same, check, dense, host_sparse, on_device

import gpunp
import gpunp_scipy
from gpunp_scipy.sparse.methods import DeviceSparse

pytestmark = pytest.mark.usefixtures("functions")

UNARY = {
    "abs": abs,
    "astype": lambda a: a.astype("c16"),
    "conj": lambda a: a.conj(),
    "copy": lambda a: a.copy(),
    "count_nonzero": lambda a: a.count_nonzero(),
    "diagonal": lambda a: a.diagonal(1),
    "imag": lambda a: a.imag,
    "max": lambda a: a.max(),
    "mean": lambda a: a.mean(),
    "mean of columns": lambda a: a.mean(axis=0),
    "min of rows": lambda a: a.min(axis=1),
    "max of columns": lambda a: a.max(axis=0),
    "negative": lambda a: -a,
    "nonzero": lambda a: tuple(np.sort(each) for each in a.nonzero()),
    "not equal to a number": lambda a: a != 2,
    "greater than a number": lambda a: a > 1,
    "equal to zero": lambda a: a == 0,
    "power": lambda a: a.power(2),
    "reshape": lambda a: a.reshape(12, 4),
    "round": lambda a: round(a),
    "sin": np.sin,
    "sqrt of squares": lambda a: np.sqrt(a.multiply(a)),
    "sum": lambda a: a.sum(),
    "sum of columns": lambda a: a.sum(axis=0),
    "sum of rows": lambda a: a.sum(axis=1),
    "times a number": lambda a: a * 3,
    "over a number": lambda a: a / 2,
    "toarray": lambda a: a.toarray(),
    "toarray in Fortran order": lambda a: a.toarray(order="F"),
    "todense": lambda a: np.asarray(a.todense()) if isinstance(a.todense(), np.matrix) else a.todense(),
    "trace": lambda a: a.trace(),
    "transpose": lambda a: a.T,
    "gram": lambda a: a.T @ a,
    "tril": lambda a: sp.tril(a, k=1),
    "triu": lambda a: sp.triu(a, format="csr"),
    "find": lambda a: sp.find(a.tocsr()),
    "hstack": lambda a: sp.hstack([a, a]),
    "vstack": lambda a: sp.vstack([a, a, a], format="csc"),
    "kron": lambda a: sp.kron(a, a),
    "block_diag": lambda a: sp.block_diag((a, a)),
    "bmat": lambda a: sp.bmat([[a, None], [None, a]]),
    "block_array": lambda a: sp.block_array([[a, a], [None, a]], format="csr"),
    **{f"to {name}": lambda a, name=name: a.asformat(name) for name in FORMATS},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", UNARY)
def test_unary(device, name, form, kind):
    for dtype in ("f8", "c8", "i4") if "max" not in name and "min" not in name else ("f8",):
        check(UNARY[name], host_sparse(f"{form}_{kind}", dtype=dtype))


BINARY = {
    "plus": lambda a, b: a + b,
    "minus": lambda a, b: a - b,
    "multiply": lambda a, b: a.multiply(b),
    "over": lambda a, b: a / b,
    "maximum": lambda a, b: a.maximum(b),
    "minimum": lambda a, b: a.minimum(b),
    "less": lambda a, b: a < b,
    "not equal": lambda a, b: a != b,
    "matmul": lambda a, b: a @ b.T,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("second", FORMATS)
@pytest.mark.parametrize("first", FORMATS)
def test_binary(device, first, second, kind):
    a, b = host_sparse(f"{first}_{kind}"), host_sparse(f"{second}_{kind}", seed=3)
    for function in BINARY.values():
        check(function, a, b)


DENSE = {
    "vector": lambda a, x, y: a @ x,
    "column": lambda a, x, y: a @ x[:, None],
    "columns": lambda a, x, y: a @ y,
    "left": lambda a, x, y: x[:6] @ a,
    "rows": lambda a, x, y: y[:6].T @ a,
    "multiply": lambda a, x, y: a.multiply(x),
    "plus": lambda a, x, y: np.asarray(a + a.toarray()) if isinstance(x, np.ndarray) else a + a.toarray(),
    "dot": lambda a, x, y: a.dot(x),
    "wrong length": lambda a, x, y: a @ x[:5],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMATS)
def test_with_dense(device, form, kind):
    rng = np.random.default_rng(5)
    for dtype in ("f4", "f8", "c16"):
        a = host_sparse(f"{form}_{kind}", dtype=dtype)
        for function in DENSE.values():
            check(function, a, rng.random(8), rng.random((8, 3)))


INDEXING = {
    "element": lambda a: a[2, 3],
    "row": lambda a: a[[3]],
    "rows": lambda a: a[1:5],
    "rows in steps": lambda a: a[::-2],
    "columns": lambda a: a[:, 2:6],
    "columns in steps": lambda a: a[:, ::3],
    "part": lambda a: a[1:4, 2:7],
    "chosen rows": lambda a: a[[4, 0, 4]],
    "chosen columns": lambda a: a[:, [7, 1, 1]],
    "places": lambda a: a[[0, 2, 5], [1, 1, 6]],
    "grid": lambda a: a[[[0], [2]], [1, 3, 5]],
    "too far": lambda a: a[9, 0],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("name", INDEXING)
def test_indexing(device, name, form, kind):
    check(INDEXING[name], host_sparse(f"{form}_{kind}"))


def test_indexing_of_one_axis(device):
    host = sp.csr_array(np.arange(12.0) % 4)
    for key in ([1, 3], [[1, 2], [5, 3]], slice(2, 9), 7, -1):
        check(lambda a, key=key: a[key], host)
    for wrong in ("foo", 12):
        with pytest.raises(IndexError, match="Index dimension" if wrong == "foo" else "out of"):
            on_device(host)[wrong]


def _assigned(place, value):
    def assign(a):
        a = a.copy()
        a[place] = value
        return a

    return assign


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_assignment(device, form):
    for place, value in (
        ((2, 3), 7.0),
        ((slice(1, 3), slice(2, 5)), 4.0),
        (([0, 2], [1, 1]), 9.0),
        ((slice(None), 3), 0.0),
        (([1, 1, 5], [7, 0, 2]), [1.0, 2.0, 3.0]),
    ):
        check(_assigned(place, value), host_sparse(f"{form}_array"))

    def set_diagonal(a):
        a = a.copy()
        a.setdiag(5, k=1)
        return a

    check(set_diagonal, host_sparse(f"{form}_array"))


def test_boolean_masks(device):
    host = host_sparse()
    found = on_device(host)[gpunp.asarray(np.arange(6) % 2 == 0)]
    assert_same(found, host[np.arange(6) % 2 == 0])


@pytest.mark.parametrize("kind", KINDS)
def test_construction_from_parts(device, kind):
    host = host_sparse(f"csr_{kind}")
    coo = host.tocoo()
    parts = [gpunp.asarray(each) for each in (host.data, host.indices, host.indptr)]
    made = getattr(sp, f"csr_{kind}")(tuple(parts), shape=host.shape)
    assert type(made) is getattr(gpunp_scipy.sparse, f"csr_{kind}")
    assert made.device == device
    assert_same(made, host)
    doubled = [gpunp.asarray(np.tile(each, 2)) for each in (coo.data, coo.row, coo.col)]
    for name in ("csr", "csc", "coo"):
        made = getattr(sp, f"{name}_{kind}")((doubled[0], (doubled[1], doubled[2])), shape=host.shape)
        assert_same(made, getattr(sp, f"{name}_{kind}")(host * 2))
    for name in FORMATS:
        cls = getattr(sp, f"{name}_{kind}")
        assert_same(cls(gpunp.asarray(host.toarray())), cls(host.toarray()))
        assert_same(cls(on_device(host)), cls(host))


def test_errors_of_parts(device):
    data, indices = gpunp.ones(3), gpunp.asarray([0, 1, 2])
    with pytest.raises(ValueError, match="index pointer should start with 0"):
        sp.csr_array((data, indices, gpunp.asarray([1, 3])), shape=(1, 3))
    with pytest.raises(ValueError, match="index pointer size"):
        sp.csr_array((data, indices, gpunp.asarray([0, 3])), shape=(2, 3))
    with pytest.raises(ValueError, match="Last value of index pointer"):
        sp.csr_array((data, indices, gpunp.asarray([0, 4])), shape=(1, 3))
    with pytest.raises(ValueError, match="exceeds matrix dimension"):
        sp.coo_array((data, (indices, indices)), shape=(3, 2))
    with pytest.raises(ValueError, match="negative axis 0 index"):
        sp.coo_array((data, (indices - 1, indices)), shape=(3, 3))
    with pytest.raises(ValueError, match="indices must be < 2"):
        sp.csr_array((data, indices, gpunp.asarray([0, 3])), shape=(1, 2)).check_format()


def test_copies_and_pickles(device):
    for form in FORMATS:
        host = host_sparse(f"{form}_matrix")
        found = on_device(host)
        back = found.get()
        assert type(back) is type(host)
        np.testing.assert_array_equal(back.toarray(), host.toarray())
        assert repr(found) == repr(host)
        loaded = pickle.loads(pickle.dumps(found))
        assert type(loaded) is type(found)
        assert_same(loaded, host)
        assert found.tolil().format == "lil"
        np.testing.assert_array_equal(found.todok().toarray(), host.toarray())


def test_derived_classes(device):
    class Named(sp.csr_array):
        pass

    made = Named(gpunp.asarray(np.eye(3)))
    assert isinstance(made, Named)
    assert isinstance(made, DeviceSparse)
    np.testing.assert_array_equal(dense(made @ gpunp.arange(3.0)), np.arange(3.0))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_host_and_device_do_not_mix(device, form):
    host = host_sparse(f"{form}_array", shape=(6, 6))
    found, x = on_device(host), np.ones(6)
    for mixed in (
        lambda: host + found,
        lambda: found + host,
        lambda: host @ found,
        lambda: found @ host,
        lambda: found @ x,
        lambda: x @ found,
        lambda: host.tocsc() - found,
        lambda: found.multiply(host.toarray()),
    ):
        with pytest.raises(TypeError):
            mixed()
    # Numbers are not arrays.
    assert_same(found * np.float64(2), host * 2)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia", "bsr", "lil", "dok"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "matmul", "truediv", "lt", "ne"])
def test_arrays_on_the_host_of_any_format_do_not_mix(device, form, name):
    host = host_sparse("csr_array", shape=(6, 6))
    call = getattr(operator, name)
    for one, other in ((host.asformat(form), on_device(host)), (on_device(host), host.asformat(form))):
        with pytest.raises(TypeError):
            call(one, other)


def test_made_on_the_device(device):
    ours = gpunp_scipy.sparse
    assert_same(ours.eye_array(4, 5, k=1, format="csr"), sp.eye_array(4, 5, k=1, format="csr"))
    assert_same(ours.identity(3, format="csr"), sp.identity(3, format="csr"))
    assert_same(
        ours.random_array((9, 7), density=0.3, rng=np.random.default_rng(1), format="csr"),
        sp.random_array((9, 7), density=0.3, rng=np.random.default_rng(1), format="csr"),
    )
    diagonals = np.arange(1.0, 5), np.ones(3)
    expected = sp.diags_array(diagonals, offsets=[0, 1], shape=(4, 4))
    found = sp.diags_array([gpunp.asarray(each) for each in diagonals], offsets=[0, 1], shape=(4, 4))
    assert_same(found, expected)
    a, b = host_sparse("csr_array", (3, 3)), host_sparse("csr_array", (4, 4), seed=2)
    assert_same(sp.kronsum(on_device(a), on_device(b)), sp.kronsum(a, b))


def test_more_than_two_axes(device):
    rng = np.random.default_rng(7)
    values = rng.integers(-3, 4, (3, 4, 5)) * (rng.random((3, 4, 5)) < 0.4)
    host, found = sp.coo_array(values * 1.0), sp.coo_array(gpunp.asarray(values * 1.0))
    x = rng.random(5)
    assert_same(found.toarray(), host.toarray())
    assert_same(found @ gpunp.asarray(x), host @ x)
    assert_same(found.sum(axis=1), host.sum(axis=1))
    assert_same(found.transpose((2, 0, 1)), host.transpose((2, 0, 1)))
    y = rng.random((3, 5, 2))
    assert_same(found @ gpunp.asarray(y), host @ y)


def test_empty(device):
    for shape in ((0, 4), (4, 0), (3, 5)):
        for form in FORMATS[:3]:
            host = getattr(sp, f"{form}_array")(shape)
            found = on_device(host)
            assert found.nnz == 0
            for function in (lambda a: a + a, lambda a: a.T, lambda a: a.sum(axis=0), lambda a: a.tocsr()):
                assert_same(function(found), function(host))
            assert_same(found @ gpunp.ones(shape[1]), host @ np.ones(shape[1]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_of_extremes(device, name, kind):
    rng = np.random.default_rng(11)
    for density in (0.2, 0.6, 1.0):
        values = rng.integers(-3, 4, (12, 5)) * (rng.random((12, 5)) < density)
        values[3] = abs(values[3]) + 1
        values[4] = -values[3]
        host = getattr(sp, f"csr_{kind}")(values.astype(float))
        host.data[::7] = 0
        for axis in (None, 0, 1):
            check(lambda a, axis=axis: np.asarray(getattr(a, name)(axis=axis).tolist()), host)
            if axis is not None:
                check(lambda a, x=axis: np.asarray(getattr(a, name)(axis=x, explicit=True).tolist()), host)
    host.data[2] = np.nan
    check(lambda a: np.asarray(getattr(a, name)(axis=1).tolist()), host)


def test_duplicate_blocks(device):
    data, indices, indptr = np.arange(24.0).reshape(4, 2, 3), np.array([1, 0, 1, 1]), np.array([0, 3, 4])
    host = sp.bsr_array((data, indices, indptr), shape=(4, 6))
    found = sp.bsr_array(tuple(gpunp.asarray(each) for each in (data, indices, indptr)), shape=(4, 6))
    found.sum_duplicates()
    host.sum_duplicates()
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, name).get(), getattr(host, name))


def test_many_new_entries(device):
    host = host_sparse("csr_array", (40, 30), density=0.1)
    rng = np.random.default_rng(12)
    i, j, x = rng.integers(0, 40, 80), rng.integers(0, 30, 80), rng.random(80)
    check(_assigned((i, j), x), host)


@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
def test_products_of_columns_again(device):
    """The order of the entries by rows is kept; it must not be used after the entries have changed."""
    host = host_sparse("csc_array", (30, 20))
    x = np.random.default_rng(3).random((20, 2))
    found, right = on_device(host), gpunp.asarray(x)
    for _ in range(2):
        assert_same(found @ right, host @ x)
        assert_same(found.tocsr().T.T @ right, host @ x)
        assert_same(right.T @ found.T, x.T @ host.T)
    found.data *= 2
    assert_same(found @ right, host @ x * 2)
    unsorted = sp.csc_array((host.data, host.indices[::-1].copy(), host.indptr), shape=host.shape)
    found = on_device(unsorted)
    for change in (lambda a: a, lambda a: a.sort_indices(), lambda a: a.sum_duplicates()):
        shared = sp.csc_array((found.data, found.indices, found.indptr), shape=host.shape)
        change(found)
        assert_same(found @ right[:, 0], unsorted @ x[:, 0])
        assert_same(shared @ right[:, 0], unsorted @ x[:, 0])
    found.data[:3] = 0
    found.eliminate_zeros()
    assert_same(found @ right, found.get() @ x)
    found.resize(25, 20)
    assert_same(found @ right, found.get() @ x)
    found[3, 4] = 9.0
    assert_same(found @ right, found.get() @ x)


WAITS = {
    "product": (0, lambda a, x: a @ x),
    "products": (0, lambda a, x: a @ x[:, None]),
    "of columns": (0, lambda a, x: a.T @ x),
    "times": (0, lambda a, x: a * 2),
    "sine": (0, lambda a, x: np.sin(a)),
    "transpose": (0, lambda a, x: a.T),
    "dense": (0, lambda a, x: a.toarray()),
    "diagonal": (0, lambda a, x: a.diagonal()),
    "sum": (0, lambda a, x: a.sum()),
    "parts": (1, lambda a, x: sp.csr_array((a.data, a.indices, a.indptr), shape=a.shape)),
    "to columns": (1, lambda a, x: a.tocsc()),
    "extremes": (12, lambda a, x: a.argmax(axis=1)),
}


@pytest.mark.parametrize("name", WAITS)
def test_waits(device, name):
    found, x = on_device(host_sparse("csr_array", (8, 8))), gpunp.ones(8)
    found.sum_duplicates()
    most, function = WAITS[name]
    function(found, x)
    with Waits(device) as waits:
        function(found, x)
    assert waits.count <= most


def test_norms_and_powers(device):
    from scipy.sparse import linalg

    host = host_sparse("csr_array", (7, 7))
    for order in (None, 1, np.inf):
        check(lambda a, order=order: linalg.norm(a, order), host)
    check(lambda a: linalg.norm(a, axis=1), host)
    check(lambda a: linalg.matrix_power(a, 3), host)
    check(lambda a: a**2, host_sparse("csr_matrix", (7, 7)))
