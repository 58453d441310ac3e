"""Iterative solvers of ``scipy.sparse.linalg`` with arrays on the device, against SciPy's on the host."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as splinalg
from scipy_forms import newest
from solvers import Waits
from sparse_arrays import on_device

import gpunp
import gpunp_scipy

SYMMETRIC = ("cg", "minres")
SQUARE = ("bicg", "bicgstab", "cgs", "gcrotmk", "gmres", "lgmres", "qmr", "tfqmr")
LEAST_SQUARES = ("lsmr", "lsqr")
N = 60


def system(kind="symmetric", dtype="d"):
    """A well conditioned matrix as a sparse array of SciPy, and a right side."""
    rng = np.random.default_rng(3)
    upper = -1.0 if kind == "symmetric" else -0.4
    a = sp.diags_array([-np.ones(N - 1), np.full(N, 3.0), np.full(N - 1, upper)], offsets=[-1, 0, 1])
    if kind == "tall":
        a = sp.vstack([a, sp.eye_array(N)])
    b = rng.normal(size=a.shape[0])
    if np.dtype(dtype).kind == "c":
        a, b = a * (1 + 0.2j), b + 1j * rng.normal(size=len(b))
    return a.tocsr().astype(dtype), b.astype(dtype)


def assert_same(found, expected, rtol=1e-8):
    """Solutions agree to rounding errors, and so do what says how the solver ended and counts."""
    assert type(found[0]) is gpunp.ndarray
    assert found[0].dtype == expected[0].dtype
    np.testing.assert_allclose(found[0].get(), expected[0], rtol=rtol, atol=rtol)
    assert int(found[1]) == expected[1]


@pytest.mark.parametrize("dtype", ["f", "d", "D"])
@pytest.mark.parametrize("name", [*SYMMETRIC, *SQUARE, *LEAST_SQUARES])
def test_solutions(name, dtype, device):
    if name in ("minres", *LEAST_SQUARES) and dtype != "d":
        pytest.skip("SciPy's solver is for real systems of double precision")
    kind = {"cg": "symmetric", "minres": "symmetric"}.get(name, "tall" if name in LEAST_SQUARES else "square")
    if name == "cg" and dtype == "D":
        pytest.skip("the matrix is not Hermitian")
    if name == "cgs" and dtype == "f":
        pytest.skip("SciPy's own cgs diverges here once a product is rounded differently")
    a, b = system(kind, dtype)
    solver = getattr(splinalg, name)
    expected = solver(a, b)
    tolerance = 1e-4 if dtype == "f" else 1e-8
    assert_same(solver(on_device(a), on_device(b)), expected, tolerance)
    # Dense matrices, and right sides on the host.
    assert_same(solver(gpunp.asarray(a.toarray()), on_device(b)), expected, tolerance)
    assert_same(getattr(gpunp_scipy.sparse.linalg, name)(on_device(a), b), expected, tolerance)


@pytest.mark.parametrize("name", ["cg", "gmres", "bicgstab"])
def test_options(name, device):
    a, b = system()
    solver = getattr(splinalg, name)
    inverse = sp.diags_array(1 / a.diagonal()).tocsr()
    seen = []
    options = {"rtol": 1e-12, "atol": 1e-12, "maxiter": 7, "x0": np.ones(N)}
    more = {"callback_type": "x"} if name == "gmres" else {}
    expected = solver(a, b, M=inverse, **options, **more)
    options["x0"] = gpunp.ones(N)
    found = solver(on_device(a), on_device(b), M=on_device(inverse), callback=seen.append, **options, **more)
    assert_same(found, expected)
    assert seen
    assert all(type(x) is gpunp.ndarray for x in seen)


@pytest.mark.parametrize("name", ["cg", "gmres", "lsqr"])
def test_functions_as_matrices(name, device):
    """A linear operator of SciPy calls a function with vectors on the device."""
    a, b = system()
    x = on_device(a)

    def product(v):
        assert type(v) is gpunp.ndarray
        return x @ v

    operator = splinalg.LinearOperator(a.shape, matvec=product, rmatvec=product, dtype=a.dtype)
    assert_same(getattr(splinalg, name)(operator, on_device(b)), getattr(splinalg, name)(a, b))


@newest
def test_two_preconditioners(device):
    """Operators of SciPy as preconditioners get vectors on the device."""
    a, b = system("square")
    d, x = 1 / a.diagonal(), gpunp.asarray(1 / a.diagonal())

    def operator(scale):
        return splinalg.LinearOperator(a.shape, matvec=lambda v: scale * v, rmatvec=lambda v: scale * v)

    expected = splinalg.qmr(a, b, M1=operator(d), M2=operator(np.ones(N)))
    found = splinalg.qmr(on_device(a), on_device(b), M1=operator(x), M2=operator(gpunp.ones(N)))
    assert_same(found, expected)


def test_wrong_shapes(device):
    a, b = system()
    with pytest.raises(ValueError, match="incompatible"):
        splinalg.cg(on_device(a), gpunp.ones(3))
    with pytest.raises(ValueError, match="square"):
        splinalg.gmres(on_device(a)[:5], on_device(b))


# How often solvers wait in a step, for norms and inner products.
WAITS = {"cgs": 1}
# Where the device has waits, those of `test_step_blocks` are fewer.
WAITS |= {"qmr": 5, "tfqmr": 2}


@pytest.mark.parametrize("name", WAITS)
def test_waits(device, name):
    a, b = system()
    x, y = on_device(a), on_device(b)
    solver = getattr(splinalg, name)
    tolerances = {"atol": 0, "btol": 0, "conlim": 0} if name in ("lsqr", "lsmr") else {"rtol": 1e-300}
    limit = "iter_lim" if name == "lsqr" else "maxiter"
    solver(x, y)
    waits = {}
    for steps in (5, 10):
        with Waits(device) as count:
            solver(x, y, **tolerances, **{limit: steps})
        waits[steps] = count.count
    assert 0 < waits[10] - waits[5] <= 5 * WAITS[name]
