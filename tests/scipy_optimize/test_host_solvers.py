"""Solvers that step on the host, scalar solvers, and what is around minimization."""

import warnings

import numpy as np
import pytest
import scipy.differentiate
import scipy.optimize.elementwise
from problems_of_optimization import START
from scipy import optimize
from scipy.optimize import rosen, rosen_der, rosen_hess
from solvers import Waits, host

import gpunp
import gpunp_scipy.optimize

BOX = [(-1.0, 2.0)] * 3


def both(name, fun, start, *args, **options):
    """Call a function on the host and with a start on the device."""
    function = getattr(optimize, name)
    return function(fun, start, *args, **options), function(fun, gpunp.asarray(start), *args, **options)


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("fmin", (), {}),
        ("fmin_powell", (), {}),
        ("fmin_bfgs", (rosen_der,), {}),
        ("fmin_cg", (rosen_der,), {}),
        ("fmin_ncg", (rosen_der,), {"fhess": rosen_hess}),
        ("fmin_slsqp", (), {"fprime": rosen_der, "eqcons": [lambda x: x[0] - 1.2]}),
        ("fmin_cobyla", ([lambda x: x[0] - 1.2],), {"maxfun": 20}),
    ],
)
def test_functions_of_one_solver(name, args, options):
    expected, found = both(name, rosen, START, *args, disp=False, **options)
    assert isinstance(found, gpunp.ndarray)
    if name == "fmin_cobyla":
        # Its steps depend on the last digits of values long before it ends.
        np.testing.assert_allclose(host(found)[0], expected[0], 1e-4)
        assert rosen(host(found)) < rosen(START)
    else:
        np.testing.assert_allclose(host(found), expected, 1e-4, 1e-4)


@pytest.mark.parametrize("bounds", [None, [(0, 2)] * 5])
def test_l_bfgs_b_and_tnc(bounds):
    for name in ("fmin_l_bfgs_b", "fmin_tnc"):
        options = {"bounds": bounds, "fprime": rosen_der}
        expected, found = both(name, rosen, START, **options)
        assert isinstance(found[0], gpunp.ndarray)
        np.testing.assert_allclose(host(found[0]), expected[0], 1e-3)
    expected, found = both("fmin_l_bfgs_b", rosen, START, approx_grad=True, bounds=bounds)
    np.testing.assert_allclose(host(found[0]), expected[0], 1e-4)
    assert set(found[2]) == set(expected[2])
    assert found[2]["task"] == expected[2]["task"]


@pytest.mark.parametrize("name", ["differential_evolution", "dual_annealing", "shgo", "direct"])
def test_global_solvers(name):
    options = {
        "differential_evolution": {"rng": 1, "maxiter": 15},
        "dual_annealing": {"rng": 1, "maxiter": 5},
    }
    options |= {"shgo": {}, "direct": {"maxiter": 50}}
    bounds = optimize.Bounds(*map(np.array, zip(*BOX, strict=True))) if name == "direct" else BOX
    seen = []

    def fun(x):
        seen.append(isinstance(x, gpunp.ndarray))
        return rosen(x)

    expected = getattr(optimize, name)(rosen, bounds, **options[name])
    found = getattr(gpunp_scipy.optimize, name)(fun, bounds, **options[name])
    assert all(seen)
    assert isinstance(found.x, gpunp.ndarray)
    np.testing.assert_allclose(host(found.x), expected.x, 1e-2, 1e-2)
    if name != "direct":
        routed = getattr(optimize, name)(fun, gpunp.asarray(BOX), **options[name])
        np.testing.assert_allclose(host(routed.x), host(found.x), 1e-2, 1e-2)


def test_populations_are_evaluated_together(device):
    shapes = []

    def fun(x):
        shapes.append(x.shape)
        return np.sum((x - 0.5) ** 2, axis=0)

    options = {"rng": 1, "vectorized": True, "updating": "deferred", "maxiter": 20, "polish": False}
    with Waits(device) as waits:
        found = optimize.differential_evolution(fun, gpunp.asarray(BOX), **options)
    assert shapes[0] == (3, 45)
    # The bounds, and each population.
    assert waits.count <= len(shapes) + 1
    np.testing.assert_allclose(host(found.x), 0.5, atol=0.1)


def test_basin_hopping():
    options = {"niter": 2, "rng": 1, "minimizer_kwargs": {"method": "L-BFGS-B", "jac": rosen_der}}
    expected, found = both("basinhopping", rosen, START, **options)
    np.testing.assert_allclose(host(found.x), expected.x, 1e-3)
    accepted = []

    def accept(f_new, x_new, f_old, x_old):
        accepted.append(x_new)
        return True

    optimize.basinhopping(rosen, gpunp.asarray(START), niter=1, rng=1, accept_test=accept)
    assert isinstance(accepted[0], gpunp.ndarray)


def test_scalar_solvers_take_scalars_of_the_device():
    c = gpunp.asarray([2.0, 3.0])

    def square(x):
        return (x**2 * c - 2 * c).sum() / 5

    def bowl(x):
        return ((x - c) ** 2).sum()

    for name in ("bisect", "brenth", "brentq", "ridder", "toms748"):
        found = getattr(optimize, name)(square, 0.0, c.max())
        assert float(found) == pytest.approx(2**0.5)
    for options in ({"bracket": (0, 3)}, {"x0": 1.0, "x1": 2.0}, {"x0": 1.0, "fprime": lambda x: 2 * x}):
        assert float(optimize.root_scalar(square, **options).root) == pytest.approx(2**0.5)
    assert float(optimize.brent(bowl)) == pytest.approx(2.5)
    assert float(optimize.golden(bowl)) == pytest.approx(2.5)
    assert float(optimize.fminbound(bowl, 0.0, c.max())) == pytest.approx(2.5)
    low, _, high = optimize.bracket(bowl)[:3]
    assert min(float(low), float(high)) < 2.5 < max(float(low), float(high))
    for options in ({}, {"method": "golden"}, {"bounds": (0, 4), "method": "bounded"}):
        found = optimize.minimize_scalar(bowl, **options)
        assert float(found.x) == pytest.approx(2.5, abs=1e-5)


SCALAR = {
    "bisect": (0.0, 4.0),
    "brenth": (0.0, 4.0),
    "brentq": (0.0, 4.0),
    "ridder": (0.0, 4.0),
    "toms748": (0.0, 4.0),
    "newton": (2.0,),
    "root_scalar": ((), None, (0.0, 4.0)),
    "brent": (),
    "bracket": (0.0, 4.0),
    "golden": ((), (0.0, 4.0)),
    "fminbound": (0.0, 4.0),
    "minimize_scalar": ((0.0, 4.0),),
}


@pytest.mark.parametrize("name", SCALAR)
def test_scalar_solvers_wait_once_for_each_value(name, device):
    with device:
        one = gpunp.ones(())
        calls = []

        def function(x):
            calls.append(x)
            found = x**3 - 2 * x - 5 if name in list(SCALAR)[:7] else (x - 1) ** 2
            return one * found

        with Waits(device) as waits:
            getattr(optimize, name)(function, *SCALAR[name])
        assert 0 < waits.count <= len(calls)
        assert not any(isinstance(x, gpunp.ndarray) for x in calls)


@pytest.mark.parametrize("name", [name for name in SCALAR if SCALAR[name]])
def test_brackets_on_the_device(name):
    def function(x):
        return x**3 - 2 * x - 5 if name in list(SCALAR)[:7] else (x - 1) ** 2

    expected = getattr(optimize, name)(function, *SCALAR[name])
    arguments = [gpunp.asarray(value) if value not in ((), None) else value for value in SCALAR[name]]
    actual = getattr(optimize, name)(function, *arguments)
    if isinstance(expected, optimize.OptimizeResult):
        field = "x" if "x" in expected else "root"
        expected, actual = expected[field], actual[field]
    np.testing.assert_allclose(actual, expected, 1e-12)


def test_newton_from_an_array_of_one_element():
    root, told = optimize.newton(lambda x: x**2 - 2, gpunp.ones(1), full_output=True)
    assert root.shape == told.root.shape == (1,)
    assert isinstance(told.root, gpunp.ndarray)


def test_newton_from_a_number_with_arguments_on_the_device():
    found = optimize.newton(lambda x, c: x**2 - c, 1.0, args=(gpunp.asarray(2.0),))
    assert found == pytest.approx(2**0.5)


def test_grids():
    ranges = np.array([[0.0, 2.0], [-1.0, 1.0]])
    expected = optimize.brute(rosen, ranges, Ns=4)
    np.testing.assert_allclose(optimize.brute(rosen, gpunp.asarray(ranges), Ns=4), expected, 1e-12)
    c = gpunp.asarray([0.25, 0.5])
    found = optimize.brute(
        lambda p: float(((gpunp.asarray(p) - c) ** 2).sum()), (slice(0, 1, 0.25),) * 2, finish=None
    )
    np.testing.assert_array_equal(found, [0.25, 0.5])


def test_results_hold_device_arrays():
    found = optimize.OptimizeResult(x=gpunp.ones(2), success=True)
    assert "success: True" in repr(found)
    assert isinstance(found.x, gpunp.ndarray)


def test_derivatives_by_differences(device):
    def vector(x):
        return np.stack([x[0] * x[1], x[2] ** 2])

    with Waits(device) as waits:
        slopes = optimize.approx_fprime(gpunp.asarray(START), rosen)
    assert waits.count == 0
    np.testing.assert_allclose(host(slopes), optimize.approx_fprime(START, rosen), 1e-5)
    steps = np.full(5, 1e-6)
    for fun in (rosen, vector):
        expected = optimize.approx_fprime(START, fun, steps)
        np.testing.assert_allclose(
            host(optimize.approx_fprime(gpunp.asarray(START), fun, gpunp.asarray(steps))),
            expected,
            1e-5,
            1e-6,
        )
    for options in ({}, {"direction": "random", "rng": 1}):
        expected, found = (
            optimize.check_grad(rosen, rosen_der, x, **options) for x in (START, gpunp.asarray(START))
        )
        assert float(found) == pytest.approx(float(expected), abs=1e-5)
        wrong = optimize.check_grad(rosen, lambda x: 2 * rosen_der(x), gpunp.asarray(START), **options)
        assert float(wrong) > 1
    with pytest.raises(ValueError, match="not a valid string"):
        optimize.check_grad(rosen, rosen_der, gpunp.asarray(START), direction="up")


def test_line_search(device):
    down = -rosen_der(START)
    expected = optimize.line_search(rosen, rosen_der, START, down)
    with Waits(device) as waits:
        found = optimize.line_search(rosen, rosen_der, gpunp.asarray(START), gpunp.asarray(down))
    assert found[1:3] == expected[1:3]
    assert waits.count <= found[1] + found[2] + 2
    for i in (0, 3, 4, 5):
        np.testing.assert_allclose(host(found[i]), expected[i], 1e-9)
    conditions = []

    def condition(alpha, x, f, g):
        conditions.append((x, g))
        return True

    optimize.line_search(
        rosen, rosen_der, gpunp.asarray(START), gpunp.asarray(down), extra_condition=condition
    )
    assert all(isinstance(each, gpunp.ndarray) for each in conditions[0])
    with pytest.warns(optimize._linesearch.LineSearchWarning):
        assert optimize.line_search(rosen, rosen_der, gpunp.asarray(START), gpunp.asarray(-down))[0] is None


def test_assignments():
    random = np.random.default_rng(0)
    A, B = random.normal(size=(2, 6, 6))
    for method in ("faq", "2opt"):
        expected, found = (
            optimize.quadratic_assignment(*pair, method=method, options={"rng": np.random.default_rng(1)})
            for pair in ((A, B), (gpunp.asarray(A), gpunp.asarray(B)))
        )
        assert float(found.fun) == pytest.approx(float(expected.fun))
        np.testing.assert_array_equal(host(found.col_ind), expected.col_ind)
    with pytest.raises(TypeError, match="Implicit conversion"):
        optimize.linear_sum_assignment(gpunp.asarray(A))
    with pytest.raises(TypeError, match="pools neighbouring values"):
        optimize.isotonic_regression(gpunp.asarray(A[0]))


def test_constraints_keep_their_numbers_on_the_host():
    bounds = optimize.Bounds(gpunp.zeros(3), gpunp.ones(3))
    assert isinstance(bounds.lb, np.ndarray)
    linear = optimize.LinearConstraint(gpunp.ones((1, 3)), gpunp.zeros(1), 2.0)
    assert isinstance(linear.A, np.ndarray)
    general = optimize.NonlinearConstraint(rosen, gpunp.zeros(1), np.inf)
    np.testing.assert_array_equal(general.lb, [0.0])
    with pytest.raises(TypeError, match="on the host"):
        optimize.BFGS().update(gpunp.ones(3), gpunp.ones(3))


def test_elementwise_functions_return_device_arrays():
    c = gpunp.asarray([2.0, 3.0, 5.0])
    found = optimize.elementwise.find_root(lambda x, c: x**2 - c, (gpunp.zeros(3), c), args=(c,))
    np.testing.assert_allclose(host(found.x), np.sqrt([2.0, 3, 5]), 1e-9)
    least = optimize.elementwise.find_minimum(lambda x, c: (x - c) ** 2, (c - 2, c - 0.5, c + 2), args=(c,))
    np.testing.assert_allclose(host(least.x), [2.0, 3, 5], 1e-6)
    bracket = optimize.elementwise.bracket_root(lambda x, c: x - c, gpunp.zeros(3), args=(c,))
    assert bool((bracket.success).all())
    slope = scipy.differentiate.derivative(np.exp, c)
    np.testing.assert_allclose(host(slope.df), np.exp([2.0, 3, 5]), 1e-8)
    jacobian = scipy.differentiate.jacobian(lambda x: x**2, c)
    np.testing.assert_allclose(host(jacobian.df), np.diag([4.0, 6, 10]), 1e-8, 1e-8)


COUNTED = {
    **dict.fromkeys(("Nelder-Mead", "Powell", "COBYLA", "COBYQA"), ()),
    **dict.fromkeys(("SLSQP", "TNC"), ("jac",)),
    **dict.fromkeys(("trust-constr", "trust-ncg", "trust-exact", "trust-krylov"), ("jac", "hess")),
}


@pytest.mark.parametrize("method", COUNTED)
def test_each_result_of_a_function_is_one_wait(method, device):
    calls = []

    def counted(function):
        def call(x):
            calls.append(x)
            return function(x)

        return call

    derivatives = {name: counted({"jac": rosen_der, "hess": rosen_hess}[name]) for name in COUNTED[method]}
    limit = {"maxfun": 30} if method == "TNC" else {"maxiter": 12}
    with device:
        start = gpunp.asarray(START)
        with warnings.catch_warnings(), Waits(device) as waits:
            warnings.simplefilter("ignore", optimize.OptimizeWarning)
            optimize.minimize(counted(rosen), start, method=method, options=limit, **derivatives)
    # One more for the start.
    assert 0 < waits.count <= len(calls) + 1


ELEMENTWISE = {
    "bracket_root": (lambda x, c: x - c, [[0.0, 0.0]]),
    "bracket_minimum": (lambda x, c: (x - c) ** 2, [[0.0, 0.0]]),
    "find_root": (lambda x, c: x**3 - c, [([0.0, 0.0], [1e3, 1e3])]),
    "find_minimum": (lambda x, c: (x - c) ** 2, [([-1.0, -1.0], [300.0, 300.0], [5e3, 5e3])]),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_solvers_wait_a_few_times_an_iteration(name, device):
    function, arguments = ELEMENTWISE[name]
    with device:
        arguments = [
            tuple(map(gpunp.asarray, each)) if isinstance(each, tuple) else gpunp.asarray(each)
            for each in arguments
        ]
        c = gpunp.asarray([1e3, 2e3])
        with Waits(device) as waits:
            found = getattr(optimize.elementwise, name)(function, *arguments, args=(c,))
        count = waits.count
        assert bool(found.success.all())
        # Elements that a mask selects are counted on a GPU.
        assert count <= (2 if device.is_cpu else 12) * int(found.nit.max()) + 8
