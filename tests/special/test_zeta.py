"""The zeta functions and those built on them, compared with mpmath or with SciPy."""

import mpmath
import numpy as np
import pytest
import scipy.special
from records import assert_same

import gpunp


@pytest.fixture(autouse=True)
def _digits():
    # Small values need that many.
    with mpmath.workdps(160):
        yield


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_hurwitz(dtype, device):
    s = np.array([1.01, 1.5, 2, 3, 5.5, 10, 20, 50], dtype)
    q = np.array([1e-3, 0.5, 1, 2.5, 9.9, 30, 200], dtype)
    wanted = [[float(mpmath.zeta(mpmath.mpf(float(a)), mpmath.mpf(float(b)))) for b in q] for a in s]
    actual = gpunp.special.zeta(gpunp.asarray(s)[:, None], gpunp.asarray(q)).get()
    assert actual.dtype == dtype
    with np.errstate(over="ignore"):
        wanted = np.array(wanted).astype(dtype)
    tolerance = 2e-14 if dtype == np.float64 else 1e-6
    np.testing.assert_allclose(actual, wanted, rtol=tolerance, atol=np.finfo(dtype).smallest_normal)


@pytest.mark.parametrize("s", [2.0, 3.0, 7.0])
def test_hurwitz_left_of_zero(s, device):
    q = np.array([-0.5, -2.25, -7.75, -30.1, -1e-9, -1e-38])
    wanted = []
    for value in q:
        count = int(np.ceil(-value))
        below = mpmath.fsum((mpmath.mpf(float(value)) + k) ** -int(s) for k in range(count))
        wanted.append(float(below + mpmath.zeta(int(s), mpmath.mpf(float(value)) + count)))
    np.testing.assert_allclose(gpunp.special.zeta(s, gpunp.asarray(q)).get(), wanted, rtol=1e-13)


def test_riemann(device):
    tiny = [-5e-324, -1e-310, -1e-20, -1e-10, -1e-4, -0.01, -0.04, -0.06]
    s = np.array(
        [0, 0.1, 0.5, 0.99, 1.01, 1.5, 2, 3, 50, *tiny, -0.1, -0.5, -1, -1.5, -3, -7.3, -20.5, -150.3, -200.1]
    )
    wanted = [float(mpmath.zeta(mpmath.mpf(float(x)))) for x in s]
    np.testing.assert_allclose(gpunp.special.zeta(gpunp.asarray(s)).get(), wanted, rtol=5e-14)
    below = s < 0
    less = [value - 1 for value in np.array(wanted)[below]]
    np.testing.assert_allclose(gpunp.special.zetac(gpunp.asarray(s[below])).get(), less, rtol=5e-14)


def test_edges(device):
    x, q = (g.ravel() for g in np.meshgrid([0.5, 1, 1.5, 2, 3], [0.0, -0.0, -1, -0.5, 1, np.inf, -np.inf]))
    actual = gpunp.special.zeta(gpunp.asarray(x), gpunp.asarray(q)).get()
    np.testing.assert_allclose(actual, scipy.special.zeta(x, q), rtol=1e-14)
    x = np.array([1.0, np.inf, -np.inf, np.nan, -2, -4, -220, 1e300, 0])
    actual = gpunp.special.zeta(gpunp.asarray(x)).get()
    np.testing.assert_allclose(actual, scipy.special.zeta(x), rtol=1e-14)


def test_polygamma(device):
    n, x = np.arange(5)[:, None], np.array([0.25, 1.0, 3.5, -0.75, 40.0])
    wanted = scipy.special.polygamma(n, x)
    np.testing.assert_allclose(
        gpunp.special.polygamma(gpunp.asarray(n), gpunp.asarray(x)).get(), wanted, rtol=1e-13
    )
    assert_same(gpunp.special.polygamma(3, gpunp.asarray(x)), scipy.special.polygamma(3, x), exact=False)
    single = np.float32([1.5, 2])
    actual = gpunp.special.polygamma(gpunp.asarray(single[1:]), gpunp.asarray(single))
    assert_same(actual, scipy.special.polygamma(single[1:], single), exact=False)
    tiny = np.float32([1e-38, 1e-30, 2])
    assert_same(
        gpunp.special.polygamma(1, gpunp.asarray(tiny)), scipy.special.polygamma(1, tiny), exact=False
    )


def test_multigammaln(device):
    a = np.array([[2.5, 3.0, 40.0]])
    assert_same(
        gpunp.special.multigammaln(gpunp.asarray(a), 3), scipy.special.multigammaln(a, 3), exact=False
    )
    with pytest.raises(ValueError, match=r"greater than .* = 1\.0"):
        gpunp.special.multigammaln(gpunp.asarray([1.0]), 3)
    # Only the last sum is in double precision.
    actual = gpunp.special.multigammaln(gpunp.asarray(a.astype("f")), 3)
    assert actual.dtype == np.float64
    np.testing.assert_allclose(actual.get(), scipy.special.multigammaln(a, 3), rtol=2e-6)
    with pytest.raises(ValueError, match="dimension"):
        gpunp.special.multigammaln(gpunp.asarray([4.0]), 0)


def test_names_of_numpy():
    assert gpunp.special.log1p is not gpunp.log1p
    assert gpunp.special.psi is gpunp.special.digamma
    assert gpunp.special.sinc is gpunp.sinc
    assert set(gpunp.special.__all__) <= set(dir(scipy.special))
