"""Values that a sweep of all ufuncs of scipy.special over zeros, infinities and extremes found wrong."""

import inspect

import mpmath
import numpy as np
import pytest
import scipy.special
from long_functions import plain
from values import assert_same_class

import gpunp

INF, NAN = np.inf, np.nan


def is_ufunc(found):
    """Also where SciPy's array API mode wraps it."""
    return isinstance(inspect.unwrap(found) if callable(found) else found, np.ufunc)


PRIVATE = ("_ufuncs._zeta", "_ufuncs._riemann_zeta")
UFUNCS = (*(name for name in dir(scipy.special) if is_ufunc(getattr(scipy.special, name))), *PRIVATE)


def attribute(name):
    found = scipy.special
    for part in name.split("."):
        found = getattr(found, part)
    return inspect.unwrap(found)


@pytest.mark.parametrize("name", UFUNCS)
def test_every_loop_of_scipys_exists(name, device):
    """But for those of long double, which no device has."""
    ufunc = attribute(name)
    for signature in ufunc.types:
        inputs, outputs = signature.split("->")
        if "g" in inputs:
            continue
        results = ufunc(*[gpunp.asarray(np.ones(2, dtype=char)) for char in inputs])
        results = results if isinstance(results, tuple) else (results,)
        assert [r.dtype.char for r in results] == list(outputs), signature


# A name, the operands, and the values, which mpmath gives; None are SciPy's.
REAL = (
    ("hyp1f1", (-1.0, 2.0, [-INF, INF]), [INF, -INF]),
    ("hyp1f1", (-1.5, 2.0, [-INF, INF]), [INF, INF]),
    ("hyp0f1", ([1.0, -0.5, INF, 2.5], [1e10, INF, 3.0, -INF]), [INF, -INF, 1, NAN]),
    ("hyp2f1", (-2.0, 3.0, 1.5, [INF, -INF]), [INF, INF]),
    ("hyp2f1", (-3.0, 3.0, 1.5, [INF, -INF, 1e200, -1e200]), [-INF, INF, -INF, INF]),
    ("hyp2f1", (-3.0, [-5.0, 5.0], [1.5, -1.5], INF), [INF, -INF]),
    ("berp", ([1e5, 1e9],), [INF, -INF]),
    ("beip", ([1e5, -1e5],), None),
    ("ker", ([1e3, 1.7e308],), [0, 0]),
    ("jv", ([100.5, -100.5, 1e5], 1e-200), [0, INF, 0]),
    ("iv", (100.5, [1e-200]), [0]),
    ("modstruve", (1e5, [100.5]), None),
    ("struve", (1e5, [100.5]), None),
    ("expn", (1e5, [1.0, 600.0]), None),
    ("expn", (5e4, [3.0]), None),
    ("chndtr", (1e5, 1e5, [1e-200, 0.001]), None),
    ("chndtrix", (0.5, 3.5, [1e-200]), None),
    ("nctdtr", (1e200, [0.0, -0.5], [-2.0, -30.0]), [0.022750131948179209, 1.4394745522291786e-191]),
    ("nctdtr", (1e-200, -1.0, [1.0]), None),
    ("stdtr", ([1e200, 1.7e308, 5e-324], [10.0, 1.0, 2.0]), None),
    ("stdtrit", (1.0, [1e-200, 1e-300]), None),
    ("betainc", ([1e-5, 1e-10, 1e-200], 1.75, 0.222), None),
    ("betainc", (1e200, 1e200, [0.5]), [0.5]),
    ("betainc", ([1e14, 3e14], 1e14, [0.50000001, 0.75000001]), [0.611351295149991, 0.677916384061669]),
    ("betaincinv", ([1.0, 2.0], [1.0, 3.0], 1e-200), None),
    ("eval_gegenbauer", (7.0, [1e-3, 1e-8], -2.0), [-1.444230572244, -1.440571465127e-05]),
    ("eval_legendre", (100.5, [10.0]), [2.4793480052674e129]),
    ("poch", ([1e-200, 0.0, 1e-200], [-1.0, -3.0, -2.0]), [-1, -1 / 6, 0.5]),
    ("tklmbda", (0.0, [1e5, -3.0]), [0.5, 0.5]),
    ("tklmbda", ([1e-40], 10096.667007143868), [0.991824611300584]),
    # Of the order 14 beyond the turning point, a rounding error has the sign of Re xi.
    (
        "jv",
        ([14.0, 19.0, 33.30982603938635], [44.40500833738959, 64.18065643310547, 115.14693770295023]),
        None,
    ),
    (
        "yv",
        ([14.0, 32.0, 71.72767656530246], [44.40500833738959, 73.5412431036578, 419.12902208894087]),
        None,
    ),
    ("jv", ([3e246], 0.8), [0]),
    ("iv", ([4e171], 0.001), [0]),
    (
        "binom",
        ([2.1928840871162284e260, 3000.5], [1.0000210168061485, 160.2]),
        [2.220666564762882e260, 1.1283561605897293e270],
    ),
    ("binom", ([6.85e-27, 1e-300], [4.0, 5.0]), [-1.7125e-27, 2e-301]),
    (
        "betaln",
        ([-32.45735705804386, 1e30], [4.9221202148698675e61, -11.5]),
        [4528.614366021037, 776.8022394568587],
    ),
    ("betaln", ([221.16451606973052], -778.2808343894316), [-467.2341077218404]),
    ("beta", ([1e30, 8.566707712961274e73], [-353477.56521895516, -1530.759847826004]), [INF, -INF]),
    ("fdtr", ([2147483648.0], 4.566348233000398e-31, 0.25572956820242393), [1.5665707141330607e-29]),
    (
        "fdtrc",
        ([7.128951269365454e-15, 1.0, 1.0], [143857.05904557928, 1e30, 1e30], [3.0, 27.0, 46714.0]),
        [1.1260869481000557e-13, 2.034554614544432e-07, 0],
    ),
    ("fdtri", (10.0, [1e30], 0.9999999999996555), [8.083398830222967]),
    (
        "betaincinv",
        (
            [1.0, 2.010922068902609],
            [1.5431187042215306e30, 7.78857592748324e66],
            [0.504117488861084, 0.23971221452103117],
        ),
        None,
    ),
    ("betainccinv", ([0.20360985374226093], 1e30, 5.209813310044659e-99), [2.2049941305579455e-28]),
    (
        "chndtr",
        ([1e-300, 4.293325047117398e-301], [0.3225257856493642, 1.1526326888268386], [9.5, 7.0]),
        [3.4792365977770035e-51, 1.778442204038796e-175],
    ),
    ("chndtr", ([3263.4], 3319.43, 2.678e-16), None),
    ("chndtrix", (1e-300, [7.0], 33.94171845990562), [9.931812253007287e-84]),
    ("chdtriv", ([0.9704892266505736], 5.547835150860108e-171), [0.00015277514670600586]),
    (
        "ncfdtr",
        (
            [0.8922379213294209, 5.5],
            [170.5, 7.067603207220479e-16],
            [0.698960514368628, 0.19073937833309174],
            [7.536221937010394e-269, 4.625529766082764],
        ),
        [1.3465761260996146e-120, 1.2966160407234635e-14],
    ),
    ("nbdtr", ([-0.14], 10.0, 0.5), [0.0009765625]),
    (
        "elliprj",
        (
            [20.0, 81.42855767371125],
            [0.30880365511324503, 8.00814521615325],
            [7.0, 0.3453425318432596],
            [4.2117269423832397e-144, 1e-30],
        ),
        [75.2525250821157, 6.895422387988202],
    ),
    ("hyp1f1", (5.0, [15274.7666015625], 37.0), [1.0121999847731544]),
    ("hyp2f1", (-700.0, [1.9999999999999973], 1.0, 1.0), [-5.445606497241813e-21]),
    ("hyp2f1", ([-1e-256], 0.83, 0.005, 3.0), [1]),
    ("hyperu", ([1.5, 2.0], [-2.76e22, 0.62], [0.0, 1.3e280]), None),
    (
        "eval_legendre",
        ([39.34968948364258, -37.20787851831154], [-0.0002392919996054843, -0.31589015044381397]),
        [0.06701067213149604, 0.12225859844479249],
    ),
    ("eval_chebyc", ([-4e-24, 2e-40], [-8.0, -18.0]), [2, 2]),
    # Their series would have 2^63 terms.
    ("eval_chebyt", ([-(2.0**63), 2.0**63], [-2.0, -3.5]), [INF, INF]),
)
COMPLEX = (
    ("expm1", ([complex(INF, 0), complex(INF, -0.0), complex(-INF, 2), complex(-INF, INF)],)),
    ("hyp1f1", (1.0, 2.0, [complex(-INF, 0)])),
    ("digamma", ([complex(-3, 1e-200), complex(-1, 1e-5), complex(-3.25, 0.5)],)),
    ("erf", ([complex(1.7e308, 2)],)),
    ("erfc", ([complex(1.7e308, 1)],)),
    ("wofz", ([complex(1.7e308, -1)],)),
    ("dawsn", ([complex(1.7e308, 1)],)),
    ("jv", (100.5, [complex(0, 1e-200)])),
    ("elliprg", ([1e-40j, 333.7 + 0.07j], [0.5 + 7j, 4e-33 - 6e-23j], [-3.1 + 0.9j, -0.8 - 1.3j])),
    ("elliprd", ([73.5 + 0.7j], [-1 + 1.6e263j], [0.02 + 8j])),
)


def compare(actual, expected, tolerance=2e-12):
    assert_same_class(actual, expected, signed_zero=False)
    finite = np.isfinite(expected)
    np.testing.assert_allclose(actual[finite], expected[finite], rtol=tolerance, atol=1e-300)


@pytest.mark.parametrize(("name", "operands", "expected"), REAL)
def test_real(name, operands, expected, device):
    operands = np.broadcast_arrays(*[np.array(x, dtype=float) for x in operands])
    if expected is None:
        with np.errstate(all="ignore"):
            expected = plain(name)(*operands)
    compare(plain(name)(*[gpunp.asarray(x) for x in operands]).get(), np.array(expected, dtype=float))


@pytest.mark.parametrize(("name", "operands"), COMPLEX)
def test_complex(name, operands, device):
    operands = np.broadcast_arrays(*[np.array(x) for x in operands])
    with np.errstate(all="ignore"):
        expected = plain(name)(*operands)
    actual = plain(name)(*[gpunp.asarray(x) for x in operands]).get()
    for part in ("real", "imag"):
        compare(getattr(actual, part), getattr(expected, part))


@pytest.mark.parametrize("x", [100.0, 7346.0885421381, 523154.6297120616])
def test_scaled_airy_functions_of_large_arguments(x, device):
    for actual, expected in zip(scipy.special.airye(gpunp.asarray([x])), scipy.special.airye(x), strict=True):
        np.testing.assert_allclose(actual.get(), expected, rtol=1e-14)


def test_fresnel_integrals_of_large_arguments(device):
    x = np.array([123456789.0, 1.3e9, 1e12, 1e30, 1e200])
    with mpmath.workdps(60):
        expected = np.array([[float(mpmath.fresnels(float(a))), float(mpmath.fresnelc(float(a)))] for a in x])
    actual = [part.get() for part in scipy.special.fresnel(gpunp.asarray(x))]
    np.testing.assert_allclose(np.transpose(actual), expected, rtol=1e-15)
    # Their signs are those of the growing exponential.
    s, c = scipy.special.fresnel(gpunp.asarray([20 + 12j, -20 + 12j, 20 - 12j]))
    np.testing.assert_array_equal(np.sign(s.get().real), [-1, 1, -1])
    np.testing.assert_array_equal(np.sign(c.get().real), [1, -1, 1])
    value = scipy.special.modfresnelp(gpunp.asarray([1e20]))[0].get()
    np.testing.assert_allclose(value, [2.84816700476818e-21 - 4.10949445953512e-21j], rtol=1e-13)


@pytest.mark.parametrize("char", "FD")
def test_riemann_zeta_of_complex_numbers(char, device):
    s = np.array([2 + 3j, 0.5 + 20j, -0.04 + 1j, -3.5 + 2j, -50.5 - 20j, -30.5 + 100j, 60 + 2j, 1 + 1e-5j])
    s = s.astype(char)
    expected = np.array([complex(mpmath.zeta(complex(z))) for z in s])
    actual = scipy.special.zeta(gpunp.asarray(s))
    assert actual.dtype == char
    if char == "F":
        s, expected, actual = s[:4], expected[:4], actual[:4]
    np.testing.assert_allclose(actual.get(), expected, rtol=1e-12 if char == "D" else 1e-6)


def test_zeta_of_complex_numbers_on_the_axis_and_at_its_ends(device):
    s = np.array(
        [3 + 0j, -2 + 0j, 1 + 0j, complex(INF, 1), complex(-INF, 1), complex(2, INF), complex(NAN, 1)]
    )
    actual = scipy.special.zeta(gpunp.asarray(s)).get()
    with np.errstate(all="ignore"):
        expected = scipy.special.zeta(s)
    for part in ("real", "imag"):
        compare(getattr(actual, part), getattr(expected, part))
    # With an offset, SciPy has values for real numbers only.
    actual = scipy.special.zeta(gpunp.asarray([3 + 0j, 3 + 1j]), 2.0).get()
    np.testing.assert_allclose(actual, scipy.special.zeta(np.array([3 + 0j, 3 + 1j]), 2.0), rtol=1e-14)
