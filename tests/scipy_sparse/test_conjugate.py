"""Conjugate and biconjugate gradients: steps and end are SciPy's, and the host looks at few of them."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as splinalg
from solvers import Waits
from sparse_arrays import on_device

import gpunp
from gpunp_scipy.sparse.linalg import step_blocks

N = 200
SOLVERS = ["cg", "bicgstab", "bicg", "cgs"]
OPTIONS = [
    {},
    {"rtol": 1e-3},
    {"rtol": 1e-12},
    {"maxiter": 7},
    {"maxiter": 0},
    {"maxiter": 1},
    {"atol": 100.0},
    {"x0": np.ones(N)},
    {"M": sp.diags_array(np.linspace(1, 2, N)).tocsr()},
]


def system(dtype="d"):
    parts = [-np.ones(N - 1), np.full(N, 2.05), -np.ones(N - 1)]
    a = sp.diags_array(parts, offsets=[-1, 0, 1]).tocsr().astype(dtype)
    rng = np.random.default_rng(4)
    b = rng.random(N)
    return a, (b + 1j * rng.random(N) if np.dtype(dtype).kind == "c" else b).astype(dtype)


@pytest.mark.parametrize("options", OPTIONS, ids=[str([*each]) for each in OPTIONS])
@pytest.mark.parametrize("dtype", ["d", "D"])
@pytest.mark.parametrize("name", SOLVERS)
def test_steps(name, dtype, options, device):
    a, b = system(dtype)
    solver = getattr(splinalg, name)
    expected, info = solver(a, b, **options)
    moved = {key: on_device(value) for key, value in options.items()}
    found = solver(on_device(a), on_device(b), **moved)
    assert found[1] == info
    assert type(found[0]) is gpunp.ndarray
    # The rounding errors of a step grow in the next ones; those of bicgstab more.
    tolerance = 1e-9 if info else 1e-6 if name == "cg" else 1e-3
    np.testing.assert_allclose(found[0].get(), expected, rtol=tolerance, atol=tolerance)
    if not info and options.get("maxiter") != 0:
        limit = max(options.get("rtol", 1e-5) * np.linalg.norm(b), options.get("atol", 0))
        assert np.linalg.norm(b - a @ found[0].get()) <= limit * 1.01


@pytest.mark.parametrize("dtype", ["f", "F"])
@pytest.mark.parametrize("name", SOLVERS)
def test_single_precision(name, dtype, device):
    a, b = system(dtype)
    x, info = getattr(splinalg, name)(on_device(a), on_device(b), rtol=1e-4)
    assert info == 0
    assert x.dtype == dtype
    assert np.linalg.norm(b - a @ x.get()) <= 2e-4 * np.linalg.norm(b)


@pytest.mark.parametrize("name", SOLVERS)
def test_zero(name, device):
    a, _ = system()
    x, info = getattr(splinalg, name)(on_device(a), gpunp.zeros(N))
    assert info == 0
    assert not x.any()


def test_breakdown(device):
    a, b = np.array([[0.0, 1], [1, 0]]), np.array([1.0, 0])
    assert splinalg.bicgstab(a, b)[1] == splinalg.bicgstab(gpunp.asarray(a), gpunp.asarray(b))[1] == -11


def test_not_finite(device):
    """As in SciPy, steps go on to the last one."""
    a, b = system()
    b[3] = np.nan
    for name in SOLVERS:
        solver = getattr(splinalg, name)
        found = solver(on_device(a), on_device(b), maxiter=40)
        assert found[1] == solver(a, b, maxiter=40)[1]
        assert np.isnan(found[0].get()).any()


@pytest.mark.parametrize("name", SOLVERS)
def test_waits(name, device):
    """The host looks at most of the first steps, and then once in several steps."""
    a, b = system()
    x, y = on_device(a), on_device(b)
    solver = getattr(splinalg, name)
    solver(x, y)
    waits = {}
    for steps in (64, 128):
        with Waits(device) as count:
            solver(x, y, rtol=0, maxiter=steps)
        waits[steps] = count.count
    assert waits[64] <= 32
    assert waits[128] - waits[64] <= 8


@pytest.fixture(params=["blocks", "default"])
def blocks(request, device, monkeypatch):
    """Blocks of steps on each device, and what the device does otherwise."""
    if request.param == "blocks":
        monkeypatch.setattr(step_blocks, "saves_time", lambda device: True)
    elif not device.is_cpu:
        pytest.skip("blocks are what a GPU does")


@pytest.mark.parametrize(
    "options", [{"maxiter": 9}, {}, {"maxiter": 1}, {"maxiter": 0}, {"atol": 100.0}], ids=str
)
@pytest.mark.parametrize("name", SOLVERS)
def test_callbacks(name, options, device, blocks):
    """A callback gets the solution of each step, also of the last one."""
    a, b = system()
    solver = getattr(splinalg, name)
    found, expected = [], []
    x, info = solver(on_device(a), on_device(b), callback=found.append, **options)
    assert info == solver(a, b, callback=lambda x: expected.append(x.copy()), **options)[1]
    assert len(found) == len(expected)
    for one, other in zip(found[:9], expected[:9], strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=1e-9)
    if found and name != "bicgstab":  # which may end in the middle of a step
        np.testing.assert_array_equal(found[-1].get(), x.get())


@pytest.mark.parametrize("name", SOLVERS)
def test_callbacks_of_breakdowns(name, device, blocks):
    """A step that breaks off, or converges before its end, is not reported."""
    cases = (
        [[0.0, 1], [1, 0]],
        [[0.0, 1], [-1, 0]],
        [[0.0, 0], [0, 1]],
        [[2.0, 0], [0, 2]],
        [[1.0, 2], [0, 3]],
    )
    for matrix in cases:
        a, solver, counts = np.array(matrix), getattr(splinalg, name), [[], []]
        for b in ([1.0, 0], [1.0, 1]):
            right = np.array(b)
            with np.errstate(all="ignore"):
                info = solver(gpunp.asarray(a), gpunp.asarray(right), callback=counts[0].append)[1]
                assert info == solver(a, right, callback=counts[1].append)[1]
            assert len(counts[0]) == len(counts[1])


def test_waits_with_callbacks(device, monkeypatch):
    monkeypatch.setattr(step_blocks, "saves_time", lambda device: True)
    a, b = system()
    x, y, waits = on_device(a), on_device(b), []
    for maxiter in (64, 128):
        with Waits(device) as count:
            splinalg.cg(x, y, rtol=0, maxiter=maxiter, callback=lambda x: None)
        waits.append(count.count)
    assert waits[1] - waits[0] <= 8


@pytest.mark.parametrize("dtype", ["d", "D"])
@pytest.mark.parametrize("name", ["bicg", "cgs"])
def test_matrices_that_are_not_symmetric(name, dtype, device):
    """The shadow of bicg takes the adjoints of the matrix and of the preconditioner."""
    a, b = system(dtype)
    factor = 1j if dtype == "D" else 1
    a = (a + sp.diags_array([np.full(N - 3, 0.4 * factor)], offsets=[3], shape=(N, N))).tocsr()
    inverse = sp.diags_array([1 / a.diagonal(), np.full(N - 1, 0.1 * factor)], offsets=[0, 1]).tocsr()
    for M in (None, inverse):
        for maxiter in (1, 2, 7, None):
            expected, info = getattr(splinalg, name)(a, b, M=M, maxiter=maxiter)
            x, found = getattr(splinalg, name)(on_device(a), on_device(b), M=on_device(M), maxiter=maxiter)
            assert found == info
            np.testing.assert_allclose(x.get(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["bicg", "cgs", "bicgstab"])
def test_breakdowns(name, device):
    """Products that are 0 end the steps, with SciPy's numbers."""
    b = np.array([1.0, 0])
    for a in ([[0.0, 1], [1, 0]], [[0.0, 1], [-1, 0]], [[0.0, 0], [0, 1]]):
        a, solver = np.array(a), getattr(splinalg, name)
        assert solver(gpunp.asarray(a), gpunp.asarray(b))[1] == solver(a, b)[1]
