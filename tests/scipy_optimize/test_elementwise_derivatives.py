"""`scipy.differentiate` on device arrays, compared with SciPy on the host in all results."""

import numpy as np
import pytest
from elementwise_solvers import assert_same, calls_and_result, waits_of
from scipy import differentiate

import gpunp

# Far above rounding errors, which would decide when an element is finished.
TOLERANCES = {"d": {"atol": 1e-5, "rtol": 1e-5}, "f": {"atol": 1e-2, "rtol": 1e-2}}


def _witch(x, c=3.0):
    return x * c / (1 + x * x)


def _surface(x):
    """Three functions of three variables."""
    return np.stack([x[0] * x[1] * x[2], x[0] / (2 + x[1] * x[1]), x[2] * x[2] - x[0] * x[1]])


def _scalar(x):
    return x[0] * x[0] * x[1] + x[1] / (3 + x[2] * x[2])


def _tolerances(dtype):
    """Of the derivatives and of their errors, which are differences of almost equal numbers."""
    of_error = (0, 1e-3 if dtype == "f" else 1e-9)
    close = (1e-4, 1e-4) if dtype == "f" else (1e-10, 1e-11)
    return {"df": close, "ddf": (1e-3, 1e-3) if dtype == "f" else (1e-6, 1e-7), "error": of_error}


def _compare(solve, function, arrays, options, dtype):
    shapes, expected = calls_and_result(solve, function, arrays, options)
    found_shapes, found = calls_and_result(solve, function, map(gpunp.asarray, arrays), options)
    assert_same(found, expected, tolerances=_tolerances(dtype))
    assert found_shapes == shapes
    return expected


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("keeps_shape", [False, True])
def test_random_derivatives(dtype, seed, keeps_shape):
    rng = np.random.default_rng(seed)
    x, c = rng.normal(size=(2, 12, 5)).astype(dtype)
    x[3, :3] = np.nan, np.inf, 1e30
    direction = rng.integers(-1, 2, 12)[:, None] + 0.0

    def derivative(f, x, c, **options):
        args = () if keeps_shape else (c,)
        return differentiate.derivative(f, x, args=args, tolerances=TOLERANCES[dtype], **options)

    cases = (
        {"preserve_shape": keeps_shape},
        {"step_direction": direction, "order": 5, "preserve_shape": keeps_shape},
        {"step_direction": np.nan, "preserve_shape": keeps_shape},
        {"maxiter": 1, "step_factor": 1.5, "initial_step": 0.25, "preserve_shape": keeps_shape},
        {"initial_step": np.where(direction > 0, 0.5, -1.0), "preserve_shape": keeps_shape},
    )
    for options in cases:
        moved = {
            name: gpunp.asarray(value) if isinstance(value, np.ndarray) else value
            for name, value in options.items()
        }
        shapes, expected = calls_and_result(derivative, _witch, (x, c), options)
        found_shapes, found = calls_and_result(derivative, _witch, map(gpunp.asarray, (x, c)), moved)
        assert_same(found, expected, tolerances=_tolerances(dtype))
        assert found_shapes == shapes
        assert len(np.unique(expected.status)) > 1 or "step_direction" in options


@pytest.mark.parametrize("dtype", ["f", "d"])
def test_jacobians_and_hessians(dtype):
    x = np.random.default_rng(4).normal(size=(3, 6)).astype(dtype)
    for solve, function in ((differentiate.jacobian, _surface), (differentiate.hessian, _scalar)):
        for points in (x, x[:, 0]):
            _compare(solve, function, (points,), {"tolerances": TOLERANCES[dtype]}, dtype)


def test_numbers():
    def derivative(f, x, **options):
        return differentiate.derivative(f, x, **options)

    for x in (np.asarray(0.5), np.zeros((0, 2)), np.asarray([2, 3])):
        _compare(derivative, lambda x: x / (1 + x * x), (x,), {"tolerances": TOLERANCES["d"]}, "d")


def test_errors():
    def raising(x):
        raise ZeroDivisionError("of the user")

    x = gpunp.ones((2, 2))
    for solve in (differentiate.derivative, differentiate.jacobian, differentiate.hessian):
        with pytest.raises(ZeroDivisionError, match="of the user"):
            solve(raising, x)
        with pytest.raises(ValueError, match="maxiter"):
            solve(lambda x: x, x, maxiter=0)


@pytest.mark.parametrize("name", ["derivative", "jacobian", "hessian"])
def test_one_wait_in_each_iteration(name, device):
    x = gpunp.asarray(np.random.default_rng(3).normal(size=(3, 40)))
    calls = []

    def function(x):
        calls.append(x.shape)
        kinks = x * np.abs(x)
        return kinks if name == "derivative" else kinks.sum(axis=0)

    # Differences next to a kink converge slowly.
    options = {"tolerances": {"atol": 0.0, "rtol": 1e-12}, "initial_step": 8.0, "order": 2}
    solve = getattr(differentiate, name)
    few, _ = waits_of(device, lambda: solve(function, x, maxiter=2, **options))
    first = len(calls)
    calls.clear()
    many, _ = waits_of(device, lambda: solve(function, x, maxiter=6, **options))
    # Each iteration calls the function once; those of the outer derivatives of a Hessian call none.
    outer = 4 if name == "hessian" else 0
    assert len(calls) > first + 3
    assert many - few <= len(calls) - first + outer
    assert few <= first + 6
