"""Methods of distributions that stay on the host: the error names them, and the fallback runs them."""

import numpy as np
import pytest
from scipy import stats

import gpunp

DATA = np.random.default_rng(3).gamma(2.0, size=30)
PAIRS = np.random.default_rng(4).normal(size=(10, 2))
CALLS = {
    "multivariate_normal.cdf": lambda lib: stats.multivariate_normal.cdf(lib(PAIRS), mean=[0, 0]),
    "multivariate_normal.fit": lambda lib: stats.multivariate_normal.fit(lib(PAIRS)),
    "multivariate_normal_frozen.cdf": lambda lib: stats.multivariate_normal([0, 0]).cdf(lib(PAIRS)),
    "multivariate_t.cdf": lambda lib: stats.multivariate_t.cdf(lib(PAIRS[0]), df=3, random_state=1),
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
