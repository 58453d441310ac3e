"""Integrals of samples and of functions, compared with SciPy on the host."""

import pickle

import numpy as np
import pytest
import scipy
from scipy import integrate
from scipy.stats import qmc
from solvers import Waits, host

import gpunp
import gpunp_scipy

SAMPLES = np.random.default_rng(3).normal(size=(3, 9, 5))
PLACES = np.sort(np.random.default_rng(4).uniform(size=9)) + np.arange(9)
RATES = np.linspace(0.5, 2.0, 7)


@pytest.mark.parametrize(
    "name", ["trapezoid", "simpson", "romb", "cumulative_trapezoid", "cumulative_simpson"]
)
@pytest.mark.parametrize("char", "fdD")
def test_samples(name, char):
    if char == "D" and name == "cumulative_simpson":
        pytest.skip("SciPy has it for real samples")
    if name == "simpson" and np.lib.NumpyVersion(scipy.__version__) < "1.18.0":
        pytest.skip("SciPy's code is for any array library since 1.18")
    function = getattr(integrate, name)
    values = SAMPLES.astype(char)
    cumulative = name.startswith("cumulative")
    options = [{"axis": 1, "dx": 0.5}, {"axis": -2}]
    options += [] if name == "romb" else [{"axis": 1, "x": PLACES.astype(char.lower())}]
    options += [{"axis": 1, "initial": 0}] if cumulative else []
    for each in options:
        expected = function(values, **each)
        on_device = {key: gpunp.asarray(v) if key == "x" else v for key, v in each.items()}
        found = function(gpunp.asarray(values), **on_device)
        assert isinstance(found, gpunp.ndarray)
        np.testing.assert_allclose(host(found), expected, 1e-5 if char == "f" else 1e-12, 1e-6)


@pytest.mark.parametrize("quadrature", ["gk21", "gk15", "trapezoid"])
def test_functions_with_arrays_as_values(quadrature):
    rates = gpunp.asarray(RATES)
    options = {"quadrature": quadrature, "epsrel": 1e-6}
    expected = integrate.quad_vec(lambda x: np.exp(-RATES * x), 0, 3, **options)
    found, error = integrate.quad_vec(lambda x: np.exp(-rates * x), 0, 3, **options)
    assert isinstance(found, gpunp.ndarray)
    np.testing.assert_allclose(host(found), expected[0], 1e-9)
    assert error == pytest.approx(expected[1], rel=1e-3, abs=1e-12)


def test_infinite_intervals_and_points():
    def bell(x, c):
        return np.exp(-c * x**2)

    cases = (
        ((0, np.inf), {}),
        ((-np.inf, np.inf), {"norm": "max"}),
        ((-1, 2), {"points": (0.5,)}),
    )
    for limits, options in cases:
        expected, error = integrate.quad_vec(bell, *limits, args=(RATES,), **options)
        found, estimate = integrate.quad_vec(bell, *limits, args=(gpunp.asarray(RATES),), **options)
        np.testing.assert_allclose(host(found), expected, 1e-7)
        assert estimate == pytest.approx(error, rel=1e-2, abs=1e-13)


@pytest.mark.parametrize("limits", [(0, 3), (0, np.inf)])
def test_full_output(limits):
    rates = gpunp.asarray(RATES)
    expected, error, info = integrate.quad_vec(lambda x: np.exp(-RATES * x), *limits, full_output=True)
    # With the rates in the function, and among its arguments.
    for f, args in ((lambda x: np.exp(-rates * x), ()), (lambda x, r: np.exp(-r * x), (rates,))):
        found, estimate, details = integrate.quad_vec(f, *limits, full_output=True, args=args)
        np.testing.assert_allclose(host(found), expected, 1e-9)
        assert estimate == pytest.approx(error, rel=1e-2, abs=1e-12)
        assert isinstance(details.integrals, gpunp.ndarray)
        assert details.integrals.shape == info.integrals.shape
        np.testing.assert_allclose(host(details.integrals.sum(axis=0)), expected, 1e-9)
        np.testing.assert_array_equal(details.intervals, info.intervals)
        assert (details.success, details.status, details.message) == (True, 0, info.message)
        assert details.neval == info.neval
    number, _, of_number = integrate.quad_vec(lambda x: x * x, 0, 1, full_output=True)
    assert number == pytest.approx(1 / 3)
    assert type(of_number.integrals) is np.ndarray


@pytest.mark.parametrize("quadrature", ["gk21", "gk15", "trapezoid"])
def test_one_wait_in_each_round_of_halving(quadrature, device):
    rates, rounds = gpunp.asarray(RATES), []

    def mapper(function, tasks):
        rounds.append(len(tasks))
        return map(function, tasks)

    def waves(x):
        return np.abs(np.cos(3 * rates * x))

    options = {"quadrature": quadrature, "workers": mapper, "limit": 90, "full_output": True}
    for points, options["norm"] in ((None, "2"), ((0.5, 1.0), "max"), (None, lambda x: np.sum(np.abs(x)))):
        rounds.clear()
        with Waits(device) as waits:
            _, _, info = integrate.quad_vec(waves, 0, 3, points=points, **options)
        # For each interval at the start, and for the sum of these.
        assert waits.count <= len(rounds) + (4 if points else 2)
        assert len(info.intervals) > 3 * len(rounds)


def _sharp(x):
    return np.abs(np.cos(3 * RATES * x))


def _elsewhere(function, tasks):
    """As pools of processes do, which get pickled tasks."""
    return map(function, pickle.loads(pickle.dumps(tasks)))


@pytest.mark.parametrize("workers", [1, _elsewhere])
@pytest.mark.parametrize("function", [_sharp, abs, np.sqrt])
def test_functions_of_the_host_have_the_same_results(function, workers):
    options = {"workers": workers, "limit": 40, "full_output": True}
    for limits in ((0, 3), (2, 0)):
        found, error, info = integrate.quad_vec(function, *limits, **options)
        with gpunp_scipy.disabled():
            expected = integrate.quad_vec(function, *limits, **options)
        np.testing.assert_array_equal(found, expected[0])
        assert (type(found), error) == (type(expected[0]), expected[1])
        for name in ("intervals", "integrals", "errors", "neval", "status"):
            np.testing.assert_array_equal(getattr(info, name), getattr(expected[2], name))


def test_quasi_monte_carlo():
    def bell(x):
        return np.exp(-np.sum(x**2, axis=0))

    points = qmc.Halton(2, rng=np.random.default_rng(1))
    options = {"n_points": 256, "n_estimates": 4, "qrng": points}
    found = integrate.qmc_quad(bell, gpunp.zeros(2), gpunp.ones(2), **options)
    exact = integrate.dblquad(lambda y, x: np.exp(-(x**2) - y**2), 0, 1, 0, 1)[0]
    assert float(found.integral) == pytest.approx(exact, abs=5e-3)
    assert float(found.standard_error) < 5e-3


def test_cubature():
    exponents = gpunp.asarray(RATES)

    def powers(x):
        return (x[:, 0, None] * x[:, 1, None]) ** exponents

    found = integrate.cubature(powers, gpunp.zeros(2), gpunp.ones(2), rule="gk15")
    assert isinstance(found.estimate, gpunp.ndarray)
    np.testing.assert_allclose(host(found.estimate), 1 / (RATES + 1) ** 2, 1e-6)


def test_double_exponential_quadrature_and_sums():
    found = integrate.tanhsinh(lambda x: np.exp(-x), gpunp.zeros(3), gpunp.asarray([1.0, 2.0, np.inf]))
    np.testing.assert_allclose(host(found.integral), [1 - np.exp(-1), 1 - np.exp(-2), 1.0], 1e-10)
    total = integrate.nsum(lambda k: 1 / k**2, gpunp.asarray([1.0, 2.0]), gpunp.asarray(np.inf))
    np.testing.assert_allclose(host(total.sum), [np.pi**2 / 6, np.pi**2 / 6 - 1], 1e-8)


def test_gaussian_quadrature():
    found = integrate.fixed_quad(lambda x: x**5, gpunp.asarray(0.0), gpunp.asarray(2.0), n=4)[0]
    assert float(found) == pytest.approx(64 / 6)


def test_waits_of_generic_integrals(device):
    with device:
        zero, one, two = gpunp.zeros(2), gpunp.ones(2), gpunp.asarray([2.0, 3.0])
        with Waits(device) as waits:
            calls = []
            integrate.tanhsinh(lambda x: calls.append(x) or np.exp(-x) * np.sin(50 * x), zero, two)
        # At the start limits are selected by masks, which are counted on a GPU.
        assert waits.count <= len(calls) + (5 if device.is_cpu else 25)
        with Waits(device) as waits:
            integrate.nsum(lambda k: 1 / k**2, one, gpunp.asarray([100.0, 50.0]))
        assert waits.count <= (6 if device.is_cpu else 12)
        options = {"rtol": 1e-6, "max_subdivisions": 20}
        with Waits(device) as waits:
            found = integrate.cubature(_checks, zero, one, **options)
        # The errors of the parts, and the test of convergence; and for the limits.
        assert waits.count <= 2 * found.subdivisions + 4
        expected = integrate.cubature(_checks, np.zeros(2), np.ones(2), **options)
        assert (found.subdivisions, found.status) == (expected.subdivisions, expected.status)
        assert len(found.regions) == len(expected.regions)
        assert all(isinstance(each, type(expected.regions[0])) for each in found.regions)
        sizes = [sorted(float(each.error.max()) for each in of.regions) for of in (found, expected)]
        np.testing.assert_allclose(*sizes, 1e-9, 1e-14)


def _checks(x):
    return np.abs(np.sin(9 * x[:, 0]) * x[:, 1] - 0.3)
