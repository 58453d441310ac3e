"""SciPy's elementwise solvers of equations and minima, compared with SciPy on the host in all results."""

import copy

import numpy as np
import pytest
import scipy
from elementwise_solvers import assert_same, calls_and_result, results_in_turn, waits_of
from scipy.optimize import elementwise

import gpunp


# Only operations that NumPy and the device round alike, so that no result may differ in a bit.
def _cubic(x, c):
    return x * x * x - 2 * x - c


def _valley(x, c):
    return (x - c) * (x - c) + np.abs(x * x * x)


def _parameters(seed, dtype, count=150):
    """Random numbers, among them some that make a solver fail."""
    rng = np.random.default_rng(seed)
    c = rng.uniform(-3, 40, count)
    c[rng.integers(0, count, 6)] = np.repeat([np.nan, np.inf, -np.inf], 2)
    return c.astype(dtype), rng.uniform(1, 9, count).astype(dtype)


def _find_root(f, c, b, **options):
    return elementwise.find_root(f, (b * 0 - 5, b), args=(c,), **options)


def _find_minimum(f, c, b, **options):
    return elementwise.find_minimum(f, (c - b * b, c + 0.25, c + b + 4), args=(c,), **options)


def _bracket_root(f, c, b, **options):
    return elementwise.bracket_root(f, b - 4, b, args=(c,), **options)


def _bracket_minimum(f, c, b, **options):
    return elementwise.bracket_minimum(f, c / 8 - b, args=(c,), **options)


def _between(solver, low, high):
    """A search for a bracket within limits, which some of the elements reach."""

    def search(f, c, b, **options):
        return solver(f, c, b, xmin=b * low - 4, xmax=b * high, **options)

    return search


SOLVERS = {
    "find_root": (_find_root, _cubic),
    "find_minimum": (_find_minimum, _valley),
    "bracket_root": (_bracket_root, _cubic),
    "bracket_root between limits": (_between(_bracket_root, 1, 2), _cubic),
    "bracket_minimum": (_bracket_minimum, _valley),
    "bracket_minimum between limits": (_between(_bracket_minimum, -99, 4), _valley),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("name", SOLVERS)
def test_random_problems(name, dtype, seed):
    solve, function = SOLVERS[name]
    arrays = _parameters(seed, dtype)
    for options in ({}, {"maxiter": 3 + seed}, {"maxiter": 0}):
        shapes, expected = calls_and_result(solve, function, arrays, options)
        found_shapes, found = calls_and_result(solve, function, map(gpunp.asarray, arrays), options)
        assert_same(found, expected)
        # The function gets the elements that are not finished, as from SciPy.
        assert found_shapes == shapes
    # Elements that converged, and others that failed in at least one way.
    assert len(np.unique(expected.status)) > 1


@pytest.mark.parametrize("name", SOLVERS)
def test_numbers_and_shapes(name):
    solve, function = SOLVERS[name]
    for c, b in (
        (np.asarray(3.0), np.asarray(4.0)),
        (np.asarray([[3.0, 5.0, -1.0]]), np.asarray([[4.0], [5.0]])),
        (np.zeros((0, 2)), np.ones((0, 2))),
        (np.asarray([3, 2]), np.asarray([4, 4])),
    ):
        shapes, expected = calls_and_result(solve, function, (c, b), {})
        found_shapes, found = calls_and_result(solve, function, (gpunp.asarray(c), gpunp.asarray(b)), {})
        assert_same(found, expected)
        assert found_shapes == shapes


@pytest.mark.parametrize("name", ["find_root", "find_minimum"])
@pytest.mark.parametrize("halt", [None, 0, 3])
@np.errstate(all="ignore")
def test_callbacks(name, halt):
    solve, function = SOLVERS[name]
    arrays = _parameters(9, "d", 20)

    # SciPy's arrays change in later iterations; what a callback keeps of ours does not.
    moved = [gpunp.asarray(each) for each in arrays]
    expected = results_in_turn(solve, function, arrays, halt, copy.deepcopy)
    found = results_in_turn(solve, function, moved, halt, lambda res: res)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other)


def test_errors_and_invalid_arguments():
    c = gpunp.asarray([1.0, 2.0])

    def raising(x, c):
        raise ZeroDivisionError("of the user")

    for name, (solve, _) in SOLVERS.items():
        with pytest.raises(ZeroDivisionError, match="of the user"):
            solve(raising, c, c)
        with pytest.raises(ValueError, match="maxiter"):
            solve(SOLVERS[name][1], c, c, maxiter=-1)
    with pytest.raises(ValueError, match="must be real numbers"):
        _find_root(lambda x, c: x * 1j, c, c)
    with pytest.raises(ValueError, match="greater than 1"):
        _bracket_root(_cubic, c, c, factor=0.5)


@pytest.mark.skipif(
    np.lib.NumpyVersion(scipy.__version__) < "1.18.0", reason="SciPy has the argument since 1.18"
)
@np.errstate(all="ignore")
def test_arguments_by_name():
    c, b = _parameters(5, "d", 10)
    expected = elementwise.find_root(_cubic, (b * 0 - 5, b), kwargs={"c": c})
    c, b = gpunp.asarray(c), gpunp.asarray(b)
    assert_same(elementwise.find_root(_cubic, (b * 0 - 5, b), kwargs={"c": c}), expected)


# Minima at a kink take many steps; brackets grow slowly.
SLOW = {
    "find_root": (_find_root, lambda x, c: np.sign(x - c) * np.abs(x - c) ** 0.1, {}),
    "find_minimum": (_find_minimum, lambda x, c: np.abs(x - c), {}),
    "bracket_root": (_bracket_root, lambda x, c: x - 1e4 * c, {"factor": 1.1}),
    "bracket_minimum": (_bracket_minimum, lambda x, c: (x - 1e4 * c) ** 2, {"factor": 1.1}),
}


@pytest.mark.parametrize("name", SLOW)
def test_one_wait_in_each_iteration(name, device):
    solve, function, options = SLOW[name]
    rng = np.random.default_rng(2)
    arrays = [gpunp.asarray(rng.uniform(2, 4, 500)), gpunp.asarray(rng.uniform(5, 9, 500))]
    few, _ = waits_of(device, lambda: solve(function, *arrays, maxiter=3, **options))
    many, found = waits_of(device, lambda: solve(function, *arrays, maxiter=23, **options))
    assert int(found.nit.max()) == 23
    assert many - few <= 20
    # Before the first iteration, for elements that need none; for brackets also to check the arguments, and
    # on a GPU for elements that masks select.
    assert few <= 3 + (1 if "find" in name else 10 if device.is_cpu else 30)
