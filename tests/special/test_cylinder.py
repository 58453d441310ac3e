"""Bessel, Airy, Kelvin and Struve functions and their integrals, compared with mpmath and with SciPy."""

import mpmath
import numpy as np
import pytest
from long_functions import (
    EDGES,
    PLANE,
    accuracy_test,
    assert_as_scipy,
    complex_edge_test,
    edge_test,
    grid_of,
    plain,
)

import gpunp

ORDERS = [-3.3, -2.0, -0.5, 0.0, 1.0, 2.0, 7.5, 33.3]
POSITIVE = [1e-3, 0.3, 1.7, 2.2, 6.1, 17.3, 26.5, 61.0]
POINTS = [*PLANE[::3], 25.0 - 1j, 19j, -13 - 21j]
REAL = [-21.5, -7.7, -1.9, -0.3, 1e-3, 0.6, 1.4, 2.3, 5.6, 11.1, 28.0]
ORDINARY = (ORDERS, POSITIVE), (ORDERS, POINTS)


def scaled(function, factor):
    """Return a function of an order and an argument, times an exponential of the argument."""
    return lambda v, z: function(v, z) * mpmath.exp(factor(z))


def falling(part):
    return lambda z: -abs(part(z))


def airy(z):
    return tuple(f(z, derivative=n) for f in (mpmath.airyai, mpmath.airybi) for n in (0, 1))


def airy_scaled(z):
    xi = 2 * z * mpmath.sqrt(z) / 3
    up, down = mpmath.exp(xi), mpmath.exp(-abs(mpmath.re(xi)))
    return tuple(value * factor for value, factor in zip(airy(z), (up, up, down, down), strict=True))


def kelvin(x):
    turn = mpmath.expjpi(mpmath.mpf(1) / 4)
    z = x * turn
    first = mpmath.besseli(0, z), turn * mpmath.besseli(1, z)
    second = mpmath.besselk(0, z), -turn * mpmath.besselk(1, z)
    return first[0], second[0], first[1], second[1]


def kelvin_part(index, part):
    return lambda x: part(kelvin(x)[index])


def integral_of_k(z, over=False):
    """Return the integral of K_0(u), or of K_0(u) / u, from z to infinity."""
    if over:
        # By parts of the integral of K_0, whose order of integration is exchanged.
        return mpmath.quad(lambda t: mpmath.e1(z * mpmath.cosh(t)), [0, 1, 2, 4, 8])
    return mpmath.quad(lambda t: mpmath.exp(-z * mpmath.cosh(t)) / mpmath.cosh(t), [0, 1, 2, 4, 8])


HALF = mpmath.mpf(1) / 2


def j0_y0(x):
    # The integral of Y_0 by Struve functions (DLMF 10.22.2).
    h = mpmath.struveh
    y = mpmath.pi / 2 * x * (mpmath.bessely(1, x) * h(0, x) - mpmath.bessely(0, x) * h(1, x))
    return x * mpmath.hyp1f2(HALF, 1, 3 * HALF, -x * x / 4), x * mpmath.bessely(0, x) + y


def i0_k0(x):
    return x * mpmath.hyp1f2(HALF, 1, 3 * HALF, x * x / 4), mpmath.pi / 2 - integral_of_k(x)


def i0_k0_over(x):
    return x * x / 8 * mpmath.hyp2f3(1, 1, 2, 2, 2, x * x / 4), integral_of_k(x, over=True)


def j0_y0_over(x):
    # The one of Y_0 by its logarithmic series.
    logarithm = mpmath.log(x / 2) + mpmath.euler

    def term(k):
        k = int(k)
        front = (-x * x / 4) ** k / (2 * k * mpmath.factorial(k) ** 2)
        return front * (mpmath.harmonic(k) + HALF / k - logarithm)

    with mpmath.workdps(60):
        rest = sum(term(k) for k in range(1, 120))
        second = -(logarithm**2 - mpmath.pi**2 / 6 - 2 * rest) / mpmath.pi
    return x * x / 8 * mpmath.hyp2f3(1, 1, 2, 2, 2, -x * x / 4), second


def airy_integrals(x):
    def integral(function, x):
        return mpmath.re(function(x, derivative=-1))

    ai, bi = mpmath.airyai, mpmath.airybi
    return integral(ai, x), integral(bi, x), -integral(ai, -x), -integral(bi, -x)


def struve_integral(x, sign):
    """Return pi times the integral of H_0, or of L_0, by a hypergeometric function."""
    return x * x * mpmath.hyp2f3(1, 1, 3 * HALF, 3 * HALF, 2, sign * x * x / 4)


def struve_integral_over(x):
    return x * mpmath.hyp2f3(HALF, 1, 3 * HALF, 3 * HALF, 3 * HALF, -x * x / 4)


def bessel_polynomial(a, power, v):
    top = (power + v + 1) / 2
    front = a**v / (mpmath.gamma(v + 1) * (power + v + 1))
    return front * mpmath.hyp1f2(top, v + 1, top + 1, -a * a)


INTEGRAL = [0.02, 0.6, 1.9, 2.1, 5.5, 13.0, 29.5, 31.0]
REFERENCES = {
    "jv": (mpmath.besselj, *ORDINARY),
    "jve": (scaled(mpmath.besselj, falling(mpmath.im)), *ORDINARY),
    "yv": (mpmath.bessely, *ORDINARY),
    "yve": (scaled(mpmath.bessely, falling(mpmath.im)), *ORDINARY),
    "iv": (mpmath.besseli, *ORDINARY),
    "ive": (scaled(mpmath.besseli, falling(mpmath.re)), *ORDINARY),
    "kv": (mpmath.besselk, *ORDINARY),
    "kve": (scaled(mpmath.besselk, lambda z: z), *ORDINARY),
    "hankel1": (mpmath.hankel1, *ORDINARY),
    "hankel1e": (scaled(mpmath.hankel1, lambda z: -1j * z), *ORDINARY),
    "hankel2": (mpmath.hankel2, *ORDINARY),
    "hankel2e": (scaled(mpmath.hankel2, lambda z: 1j * z), *ORDINARY),
    "yn": (mpmath.bessely, ([-2, 0, 1, 2, 7, 30], POSITIVE), None),
    "kn": (mpmath.besselk, ([-2, 0, 1, 2, 7, 30], POSITIVE), None),
    "k0": (lambda x: mpmath.besselk(0, x), POSITIVE, None),
    "k1": (lambda x: mpmath.besselk(1, x), POSITIVE, None),
    "k0e": (lambda x: mpmath.besselk(0, x) * mpmath.exp(x), POSITIVE, None),
    "k1e": (lambda x: mpmath.besselk(1, x) * mpmath.exp(x), POSITIVE, None),
    "airy": (airy, REAL, POINTS),
    "airye": (airy_scaled, POSITIVE[:-1], POINTS),
    "kelvin": (kelvin, POSITIVE, None),
    "ber": (kelvin_part(0, mpmath.re), POSITIVE, None),
    "bei": (kelvin_part(0, mpmath.im), POSITIVE, None),
    "ker": (kelvin_part(1, mpmath.re), POSITIVE, None),
    "kei": (kelvin_part(1, mpmath.im), POSITIVE, None),
    "berp": (kelvin_part(2, mpmath.re), POSITIVE, None),
    "beip": (kelvin_part(2, mpmath.im), POSITIVE, None),
    "kerp": (kelvin_part(3, mpmath.re), POSITIVE, None),
    "keip": (kelvin_part(3, mpmath.im), POSITIVE, None),
    "itairy": (airy_integrals, [*INTEGRAL[:-2], -4.4, -0.7], None),
    "itj0y0": (j0_y0, INTEGRAL, None),
    "it2j0y0": (j0_y0_over, INTEGRAL, None),
    "iti0k0": (i0_k0, [*INTEGRAL, 55.0], None),
    "it2i0k0": (i0_k0_over, [*INTEGRAL[1:], 55.0], None),
    "besselpoly": (bessel_polynomial, ([0.1, 1.4, 7.7, 15.0], [0.0, 1.0, 2.4], [0.0, 0.5, 2.0, 4.2]), None),
    "struve": (mpmath.struveh, ([-2.3, -0.4, 0.0, 1.0, 3.7, 20.0], POSITIVE), None),
    "modstruve": (mpmath.struvel, ([-2.3, -0.4, 0.0, 1.0, 3.7, 20.0], POSITIVE), None),
    "itstruve0": (lambda x: struve_integral(x, -1) / mpmath.pi, INTEGRAL, None),
    "itmodstruve0": (lambda x: struve_integral(x, 1) / mpmath.pi, [*INTEGRAL, 55.0], None),
    "it2struve0": (
        lambda x: mpmath.pi / 2 - 2 / mpmath.pi * struve_integral_over(x),
        INTEGRAL,
        None,
    ),
}
# Where two terms cancel, or near a root, SciPy's error is larger, too.
TOLERANCE = dict.fromkeys(REFERENCES, 1e-12)
# SciPy's values of these at infinity or for orders that are NaN or infinite are those of sums that diverge.
STRUVE = {"struve", "modstruve", "besselpoly"}
COMPLEX = {"jv", "jve", "yv", "yve", "iv", "ive", "kv", "kve", "hankel1", "hankel1e", "hankel2", "hankel2e"}
HANKEL = {name for name in COMPLEX if name.startswith("hankel")}
WHOLE_ORDERS = [np.array([-2, -1, 0, 1, 2])]

test_accuracy = accuracy_test(REFERENCES, TOLERANCE)
test_edges = edge_test(
    set(REFERENCES) - STRUVE - HANKEL - {"itairy"}, edges={"yn": WHOLE_ORDERS, "kn": WHOLE_ORDERS}
)
test_complex_edges = complex_edge_test({"airy", "airye"})


def k_of_large_order(v, z):
    """Return K by DLMF 10.27.4, which mpmath computes faster than its own function."""
    with mpmath.workdps(120 + int(abs(z))):
        v += mpmath.mpf(10) ** -40
        difference = mpmath.besseli(-v, z) - mpmath.besseli(v, z)
        return +(mpmath.pi / 2 * difference / mpmath.sinpi(v))


def y_of_large_order(v, z):
    with mpmath.workdps(120 + int(abs(z))):
        v += mpmath.mpf(10) ** -40
        return +((mpmath.besselj(v, z) * mpmath.cospi(v) - mpmath.besselj(-v, z)) / mpmath.sinpi(v))


# An order and a modulus: near the turning point and on both sides of it, where different expansions serve.
LARGE = [
    (20.2, 22.0),
    (45.5, 50.0),
    (59.0, 65.0),
    (60.0, 60.0),
    (61.5, 70.0),
    (75.0, 40.0),
    (99.5, 104.0),
    (100.0, 180.0),
    (150.5, 140.0),
    (300.5, 40.0),
    (12.5, 300.0),
]
OF_LARGE_ORDER = {
    "jv": mpmath.besselj,
    "yv": y_of_large_order,
    "iv": mpmath.besseli,
    "kv": k_of_large_order,
}


@pytest.mark.parametrize("name", OF_LARGE_ORDER)
def test_large_orders(name, device):
    for angle in (0.0, 0.02, 0.5, 1.2, 1.55, 2.5):
        v, z = (np.array(part) for part in zip(*LARGE, strict=True))
        z = z * np.exp(1j * angle)
        with mpmath.workdps(30):
            points = [(mpmath.mpf(a), mpmath.mpc(complex(b))) for a, b in zip(v, z, strict=True)]
            exact = [OF_LARGE_ORDER[name](*point) for point in points]
        wanted = np.array([complex(x) for x in exact])
        operand = z.real if angle == 0 else z
        actual = plain(name)(gpunp.asarray(v), gpunp.asarray(operand)).get()
        if angle == 0:
            wanted = wanted.real
        finite = np.isfinite(wanted)
        # The exponentials of large arguments limit SciPy's accuracy in the same way.
        np.testing.assert_allclose(actual[finite], wanted[finite], rtol=1e-12)


@pytest.mark.parametrize("name", ["hankel1", "hankel2", "hankel1e", "hankel2e"])
def test_hankel_functions_at_large_orders(name, device):
    v = np.array([-75.5, -12.0, 60.0, 99.5, 30.5])
    z = np.array([60.0, 5.5, 61.0 + 2j, 20 - 100j, 170 + 5j])
    np.testing.assert_allclose(
        plain(name)(gpunp.asarray(v), gpunp.asarray(z)).get(), plain(name)(v, z), rtol=1e-11
    )


def test_very_large_orders(device):
    """The expansions do not depend on how large the order is."""
    v = np.array([1e3, 1e3, 1e4, 1e5, 1e6])
    x = np.array([990.0, 1010.0, 1.2e4, 1e5, 9.9999e5])
    for name in ("jv", "yv"):
        actual = plain(name)(gpunp.asarray(v), gpunp.asarray(x)).get()
        np.testing.assert_allclose(actual, plain(name)(v, x), rtol=1e-8)
    for name in ("ive", "kve"):
        actual = plain(name)(gpunp.asarray(v), gpunp.asarray(3 * x)).get()
        np.testing.assert_allclose(actual, plain(name)(v, 3 * x), rtol=1e-9)


@pytest.mark.parametrize("name", sorted(COMPLEX))
def test_orders_at_edges_of_the_plane(name, device):
    orders = [*EDGES, -0.5, -1.5, -2.0, 3.3, -3.3]
    points = np.array([complex(x, y) for x in EDGES for y in EDGES])
    assert_as_scipy(name, grid_of([orders, points]), ("real", "imag"), atol=1e-14)


@pytest.mark.parametrize("name", ["jv", "jve", "yv", "yve", "iv", "ive", "kv", "kve"])
def test_negative_orders_at_edges(name, device):
    assert_as_scipy(name, grid_of([[-0.5, -1.5, -2.0, 3.3, -3.3], EDGES]))


@pytest.mark.parametrize("name", ["struve", "modstruve"])
def test_struve_functions_at_edges(name, device):
    orders = [-2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]
    assert_as_scipy(name, grid_of([orders, [0.0, -0.0, 0.5, 1.0, -1.0, 2.0, np.nan]]))


def test_itairy_at_edges(device):
    # SciPy's own error is 1e-6.
    assert_as_scipy("itairy", [EDGES], rtol=1e-5)


def test_besselpoly_at_edges(device):
    powers, orders = [0.0, 1.0, -1.0, 0.5], [0.0, 1.0, 0.5, -1.0, -0.5]
    assert_as_scipy("besselpoly", grid_of([[0.0, 0.5, 1.0, -1.0, np.nan], powers, orders]))


@pytest.mark.parametrize("name", ["yn", "kn"])
def test_integer_orders(name, device):
    n, x = grid_of([np.array([-3, -2, 0, 1, 2, 17]), np.array([0.0, 0.3, 2.5, 30.0])])
    ufunc = plain(name)
    actual = ufunc(gpunp.asarray(n), gpunp.asarray(x))
    assert actual.dtype == "d"
    np.testing.assert_allclose(actual.get(), ufunc(n, x), rtol=1e-12)


def test_four_outputs(device):
    """Outputs are written where they are given, also into one array and through a mask."""
    x = np.linspace(-3, 3, 40).reshape(5, 8)
    on_device, mask = gpunp.asarray(x), x > 0
    outs = tuple(gpunp.zeros(x.shape) for _ in range(4))
    found = plain("airy")(on_device, out=outs, where=gpunp.asarray(mask))
    for result, out, wanted in zip(found, outs, plain("airy")(x), strict=True):
        assert result is out
        np.testing.assert_allclose(out.get(), np.where(mask, wanted, 0), rtol=1e-12)
    shared, host = gpunp.zeros(x.shape), np.zeros(x.shape)
    plain("airy")(on_device, out=(shared,) * 4)
    plain("airy")(x, out=(host,) * 4)
    np.testing.assert_allclose(shared.get(), host, rtol=1e-12)
    strided = plain("airy")(on_device[::-1, ::2].T)
    for result, wanted in zip(strided, plain("airy")(x[::-1, ::2].T), strict=True):
        np.testing.assert_allclose(result.get(), wanted, rtol=1e-12)


@pytest.mark.parametrize("char", ["f", "d"])
@pytest.mark.parametrize("kind", ["j", "y"])
def test_orders_that_are_the_numbers_0_and_1(kind, char):
    """They run the functions of these orders; complex arguments and other orders do not."""
    x = np.linspace(-20, 20, 1001).astype(char)
    ordered, on_device = plain(f"{kind}v"), gpunp.asarray(x)
    with np.errstate(invalid="ignore"):
        for order in (0, 1):
            expected = plain(f"{kind}{order}")(on_device).get()
            actual = ordered(order, on_device)
            assert actual.dtype == x.dtype
            np.testing.assert_array_equal(actual.get(), expected)
            orders = gpunp.full(x.shape, order, dtype=char)
            # The loop for any orders computes in double precision.
            np.testing.assert_allclose(
                ordered(orders, on_device).get(), expected, rtol=2e-6 if char == "f" else 0
            )
            assert ordered(np.float64(order), on_device).dtype == np.float64
            z = (x + 1j).astype(np.result_type(char, "F"))
            rtol = 1e-5 if char == "f" else 1e-11
            np.testing.assert_allclose(ordered(order, gpunp.asarray(z)).get(), ordered(order, z), rtol=rtol)


def test_airy_of_large_negative_numbers(device):
    """The rounding error of the angle, which grows with it, is not one of the functions."""
    x = np.array([-100.5, -123.456, -1000.7, -77107526.92535524, -1e10])
    with mpmath.workdps(60):
        exact = np.array([[float(value) for value in airy(mpmath.mpf(t))] for t in x.tolist()]).T
    # The first two of the scaled functions have no value there.
    for name, first in (("airy", 0), ("airye", 2)):
        found = [value.get() for value in plain(name)(gpunp.asarray(x))]
        np.testing.assert_allclose(found[first:], exact[first:], rtol=3e-15)
    plane = [value.get() for value in plain("airy")(gpunp.asarray(x + 0j))]
    np.testing.assert_allclose(plane, exact, rtol=3e-15)
    assert all(np.isnan(value.get()).all() for value in plain("airy")(gpunp.asarray([-1e200, -1.7e308])))


@pytest.mark.parametrize("name", ["jv", "yv", "iv", "kv", "hankel1", "jve", "kve"])
def test_huge_orders_end(name, device):
    """Where no expansion serves, recurrences of very many steps are not begun."""
    orders, points = [-6e123, 2.5e62, 3e18, 1e300], [-9e307 - 9e307j, -9e307 + 9e307j, 9e307 + 9e307j, 1e300j]
    v, z = grid_of([np.array(orders), np.array(points)])
    assert plain(name)(gpunp.asarray(v), gpunp.asarray(z)).get().shape == v.shape
