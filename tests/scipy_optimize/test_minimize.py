"""Minimization on the device, compared with SciPy on the host."""

import numpy as np
import pytest
import scipy.optimize
from problems_of_optimization import MATRIX, START, of_quartic, quartic
from scipy.optimize import minimize, rosen, rosen_der, rosen_hess, rosen_hess_prod
from solvers import Waits, host

import gpunp

BOUNDS = {
    "wide": [(-2, 2)] * 5,
    "above": [(1.1, None)] * 5,
    "below": [(None, 0.9)] * 3 + [(None, None)] * 2,
    "mixed": [(0, 0.5), (1.2, 3), (None, None), (None, None), (None, None)],
}


def compare(fun, x0, within=1e-6, slack=2, **options):
    """Minimize on the host and on the device; return the result of the device."""
    expected, actual = minimize(fun, x0, **options), minimize(fun, gpunp.asarray(x0), **options)
    assert set(actual) == set(expected)
    assert isinstance(actual.x, gpunp.ndarray)
    np.testing.assert_allclose(host(actual.x), expected.x, within, within)
    np.testing.assert_allclose(host(actual.fun), expected.fun, within, within)
    for name in ("status", "success", "message"):
        assert actual.get(name) == expected.get(name), name
    # Rounding errors of a GPU may cost or save a step.
    if "nit" in expected:
        assert abs(actual.nit - expected.nit) <= slack
    if isinstance(expected.get("jac"), np.ndarray):
        assert isinstance(actual.jac, gpunp.ndarray)
        assert actual.jac.shape == np.shape(expected.jac)
    return actual, expected


@pytest.mark.parametrize("method", ["BFGS", "CG", "L-BFGS-B"])
@pytest.mark.parametrize("jac", [rosen_der, None, "2-point", "3-point", "cs"])
def test_gradients(method, jac):
    if method == "CG" and jac in (None, "2-point", "3-point"):
        # It stops where differences are rounding errors.
        compare(rosen, START, 1e-4, 60, method=method, jac=jac)
        return
    actual, expected = compare(rosen, START, method=method, jac=jac)
    assert abs(actual.nfev - expected.nfev) <= 30
    assert abs(actual.njev - expected.njev) <= 4


@pytest.mark.parametrize("method", ["BFGS", "CG", "L-BFGS-B"])
def test_a_convex_function(method):
    actual, expected = compare(quartic, np.zeros(20), 1e-5, method=method, jac=of_quartic)
    assert abs(actual.nfev - expected.nfev) <= 3
    compare(quartic, np.ones(20), 1e-4, method=method, jac=of_quartic, tol=1e-3)
    compare(quartic, np.ones(20), method=method, jac=of_quartic, options={"maxiter": 3})


def test_methods_are_chosen_as_scipy_does():
    compare(rosen, START, jac=rosen_der)
    compare(rosen, START, jac=rosen_der, bounds=BOUNDS["wide"])
    compare(rosen, START, 1e-5, jac=rosen_der, constraints={"type": "ineq", "fun": lambda x: x[0] - 1.5})


@pytest.mark.parametrize("method", ["BFGS", "CG", "L-BFGS-B", "Newton-CG", "SLSQP"])
def test_functions_that_return_the_gradient_too(method):
    calls = []

    def both(x, scale):
        calls.append(x)
        return scale * rosen(x), scale * rosen_der(x)

    expected = minimize(both, START, args=(2.0,), jac=True, method=method)
    on_host = len(calls)
    calls.clear()
    actual = minimize(both, gpunp.asarray(START), args=(2.0,), jac=True, method=method)
    np.testing.assert_allclose(host(actual.x), expected.x, 1e-4)
    assert len(calls) <= on_host + 3
    assert isinstance(calls[0], gpunp.ndarray)


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("jac", [rosen_der, None, "3-point"])
def test_bounds(bounds, jac):
    actual, expected = compare(rosen, START, 1e-5, jac=jac, bounds=BOUNDS[bounds], method="L-BFGS-B")
    lower, upper = (
        np.array([np.nan if v is None else v for v in each]) for each in zip(*BOUNDS[bounds], strict=True)
    )
    assert not (host(actual.x) < lower).any()
    assert not (host(actual.x) > upper).any()
    assert abs(actual.nfev - expected.nfev) <= 22


@pytest.mark.parametrize("seed", range(6))
def test_random_boxes(seed):
    random = np.random.default_rng(seed)
    lower = random.normal(size=20) - 0.5
    box = scipy.optimize.Bounds(lower, lower + random.uniform(0, 1, size=20))
    start = random.normal(size=20)
    compare(quartic, start, 1e-5, jac=of_quartic, bounds=box, method="L-BFGS-B")
    on_device = scipy.optimize.Bounds(gpunp.asarray(box.lb), gpunp.asarray(box.ub))
    found = minimize(quartic, gpunp.asarray(start), jac=of_quartic, bounds=on_device)
    np.testing.assert_allclose(
        host(found.x), minimize(quartic, start, jac=of_quartic, bounds=box).x, 1e-5, 1e-5
    )


@pytest.mark.parametrize("jac", [rosen_der, None])
def test_fixed_variables(jac):
    bounds = [(0, 0.9)] * 3 + [(1.0, 1.0)] * 2
    compare(rosen, START, 1e-5, jac=jac, bounds=bounds, method="L-BFGS-B")
    compare(rosen, START, 1e-5, jac=jac, bounds=[(0.5, 0.5)] * 5, method="TNC", slack=0)


@pytest.mark.parametrize("method", [None, "L-BFGS-B", "TNC", "SLSQP"])
def test_variables_that_are_all_fixed(method):
    seen = []

    def function(x):
        seen.append(x)
        return x.sum()

    box = scipy.optimize.Bounds([0.5, 1.0], [0.5, 1.0])
    expected = minimize(np.sum, np.ones(2), bounds=box, method=method)
    actual = minimize(function, gpunp.ones(2), bounds=box, method=method)
    assert isinstance(seen[0], gpunp.ndarray)
    assert isinstance(actual.x, gpunp.ndarray)
    np.testing.assert_array_equal(host(actual.x), expected.x)
    assert actual.fun == expected.fun
    assert actual.message == expected.message


@pytest.mark.parametrize("method", ["BFGS", "CG", "L-BFGS-B", "Newton-CG"])
def test_constraints_that_a_method_does_not_take(method):
    limit = scipy.optimize.NonlinearConstraint(lambda x: (x**2).sum(), 0, 1)
    with pytest.warns(RuntimeWarning, match="cannot handle constraints"):
        compare(quartic, np.ones(20), 1e-4, method=method, jac=of_quartic, constraints=limit)


HESSIANS = {"none": {}, "hess": {"hess": rosen_hess}, "hessp": {"hessp": rosen_hess_prod}}
HESSIANS |= {name: {"hess": name} for name in ("2-point", "3-point", "cs")}


@pytest.mark.parametrize("hessian", HESSIANS)
def test_newton_conjugate_gradients(hessian):
    options = {"jac": rosen_der, "method": "Newton-CG", **HESSIANS[hessian]}
    actual, expected = compare(rosen, START, 1e-5, **options)
    assert actual.nfev == pytest.approx(expected.nfev, abs=2)
    if hessian in ("hess", "hessp"):
        assert actual.nhev == pytest.approx(expected.nhev, abs=3)
    compare(rosen, START, options={"maxiter": 3}, **options)


def test_newton_from_where_the_function_is_concave():
    compare(lambda x: np.sum(np.cos(x)), np.full(3, 0.5), 1e-4, jac=lambda x: -np.sin(x), method="Newton-CG")


@pytest.mark.parametrize("method", ["BFGS", "CG", "Newton-CG"])
def test_paths_and_callbacks(method, capsys):
    seen = []

    def follow(x):
        assert isinstance(x, gpunp.ndarray)
        seen.append(host(x))

    options = {"return_all": True, "disp": True}
    found = minimize(
        rosen, gpunp.asarray(START), jac=rosen_der, method=method, callback=follow, options=options
    )
    assert len(found.allvecs) == found.nit + 1
    np.testing.assert_array_equal(host(found.allvecs[1:]), seen)
    assert "Current function value" in capsys.readouterr().out


@pytest.mark.parametrize(
    "method", ["BFGS", "CG", "Newton-CG", "L-BFGS-B", "Nelder-Mead", "Powell", "trust-ncg", "SLSQP"]
)
def test_callbacks_stop_the_solver(method):
    values = []

    def stop(intermediate_result):
        assert isinstance(intermediate_result.x, gpunp.ndarray)
        values.append(float(intermediate_result.fun))
        if len(values) == 3:
            raise StopIteration

    options = {"hess": rosen_hess} if method == "trust-ncg" else {}
    jac = None if method in ("Nelder-Mead", "Powell") else rosen_der
    found = minimize(rosen, gpunp.asarray(START), method=method, jac=jac, callback=stop, **options)
    assert (found.status, found.success, len(values)) == (99, False, 3)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("Nelder-Mead", {}),
        ("Powell", {}),
        ("TNC", {"jac": rosen_der}),
        ("COBYQA", {}),
        ("SLSQP", {"jac": rosen_der}),
        ("trust-ncg", {"jac": rosen_der, "hess": rosen_hess}),
        ("trust-ncg", {"jac": rosen_der, "hessp": rosen_hess_prod}),
        ("trust-krylov", {"jac": rosen_der, "hess": rosen_hess}),
        ("trust-exact", {"jac": rosen_der, "hess": rosen_hess}),
        ("dogleg", {"jac": lambda x: 2 * (x - 1), "hess": lambda x: 2 * np.eye(5)}),
        ("trust-constr", {"jac": rosen_der, "hess": rosen_hess, "options": {"maxiter": 30}}),
        ("trust-constr", {"jac": rosen_der, "hess": scipy.optimize.BFGS(), "options": {"maxiter": 30}}),
    ],
)
def test_solvers_that_step_on_the_host(method, options):
    fun = rosen if method != "dogleg" else lambda x: np.sum((x - 1) ** 2)
    actual, _ = compare(fun, START, 1e-3, 40, method=method, **options)
    if method in ("Nelder-Mead", "Powell", "TNC", "COBYQA", "SLSQP"):
        compare(fun, START, 1e-3, 40, method=method, bounds=BOUNDS["wide"], **options)
    if method == "Nelder-Mead":
        assert all(isinstance(each, gpunp.ndarray) for each in actual.final_simplex)


def test_constrained_minimization():
    equal = {"type": "eq", "fun": lambda x: np.stack([x[1] + x[2] - 2])}
    over = {
        "type": "ineq",
        "fun": lambda x, least: x[0] - least,
        "jac": lambda x, least: np.eye(5)[0],
        "args": (1.5,),
    }
    compare(rosen, START, 1e-4, jac=rosen_der, method="SLSQP", constraints=(equal, over))
    ring = scipy.optimize.NonlinearConstraint(lambda x: x[0] ** 2 + x[1], 0, 1.5, jac=_of_ring)
    plane = scipy.optimize.LinearConstraint(np.ones((1, 5)), 3.0, 4.0)
    for method in ("trust-constr", "COBYQA"):
        expected = minimize(rosen, START, method=method, jac=_only(method), constraints=[ring, plane])
        found = minimize(
            rosen, gpunp.asarray(START), method=method, jac=_only(method), constraints=[ring, plane]
        )
        assert float(found.fun) == pytest.approx(float(expected.fun), rel=0.05)
        assert float(found.x[0] ** 2 + found.x[1]) < 1.51
        assert 2.99 < float(found.x.sum()) < 4.01


def _of_ring(x):
    return np.stack([2 * x[0], 1 + 0 * x[1], 0 * x[2], 0 * x[3], 0 * x[4]])[None]


def _only(method):
    return rosen_der if method == "trust-constr" else None


def test_custom_methods():
    def step(fun, x0, args=(), **options):
        assert isinstance(x0, gpunp.ndarray)
        return scipy.optimize.OptimizeResult(x=x0 - 1, fun=fun(x0 - 1, *args), success=True)

    found = minimize(rosen, gpunp.asarray(START), method=step)
    np.testing.assert_array_equal(host(found.x), START - 1)


def test_inverse_hessians():
    for method in ("BFGS", "L-BFGS-B"):
        options = {"jac": of_quartic, "method": method, "options": {"maxiter": 6}}
        expected = minimize(quartic, np.ones(20), **options).hess_inv
        found = minimize(quartic, gpunp.ones(20), **options).hess_inv
        if method == "L-BFGS-B":
            assert isinstance(found, scipy.optimize.LbfgsInvHessProduct)
            np.testing.assert_allclose(
                host(found._matvec(gpunp.ones(20))), expected.matvec(np.ones(20)), 1e-6
            )
            for X in (np.eye(20)[:, :3], gpunp.eye(20)[:, :3]):
                np.testing.assert_allclose(host(found._matmat(X)), expected._matmat(host(X)), 1e-6, 1e-9)
            found, expected = found.todense(), expected.todense()
        np.testing.assert_allclose(host(found), expected, 1e-6, 1e-8)
    s, y = np.ones((1, 3)), np.arange(1.0, 4)[None]
    operator = scipy.optimize.LbfgsInvHessProduct(gpunp.asarray(s), gpunp.asarray(y))
    np.testing.assert_allclose(
        host(operator.todense()), scipy.optimize.LbfgsInvHessProduct(s, y).todense(), 1e-12
    )
    inverse = np.linalg.inv(MATRIX)
    start = {"hess_inv0": (inverse + inverse.T) / 2}
    compare(quartic, np.ones(20), 1e-5, jac=of_quartic, method="BFGS", options=start)


def test_values_that_are_not_finite():
    for method in ("BFGS", "CG", "L-BFGS-B"):
        compare(lambda x: np.nan * x.sum(), START, method=method, jac=lambda x: np.nan * x, slack=0)


@pytest.mark.parametrize("char", "fi")
def test_dtypes_of_the_start(char):
    start = np.array([2, 3, 1], char)
    for method in ("BFGS", "CG", "L-BFGS-B", "Newton-CG"):
        found = minimize(rosen, gpunp.asarray(start), jac=rosen_der, tol=1e-3, method=method)
        wanted = np.float32 if char == "f" and method != "L-BFGS-B" else np.float64
        assert found.x.dtype == wanted, method
        assert float(found.fun) < 0.1


@pytest.mark.parametrize(
    ("error", "match", "options"),
    [
        (ValueError, "Unknown solver", {"method": "descent"}),
        (ValueError, "Jacobian is required", {"method": "Newton-CG"}),
        (ValueError, "number of bounds is not compatible", {"method": "L-BFGS-B", "bounds": [(0, 1)] * 3}),
        (ValueError, "lower bound", {"method": "L-BFGS-B", "bounds": [(1, 0)] * 5}),
        (ValueError, "maxls must be positive", {"method": "L-BFGS-B", "options": {"maxls": 0}}),
        (ValueError, "c1|c2", {"method": "BFGS", "options": {"c1": 2.0}}),
    ],
)
def test_errors(error, match, options):
    with pytest.raises(error):
        minimize(rosen, START, **options)
    with pytest.raises(error, match=match if "lower" not in match else None):
        minimize(rosen, gpunp.asarray(START), **options)


def test_more_errors():
    with pytest.raises(ValueError, match="must only have one dimension"):
        minimize(rosen, gpunp.ones((2, 2)))
    with pytest.raises(ValueError, match="must return a scalar"):
        minimize(lambda x: x, gpunp.asarray(START))
    with pytest.warns(RuntimeWarning, match="cannot handle bounds"):
        minimize(rosen, gpunp.asarray(START), method="BFGS", bounds=BOUNDS["wide"], jac=rosen_der)
    with pytest.warns(scipy.optimize.OptimizeWarning, match="Unknown solver options"):
        minimize(rosen, gpunp.asarray(START), method="CG", jac=rosen_der, options={"speed": 1})


@pytest.mark.parametrize("method", ["BFGS", "CG", "L-BFGS-B"])
@pytest.mark.parametrize("jac", [rosen_der, None])
def test_an_evaluation_waits_once(method, jac, device):
    with Waits(device) as waits:
        found = minimize(rosen, gpunp.asarray(START), method=method, jac=jac)
    # And once at the end, for NaN.
    assert waits.count <= found.njev + 1


def test_an_evaluation_in_a_box_waits_once(device):
    with Waits(device) as waits:
        found = minimize(rosen, gpunp.asarray(START), jac=rosen_der, bounds=BOUNDS["mixed"])
    # And once for whether all bounds are finite.
    assert waits.count <= found.njev + 1


def test_a_product_with_the_hessian_waits_once(device):
    options = {"jac": rosen_der, "hessp": rosen_hess_prod, "method": "Newton-CG"}
    with Waits(device) as waits:
        found = minimize(rosen, gpunp.asarray(START), **options)
    assert waits.count <= found.njev + found.nhev + 1


def test_scalars_of_the_function_stay_on_the_device(device):
    def fun(x):
        value = rosen(x)
        assert isinstance(value, gpunp.ndarray)
        return value

    with Waits(device) as waits:
        found = minimize(fun, gpunp.asarray(START), method="Nelder-Mead")
    assert waits.count <= found.nfev + 1
