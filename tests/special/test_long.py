"""Long functions of scipy.special, compared with mpmath over their domains and with SciPy at the edges."""

import importlib.util
from pathlib import Path

import mpmath
import numpy as np
import pytest
import scipy.special
from long_functions import (
    EDGES,
    HALF_PLANE,
    PLANE,
    POSITIVE,
    REAL,
    ROW_OF,
    accuracy_test,
    complex_edge_test,
    edge_test,
    in_the_plane,
    plain,
)

import gpunp

SYMMETRIC = [1e-3, 0.4, 1.0, 5.5, 300.0]
MODULI = [-1e5, -30.0, -0.7, -1e-9, 1e-9, 0.3, 0.6, 0.95, 1 - 1e-9, 1 - 2.0**-30]
INSIDE = [0.05, 0.3, 0.6, 0.99]
ORDERS = [0.0, 1.0, 2.0, 7.0, 30.0, 0.5, 3.3]


def faddeeva(z):
    with mpmath.workdps(60 + int(abs(z) ** 2)):
        return mpmath.exp(-z * z) * mpmath.erfc(-1j * z)


def dawson(z):
    with mpmath.workdps(60 + int(abs(z) ** 2)):
        return mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-z * z) * mpmath.erfi(z)


def scaled_erfc(z):
    with mpmath.workdps(60 + int(abs(z) ** 2)):
        return mpmath.exp(z * z) * mpmath.erfc(z)


def voigt(x, sigma, gamma):
    z = (x + 1j * gamma) / sigma / mpmath.sqrt(2)
    return faddeeva(z).real / sigma / mpmath.sqrt(2 * mpmath.pi)


def beyond(x):
    """Return the integral of exp(i t^2) from x on, and its scaled form."""
    turn = mpmath.expj(mpmath.pi / 4)
    value = mpmath.sqrt(mpmath.pi) / 2 * turn * mpmath.erfc(x / turn)
    return value, value * mpmath.expj(-x * x) / turn / mpmath.sqrt(mpmath.pi)


def wright_omega(z):
    branch = mpmath.ceil((mpmath.im(z) - mpmath.pi) / (2 * mpmath.pi))
    return mpmath.lambertw(mpmath.exp(z), int(branch))


def conjugates(values):
    return tuple(mpmath.conj(value) for value in values)


def legendre(n, x):
    return mpmath.hyp2f1(-n, n + 1, 1, (1 - x) / 2)


def of_real_order(function, points=(-0.9, -0.3, 1e-3, 0.6, 0.99)):
    """Return a polynomial's points of comparison: integer and real orders, real and complex arguments."""
    return function, (ORDERS, points), (ORDERS, HALF_PLANE[:6])


# Name to mpmath's function, the points of comparison for real operands, and for complex ones.
REFERENCES = {
    "dawsn": (dawson, REAL, PLANE),
    "erfcx": (scaled_erfc, REAL, PLANE),
    "erfi": (mpmath.erfi, REAL, PLANE),
    "wofz": (faddeeva, None, PLANE),
    "voigt_profile": (voigt, (REAL[1:-1], [1.2, 3.5], [1e-3, 0.4, 3.0]), None),
    "fresnel": (lambda z: (mpmath.fresnels(z), mpmath.fresnelc(z)), REAL, PLANE),
    "modfresnelp": (beyond, REAL, None),
    "modfresnelm": (lambda x: conjugates(beyond(x)), REAL, None),
    "exp1": (mpmath.e1, POSITIVE, PLANE),
    "expi": (mpmath.ei, REAL, PLANE),
    "spence": (lambda z: mpmath.polylog(2, 1 - z), POSITIVE, PLANE),
    "shichi": (lambda z: (mpmath.shi(z), mpmath.chi(z)), POSITIVE, PLANE),
    "sici": (lambda z: (mpmath.si(z), mpmath.ci(z)), POSITIVE, PLANE),
    "expn": (lambda n, x: mpmath.expint(int(n.real), x), ([0, 1, 2, 7, 40], POSITIVE[:-3]), None),
    "ellipk": (mpmath.ellipk, MODULI, None),
    "ellipkm1": (lambda p: mpmath.pi / 2 / mpmath.agm(1, mpmath.sqrt(p)), POSITIVE, None),
    "ellipe": (mpmath.ellipe, MODULI, None),
    "agm": (mpmath.agm, (POSITIVE[:-3], POSITIVE[:-3]), None),
    "ellipkinc": (mpmath.ellipf, (REAL, MODULI), None),
    "ellipeinc": (mpmath.ellipe, (REAL, MODULI), None),
    "elliprc": (mpmath.elliprc, (SYMMETRIC, [*SYMMETRIC, -2.0]), HALF_PLANE),
    "elliprd": (mpmath.elliprd, SYMMETRIC, HALF_PLANE),
    "elliprf": (mpmath.elliprf, SYMMETRIC, HALF_PLANE),
    "elliprg": (mpmath.elliprg, SYMMETRIC, HALF_PLANE),
    "wrightomega": (wright_omega, REAL, PLANE),
    "eval_chebyt": of_real_order(mpmath.chebyt),
    "eval_chebyu": of_real_order(mpmath.chebyu),
    "eval_chebyc": of_real_order(lambda n, x: 2 * mpmath.chebyt(n, x / 2)),
    "eval_chebys": of_real_order(lambda n, x: mpmath.chebyu(n, x / 2)),
    "eval_sh_chebyt": of_real_order(lambda n, x: mpmath.chebyt(n, 2 * x - 1), INSIDE),
    "eval_sh_chebyu": of_real_order(lambda n, x: mpmath.chebyu(n, 2 * x - 1), INSIDE),
    "eval_legendre": of_real_order(legendre),
    "eval_sh_legendre": of_real_order(lambda n, x: legendre(n, 2 * x - 1), INSIDE),
    "eval_laguerre": of_real_order(lambda n, x: mpmath.laguerre(n, 0, x)),
    "eval_gegenbauer": (
        mpmath.gegenbauer,
        (ORDERS, [0.3, 2.5], [-0.95, -0.3, 0.6, 0.99]),
        (ORDERS, [0.3, 2.5], HALF_PLANE[:6]),
    ),
    "eval_genlaguerre": (
        mpmath.laguerre,
        (ORDERS, [-0.6, 2.7], [-2.0, 0.45, 5.3]),
        (ORDERS, [-0.6, 2.5], HALF_PLANE[:6]),
    ),
}
# Near a root of the function, or in a sum that cancels, SciPy's error is larger, too.
TOLERANCE = {}
TOLERANCE |= dict.fromkeys((name for name in REFERENCES if name.startswith("eval")), 2e-12)
TOLERANCE |= {"sici": 2e-12, "expi": 1e-12, "shichi": 1e-12, "exp1": 1e-12, "fresnel": 1e-12}
# SciPy's imaginary parts are wrong for negative numbers.
WRONG_IN_SCIPY = {"modfresnelm", "modfresnelp"}
# The domain of the complex ones is the plane without the negative axis.
COMPLEX_EDGES = {
    "elliprc": [0, 1, 1j, 2 - 1j],
    "elliprd": [0, 1, 1j],
    "elliprf": [0, 1, 1j],
    "elliprg": [0, 1, 1j],
}


def referenced():
    """Return the names of the ufuncs that any test module of this folder compares."""
    found = []
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if "accuracy_test(" in path.read_text():
            spec = importlib.util.spec_from_file_location(f"references_of_{path.stem}", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            found += [*module.REFERENCES, *getattr(module, "COMPARED_OTHERWISE", ())]
    return found


def test_every_row_has_a_reference():
    names = referenced()
    assert set(names) == set(ROW_OF)
    assert len(names) == len(set(names))


test_accuracy = accuracy_test(REFERENCES, TOLERANCE)

# Polynomials of real order are tested at finite arguments: at others, SciPy's values follow from its method.
POLYNOMIALS = {name for name in REFERENCES if name.startswith("eval")}
COMPARED_OTHERWISE = {"eval_hermite", "eval_hermitenorm"}


@pytest.mark.parametrize("name", sorted(POLYNOMIALS | COMPARED_OTHERWISE))
def test_integer_orders(name, device):
    ufunc = plain(name)
    parameters = [[0.3, 0.5, 3.0]] * (ufunc.nin - 2)
    x = [-2.0, -1.0, -0.3, 0.0, 0.7, 1.0, 2.0]
    grids = np.meshgrid(np.array([-4, -3, -2, -1, 0, 1, 2, 3, 15]), *parameters, x)
    operands = [grid.ravel() for grid in grids]
    expected = ufunc(*operands)
    np.testing.assert_allclose(
        ufunc(*[gpunp.asarray(x) for x in operands]).get(), expected, rtol=1e-11, atol=1e-11
    )
    assert ufunc(3, gpunp.asarray(x)).dtype == "d" if ufunc.nin == 2 else True


@pytest.mark.parametrize("branch", [0, -1, 1, 2])
@pytest.mark.parametrize("char", "FD")
def test_lambertw(branch, char, device):
    points = [*PLANE, 0.5, -0.2, -0.3678, -0.36788, 1e-9, 30.0, 1e9]
    z = np.array([complex(z) for z in points]).astype(char)
    wanted = np.array([complex(mpmath.lambertw(mpmath.mpmathify(complex(x)), branch)) for x in z])
    for function in (scipy.special.lambertw, gpunp.special.lambertw):
        actual = function(gpunp.asarray(z), branch)
        assert actual.dtype == scipy.special.lambertw(z, branch).dtype
        np.testing.assert_allclose(actual.get(), wanted, rtol=1e-11 if char == "D" else 2e-4)
    edges = np.array([0.0, np.inf, -np.inf, np.nan, 1.0, -1.0])
    np.testing.assert_allclose(
        gpunp.special.lambertw(gpunp.asarray(edges), branch).get(), scipy.special.lambertw(edges, branch)
    )


# SciPy warns of orders that are not integers.
test_edges = edge_test(
    {name for name, points in REFERENCES.items() if points[1] is not None} - WRONG_IN_SCIPY - POLYNOMIALS,
    edges={"expn": [EDGES[[0, 1, 2, 3, 4, 7]]]},
)
test_complex_edges = complex_edge_test(in_the_plane(set(REFERENCES) - POLYNOMIALS), COMPLEX_EDGES)


@pytest.mark.parametrize("name", ["modfresnelp", "modfresnelm"])
def test_modified_fresnel_edges(name, device):
    x = np.array([0.0, -0.0, 1.0, 2.0, np.inf, -np.inf, np.nan])
    for actual, wanted in zip(plain(name)(gpunp.asarray(x)), plain(name)(x), strict=True):
        np.testing.assert_allclose(actual.get(), wanted, rtol=1e-13)


@pytest.mark.parametrize("layout", ["strided", "reversed", "transposed", "masked", "converted", "scalar"])
def test_layouts(layout, device):
    """The kernels for any layout are the only ones."""
    host = np.linspace(0.1, 9, 24 * 20).reshape(24, 20)
    ufunc = plain("ellipkinc")
    m = np.linspace(-1, 0.9, 20)
    views = {"strided": np.s_[::3, ::2], "reversed": np.s_[::-1, ::2]}
    first = views.get(layout, np.s_[:, ::2])
    x, y = host[first], m[::2]
    on_device = gpunp.asarray(host)[first]
    if layout == "transposed":
        x, on_device, y = host.T, gpunp.asarray(host).T, 0.3 * host.T / 9
    if layout == "converted":
        x, on_device = (10 * x).astype("i4"), (10 * on_device).astype("i4")
    if layout == "scalar":
        y = 0.25
    operand = y if layout == "scalar" else gpunp.asarray(y)
    if layout == "masked":
        where = x > 3
        out = gpunp.zeros(x.shape)
        ufunc(on_device, operand, out=out, where=gpunp.asarray(where))
        np.testing.assert_allclose(out.get(), np.where(where, ufunc(x, y), 0), rtol=1e-13)
    else:
        np.testing.assert_allclose(ufunc(on_device, operand).get(), ufunc(x, y), rtol=1e-13)


def test_folds_are_refused(device):
    x = gpunp.ones(4)
    for call in (
        lambda: plain("agm").reduce(x),
        lambda: plain("agm").accumulate(x),
        lambda: plain("agm").at(x, [0], 2.0),
    ):
        with pytest.raises(TypeError, match=r"scipy\.special\.agm"):
            call()
