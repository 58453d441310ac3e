"""ILU(0) and IC(0): the factors against their definition, systems with them, and solvers that use them."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as splinalg

import gpunp
import gpunp_scipy
from gpunp_scipy.sparse.linalg import ic0, ilu0

DTYPES = ["f4", "f8", "c8", "c16"]


def matrix(n, dtype, *, hermitian, density=0.1):
    """A matrix with a dominant diagonal."""
    rng = np.random.default_rng(n)
    one, two, three = (sp.random_array((n, n), density=density, rng=rng) for _ in range(3))
    a = one - 0.5 * two
    if np.dtype(dtype).kind == "c":
        a = a + 1j * three
    if hermitian:
        a = a + a.conj().T
    a = a - sp.diags_array(a.diagonal()) + sp.diags_array(np.full(n, 4.0 + abs(a).sum(axis=1).max()))
    return sp.csr_array(a.astype(dtype))


def plane(n):
    line = sp.diags_array([-1.0, 2, -1], offsets=[-1, 0, 1], shape=(n, n))
    return sp.csr_array(sp.kronsum(line, line))


def ilu0_of(a):
    """The factors by the definition, in one dense array."""
    a, places = a.toarray(), a.toarray() != 0
    for i in range(len(a)):
        for k in np.flatnonzero(places[i, :i]):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= np.where(places[i, k + 1 :], a[i, k] * a[k, k + 1 :], 0)
    return np.tril(a, -1) + np.eye(len(a)), np.triu(a)


def ic0_of(a):
    a, places = np.tril(a.toarray()), np.tril(a.toarray()) != 0
    for i in range(len(a)):
        for j in np.flatnonzero(places[i, : i + 1]):
            rest = a[i, j] - a[i, :j] @ a[j, :j].conj()
            a[i, j] = np.sqrt(rest.real) if i == j else rest / a[j, j]
    return a


def on_device(a, **options):
    return gpunp_scipy.sparse.csr_array(a, **options)


def tolerance(dtype):
    return 1e-4 if np.dtype(dtype).char in "fF" else 1e-11


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 40, 150])
@pytest.mark.parametrize("factor", [ilu0, ic0])
def test_factors(device, factor, n, dtype, index):
    a = matrix(n, dtype, hermitian=factor is ic0)
    given = on_device(a)
    given.indptr, given.indices = given.indptr.astype(index), given.indices.astype(index)
    made = factor(given)
    L, U = made.L.get().toarray(), made.U.get().toarray()
    expected = ilu0_of(a) if factor is ilu0 else (ic0_of(a), ic0_of(a).conj().T)
    np.testing.assert_allclose(L, expected[0], atol=tolerance(dtype))
    np.testing.assert_allclose(U, expected[1], atol=tolerance(dtype) * 10)
    assert made.dtype == dtype
    np.testing.assert_array_equal(given.get().toarray(), a.toarray())
    product = (L @ U).astype("D")
    rng = np.random.default_rng(2)
    for shape in (n, (n, 1), (n, 3), (n, 0)):
        b = rng.random(shape)
        for trans, of in (("N", product), ("T", product.T), ("H", product.conj().T)):
            found = made.solve(gpunp.asarray(b), trans)
            assert found.shape == b.shape
            np.testing.assert_allclose(found.get(), np.linalg.solve(of, b), atol=tolerance(dtype))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_formats(device, form):
    a = plane(6)
    for factor in (ilu0, ic0):
        for kind in ("array", "matrix"):
            made = factor(getattr(gpunp_scipy.sparse, f"{form}_{kind}")(a.asformat(form)))
            expected = factor(on_device(a))
            np.testing.assert_array_equal(made.L.get().toarray(), expected.L.get().toarray())


def test_without_fill_factors_are_exact(device):
    a = sp.diags_array([[-1.0] * 99, [3.0] * 100, [-1.5] * 99], offsets=[-1, 0, 1]).tocsr()
    made = ilu0(on_device(a))
    b = np.random.default_rng(0).random(100)
    np.testing.assert_allclose(made.solve(gpunp.asarray(b)).get(), splinalg.spsolve(a.tocsc(), b))


def test_duplicates_order_and_integers(device):
    rows, columns = np.array([0, 0, 1, 1, 2, 2, 0]), np.array([1, 0, 1, 0, 2, 0, 0])
    data = np.array([1, 2, 7, 3, 5, 1, 2])
    a = sp.coo_array((data, (rows, columns)), shape=(3, 3))
    indptr = np.array([0, 3, 5, 7])
    order = np.argsort(rows, kind="stable")
    given = tuple(map(gpunp.asarray, (data[order], columns[order], indptr)))
    made = ilu0(on_device(given, shape=(3, 3)))
    assert made.dtype == float
    expected = ilu0_of(a.tocsr().astype(float))
    np.testing.assert_allclose(made.L.get().toarray(), expected[0])
    np.testing.assert_allclose(made.U.get().toarray(), expected[1])


def test_complex_sides_of_real_matrices(device):
    made = ic0(on_device(plane(4)))
    b = np.arange(16) * (1 + 2j)
    product = (made.L.get() @ made.U.get()).toarray()
    np.testing.assert_allclose(made.solve(gpunp.asarray(b)).get(), np.linalg.solve(product, b))


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize(("name", "factor"), [("cg", ic0), ("cg", ilu0), ("bicgstab", ilu0), ("gmres", ilu0)])
def test_solvers_need_fewer_steps(device, name, factor, dtype):
    a = on_device(plane(30).astype(dtype))
    b = gpunp.asarray(np.random.default_rng(0).random(900).astype(dtype))
    solver = getattr(splinalg, name)
    M = factor(a)
    few = {"maxiter": 30} | ({"restart": 30, "maxiter": 2} if name == "gmres" else {})
    x, info = solver(a, b, M=M, rtol=1e-5, **few)
    assert info == 0
    assert solver(a, b, rtol=1e-5, **few)[1] != 0
    assert float(np.linalg.norm(b - a @ x)) <= 2e-5 * float(np.linalg.norm(b))


def test_operators(device):
    """They are SciPy's operators, whose adjoint solvers such as bicg use."""
    a = on_device(matrix(60, "f8", hermitian=False))
    M = ilu0(a)
    assert isinstance(M, splinalg.LinearOperator)
    b = gpunp.ones(60)
    x, info = splinalg.bicg(a, b, M=M)
    assert info == 0
    assert float(np.linalg.norm(b - a @ x)) <= 1e-4 * np.sqrt(60)


def test_nothing(device):
    for factor in (ilu0, ic0):
        made = factor(on_device(sp.csr_array((0, 0))))
        assert made.solve(gpunp.ones(0)).shape == (0,)


BAD = [
    (lambda: gpunp.ones((2, 2)), TypeError, "must be a sparse"),
    (lambda: on_device(sp.csr_array((2, 3))), ValueError, "square"),
    (lambda: on_device(sp.csr_array((3, 3))), RuntimeError, "row 0 has no entry"),
    (lambda: on_device(sp.csr_array([[1.0, 1], [1, 0]])), RuntimeError, "row 1 has no entry"),
]


@pytest.mark.parametrize("factor", [ilu0, ic0])
@pytest.mark.parametrize(("make", "error", "text"), BAD)
def test_bad_matrices(device, factor, make, error, text):
    with pytest.raises(error, match=text):
        factor(make())


def test_bad_pivots(device):
    with pytest.raises(RuntimeError, match="pivot of row 1 is 0"):
        ilu0(on_device(sp.csr_array([[1.0, 1], [1, 1]])))
    with pytest.raises(np.linalg.LinAlgError, match="row 1 is not positive"):
        ic0(on_device(sp.csr_array([[1.0, 2], [2, 1]])))
    made = ic0(on_device(plane(2)))
    with pytest.raises(ValueError, match="first axis"):
        made.solve(gpunp.ones(5))
    with pytest.raises(ValueError, match="trans"):
        made.solve(gpunp.ones(4), "X")
