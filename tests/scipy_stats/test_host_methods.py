"""Methods of distributions that stay on the host: the error names them, and the fallback runs them."""

import numpy as np
import pytest
from scipy import stats

import gpunp

DATA = np.random.default_rng(3).gamma(2.0, size=30)
EIGENVALUES, COUNTS = np.array([0.5, 0.8, 1.7]), np.array([3, 4])
CALLS = {
    "random_correlation.rvs": lambda lib: stats.random_correlation.rvs(lib(EIGENVALUES), random_state=1),
    "random_table.rvs": lambda lib: stats.random_table.rvs(lib(COUNTS), lib(COUNTS), random_state=1),
    "random_table.pmf": lambda lib: stats.random_table.pmf(lib(np.eye(2)), [1, 1], [1, 1]),
}


@pytest.mark.parametrize("name", CALLS)
def test_refused(name):
    with pytest.raises(TypeError, match=rf"does not handle scipy\.stats\.{name}"):
        CALLS[name](gpunp.asarray)


def test_expectations_are_integrated_on_the_host():
    with pytest.raises(TypeError, match=r"does not handle scipy\.stats\.norm\.expect: it integrates"):
        stats.norm.expect(lambda x: x * x, loc=gpunp.asarray(DATA[:1]))


@pytest.mark.parametrize("name", CALLS)
def test_fallback(name):
    expected = CALLS[name](np.asarray)
    with gpunp.config.using(fallback="numpy"):
        found = CALLS[name](gpunp.asarray)
    found, expected = (each if isinstance(each, tuple) else (each,) for each in (found, expected))
    for one, other in zip(found, expected, strict=True):
        one = gpunp.asnumpy(one) if isinstance(one, gpunp.ndarray) else one
        np.testing.assert_allclose(one, other, rtol=1e-3)
