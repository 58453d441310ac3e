"""Legendre functions of integer degree and spherical harmonics, compared with mpmath and SciPy."""

import itertools

import mpmath
import numpy as np
import pytest
import scipy.special

import gpunp

N = np.arange(-2, 8).reshape(-1, 1, 1)
M = np.arange(-4, 5).reshape(-1, 1)
X = np.array([-0.93, -0.3, 0.0, 1e-3, 0.6, 0.99])
BEYOND = np.array([1.01, 1.7, 12.0])
Z = np.array([0.3 + 0.4j, -1.2 + 0.1j, 2.0 - 1.5j, 1e-3 - 0.7j, -0.6 - 1e-3j])
THETA = np.array([0.0, 1e-3, 0.4, 1.5, 2.9, 5.0, -0.7])
PHI = np.array([0.2, -1.3, 4.0])


def on_device(*operands):
    return [gpunp.asarray(x) for x in operands]


def assert_same(actual, expected, rtol=1e-11, atol=1e-13):
    assert isinstance(actual, tuple) == isinstance(expected, tuple)
    if isinstance(actual, tuple):
        for mine, theirs in zip(actual, expected, strict=True):
            assert_same(mine, theirs, rtol, atol)
    else:
        assert (actual.dtype, actual.shape) == (expected.dtype, np.shape(expected))
        scale = np.nanmax(np.abs(expected[np.isfinite(expected)]), initial=0)
        np.testing.assert_allclose(actual.get(), expected, rtol=rtol, atol=atol * scale)


def both(name, *operands, **options):
    """Return the results of gpunp, by its own name and by SciPy's, and those of SciPy."""
    with np.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(*operands, **options)
    arrays = [x if isinstance(x, int) else gpunp.asarray(x) for x in operands]
    assert_same(getattr(gpunp.special, name)(*arrays, **options), expected)
    return getattr(scipy.special, name)(*arrays, **options), expected


@pytest.mark.parametrize("diff_n", [0, 1, 2])
def test_legendre_p(diff_n, device):
    points = np.concatenate([X, BEYOND, -BEYOND, [-1.0, 1.0]])
    assert_same(*both("legendre_p", N[..., 0], points, diff_n=diff_n))
    x = X.astype("f")
    n = N[..., 0]
    actual = scipy.special.legendre_p(*on_device(n, x), diff_n=diff_n)
    # SciPy before 1.18 computes in double precision.
    expected = scipy.special.legendre_p(n, x, diff_n=diff_n).astype("f")
    assert_same(actual, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("norm", "branch_cut"), list(itertools.product([False, True], [2, 3])))
@pytest.mark.parametrize("diff_n", [0, 1, 2])
def test_assoc_legendre_p(diff_n, norm, branch_cut, device):
    options = {"norm": norm, "branch_cut": branch_cut, "diff_n": diff_n}
    for points in (np.concatenate([X, BEYOND, [-1.7]]), Z):
        assert_same(*both("assoc_legendre_p", N, M, points, **options))
    for points in (X.astype("f"), Z.astype("F")):
        actual = scipy.special.assoc_legendre_p(*on_device(N, M, points), **options)
        expected = scipy.special.assoc_legendre_p(N, M, points, **options).astype(points.dtype)
        assert_same(actual, expected, rtol=1e-4, atol=1e-5)


def test_ends_of_the_interval(device):
    """At -1 and 1; SciPy's second derivatives there are wrong for some negative orders."""
    ends = np.array([-1.0, 1.0])
    assert_same(*both("assoc_legendre_p", N, M, ends, diff_n=1))
    second = gpunp.special.assoc_legendre_p(*on_device(3, np.array([-2, 0, 2, 3]), 1.0), diff_n=2)[2]
    np.testing.assert_allclose(second.get(), [-0.75, 15.0, -90.0, -np.inf])


def test_branch_cuts_may_differ(device):
    cuts = np.array([[2], [3]])
    expected = scipy.special.assoc_legendre_p(3, 2, Z, branch_cut=cuts)
    actual = scipy.special.assoc_legendre_p(3, 2, gpunp.asarray(Z), branch_cut=gpunp.asarray(cuts))
    assert_same(actual, expected)


def associated(n, m, z, branch_cut):
    """Compute an associated Legendre function in mpmath: its legenp gives up for some orders."""
    order = abs(m)
    value = mpmath.fac2(2 * order - 1) * mpmath.gegenbauer(n - order, order + mpmath.mpf(1) / 2, z)
    square = 1 - z * z if branch_cut == 2 else z * z - 1
    value *= square ** (mpmath.mpf(order) / 2)
    if branch_cut == 2:
        value *= (-1) ** max(m, 0)
    return value * mpmath.factorial(n + m) / mpmath.factorial(n - m) if m < 0 else value


@pytest.mark.parametrize("branch_cut", [2, 3])
def test_accuracy_of_associated_functions(branch_cut, device):
    degrees, orders, points = [4, 9, 30], [-4, -1, 0, 1, 3], X[[0, 1, 3, 4]] if branch_cut == 2 else BEYOND
    grids = np.meshgrid(degrees, orders, points, indexing="ij")
    actual = gpunp.special.assoc_legendre_p(*on_device(*grids), branch_cut=branch_cut, diff_n=2).get()
    for index in np.ndindex(grids[0].shape):
        n, m, x = int(grids[0][index]), int(grids[1][index]), mpmath.mpf(grids[2][index])
        with mpmath.workdps(50):
            exact = [mpmath.diff(lambda z, n=n, m=m: associated(n, m, z, branch_cut), x, k) for k in range(3)]
        for order, value in enumerate(exact):
            # Near a root the error is relative to the size beside it.
            scale = max(abs(value), abs(exact[0]) * n**order / 1000)
            assert abs(actual[(order, *index)] - value) <= 1e-12 * scale, (n, m, x, order)


def test_accuracy_of_harmonics(device):
    degrees, orders = (
        np.array([0, 1, 5, 40, 300]).reshape(-1, 1, 1, 1),
        np.array([-5, 0, 1, 5]).reshape(-1, 1, 1),
    )
    actual = gpunp.special.sph_harm_y(*on_device(degrees, orders, THETA[1:5, None], PHI)).get()
    for index in itertools.product(*[range(size) for size in actual.shape]):
        n, m = int(degrees.flat[index[0]]), int(orders.flat[index[1]])
        with mpmath.workdps(60 + n):
            exact = complex(mpmath.spherharm(n, m, THETA[1 + index[2]], PHI[index[3]]))
        assert abs(actual[index] - exact) <= 1e-12 * (abs(exact) + 1e-3)


@pytest.mark.parametrize("diff_n", [0, 1, 2])
def test_spherical_functions(diff_n, device):
    assert_same(*both("sph_legendre_p", N, M, THETA, diff_n=diff_n))
    assert_same(*both("sph_harm_y", N[..., None], M[..., None], THETA[:, None], PHI, diff_n=diff_n))
    assert_same(*both("sph_harm_y_all", 5, 3, THETA[:, None], PHI, diff_n=diff_n))
    assert_same(*both("sph_harm_y_all", 2, -1, THETA, 0.5, diff_n=diff_n))
    assert_same(*both("sph_legendre_p_all", 4, 6, THETA, diff_n=diff_n))


@pytest.mark.parametrize("diff_n", [0, 1, 2])
@pytest.mark.parametrize(
    ("name", "operands"),
    [
        ("legendre_p", (np.array(6), np.array(0.3))),
        ("assoc_legendre_p", (np.array(5), np.array(-1), np.array(0.3))),
        ("sph_legendre_p", (np.array(3), np.array(2), np.array(0.3))),
        ("sph_harm_y", (np.array(3), np.array(2), np.array(0.3), np.array(1.2))),
    ],
)
def test_arrays_without_dimensions(name, operands, diff_n, device):
    actual, expected = both(name, *operands, diff_n=diff_n)
    for mine, theirs in zip(*(x if isinstance(x, tuple) else (x,) for x in (actual, expected)), strict=True):
        assert mine.shape == np.shape(theirs)
        np.testing.assert_allclose(mine.get(), theirs, rtol=1e-12)


@pytest.mark.skipif(
    np.lib.NumpyVersion(scipy.__version__) < "1.18.0", reason="single precision since SciPy 1.18"
)
@pytest.mark.parametrize("char", "bHefiLd")
def test_dtype_of_all_spherical_functions(char, device):
    x = np.ones(2, dtype=char)
    actual = scipy.special.sph_legendre_p_all(2, 1, gpunp.asarray(x))
    assert actual.dtype == scipy.special.sph_legendre_p_all(2, 1, x).dtype


@pytest.mark.parametrize("diff_n", [0, 1, 2])
def test_all_degrees(diff_n, device):
    for points in (X.reshape(2, 3), Z, np.float64(0.4)):
        assert_same(*both("legendre_p_all", 5, points, diff_n=diff_n))
        for norm in (False, True):
            assert_same(*both("assoc_legendre_p_all", 5, 3, points, norm=norm, diff_n=diff_n))
    assert_same(*both("assoc_legendre_p_all", 3, 2, Z, branch_cut=3, diff_n=diff_n))


@pytest.mark.parametrize(
    ("name", "operands", "options"),
    [
        ("legendre_p", (2, 0.5), {"diff_n": -1}),
        ("legendre_p", (2, 0.5), {"diff_n": 3}),
        ("legendre_p", (2, 0.5), {"diff_n": 1.5}),
        ("legendre_p", (2, 0.5j), {}),
        ("legendre_p", (2.5, 0.5), {}),
        ("legendre_p_all", (-1, 0.5), {}),
        ("legendre_p_all", (2, 0.5), {"diff_n": 3}),
        ("legendre_p_all", (2, 0.5), {"diff_n": "one"}),
        ("assoc_legendre_p", (2, 1, 0.5), {"diff_n": 3}),
        ("assoc_legendre_p_all", (2, -1, 0.5), {}),
        ("assoc_legendre_p_all", (2.0, 1, 0.5), {}),
        ("sph_legendre_p", (2, 1, 0.5), {"diff_n": -2}),
        ("sph_legendre_p_all", (-2, 1, 0.5), {}),
        ("sph_harm_y", (2, 1, 0.5, 0.1j), {}),
        ("sph_harm_y_all", (2.5, 1, 0.5, 0.1), {}),
    ],
)
def test_errors_are_scipys(name, operands, options, device):
    with pytest.raises((TypeError, ValueError, NotImplementedError)) as expected:
        getattr(scipy.special, name)(*operands, **options)
    on = (*operands[:-1], gpunp.asarray(operands[-1]))
    with pytest.raises(expected.type):
        getattr(scipy.special, name)(*on, **options)
