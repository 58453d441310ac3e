"""Direct solvers of ``scipy.sparse.linalg`` with arrays on the device, against SciPy's on the host."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as splinalg
from sparse_arrays import on_device

import gpunp
import gpunp_scipy

N = 50
DTYPES = ["f", "d", "F", "D"]
TOLERANCES = {"f": 1e-4, "F": 1e-4, "d": 1e-11, "D": 1e-11}


pytestmark = pytest.mark.usefixtures("direct_solver")


def matrix(dtype="d", form="csc"):
    rng = np.random.default_rng(2)
    a = sp.random_array((N, N), density=0.1, rng=rng) + 5 * sp.eye_array(N)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * sp.random_array((N, N), density=0.1, rng=rng)
    return a.astype(dtype).asformat(form)


def right_side(dtype="d", columns=None):
    rng = np.random.default_rng(3)
    shape = N if columns is None else (N, columns)
    b = rng.normal(size=shape)
    return (b + 1j * rng.normal(size=shape) if np.dtype(dtype).kind == "c" else b).astype(dtype)


def assert_same(found, expected, dtype):
    assert type(found) is gpunp.ndarray
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.get(), expected, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", ["csc", "csr", "coo"])
@pytest.mark.parametrize("columns", [None, 1, 3])
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_spsolve(columns, form, dtype, device):
    a, b = matrix(dtype, form), right_side(dtype, columns)
    x = on_device(a)
    assert_same(splinalg.spsolve(x, on_device(b)), splinalg.spsolve(a, b), dtype)
    # Right sides on the host, of other dtypes and orders.
    assert_same(gpunp_scipy.sparse.linalg.spsolve(x, b), splinalg.spsolve(a, b), dtype)
    integers = np.arange(N)
    assert_same(splinalg.spsolve(x, on_device(integers)), splinalg.spsolve(a, integers), dtype)
    if columns == 3:
        b = np.asfortranarray(b)
        assert_same(splinalg.spsolve(x, on_device(b)), splinalg.spsolve(a, b), dtype)


@pytest.mark.parametrize("order", ["NATURAL", "MMD_ATA", "MMD_AT_PLUS_A", "COLAMD"])
def test_orders(order, device):
    a, b = matrix(), right_side()
    expected = splinalg.spsolve(a, b, permc_spec=order)
    assert_same(splinalg.spsolve(on_device(a), on_device(b), permc_spec=order), expected, "d")
    assert_same(splinalg.splu(on_device(a), permc_spec=order).solve(on_device(b)), expected, "d")


@pytest.mark.parametrize("form", ["csc", "csr"])
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_sparse_right_sides(form, device):
    a = matrix(form=form)
    b = sp.random_array((N, 4), density=0.2, rng=np.random.default_rng(4)).tocsc()
    found, expected = splinalg.spsolve(on_device(a), on_device(b)), splinalg.spsolve(a, b)
    assert found.format == expected.format
    assert isinstance(found, type(expected))
    np.testing.assert_allclose(found.get().toarray(), expected.toarray(), atol=1e-12)
    inverse = splinalg.inv(on_device(a))
    assert inverse.format == form
    np.testing.assert_allclose((inverse @ on_device(a)).toarray().get(), np.eye(N), atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("trans", ["N", "T", "H"])
@pytest.mark.parametrize("columns", [None, 1, 3])
def test_splu(columns, trans, dtype, device):
    a, b = matrix(dtype), right_side(dtype, columns)
    factors, expected = splinalg.splu(on_device(a)), splinalg.splu(a)
    assert factors.shape == expected.shape
    assert factors.nnz > 0
    assert_same(factors.solve(on_device(b), trans), expected.solve(b, trans), dtype)
    # The factors are used again.
    assert_same(factors.solve(on_device(2 * b), trans), expected.solve(2 * b, trans), dtype)


def test_parts_of_factors(device):
    a = matrix()
    factors, expected = splinalg.splu(on_device(a)), splinalg.splu(a)
    if not device.is_cpu:
        with pytest.raises(AttributeError, match="cuDSS keeps"):
            factors.L  # noqa: B018
        return
    for name in ("L", "U"):
        assert (getattr(factors, name).get() != getattr(expected, name)).nnz == 0
    for name in ("perm_r", "perm_c"):
        np.testing.assert_array_equal(getattr(factors, name).get(), getattr(expected, name))
    assert factors.nnz == expected.nnz


def test_pivots(device):
    """A matrix with zeros on the diagonal needs exchanges of rows."""
    a = matrix(form="csr")[np.random.default_rng(9).permutation(N)].tocsc()
    b = right_side()
    factors = splinalg.splu(on_device(a))
    for trans in "NT":
        assert_same(factors.solve(on_device(b), trans), splinalg.splu(a).solve(b, trans), "d")


def test_factorized(device):
    a, b = matrix(), right_side()
    solve = splinalg.factorized(on_device(a))
    assert_same(solve(on_device(b)), splinalg.factorized(a)(b), "d")


def test_spilu(device):
    a, b = matrix(), right_side()
    if not device.is_cpu:
        with pytest.raises(TypeError, match="SuperLU"):
            splinalg.spilu(on_device(a))
        return
    found, expected = splinalg.spilu(on_device(a), drop_tol=0.1), splinalg.spilu(a, drop_tol=0.1)
    assert_same(found.solve(on_device(b)), expected.solve(b), "d")
    inverse = splinalg.LinearOperator(a.shape, matvec=found.solve, dtype=a.dtype)
    x, info = splinalg.gmres(on_device(a), on_device(b), M=inverse, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(a @ x.get(), b, atol=1e-8)


SINGULAR = {
    "zero": sp.csc_array((3, 3)),
    "row": sp.csc_array(np.diag([1.0, 0, 2])),
    "explicit": sp.csc_array((np.array([1.0, 0, 2]), np.arange(3), np.arange(4)), shape=(3, 3)),
    "dependent": sp.csc_array(np.array([[1.0, 2, 0], [2, 4, 0], [0, 0, 1]])),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_singular(name, device):
    a = on_device(SINGULAR[name])
    with pytest.raises(RuntimeError, match="singular"):
        splinalg.splu(a)
    with pytest.warns(splinalg.MatrixRankWarning, match="singular"):
        x = splinalg.spsolve(a, gpunp.ones(3))
    assert np.isnan(x.get()).all()


ERRORS = [
    ("spsolve", sp.csc_array((3, 4)), np.ones(3), ValueError, "square"),
    ("spsolve", sp.eye_array(3).tocsc(), np.ones(4), ValueError, "mismatch"),
    ("spsolve_triangular", sp.csc_array((3, 4)), np.ones(3), ValueError, "square"),
    ("spsolve_triangular", sp.eye_array(3).tocsc(), np.ones(4), ValueError, "dimension"),
    ("spsolve_triangular", sp.eye_array(3).tocsc(), np.ones((3, 1, 1)), ValueError, "dims"),
    ("spsolve_triangular", sp.csc_array((3, 3)), np.ones(3), np.linalg.LinAlgError, "zero entry on diagonal"),
]


@pytest.mark.parametrize(("name", "a", "b", "error", "match"), ERRORS)
def test_errors(name, a, b, error, match, device):
    with pytest.raises(error, match=match):
        getattr(splinalg, name)(on_device(a), on_device(b))


def test_errors_of_factors(device):
    with pytest.raises(ValueError, match="square"):
        splinalg.splu(on_device(sp.csc_array((3, 4))))
    with pytest.raises(ValueError, match="ColPerm"):
        splinalg.splu(on_device(matrix()), permc_spec="other")
    factors = splinalg.splu(on_device(matrix()))
    with pytest.raises(ValueError, match="trans"):
        factors.solve(gpunp.ones(N), "X")
    with pytest.raises(ValueError, match="incompatible size"):
        factors.solve(gpunp.ones(3))
    with pytest.raises(TypeError, match="safe"):
        factors.solve(gpunp.ones(N, "D"))
    with pytest.raises(TypeError, match="sparse"):
        gpunp_scipy.sparse.linalg.inv(gpunp.eye(3))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", ["csc", "csr"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("columns", [None, 1, 3])
def test_triangular(columns, unit, lower, form, dtype, device):
    a = (sp.tril if lower else sp.triu)(matrix(dtype)).asformat(form)
    b = right_side(dtype, columns)
    options = {"lower": lower, "unit_diagonal": unit}
    if unit:
        # The entries beside the diagonal grow solutions.
        a = a * np.dtype(dtype).type(0.1)
    x = on_device(a)
    found = splinalg.spsolve_triangular(x, on_device(b), **options)
    assert_same(found, splinalg.spsolve_triangular(a, b, **options), dtype)
    # The matrix has not changed.
    assert (x.get() != a).nnz == 0


def test_triangular_with_duplicates(device):
    """Entries of one place are added, in any order."""
    a = sp.csr_array((np.array([1.0, 1, 3, 2, 2]), [0, 0, 1, 0, 1], [0, 2, 5]), shape=(2, 2))
    found = splinalg.spsolve_triangular(on_device(a), gpunp.asarray([2.0, 7.0]))
    np.testing.assert_allclose(found.get(), [1, 1])


@pytest.mark.parametrize("form", ["csc", "csr", "coo", "dia"])
@pytest.mark.parametrize("name", ["is_sptriangular", "spbandwidth"])
def test_structure_of_entries(name, form, device):
    function = getattr(splinalg, name)
    for a in (matrix(), sp.tril(matrix()), sp.triu(matrix()), sp.eye_array(4)):
        a = sp.csc_array(a).asformat(form)
        found = function(on_device(a))
        assert found == tuple(function(a))
        assert all(type(each) in (bool, int) for each in found)


def test_no_needless_warnings(device):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        splinalg.spsolve(on_device(matrix()), gpunp.ones(N))
        splinalg.spsolve_triangular(on_device(sp.tril(matrix()).tocsr()), gpunp.ones(N))


def test_a_matrix_on_the_host_is_uploaded(device):
    host = sp.csc_array(np.diag([1.0, 2.0, 4.0]))
    found = splinalg.spsolve(host, gpunp.ones(3))
    np.testing.assert_allclose(found.get(), [1, 0.5, 0.25])
