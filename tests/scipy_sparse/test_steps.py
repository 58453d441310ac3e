"""The kernels of iterative solvers: what they do with vectors, the sums, and the solver's numbers."""

import numpy as np
import pytest

import gpunp
from gpunp_scipy.sparse import step_kernels

SIZES = [1, 2, 255, 513, 40_001]
DTYPES = ["f4", "f8", "c8", "c16"]


def vectors(count, n, dtype):
    rng = np.random.default_rng(n)
    found = rng.random((count, n)) - 0.3
    if np.dtype(dtype).kind == "c":
        found = found + 1j * (rng.random((count, n)) - 0.5)
    return [row.astype(dtype) for row in found]


def check(found, expected, dtype):
    tolerance = 1e-5 if dtype in ("f4", "c8") else 1e-12
    np.testing.assert_allclose(found.get(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_conjugate_gradients(device, n, dtype):
    """One step with the numbers that the sums before give."""
    r, p, q, x = vectors(4, n, dtype)
    on_device = gpunp.asarray(r), gpunp.asarray(p), gpunp.asarray(q), gpunp.asarray(x)
    steps = step_kernels.Steps(on_device[0], 0.0)
    steps.dot(on_device[0], on_device[0], step_kernels.CG_START)
    steps.dot(on_device[1], on_device[2], step_kernels.CG_LENGTH)
    rho, alpha = np.vdot(r, r), np.vdot(r, r) / np.vdot(p, q)
    steps.residual(on_device[0], on_device[2], step_kernels.CG_PLAIN)
    after = r - alpha * q
    check(on_device[0], after, dtype)
    steps.direction(on_device[3], on_device[1], on_device[0])
    check(on_device[3], x + alpha * p, dtype)
    check(on_device[1], after + np.vdot(after, after) / rho * p, dtype)
    assert steps.state() == 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES[1:])
def test_stabilised(device, n, dtype):
    first, r, v, t, x, p = vectors(6, n, dtype)
    r = r + first
    on_device = {
        name: gpunp.asarray(value) for name, value in zip("frvtxp", (first, r, v, t, x, p), strict=True)
    }
    steps = step_kernels.Steps(on_device["r"], 0.0)
    steps.dot(on_device["f"], on_device["r"], step_kernels.BICG_START)
    steps.dot(on_device["f"], on_device["v"], step_kernels.BICG_ALPHA)
    rho = np.vdot(first, r)
    alpha = rho / np.vdot(first, v)
    steps.residual(on_device["r"], on_device["v"], step_kernels.BICG_HALF)
    half = r - alpha * v
    steps.dot(on_device["t"], on_device["r"], step_kernels.BICG_OMEGA)
    omega = np.vdot(t, half) / np.vdot(t, t)
    # Without a preconditioner the vectors ahead are p and r.
    ahead = on_device["p"], on_device["r"]
    steps.solution(on_device["x"], on_device["r"], on_device["t"], ahead, on_device["f"], decide=True)
    check(on_device["x"], x + alpha * p + omega * half, dtype)
    after = half - omega * t
    check(on_device["r"], after, dtype)
    steps.stable(on_device["p"], on_device["r"], on_device["v"])
    beta = np.vdot(first, after) / rho * (alpha / omega)
    scale = max(1, abs(beta))
    found, expected = on_device["p"].get() / scale, (after + beta * (p - omega * v)) / scale
    np.testing.assert_allclose(found, expected, atol=1e-3 if dtype in ("f4", "c8") else 1e-9)
    assert steps.state() == 1


@pytest.mark.parametrize(
    ("atol", "least", "finish", "state"),
    [
        (10.0, 0.0, step_kernels.CG_START, 0),
        (0.0, 0.0, step_kernels.CG_START, 1),
        (10.0, 0.0, step_kernels.BICG_START, 0),
        (0.0, 10.0, step_kernels.BICG_START, -10),
        (0.0, 0.0, step_kernels.BICG_START, 1),
    ],
)
def test_states(device, atol, least, finish, state):
    x = gpunp.ones(4)
    steps = step_kernels.Steps(x, atol, least)
    steps.dot(x, x, finish)
    assert steps.state() == state
    # A solver that has stopped changes nothing.
    steps.dot(x, x, step_kernels.CG_LENGTH)
    steps.residual(x, gpunp.full(4, 0.5), step_kernels.CG_NORM)
    np.testing.assert_array_equal(x.get(), 0.5 if state == 1 else 1.0)
    assert steps.state() == state


def test_breakdown_of_the_product(device):
    x, v = gpunp.asarray([1.0, 0, 0]), gpunp.asarray([0.0, 1, 0])
    steps = step_kernels.Steps(x, 0.0)
    steps.dot(x, x, step_kernels.BICG_START)
    steps.dot(x, v, step_kernels.BICG_ALPHA)
    assert steps.state() == -11


def test_errors(device):
    with pytest.raises(ValueError, match="no kernel"):
        step_kernels.Steps(gpunp.ones(3, int), 0.0)
    steps = step_kernels.Steps(gpunp.ones(3), 0.0)
    for other in (gpunp.ones(4), gpunp.ones(3, "f4"), gpunp.ones(6)[::2]):
        with pytest.raises(ValueError, match="got a vector"):
            steps.dot(gpunp.ones(3), other, step_kernels.CG_START)
