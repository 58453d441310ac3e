"""Device arrays in arguments other than the start, and systems of other dtypes or without unknowns."""

import numpy as np
import pytest
import scipy.sparse
from scipy import integrate, optimize
from solvers import host

import gpunp

A = np.random.default_rng(0).normal(size=(5, 3))
B = A @ [1.0, 2.0, 3.0] + 0.1
SIMPLEX = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
RATES = np.array([[-1.0, 0.5], [0.0, -2.0]])


def _nelder_mead(lib):
    return optimize.minimize(
        lambda x: ((x - 1) ** 2).sum(),
        lib(np.zeros(2)),
        method="Nelder-Mead",
        options={"initial_simplex": lib(SIMPLEX)},
    ).x


def _scaled(lib):
    return optimize.least_squares(lambda x: x * x - 2, [1.0, 3.0], x_scale=lib(np.array([1.0, 2.0]))).x


def _stiff(lib):
    return integrate.solve_ivp(lambda t, y: lib(RATES) @ y, (0, 1), [1.0, 2.0], "BDF", jac=lib(RATES)).y


def _assigned(lib):
    options = {"partial_match": lib(np.array([[0, 1]])), "rng": np.random.default_rng(1)}
    return optimize.quadratic_assignment(lib(A[:3]), lib(A[2:]), method="2opt", options=options).col_ind


@pytest.mark.parametrize("call", [_nelder_mead, _scaled, _stiff, _assigned])
def test_arrays_that_are_not_the_start(call):
    found = call(gpunp.asarray)
    np.testing.assert_allclose(host(found), call(np.asarray), rtol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_sparse_jacobians_of_constraints(sparse):
    def circle(x):
        return (x * x).sum().reshape(1)

    def slope(x):
        row = 2 * x[None]
        return scipy.sparse.csr_array(row) if sparse else row

    def curvature(x, v):
        return 2 * v[0] * np.eye(2)

    constraint = optimize.NonlinearConstraint(circle, 1.0, 1.0, jac=slope, hess=curvature)
    start = gpunp.asarray([0.5, 0.2])
    found = optimize.minimize(
        lambda x: ((x - 2) ** 2).sum(), start, method="trust-constr", constraints=constraint
    )
    np.testing.assert_allclose(host(found.x), np.sqrt(0.5), rtol=1e-3)


@pytest.mark.parametrize("char", "fdFDi")
def test_dtypes_of_linear_systems(char):
    a, b = (10 * A).astype(char), (10 * B).astype(char)
    expected = optimize.lsq_linear(a, b)
    found = optimize.lsq_linear(gpunp.asarray(a), gpunp.asarray(b))
    assert found.x.dtype == expected.x.dtype
    np.testing.assert_allclose(host(found.x), expected.x, rtol=1e-4 if char in "fF" else 1e-9)


def test_complex_linear_systems_keep_their_imaginary_parts():
    a, b = A + 1j * A[::-1], B - 2j * B
    found = optimize.lsq_linear(gpunp.asarray(a), gpunp.asarray(b)).x
    np.testing.assert_allclose(host(found), np.linalg.lstsq(a, b)[0], rtol=1e-9)


def test_nonnegative_least_squares_without_unknowns():
    found, length = optimize.nnls(gpunp.zeros((2, 0)), gpunp.asarray([3.0, 4.0]))
    assert found.shape == (0,)
    assert length == 5


@pytest.mark.parametrize("start", [np.array([1.0], "f"), np.array([1.0]), np.array([1]), np.array([1 + 1j])])
@pytest.mark.parametrize("full_output", [False, True])
def test_newton_of_one_element(start, full_output):
    def call(x0):
        sign = 1 if start.dtype.kind == "c" else -1
        found = optimize.newton(
            lambda x: x * x + sign * 2, x0, fprime=lambda x: 2 * x, full_output=full_output
        )
        return found[0] if full_output else found

    expected, found = call(start), call(gpunp.asarray(start))
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(host(found), expected, rtol=1e-6, atol=1e-12)


def test_bounds_of_least_squares_may_be_an_array_and_a_number():
    start, lower = np.array([1.0, 1.0]), np.array([0.0, 1.5])
    for bounds in ((lower, np.inf), (-np.inf, lower), [lower, 5.0]):
        on_device = [gpunp.asarray(each) if isinstance(each, np.ndarray) else each for each in bounds]
        expected = optimize.lsq_linear(np.eye(2), start, bounds=bounds)
        found = optimize.lsq_linear(gpunp.asarray(np.eye(2)), gpunp.asarray(start), bounds=tuple(on_device))
        np.testing.assert_allclose(found.x.get(), expected.x, 1e-6, 1e-9)
