"""Methods of distributions that stay on the host: the error names them, and the fallback runs them."""

import numpy as np
import pytest
from scipy import stats

import gpunp

DATA = np.random.default_rng(3).gamma(2.0, size=30)
PAIRS = np.random.default_rng(4).normal(size=(10, 2))
CALLS = {
    "norm.fit": lambda lib: stats.norm.fit(lib(DATA)),
    "gamma.fit": lambda lib: stats.gamma.fit(lib(DATA), floc=0),
    "halfnorm.fit": lambda lib: stats.halfnorm.fit(lib(DATA)),
    "gumbel_r.fit": lambda lib: stats.gumbel_r.fit(lib(DATA)),
    "norm.fit_loc_scale": lambda lib: stats.norm.fit_loc_scale(lib(DATA)),
    "multivariate_normal.cdf": lambda lib: stats.multivariate_normal.cdf(lib(PAIRS), mean=[0, 0]),
    "multivariate_normal.fit": lambda lib: stats.multivariate_normal.fit(lib(PAIRS)),
    "multivariate_normal_frozen.cdf": lambda lib: stats.multivariate_normal([0, 0]).cdf(lib(PAIRS)),
    "multivariate_t.cdf": lambda lib: stats.multivariate_t.cdf(lib(PAIRS[0]), df=3, random_state=1),
}


@pytest.mark.parametrize("name", CALLS)
def test_refused(name):
    with pytest.raises(TypeError, match=rf"does not handle scipy\.stats\.{name}"):
        CALLS[name](gpunp.asarray)


@pytest.mark.parametrize("name", CALLS)
def test_fallback(name):
    expected = CALLS[name](np.asarray)
    with gpunp.config.using(fallback="numpy"):
        found = CALLS[name](gpunp.asarray)
    found, expected = (each if isinstance(each, tuple) else (each,) for each in (found, expected))
    for one, other in zip(found, expected, strict=True):
        one = gpunp.asnumpy(one) if isinstance(one, gpunp.ndarray) else one
        np.testing.assert_allclose(one, other, rtol=1e-3)
