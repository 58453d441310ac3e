"""Long functions of scipy.special, compared with mpmath over their domains and with SciPy at the edges."""

import inspect
import itertools

import mpmath
import numpy as np
import pytest
import scipy.special
from values import assert_same_class

import gpunp
from gpunp.ufunc.table import ROWS
from gpunp.ufunc.table.row import LONG

ROW_OF = {row.name: row for row in ROWS if row.family in LONG and row.namespace == "scipy.special"}
REAL = [-25.0, -6.5, -2.2, -0.9, -1e-3, -1e-12, 1e-12, 1e-3, 0.3, 1.4, 2.7, 4.1, 6.2, 12.5, 25.5]
POSITIVE = [abs(x) for x in REAL if x > 0] + [1e-30, 41.0, 77.7, 300.0]
SYMMETRIC = [1e-3, 0.4, 1.0, 5.5, 300.0]
MODULI = [-1e5, -30.0, -0.7, -1e-9, 1e-9, 0.3, 0.6, 0.95, 1 - 1e-9, 1 - 2.0**-30]
PLANE = [
    complex(x, y) for x in (-7.1, -2.2, -0.4, 1e-3, 0.7, 3.3, 8.0) for y in (-4.7, -1.2, -1e-5, 0.3, 2.9, 6.1)
]
INSIDE = [0.05, 0.3, 0.6, 0.99]
ORDERS = [0.0, 1.0, 2.0, 7.0, 30.0, 0.5, 3.3]
HALF_PLANE = [z for z in PLANE[::4] if z.real > 0]


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
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 2.0, np.inf, -np.inf, np.nan, 0.5])
# SciPy's imaginary parts are wrong for negative numbers.
WRONG_IN_SCIPY = {"modfresnelm", "modfresnelp"}
PLANE_FUNCTIONS = [n for n, row in ROW_OF.items() if row.loops[-1].inputs == "D" * row.nin]
# The domain of the complex ones is the plane without the negative axis.
COMPLEX_EDGES = {
    "elliprc": [0, 1, 1j, 2 - 1j],
    "elliprd": [0, 1, 1j],
    "elliprf": [0, 1, 1j],
    "elliprg": [0, 1, 1j],
}


def plain(name):
    """Return SciPy's ufunc, which its array API mode wraps."""
    return inspect.unwrap(getattr(scipy.special, name))


def as_tuple(values):
    return values if isinstance(values, tuple) else (values,)


def cases():
    for name, (_, real, plane) in REFERENCES.items():
        for loop in ROW_OF[name].loops:
            if loop.inputs[0] != "q":
                points = plane if loop.inputs[-1] in "FD" else real
                yield pytest.param(name, loop, points, id=f"{name}-{loop.inputs}")


def test_every_row_has_a_reference():
    assert set(ROW_OF) == set(REFERENCES) | {"eval_hermite", "eval_hermitenorm"}


@pytest.mark.parametrize(("name", "loop", "points"), list(cases()))
def test_accuracy(name, loop, points, device):
    points = points if isinstance(points, tuple) else (points,) * len(loop.inputs)
    grids = np.meshgrid(*[np.array(p).astype(c) for p, c in zip(points, loop.inputs, strict=True)])
    operands = [grid.ravel() for grid in grids]
    function, double = REFERENCES[name][0], loop.inputs[-1] in "dD"
    exact_operands = ([mpmath.mpmathify(complex(x)) for x in xs] for xs in zip(*operands, strict=True))
    wanted = [as_tuple(function(*xs)) for xs in exact_operands]
    actual = as_tuple(plain(name)(*[gpunp.asarray(x) for x in operands]))
    tolerance = TOLERANCE.get(name, 5e-14) if double else 5e-6
    limits = np.finfo(loop.outputs[0])
    for result, exact, char in zip(actual, zip(*wanted, strict=True), loop.outputs, strict=True):
        assert result.dtype == char
        exact, result = np.array([complex(x) for x in exact]), result.get()
        if char in "fd":
            exact = exact.real
        inside = (np.abs(exact) < limits.max / 4) & (np.abs(exact) > limits.smallest_normal)
        error = np.abs(result[inside] - exact[inside]) / np.abs(exact[inside])
        assert error.max() < tolerance, (operands[0][inside][error.argmax()], error.max())


# Polynomials of real order are tested at finite arguments: at others, SciPy's values follow from its method.
POLYNOMIALS = {name for name in REFERENCES if name.startswith("eval")}


@pytest.mark.parametrize("name", sorted(POLYNOMIALS | {"eval_hermite", "eval_hermitenorm"}))
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


@pytest.mark.parametrize("name", sorted(set(REFERENCES) - WRONG_IN_SCIPY - POLYNOMIALS))
def test_edges(name, device):
    ufunc = plain(name)
    if REFERENCES[name][1] is None:
        pytest.skip("only complex")
    # SciPy warns of orders that are not integers.
    edges = [EDGES[[0, 1, 2, 3, 4, 7]] if name == "expn" else EDGES] + [EDGES] * (ufunc.nin - 1)
    operands = [grid.ravel() for grid in np.meshgrid(*edges)]
    with np.errstate(all="ignore"):
        expected = as_tuple(ufunc(*operands))
    actual = as_tuple(ufunc(*[gpunp.asarray(x) for x in operands]))
    for result, wanted in zip(actual, expected, strict=True):
        result = result.get()
        assert_same_class(result, wanted, signed_zero=False)
        finite = np.isfinite(wanted)
        np.testing.assert_allclose(result[finite], wanted[finite], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", [n for n in PLANE_FUNCTIONS if n not in POLYNOMIALS])
def test_complex_edges(name, device):
    ufunc = plain(name)
    everywhere = [complex(x, y) for x, y in itertools.product(EDGES, EDGES)]
    points = np.array(COMPLEX_EDGES.get(name, everywhere), complex)
    operands = [grid.ravel() for grid in np.meshgrid(*[points] * ufunc.nin)]
    with np.errstate(all="ignore"):
        expected = as_tuple(ufunc(*operands))
    actual = as_tuple(ufunc(*[gpunp.asarray(x) for x in operands]))
    for result, wanted in zip(actual, expected, strict=True):
        result = result.get()
        for part in ("real", "imag"):
            assert_same_class(getattr(result, part), getattr(wanted, part), signed_zero=False)
        finite = np.isfinite(wanted)
        np.testing.assert_allclose(result[finite], wanted[finite], rtol=1e-13, atol=1e-14)


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
