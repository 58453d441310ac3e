"""Hypergeometric functions and their relatives, compared with mpmath and at the edges with SciPy."""

import mpmath
import numpy as np
import pytest
from long_functions import EDGES, PLANE, accuracy_test, assert_as_scipy, grid_of, plain, skip_if_changed

import gpunp

ORDERS = [0.0, 1.0, 2.0, 7.0, 30.0, 0.5, 3.3, -1.7]
# The lens about exp(i pi / 3), which no series reaches, the cut, and points of either side.
HARD = [0.5 + 0.87j, 0.45 - 0.8j, 1.02 + 0.1j, 0.98 - 1e-3j, 2.0 + 1e-3j, -0.7 + 0.7j, 3.5 + 1e-3j]
RIGHT = [0.3 + 0j, 2.0 - 1.5j, 0.1 + 4.0j, 30.0 + 0.5j]


def jacobi(n, a, b, x):
    scale = mpmath.rgamma(a + 1) * mpmath.gamma(n + a + 1) * mpmath.rgamma(n + 1)
    return scale * mpmath.hyp2f1(-n, n + a + b + 1, a + 1, (1 - x) / 2)


def shifted_jacobi(n, p, q, x):
    return jacobi(n, p - q, q - 1, 2 * x - 1) / mpmath.binomial(2 * n + p - 1, n)


def parabolic_d(v, x):
    value = mpmath.pcfd(v, x)
    return value, x / 2 * value - mpmath.pcfd(v + 1, x)


def parabolic_v(v, x):
    with mpmath.workdps(60):
        a = -v - mpmath.mpf(1) / 2
        value = mpmath.pcfv(a, x)
        return value, x / 2 * value + (a - mpmath.mpf(1) / 2) * mpmath.pcfv(a - 1, x)


def parabolic_w(a, x):
    with mpmath.workdps(40):
        step = mpmath.mpf(10) ** -12
        below, above = mpmath.pcfw(a, x - step), mpmath.pcfw(a, x + step)
        return mpmath.pcfw(a, x), (above - below) / (2 * step)


def wright(a, b, x):
    # More digits than nsum would take: the terms grow before they fall.
    with mpmath.workdps(40):
        total, power, k = mpmath.mpf(0), mpmath.mpf(1), 0
        while True:
            term = power * mpmath.rgamma(a * k + b)
            total += term
            if k > 5 and abs(term) < abs(total) * mpmath.mpf(10) ** -30:
                return total
            k += 1
            power *= x / k


def elliptic(u, m):
    u, m = mpmath.re(u), mpmath.re(m)
    with mpmath.workdps(40):
        sine, cosine, delta = (mpmath.ellipfun(kind, u, m=m) for kind in ("sn", "cn", "dn"))
        half_turns = int(mpmath.nint(u / (2 * mpmath.ellipk(m))))
        return sine, cosine, delta, mpmath.asin(sine) * (-1) ** half_turns + half_turns * mpmath.pi


def ferrers(m, v, x):
    return mpmath.legenp(mpmath.re(v), mpmath.re(m), mpmath.re(x), type=2)


# Name to mpmath's function, the points of comparison for real operands, and for complex ones.
REFERENCES = {
    "hyp0f1": (
        mpmath.hyp0f1,
        ([-2.6, 0.3, 1.0, 7.5, 40.0], [-3000.0, -130.0, -3.0, -1e-3, 0.5, 20.0, 900.0]),
        ([-2.6, 0.3, 1.0, 7.5], [*PLANE[::3], -300 + 20j, -900 + 0.5j, 500 - 300j]),
    ),
    "hyp1f1": (
        mpmath.hyp1f1,
        (
            [-7.3, -2.0, 0.3, 3.0, 12.5],
            [-4.6, 0.5, 2.0, 9.0],
            [-300.0, -30.0, -2.2, 1e-3, 0.7, 8.0, 60.0],
        ),
        ([-7.3, -2.0, 0.3, 3.0], [-4.6, 0.5, 2.0, 9.0], [*PLANE[::4], 5 - 40j, -8 + 70j, 100j]),
    ),
    "hyperu": (
        mpmath.hyperu,
        ([-7.3, -2.0, -0.6, 0.4, 3.0, 12.5], [-4.6, 0.5, 2.0, 9.5], [1e-3, 0.15, 0.7, 4.0, 25.0, 300.0]),
        None,
    ),
    "hyp2f1": (
        mpmath.hyp2f1,
        (
            [-3.0, -0.7, 0.5, 2.0, 6.3],
            [-1.5, 1.0, 4.25],
            [-2.4, 0.5, 3.0],
            [-20.0, -1.5, -0.9, 0.3, 0.7, 0.95, 0.999],
        ),
        ([-3.0, -0.7, 0.5, 6.3], [-1.5, 1.0, 4.25], [-2.4, 0.5, 3.0], [*PLANE[::6], *HARD]),
    ),
    "eval_jacobi": (
        jacobi,
        (ORDERS, [-0.6, 0.5, 2.5], [-0.3, 1.7], [-0.95, -0.3, 0.6, 0.99]),
        (ORDERS, [-0.6, 2.5], [-0.3, 1.7], [0.3 + 0.4j, -0.8 - 0.1j, 1.5 + 0.2j]),
    ),
    "eval_sh_jacobi": (
        shifted_jacobi,
        (ORDERS[:-1], [1.2, 3.5], [0.3, 1.7], [0.03, 0.3, 0.6, 0.99]),
        (ORDERS[:-1], [1.2, 3.5], [0.3, 1.7], [0.3 + 0.4j, 0.8 - 0.1j, 1.5 + 0.2j]),
    ),
    "pbdv": (
        parabolic_d,
        ([-7.3, -2.0, -0.5, 0.3, 1.0, 6.0, 25.7], [-9.0, -3.1, -0.4, 0.2, 1.3, 5.1, 12.0]),
        None,
    ),
    "pbvv": (
        parabolic_v,
        ([-7.3, -2.0, -0.5, 0.3, 1.0, 6.0, 20.7], [-9.0, -3.1, -0.4, 0.2, 1.3, 5.1, 12.0]),
        None,
    ),
    "pbwa": (parabolic_w, ([-4.7, -1.0, 0.0, 0.3, 2.2], [-4.9, -2.3, -0.4, 0.2, 1.3, 3.1]), None),
    "wright_bessel": (
        wright,
        ([1e-3, 0.3, 1.0, 4.5], [0.0, 0.7, 3.0, 40.0], [1e-8, 0.3, 2.5, 30.0, 200.0]),
        None,
    ),
    "log_wright_bessel": (
        lambda *operands: mpmath.log(wright(*operands)),
        ([1e-3, 0.3, 1.0, 4.5], [0.2, 0.7, 3.0, 40.0], [1e-8, 0.3, 2.5, 30.0, 1500.0]),
        None,
    ),
    "elliprj": (
        mpmath.elliprj,
        ([1e-3, 0.4, 5.5], [0.0, 1.0, 300.0], [0.2, 30.0], [1e-3, 1.0, 80.0]),
        (RIGHT, RIGHT[1:], RIGHT[:2], RIGHT),
    ),
    "ellipj": (elliptic, ([-30.0, -2.2, -1e-3, 0.3, 1.4, 12.5], [0.0, 1e-9, 0.3, 0.95, 1 - 2.0**-20]), None),
    "lpmv": (
        ferrers,
        ([0.0, 1.0, 2.0, 5.0, -1.0, -3.0], [0.3, 5.0, 7.6, 24.2, -6.4], [-0.9, -0.3, 1e-3, 0.6, 0.99]),
        None,
    ),
}
# Near a root of the function, or where its values nearly cancel, as at the roots of a polynomial.
TOLERANCE = {
    **dict.fromkeys(("hyp1f1", "hyp2f1", "hyperu", "pbdv", "pbvv"), 5e-13),
    **dict.fromkeys(("hyp0f1", "eval_jacobi", "eval_sh_jacobi", "ellipj", "lpmv"), 5e-12),
    # The exponents of terms are large.
    **dict.fromkeys(("wright_bessel", "log_wright_bessel"), 5e-13),
    # The two solutions that make up W cancel between its turning points, in SciPy too.
    "pbwa": 1e-10,
}

test_accuracy = accuracy_test(REFERENCES, TOLERANCE)

# Parameters for which sums of the series lose all digits; SciPy's results are wrong for some.
LARGE = {
    "hyp1f1": [
        (-53.9, -134.0 + 1 / 64, -136.0),
        (111.0, -148.5, -231.0),
        (-49.4, -5.9, 39.4),
        (40.0, 55.5, -380.0),
        # Terms, or values of the recurrence, beyond the range of numbers.
        (-4882.0, 9.15862934, 333.598),
        (33777.0, 2.556872, -114.73),
        (-79518.333, -44.160663, 26.51),
    ],
    "hyp2f1": [
        (31.1, 37.3, -32.2, -0.48),
        (36.3, -35.9, 12.8, 0.67),
        (20.0, -26.0, 9.0, 0.85),
        (96.0, 92.4, 22.0, -2.6),
        (-6.5, -48.5, 81.0, 0.66 + 1.04j),
        (7.0, 10.0, 0.5, 2.9 + 2.2j),
        (-7.374287, -4059.3564, -3.061957, 0.676665),
        (-4957.0, -0.407457, 10.822735, 0.617486),
        (1565.841, -9.717207, -8342.48275, -0.32497),
    ],
    "hyperu": [
        (-7.0, 8.2, 0.074),
        (-47.0, -39.0, 0.018),
        (-13.0, 42.75, 0.046),
        (-152.7, -148.5, 0.5),
        (-90.0, 120.5, 60.0),
    ],
    "hyp0f1": [(27.4, -19135.0), (165.3, -2.5e5), (-12.2, -424.2), (1.5, -380.0 - 6.0j)],
    "lpmv": [(20.0, 62.5, -0.93), (38.0, 55.55, -0.82), (-38.0, -49.8, -0.92)],
    "pbdv": [(38.7, -17.3), (-38.7, 17.3), (39.5, 2.0), (100.3, 60.0)],
}


@pytest.mark.parametrize("name", sorted(LARGE))
def test_large_parameters(name, device):
    for operands in LARGE[name]:
        actual = plain(name)(*[gpunp.asarray(x) for x in operands])
        actual = actual[0] if isinstance(actual, tuple) else actual
        with mpmath.workdps(60):
            exact = REFERENCES[name][0](*[mpmath.mpmathify(x) for x in operands])
            exact = exact[0] if isinstance(exact, tuple) else exact
            error = abs((mpmath.mpmathify(actual.item()) - exact) / exact)
        assert error < 1e-8, (operands, float(error))


def test_wright_bessel_of_many_terms(device):
    """The sum of thousands of terms about the largest is that of few of them."""
    a, b, x = 0.125, 1.5, 1e5
    with mpmath.workdps(40):
        largest = int((a * x) ** (1 / (1 + a)) / a)
        terms = (
            mpmath.exp(k * mpmath.log(x) - mpmath.loggamma(k + 1) - mpmath.loggamma(a * k + b))
            for k in range(largest - 3000, largest + 3000)
        )
        exact = float(mpmath.log(sum(terms)))
    actual = plain("log_wright_bessel")(*[gpunp.asarray(value) for value in (a, b, x)])
    assert abs(actual.item() / exact - 1) < 1e-14


def test_overflow_of_large_parameters(device):
    """Results beyond the range are infinite, with the sign of the value."""
    ufunc = plain("hyp1f1")
    a, b, z = [160622.0, -105718.4424, -20466.0], [-1.2846, 10392.738, 5.1948], [168.97, -283.36, -6.778]
    assert (ufunc(*[gpunp.asarray(x) for x in (a, b, z)]).get() == np.inf).all()
    a, b, x = [-38871.0, -14642.0, -59.889714], [569.37, 1.06, 1809.0], [0.355, 5.721, 84.64]
    signs = [float(mpmath.sign(mpmath.hyperu(*xs))) for xs in zip(a, b, x, strict=True)]
    result = plain("hyperu")(*[gpunp.asarray(x) for x in (a, b, x)]).get()
    np.testing.assert_array_equal(result, np.array(signs) * np.inf)


def jacobi_sum(n, a, b, x):
    """Return the polynomial by its finite sum, which all parameters have (Szego 4.3.2)."""
    terms = (
        mpmath.binomial(mpmath.mpf(n + a), n - s)
        * mpmath.binomial(mpmath.mpf(n + b), s)
        * ((mpmath.mpf(x) - 1) / 2) ** s
        * ((mpmath.mpf(x) + 1) / 2) ** (n - s)
        for s in range(n + 1)
    )
    return float(mpmath.fsum(terms))


@pytest.mark.parametrize("dtype", ["q", "d"])
def test_jacobi_of_negative_whole_parameters(dtype, device):
    parameters = [-1.0, -2.0, -5.0, -12.0, -0.5, -2.5, 3.0]
    operands = grid_of([[0, 1, 2, 3, 4, 7, 12], parameters, parameters, [-2.0, -0.95, 0.25, 0.8, 1.0, 2.0]])
    exact = np.array([jacobi_sum(int(n), a, b, x) for n, a, b, x in zip(*operands, strict=True)])
    n = gpunp.asarray(operands[0].astype(dtype))
    actual = plain("eval_jacobi")(n, *[gpunp.asarray(x) for x in operands[1:]]).get()
    np.testing.assert_allclose(actual, exact, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ["eval_jacobi", "eval_sh_jacobi"])
def test_integer_orders(name, device):
    x = [-2.0, -1.0, -0.3, 0.0, 0.7, 1.0, 2.0]
    operands = grid_of([np.array([0, 1, 2, 3, 15]), [0.3, 2.5], [0.7, 1.5], x])
    assert_as_scipy(name, operands, rtol=1e-11, atol=1e-11)
    assert plain(name)(3, 0.5, 0.5, gpunp.asarray(x)).dtype == "d"


SMALL = [0.0, 1.0, -1.0, 2.0, -3.0, 0.5]
NUMBERS = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5]
# Where SciPy's methods end, such as at 2F1 of parameters that are all equal, its values are not compared.
EDGES_OF = {
    "hyp0f1": ([*SMALL, np.nan], [*SMALL, np.nan]),
    "hyp1f1": ([0.0, 1.0, -1.0, 2.0, np.nan], [*SMALL, np.nan], [*SMALL, np.nan]),
    "hyperu": (
        [0.0, 1.0, -1.0, 2.0, -2.0, np.nan],
        [0.0, 1.0, -1.0, 2.0, np.nan],
        [0.0, 1.0, 0.5, -1.0, np.nan],
    ),
    "hyp2f1": (SMALL, SMALL, SMALL, [0.0, 0.5, -2.0]),
    "pbdv": (NUMBERS, NUMBERS),
    "pbvv": (NUMBERS, NUMBERS),
    "pbwa": (NUMBERS, [*NUMBERS[:5], 0.5, 6.0]),
    "wright_bessel": (EDGES, EDGES, EDGES),
    "log_wright_bessel": (EDGES, EDGES, EDGES),
    "elliprj": (EDGES, EDGES, EDGES, EDGES),
    "ellipj": ([*NUMBERS, np.nan], [*NUMBERS, np.nan]),
    "lpmv": ([*NUMBERS, np.nan], NUMBERS, NUMBERS[:5]),
}


@pytest.mark.parametrize("name", sorted(EDGES_OF))
def test_edges(name, device):
    skip_if_changed(name)
    rtol = 1e-10 if name in ("pbwa", "pbvv") else 1e-12
    assert_as_scipy(name, grid_of(EDGES_OF[name]), rtol=rtol, atol=1e-13)


COMPLEX_EDGES_OF = {
    "hyp0f1": (SMALL, [0, 1, -1, 2j]),
    "hyp1f1": (SMALL, [0.5, 2.0], [0, 1, -1, 2j]),
    "hyp2f1": ([0.0, -1.0, 2.0, 0.5], [0.0, 1.0, -3.0], [-1.0, 3.0, 1.5], [-1, 0.5, -2.0, 2.0, 0.5j]),
    "elliprj": ([0, 1, 1 - 1j, -1], [3, 2j, 1 + 1j], [2, 1 - 1j], [1, 2 - 1j, 0]),
}


@pytest.mark.parametrize("name", sorted(COMPLEX_EDGES_OF))
def test_complex_edges(name, device):
    points = COMPLEX_EDGES_OF[name]
    operands = grid_of([*points[:-1], np.array(points[-1], complex)])
    assert_as_scipy(name, operands, ("real", "imag"), rtol=1e-11, atol=1e-13)


def test_gauss_from_one_on(device):
    assert_as_scipy(
        "hyp2f1", grid_of([SMALL, SMALL, [1.0, 2.0, 0.5, -1.5], [1.0, 2.0]]), rtol=1e-12, atol=1e-13
    )


def test_limits_at_infinity(device):
    """Where SciPy's values are NaN or its loops do not end."""
    x = gpunp.asarray([np.inf, -np.inf])
    np.testing.assert_array_equal(plain("hyp1f1")(2.0, 0.5, x).get(), [np.inf, 0])
    np.testing.assert_array_equal(plain("hyperu")(2.0, 0.5, x).get(), [0, np.nan])
    np.testing.assert_array_equal(plain("hyperu")(-2.5, 0.5, x).get(), [np.inf, np.nan])
    np.testing.assert_array_equal(plain("hyp0f1")(2.0, x).get(), [np.inf, np.nan])
    for name in ("hyp1f1", "hyperu"):
        assert np.isnan(plain(name)(x, 1.0, 2.0).get()).all()
        assert np.isnan(plain(name)(1.0, x[:1], 2.0).get()).all()


def test_carlson_rj_beyond_its_domain(device):
    """Complex numbers for which the algorithm is not proved give NaN, as in SciPy; Cauchy's value is real."""
    ufunc = plain("elliprj")
    assert np.isnan(ufunc(gpunp.asarray(1 + 1j), 2.0, 3.0, -1.0).item())
    assert np.isnan(ufunc(gpunp.asarray(1j), 2j, 3.0, -1 + 1j).item())
    expected = ufunc(1.0, 2.0, 3.0, -1.5)
    np.testing.assert_allclose(ufunc(gpunp.asarray(1.0 + 0j), 2.0, 3.0, -1.5).get(), expected, rtol=1e-14)
    expected = ufunc(0.5, 1 + 2j, 1 - 2j, -1 + 1j)
    np.testing.assert_allclose(
        ufunc(gpunp.asarray(0.5 + 0j), 1 + 2j, 1 - 2j, -1 + 1j).get(), expected, rtol=1e-13
    )


HUGE = [1e300, -1e300, 1e9, -1e9 - 0.5, 1e15]
NUMBERS_BESIDE = {
    "hyp0f1": ([0.5, -1e5, 1e300],),
    "hyp1f1": (HUGE[:2], [0.5, -30.0, 1e300]),
    "hyperu": (HUGE, [0.5, 30.0, 1e300]),
    "hyp2f1": ([0.5], [0.3], [0.5, -30.0]),
    "eval_jacobi": ([0.5], [2.5], [0.5]),
    "pbdv": ([0.5, 3.0, -3.0],),
    "pbvv": ([0.5, 3.0, -3.0],),
    "wright_bessel": ([0.5, 1e300], [0.5, 1e300]),
    "lpmv": (HUGE, [0.5, -0.99]),
}


@pytest.mark.parametrize("name", sorted(NUMBERS_BESIDE))
def test_huge_parameters_end(name, device):
    """Recurrences of very many steps are not begun; the result is NaN or what is known at once."""
    operands = grid_of([HUGE, *NUMBERS_BESIDE[name]])
    results = plain(name)(*[gpunp.asarray(x) for x in operands])
    results = results if isinstance(results, tuple) else (results,)
    assert all(result.get().shape == operands[0].shape for result in results)
