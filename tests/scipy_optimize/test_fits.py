"""Least squares on the device, compared with SciPy on the host."""

import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import OptimizeWarning, curve_fit, least_squares, leastsq, lsq_linear, nnls
from solvers import Waits, assert_same_result, host

import gpunp

TIMES = np.linspace(0, 4, 200)
VALUES = 2.5 * np.exp(-1.3 * TIMES) + 0.5 + 0.1 * np.random.default_rng(0).normal(size=200)
VALUES[::17] += 3
START = np.array([1.0, 1.0, 0.7])
BOX = ([0, 0, 0.6], [2, 3, 4])
SYSTEM = np.random.default_rng(0).normal(size=(30, 6))
RIGHT = SYSTEM @ np.array([1.0, -1, 2, 0, 3, -2]) + 0.1


def model(t, a, b, c):
    return a * np.exp(-b * t) + c


def of_model(t, a, b, c):
    fall = np.exp(-b * t)
    return np.stack([fall, -a * t * fall, np.ones_like(t)], axis=1)


def residuals(p, t, y):
    return p[0] * np.exp(-p[1] * t) + p[2] - y


def of_residuals(p, t, y):
    return of_model(t, *p)


def compare(within=1e-6, **options):
    expected = least_squares(residuals, START, args=(TIMES, VALUES), **options)
    data = gpunp.asarray(TIMES), gpunp.asarray(VALUES)
    actual = least_squares(residuals, gpunp.asarray(START), args=data, **options)
    fields = ("x", "cost", "fun", "jac", "active_mask")
    assert_same_result(actual, expected, fields=fields, exact=("status", "message"), rtol=within, atol=within)
    np.testing.assert_allclose(host(actual.grad), expected.grad, atol=1e-3)
    for name in ("x", "fun", "jac", "grad", "active_mask"):
        assert isinstance(actual[name], gpunp.ndarray), name
    assert abs(actual.nfev - expected.nfev) <= 2
    return actual, expected


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
@pytest.mark.parametrize("jac", [of_residuals, "2-point", "3-point", "cs"])
def test_jacobians(method, jac):
    actual, expected = compare(method=method, jac=jac)
    assert (actual.njev is None) == (expected.njev is None)


@pytest.mark.parametrize("method", ["trf", "dogbox"])
@pytest.mark.parametrize("loss", ["soft_l1", "huber", "cauchy", "arctan", "callable"])
def test_losses(method, loss):
    if loss == "callable":
        loss = lambda z: np.stack([np.log1p(z), 1 / (1 + z), -1 / (1 + z) ** 2])  # noqa: E731
    compare(1e-5, method=method, loss=loss, f_scale=0.1, jac=of_residuals)


@pytest.mark.parametrize("method", ["trf", "dogbox"])
def test_options(method):
    compare(1e-5, method=method, bounds=BOX)
    compare(1e-5, method=method, bounds=BOX, loss="huber", jac="3-point")
    compare(1e-5, method=method, tr_solver="lsmr")
    compare(1e-5, method=method, x_scale=np.array([1.0, 2, 3]))
    compare(1e-5, method=method, max_nfev=2)
    compare(1e-5, method=method, diff_step=1e-6)


def test_callbacks():
    seen = []

    def follow(intermediate_result):
        assert isinstance(intermediate_result.x, gpunp.ndarray)
        assert intermediate_result.fun.shape == TIMES.shape
        seen.append(intermediate_result.cost)

    data = gpunp.asarray(TIMES), gpunp.asarray(VALUES)
    least_squares(residuals, gpunp.asarray(START), args=data, callback=follow)
    assert len(seen) > 1
    assert seen == sorted(seen, reverse=True)


def test_more_unknowns_than_residuals():
    def fun(x):
        return np.stack([x[0] * x[1] - 2, x[1] + x[2] - 3])

    expected, actual = least_squares(fun, np.ones(3)), least_squares(fun, gpunp.ones(3))
    np.testing.assert_allclose(host(actual.x), expected.x, 1e-6)
    for x in (np.ones(3), gpunp.ones(3)):
        with pytest.raises(ValueError, match="number of residuals is less than"):
            least_squares(fun, x, method="lm")


@pytest.mark.parametrize(
    ("match", "options"),
    [
        ("`method` must be", {"method": "cg"}),
        ("`loss` must be one of", {"loss": "l1"}),
        ("supports only 'linear' loss", {"method": "lm", "loss": "huber"}),
        ("doesn't support bounds", {"method": "lm", "bounds": BOX}),
        ("Initial guess is outside", {"bounds": (2, 3)}),
        ("Each lower bound", {"bounds": (3, 2)}),
        ("`max_nfev` must be", {"max_nfev": 0}),
        ("`jac` must be", {"jac": "4-point"}),
        ("wrong shape", {"jac": lambda p, t, y: 0 * t[:, None]}),
        ("wrong shape", {"loss": lambda z: z}),
    ],
)
def test_errors(match, options):
    with pytest.raises(ValueError, match=match):
        least_squares(residuals, START, args=(TIMES, VALUES), **options)
    data = gpunp.asarray(TIMES), gpunp.asarray(VALUES)
    with pytest.raises(ValueError, match=match):
        least_squares(residuals, gpunp.asarray(START), args=data, **options)


def test_residuals_that_are_not_finite():
    with pytest.raises(ValueError, match="not finite in the initial point"):
        least_squares(lambda x: x / 0.0, gpunp.ones(2))


def test_sparse_jacobians_are_on_the_host():
    def sparse(x):
        return scipy.sparse.eye_array(2).tocsc()

    with pytest.raises(TypeError, match="sparse Jacobians"):
        least_squares(lambda x: x - 2, gpunp.ones(2), jac=sparse)
    with pytest.raises(TypeError, match="sparse Jacobians"):
        least_squares(lambda x: x - 2, gpunp.ones(2), jac_sparsity=scipy.sparse.eye_array(2))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bounds": ([0, 0, 0], [3, 3, 3])},
        {"sigma": np.linspace(1, 2, 200)},
        {"sigma": np.linspace(1, 2, 200), "absolute_sigma": True},
        {"sigma": np.diag(np.linspace(1, 2, 200) ** 2)},
        {"sigma": 0.5},
        {"p0": np.array([1.0, 1.0, 1.0])},
        {"p0": [1.0, 1.0, 1.0], "method": "dogbox"},
        {"jac": of_model},
        {"jac": of_model, "method": "trf", "loss": "soft_l1", "p0": START},
        {"check_finite": False, "nan_policy": "omit"},
        {"maxfev": 500, "ftol": 1e-10},
    ],
)
def test_fits(options):
    expected = curve_fit(model, TIMES, VALUES, full_output=True, **options)
    on_device = {key: gpunp.asarray(v) if isinstance(v, np.ndarray) else v for key, v in options.items()}
    x, y = gpunp.asarray(TIMES), gpunp.asarray(VALUES)
    actual = curve_fit(model, x, y, full_output=True, **on_device)
    for one, other in zip(actual[:2], expected[:2], strict=True):
        assert isinstance(one, gpunp.ndarray)
        np.testing.assert_allclose(host(one), other, 1e-4, 1e-7)
    np.testing.assert_allclose(host(actual[2]["fvec"]), expected[2]["fvec"], 1e-4, 1e-6)
    assert actual[3:] == expected[3:]


def test_missing_values():
    y = np.where(np.arange(200) % 7 == 0, np.nan, VALUES)
    expected = curve_fit(model, TIMES, y, nan_policy="omit")
    actual = curve_fit(model, gpunp.asarray(TIMES), gpunp.asarray(y), nan_policy="omit")
    np.testing.assert_allclose(host(actual[0]), expected[0], 1e-5)
    with pytest.raises(ValueError, match="infs or NaNs"):
        curve_fit(model, gpunp.asarray(TIMES), gpunp.asarray(y))
    with pytest.raises(ValueError, match="contains nan"):
        curve_fit(model, gpunp.asarray(TIMES), gpunp.asarray(y), nan_policy="raise")


def test_bad_fits():
    x, y = gpunp.asarray(TIMES), gpunp.asarray(VALUES)
    with pytest.raises(RuntimeError, match="Optimal parameters not found"):
        curve_fit(model, x, y, maxfev=2)
    with pytest.raises(TypeError, match="must not exceed"):
        curve_fit(model, x[:2], y[:2])
    with pytest.raises(ValueError, match="must not be empty"):
        curve_fit(model, x[:0], y[:0])
    with pytest.raises(ValueError, match="`sigma` has incorrect shape"):
        curve_fit(model, x, y, sigma=x[:3])
    with pytest.raises(ValueError, match="only works for unconstrained"):
        curve_fit(model, x, y, method="lm", bounds=BOX)
    with pytest.warns(OptimizeWarning, match="Covariance"):
        curve_fit(lambda t, a, b: a + 0 * b * t, x, y)


@pytest.mark.parametrize("form", ["differences", "jacobian", "transposed"])
def test_leastsq(form):
    options = {"differences": {}, "jacobian": {"Dfun": of_residuals}}
    options["transposed"] = {"Dfun": lambda *args: of_residuals(*args).T, "col_deriv": True}
    expected = leastsq(residuals, START, args=(TIMES, VALUES), full_output=True, **options[form])
    data = gpunp.asarray(TIMES), gpunp.asarray(VALUES)
    actual = leastsq(residuals, gpunp.asarray(START), args=data, full_output=True, **options[form])
    for one, other in zip(actual[:2], expected[:2], strict=True):
        np.testing.assert_allclose(host(one), other, 1e-5, 1e-9)
    assert set(actual[2]) == set(expected[2])
    np.testing.assert_allclose(host(actual[2]["fvec"]), expected[2]["fvec"], 1e-5, 1e-7)
    assert abs(actual[2]["nfev"] - expected[2]["nfev"]) <= 4
    assert actual[3:] == expected[3:]
    brief = leastsq(residuals, gpunp.asarray(START), args=data, **options[form])
    np.testing.assert_array_equal(host(brief[0]), host(actual[0]))


def test_leastsq_errors():
    with pytest.raises(TypeError, match="must not exceed func output"):
        leastsq(lambda x: x[:1], gpunp.ones(2))
    with pytest.raises(TypeError, match="mismatch"):
        leastsq(lambda x: x, gpunp.ones(2), Dfun=lambda x: x)
    with pytest.warns(RuntimeWarning, match="maxfev = 2"):
        leastsq(residuals, gpunp.asarray(START), (gpunp.asarray(TIMES), gpunp.asarray(VALUES)), maxfev=2)


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_waits(method, device):
    data = gpunp.asarray(TIMES), gpunp.asarray(VALUES)
    with Waits(device) as waits:
        found = least_squares(residuals, gpunp.asarray(START), args=data, method=method)
    # Each evaluation, each Jacobian, and the start.
    assert waits.count <= 2 * found.nfev + 1


def test_parameters_are_numbers_for_the_model():
    def checked(t, a, b, c):
        assert isinstance(t, gpunp.ndarray)
        assert not isinstance(a, gpunp.ndarray)
        return model(t, a, b, c)

    curve_fit(checked, gpunp.asarray(TIMES), gpunp.asarray(VALUES))


def test_nonnegative_least_squares(device):
    for right in (RIGHT, RIGHT[:, None], -RIGHT):
        expected = nnls(SYSTEM, right.ravel())
        actual = nnls(gpunp.asarray(SYSTEM), gpunp.asarray(right))
        np.testing.assert_allclose(host(actual[0]), expected[0], 1e-9, 1e-12)
        assert actual[1] == pytest.approx(expected[1])
    actual = nnls(gpunp.asarray(SYSTEM[:4]), gpunp.asarray(RIGHT[:4]))
    np.testing.assert_allclose(host(actual[1]), nnls(SYSTEM[:4], RIGHT[:4])[1], atol=1e-9)
    for A, b, match in ((SYSTEM, RIGHT[:3], "ncompatible"), (SYSTEM[0], RIGHT, "2D|two-dim")):
        with pytest.raises(ValueError, match=match):
            nnls(A, b)
        with pytest.raises(ValueError, match=match):
            nnls(gpunp.asarray(A), gpunp.asarray(b))
    with pytest.raises(ValueError, match="infs or NaNs"):
        nnls(gpunp.asarray(SYSTEM * np.inf), gpunp.asarray(RIGHT))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bounds": (0, 1.5)},
        {"bounds": (np.zeros(6), np.full(6, 1.5)), "method": "bvls"},
        {"bounds": (0, 1.5), "lsq_solver": "lsmr"},
        {"lsq_solver": "lsmr", "lsmr_tol": "auto"},
        {"bounds": (0, 1.5), "max_iter": 1},
    ],
)
def test_linear_least_squares_with_bounds(options):
    expected = lsq_linear(SYSTEM, RIGHT, **options)
    actual = lsq_linear(gpunp.asarray(SYSTEM), gpunp.asarray(RIGHT), **options)
    assert set(actual) == set(expected)
    for name in ("x", "fun", "cost"):
        np.testing.assert_allclose(host(actual[name]), expected[name], 1e-6, 1e-8)
    np.testing.assert_array_equal(host(actual.active_mask), expected.active_mask)
    assert (actual.status, actual.message) == (expected.status, expected.message)


def test_bad_linear_systems():
    for A, b in ((SYSTEM, RIGHT[:3]), (SYSTEM[None], RIGHT)):
        with pytest.raises(ValueError, match=r"`[Ab]`|Inconsistent"):
            lsq_linear(A, b)
        with pytest.raises(ValueError, match=r"`[Ab]`|Inconsistent"):
            lsq_linear(gpunp.asarray(A), gpunp.asarray(b))
    with pytest.raises(TypeError, match="sparse matrices"):
        lsq_linear(scipy.sparse.eye_array(3).tocsr(), gpunp.ones(3))
