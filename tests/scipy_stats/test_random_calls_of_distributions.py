"""Random calls of distributions: arrays of parameters, invalid ones, infinite and unknown numbers."""

import zlib

import numpy as np
import pytest
from distributions import CONTINUOUS, DISCRETE, INVALID
from scipy import stats

import gpunp

# Quadrature or root finding on the host, number by number; parameters that are one table.
HOST = (
    "gausshyper genhyperbolic geninvgauss irwinhall kstwo levy_stable nchypergeom_fisher "
    "nchypergeom_wallenius norminvgauss studentized_range poisson_binom"
)
NAMES = sorted({*CONTINUOUS, *DISCRETE} - set(HOST.split()))
SPECIAL = np.array([0.0, 1.0, -1.0, 0.5, np.nan, np.inf, -np.inf, 1e10, -3.0, 7.0])
SHAPES = ((6,), (2, 3), (), (0,), (2, 1, 2))
# Relative tolerances where SciPy's own values have fewer digits.
TOLERANCES = {"hypergeom": 1e-7, "ksone": 1e-7, "kstwobign": 1e-6, "tukeylambda": 1e-5, "vonmises": 1e-6}
CALLS = 5


def _parameters(rng, name, shape):
    """Parameters near valid ones, some of them arrays of ``shape``, of which an element may be invalid."""
    valid = (CONTINUOUS | DISCRETE)[name]
    found = []
    for i, value in enumerate(valid):
        if rng.random() < 0.4:
            found.append(value)
            continue
        array = np.full(shape, value)
        if name in CONTINUOUS:
            array = array * rng.choice([1, 0.95, 1.02], size=shape)
        if name in INVALID and array.size and rng.random() < 0.3:
            array = array.astype(float)
            array.flat[rng.integers(array.size)] = INVALID[name][i]
        found.append(array)
    return found


def _keywords(rng, name, shape):
    found = {"loc": rng.choice([0, 1, -2])}
    if rng.random() < 0.5:
        found["loc"] = np.full(shape, float(found["loc"]))
        if found["loc"].size and rng.random() < 0.3:
            found["loc"].flat[0] = np.nan
    if name in CONTINUOUS:
        found["scale"] = rng.choice([0.5, 1.0, 3.0])
        if rng.random() < 0.3:
            found["scale"] = np.full(shape, found["scale"])
            if found["scale"].size:
                found["scale"].flat[-1] = rng.choice([0.0, -1.0])
    return found


def _points(rng, distribution, valid, shape, is_quantile):
    probabilities = rng.uniform(0.01, 0.99, shape)
    if is_quantile:
        x = np.asarray(probabilities)
        special = [0.0, 1.0, -0.1, 1.1, np.nan]
    else:
        x, special = np.asarray(distribution.ppf(probabilities, *valid), float), SPECIAL
    if x.size and rng.random() < 0.4:
        x = x.copy()
        x.flat[rng.integers(x.size)] = rng.choice(special)
    return x


def _there(value):
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_the_host(name):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    distribution = getattr(stats, name)
    density = "pdf" if name in CONTINUOUS else "pmf"
    methods = (density, f"log{density}", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")
    for _ in range(CALLS):
        method, shape = str(rng.choice(methods)), SHAPES[rng.choice(5, p=[0.5, 0.2, 0.15, 0.05, 0.1])]
        is_quantile = method in ("ppf", "isf")
        x = _points(rng, distribution, (CONTINUOUS | DISCRETE)[name], shape, is_quantile)
        parameters, keywords = _parameters(rng, name, shape), _keywords(rng, name, shape)
        try:
            expected = getattr(distribution, method)(x, *parameters, **keywords)
        except (OverflowError, ValueError):
            # SciPy's own solvers fail.
            continue
        there = {key: _there(value) for key, value in keywords.items()}
        found = getattr(distribution, method)(gpunp.asarray(x), *map(_there, parameters), **there)
        found = gpunp.asnumpy(found)
        assert (found.shape, found.dtype) == (np.shape(expected), np.asarray(expected).dtype)
        tolerance = TOLERANCES.get(name, 1e-7 if is_quantile else 1e-9)
        np.testing.assert_allclose(
            found,
            expected,
            rtol=tolerance,
            atol=1e-9 if is_quantile else 1e-13,
            err_msg=f"{method} {parameters}",
        )
