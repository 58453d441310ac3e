"""`scipy.integrate.tanhsinh` and `nsum` on device arrays, compared with SciPy on the host in all results."""

import copy

import numpy as np
import pytest
from elementwise_solvers import assert_same, calls_and_result, results_in_turn, waits_of
from scipy import integrate

import gpunp


def _limits(seed, dtype, count=60):
    """Limits of integrals: finite, infinite, reversed, equal, and NaN; and a parameter."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, count))
    a[:5], b[3:9], a[9], b[10] = -np.inf, np.inf, b[9], np.nan
    a[11], b[12], a[13], b[13] = np.inf, -np.inf, np.inf, np.inf
    return tuple(each.astype(dtype) for each in (a, b, rng.uniform(0.5, 9, count)))


def _bell(x, c):
    return 1 / (1 + x * x * c) / (1 + x * x)


def _wave(x, c):
    return 1 / (1j + x * x + c) / (1 + x * x)


def _logarithm(x, c):
    return -x * x * c


def _divergent(x, c):
    return (x - 1) * c / x


def _tanhsinh(f, a, b, c, **options):
    return integrate.tanhsinh(f, a, b, args=(c,), **options)


def _of_shape(f, a, b, c, **options):
    return integrate.tanhsinh(lambda x: f(x, 2), a, b, preserve_shape=True, **options)


INTEGRALS = {
    "real": (_tanhsinh, _bell, {}),
    "complex": (_tanhsinh, _wave, {}),
    "logarithms": (_tanhsinh, _logarithm, {"log": True}),
    "divergent": (_tanhsinh, _divergent, {}),
    "kept shape": (_of_shape, _bell, {}),
    "few levels": (_tanhsinh, _bell, {"maxlevel": 3, "minlevel": 1}),
    "no level": (_tanhsinh, _bell, {"maxlevel": 0}),
    "one level": (_tanhsinh, _bell, {"minlevel": 6}),
    "tolerances": (_tanhsinh, _bell, {"atol": 1e-3, "rtol": 1e-2}),
}


def _tolerances(dtype, name="real"):
    """Of integrals and of their errors; rounding makes up the errors where integrals converge fast."""
    if name == "logarithms":
        return {"integral": (1e-5, 1e-5), "error": (0.2, 1)} if dtype == "f" else {"error": (0.05, 0.5)}
    if name == "divergent":
        # Next to a pole, points that differ by rounding have other values.
        return {"integral": (1e-3, 1e-3), "error": (0.1, 1e-3)} if dtype == "f" else {"error": (1e-2, 1e-7)}
    if dtype == "f":
        return {"integral": (1e-5, 1e-5), "error": (0.1, 1e-6)}
    return {"error": (1e-2, 1e-14)}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("name", INTEGRALS)
def test_random_integrals(name, dtype, seed):
    solve, function, options = INTEGRALS[name]
    arrays = _limits(seed, dtype)
    shapes, expected = calls_and_result(solve, function, arrays, options)
    found_shapes, found = calls_and_result(solve, function, map(gpunp.asarray, arrays), options)
    assert_same(
        found,
        expected,
        rtol=1e-8 if name == "divergent" else 1e-12,
        atol=1e-13,
        tolerances=_tolerances(dtype, name),
    )
    assert found_shapes == shapes


def test_numbers_and_shapes():
    for a, b in (
        (np.asarray(0.0), np.asarray(2.0)),
        (np.asarray([[0.0, -np.inf]]), np.asarray([[1.0], [2.0]])),
        (np.zeros((0, 2)), np.ones((0, 2))),
        (np.asarray([1, 2]), np.asarray(5)),
    ):
        shapes, expected = calls_and_result(_tanhsinh, _bell, (a, b, np.asarray(2.0)), {})
        moved = map(gpunp.asarray, (a, b, 2.0))
        found_shapes, found = calls_and_result(_tanhsinh, _bell, moved, {})
        assert_same(found, expected, rtol=1e-12, tolerances=_tolerances("d"))
        assert found_shapes == shapes


@pytest.mark.parametrize("halt", [None, 0, 2])
@np.errstate(all="ignore")
def test_callbacks(halt):
    # SciPy's own result changes the sign of finished elements with reversed limits in each callback.
    a, b, c = _limits(5, "d")
    a, b = np.minimum(a, b), np.maximum(a, b)

    moved = [gpunp.asarray(each) for each in (a, b, c)]
    expected = results_in_turn(_tanhsinh, _bell, (a, b, c), halt, copy.deepcopy)
    found = results_in_turn(_tanhsinh, _bell, moved, halt, lambda res: res)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other, rtol=1e-12, tolerances=_tolerances("d"))


@np.errstate(all="ignore")
def test_callbacks_do_not_change_results():
    arrays = [gpunp.asarray(each) for each in _limits(6, "d")]
    expected = _tanhsinh(_bell, *_limits(6, "d"))
    found = _tanhsinh(_bell, *arrays, callback=lambda res: None)
    assert_same(found, expected, rtol=1e-12, tolerances=_tolerances("d"))


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_sums(dtype, log):
    rng = np.random.default_rng(7)
    a = rng.integers(1, 9, 40).astype(dtype)
    b = np.where(np.arange(40) % 3 == 0, np.inf, a + rng.integers(-2, 50, 40)).astype(dtype)
    a[5], b[8], a[12] = np.nan, 2000, -np.inf
    c = rng.uniform(2, 6, 40).astype(dtype)

    def nsum(f, a, b, c, **options):
        return integrate.nsum(f, a, b, args=(c,), log=log, maxterms=300, **options)

    def terms(k, c):
        return -np.log1p(k * k * c) if log else 1 / (1 + k * k * c)

    shapes, expected = calls_and_result(nsum, terms, (a, b, c), {})
    found_shapes, found = calls_and_result(nsum, terms, map(gpunp.asarray, (a, b, c)), {})
    limits = (1e-4, 1e-5) if dtype == "f" else (1e-10, 1e-12)
    assert_same(found, expected, tolerances={"sum": limits, "error": (0.2, 1 if log else 1e-5)})
    assert found_shapes == shapes


def test_errors():
    def raising(x, c):
        raise ZeroDivisionError("of the user")

    x = gpunp.ones(2)
    for solve in (_tanhsinh, lambda f, a, b, c, **options: integrate.nsum(f, a, b, args=(c,), **options)):
        with pytest.raises(ZeroDivisionError, match="of the user"):
            solve(raising, x, x + 1, x)
        with pytest.raises(ValueError, match="must be real numbers"):
            solve(_bell, x * 1j, x, x)


def test_one_wait_in_each_level(device):
    a, b = gpunp.zeros(50), gpunp.asarray(np.random.default_rng(8).uniform(1, 2, 50))

    def waits(solve, **options):
        return waits_of(device, lambda: solve(lambda x: np.abs(x - 0.3), a, b, rtol=1e-15, **options))[0]

    for options in ({}, {"preserve_shape": True}):
        few = waits(integrate.tanhsinh, maxlevel=3, **options)
        many = waits(integrate.tanhsinh, maxlevel=8, **options)
        assert many - few <= 5
        # Before the first level, for limits that masks select on a GPU.
        assert few <= 3 + (2 if device.is_cpu else 25)
    few = waits(integrate.tanhsinh, maxlevel=3, log=True)
    assert waits(integrate.tanhsinh, maxlevel=8, log=True) - few <= 5
