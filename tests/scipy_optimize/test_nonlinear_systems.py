"""Roots and fixed points on the device, compared with SciPy on the host."""

import numpy as np
import pytest
import scipy.optimize
from scipy.optimize import fixed_point, fsolve, newton, root
from solvers import Waits, host

import gpunp

ONES = np.ones(3)
SPREAD = np.array([1.0, 0.2, 2.0, -1.0])
SQUARES = np.array([2.0, 3, 5, 7])


def system(x):
    return np.stack([x[0] ** 2 - x[1] - 1, x[1] ** 2 - 2, x[2] ** 2 - 3])


def of_system(x):
    zero = 0 * x[0]
    rows = [[2 * x[0], zero - 1, zero], [zero, 2 * x[1], zero], [zero, zero, 2 * x[2]]]
    return np.stack([np.stack(row) for row in rows])


def mild(x):
    """A system that even simple iterations solve."""
    return 0.5 - x - 0.1 * np.sin(x)


def squares(x, c):
    return x**2 - c


@pytest.mark.parametrize("method", ["hybr", "lm"])
@pytest.mark.parametrize("jac", [None, of_system, True])
def test_minpack(method, jac):
    fun = (lambda x: (system(x), of_system(x))) if jac is True else system
    expected, actual = (root(fun, x, method=method, jac=jac) for x in (ONES, gpunp.asarray(ONES)))
    assert set(actual) == set(expected)
    for name in ("x", "fun"):
        assert isinstance(actual[name], gpunp.ndarray)
        np.testing.assert_allclose(host(actual[name]), expected[name], 1e-7, 1e-7)
    assert (actual.success, actual.status, actual.message) == (True, expected.status, expected.message)
    assert abs(actual.nfev - expected.nfev) <= 3


METHODS = (
    *(
        "broyden1",
        "broyden2",
        "anderson",
        "linearmixing",
        "diagbroyden",
        "excitingmixing",
        "krylov",
        "df-sane",
    ),
)


@pytest.mark.parametrize("method", METHODS)
def test_large_systems(method):
    options = {"fatol": 1e-9} if method != "df-sane" else {"fatol": 1e-9, "ftol": 0}
    expected, actual = (
        root(mild, x, method=method, options=options) for x in (SPREAD, gpunp.asarray(SPREAD))
    )
    assert isinstance(actual.x, gpunp.ndarray)
    np.testing.assert_allclose(host(actual.x), expected.x, 1e-7)
    assert (actual.success, actual.message) == (expected.success, expected.message)
    assert abs(actual.nit - expected.nit) <= 1
    again = root(mild, gpunp.asarray(SPREAD), method=method, tol=1e-7)
    np.testing.assert_allclose(host(again.x), expected.x, 1e-5)


@pytest.mark.parametrize(
    "name",
    ["broyden1", "broyden2", "anderson", "linearmixing", "diagbroyden", "excitingmixing", "newton_krylov"],
)
def test_functions_of_large_systems(name):
    function = getattr(scipy.optimize, name)
    start = SPREAD.reshape(2, 2)
    expected, actual = (function(mild, x, f_tol=1e-9) for x in (start, gpunp.asarray(start)))
    assert isinstance(actual, gpunp.ndarray)
    assert actual.shape == start.shape
    np.testing.assert_allclose(host(actual), expected, 1e-7)
    with pytest.raises(scipy.optimize.NoConvergence):
        function(lambda x: x * x + 1, gpunp.asarray(start), maxiter=3)


@pytest.mark.parametrize("method", ["lgmres", "gmres", "bicgstab", "cgs", "minres", "tfqmr"])
@pytest.mark.parametrize("search", ["armijo", "wolfe", None])
def test_krylov_solvers(method, search):
    options = {"method": method, "line_search": search, "f_tol": 1e-8}
    expected = scipy.optimize.newton_krylov(mild, np.full(20, 2.0), **options)
    found = scipy.optimize.newton_krylov(mild, gpunp.full(20, 2.0), **options)
    np.testing.assert_allclose(host(found), expected, 1e-6)


def test_broyden_reductions():
    for options in (
        {"reduction_method": "svd", "max_rank": 4},
        {"reduction_method": "simple", "max_rank": 3},
    ):
        expected, found = (
            scipy.optimize.broyden1(mild, x, f_tol=1e-8, **options)
            for x in (np.full(20, 2.0), gpunp.full(20, 2.0))
        )
        np.testing.assert_allclose(host(found), expected, 1e-6)


def test_fsolve():
    for options in ({}, {"fprime": of_system}):
        expected = fsolve(system, ONES, full_output=True, **options)
        found = fsolve(system, gpunp.asarray(ONES), full_output=True, **options)
        assert isinstance(found[0], gpunp.ndarray)
        np.testing.assert_allclose(host(found[0]), expected[0], 1e-8)
        assert found[2:] == expected[2:]


def test_bad_systems():
    with pytest.raises(ValueError, match="Unknown solver"):
        root(system, gpunp.asarray(ONES), method="newton")
    with pytest.raises(TypeError, match="mismatch between the input and output"):
        fsolve(lambda x: x[:2], gpunp.asarray(ONES))
    with pytest.warns(RuntimeWarning, match="does not use the jacobian"):
        root(mild, gpunp.asarray(ONES), method="broyden1", jac=of_system)


def test_waits_of_systems(device):
    with Waits(device) as waits:
        found = root(system, gpunp.asarray(ONES))
    assert waits.count <= found.nfev + 2


# Methods, and how often they wait in an iteration besides once for each value.
LARGE = {
    "anderson": 1,
    "broyden1": 0,
    "broyden2": 0,
    "diagbroyden": 0,
    "excitingmixing": 0,
    "linearmixing": 0,
}


@pytest.mark.parametrize("line_search", ["armijo", "wolfe", None])
@pytest.mark.parametrize("method", LARGE)
def test_large_systems_wait_once_for_each_value(method, line_search, device):
    rng = np.random.default_rng(11)
    matrix = np.eye(8) * 3 + rng.normal(size=(8, 8)) * 0.2
    start = rng.normal(size=8)
    # Exciting mixing has positive factors only.
    alpha = 0.01 if method == "excitingmixing" else -0.2
    options = {"line_search": line_search, "maxiter": 15, "jac_options": {"alpha": alpha}}

    def of(matrix):
        return lambda x: matrix @ x + x * x * x / 5 - 1

    expected = root(of(matrix), start, method=method, options=options)
    matrix, start = gpunp.asarray(matrix), gpunp.asarray(start)
    with Waits(device) as waits:
        found = root(of(matrix), start, method=method, options=options)
    assert (found.nit, found.nfev, found.success) == (expected.nit, expected.nfev, expected.success)
    assert found.message == expected.message
    np.testing.assert_allclose(host(found.x), expected.x, 1e-5, 1e-7)
    # A line search for the Wolfe conditions needs the length of the step first.
    assert waits.count <= found.nfev + (LARGE[method] + (line_search == "wolfe")) * found.nit + 1


@pytest.mark.parametrize("method", [*LARGE, "krylov"])
@pytest.mark.parametrize("fails_at", [1, 4])
def test_values_that_are_not_finite(method, fails_at):
    def function():
        calls = []

        def of(x):
            calls.append(1)
            return x * x - 3 if len(calls) < fails_at else x * np.nan

        return of

    for start in (np.ones(3), gpunp.ones(3)):
        with pytest.raises(ValueError, match=r"infs or NaNs|non-finite results"):
            # Without a line search, which would try shorter steps.
            root(function(), start, method=method, options={"line_search": None, "maxiter": 9})


@pytest.mark.parametrize("method", ["del2", "iteration"])
def test_fixed_points(method, device):
    def fun(x, c):
        return np.sqrt(10 / (x + c))

    start = np.array([1.2, 1.3, 0.0])
    expected = fixed_point(fun, start, args=(3.0,), method=method)
    with Waits(device) as waits:
        found = fixed_point(fun, gpunp.asarray(start), args=(3.0,), method=method, maxiter=30)
    assert isinstance(found, gpunp.ndarray)
    np.testing.assert_allclose(host(found), expected, 1e-8)
    # Whether the start is finite, and each iteration.
    assert waits.count <= 31
    for x in (start, gpunp.asarray(start)):
        with pytest.raises(RuntimeError, match="Failed to converge after 2 iterations"):
            fixed_point(fun, x, args=(3.0,), maxiter=2, xtol=1e-15)
        with pytest.raises(KeyError):
            fixed_point(fun, x, args=(3.0,), method="newton")
    with pytest.raises(ValueError, match="infs or NaNs"):
        fixed_point(fun, gpunp.asarray([np.nan]), args=(3.0,))


NEWTON = {
    "secant": {},
    "newton": {"fprime": lambda x, c: 2 * x},
    "halley": {"fprime": lambda x, c: 2 * x, "fprime2": lambda x, c: 2 + 0 * x},
}


@pytest.mark.parametrize("form", NEWTON)
def test_newton(form, device):
    start = np.array([1.0, 2.0, -1.5, 2.5])
    expected = newton(squares, start, args=(SQUARES,), full_output=True, **NEWTON[form])
    c = gpunp.asarray(SQUARES)
    with Waits(device) as waits:
        found = newton(squares, gpunp.asarray(start), args=(c,), full_output=True, **NEWTON[form])
    assert waits.count <= 15
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one, gpunp.ndarray)
        np.testing.assert_allclose(host(one), other, 1e-9)
    one = newton(squares, gpunp.asarray(2.0), args=(2.0,), **NEWTON[form])
    assert float(one) == pytest.approx(2**0.5)


def test_newton_of_complex_functions():
    start = np.array([1 + 1j, -1 + 1j, -1 - 1j])
    expected = newton(lambda z: z**3 - 1, start, fprime=lambda z: 3 * z**2)
    found = newton(lambda z: z**3 - 1, gpunp.asarray(start), fprime=lambda z: 3 * z**2)
    np.testing.assert_allclose(host(found), expected, 1e-9)


def test_newton_fails_as_in_scipy():
    starts = {
        "derivatives were zero": (np.zeros(2), {"fprime": lambda x: 2 * x}),
        "some derivatives were zero": (np.array([0.0, 1.0]), {"fprime": lambda x: 2 * x}),
        "some failed to converge": (np.array([1.0, 1e30]), {"fprime": lambda x: 2 * x, "maxiter": 8}),
    }
    for match, (start, options) in starts.items():
        for x in (start, gpunp.asarray(start)):
            with pytest.warns(RuntimeWarning, match=match):
                newton(lambda x: x**2 - 2, x, **options)
    for x in (np.full(2, 1e30), gpunp.full(2, 1e30)):
        with pytest.raises(RuntimeError, match="all failed to converge after 3 iterations"):
            newton(lambda x: x**2 - 2, x, fprime=lambda x: 2 * x, maxiter=3)
    for options, match in (({"tol": 0}, "tol too small"), ({"maxiter": 0}, "maxiter must be greater")):
        with pytest.raises(ValueError, match=match):
            newton(squares, gpunp.ones(2), args=(2.0,), **options)


@pytest.mark.parametrize("line_search", ["cruz", "cheng"])
@pytest.mark.parametrize("start", [np.ones(6), np.ones(6) + 1j])
def test_the_spectral_method_waits_once_for_each_value(line_search, start, device):
    def function(x):
        shift = np.arange(6.0)
        return x + 0.1 * x**3 - (gpunp.asarray(shift) if isinstance(x, gpunp.ndarray) else shift)

    options = {"line_search": line_search}
    expected = scipy.optimize.root(function, start, method="df-sane", options=options)
    with device:
        x0 = gpunp.asarray(start)
        with Waits(device) as waits:
            actual = scipy.optimize.root(function, x0, method="df-sane", options=options)
    assert waits.count <= actual.nfev
    assert actual.message == expected.message
    assert abs(actual.nfev - expected.nfev) <= 2
    np.testing.assert_allclose(host(actual.x), expected.x, 1e-4, 1e-6)
