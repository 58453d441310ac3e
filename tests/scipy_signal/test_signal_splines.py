"""Splines of ``scipy.signal`` on device arrays, compared with SciPy's on host copies."""

import inspect
import types
import warnings

import numpy as np
import pytest
import scipy.signal

import gpunp
import gpunp_scipy.signal

NAMES = (
    "cspline1d",
    "cspline1d_eval",
    "cspline2d",
    "gauss_spline",
    "qspline1d",
    "qspline1d_eval",
    "qspline2d",
    "sepfir2d",
    "spline_filter",
    "symiirorder1",
    "symiirorder2",
)


def values(char, *shape):
    rng = np.random.default_rng([7, *shape])
    found = rng.normal(0, 20, shape)
    return (found + 1j * rng.normal(0, 20, shape) if char in "FD" else found).astype(char)


def check(name, *args, precision_of=None, **kwargs):
    with warnings.catch_warnings():
        # Complex poles of real signals.
        warnings.simplefilter("ignore")
        expected = getattr(scipy.signal, name)(*args, **kwargs)
        device = [gpunp.asarray(each) if isinstance(each, np.ndarray) else each for each in args]
        actual = getattr(gpunp_scipy.signal, name)(*device, **kwargs)
    assert type(actual) is gpunp.ndarray
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    # SciPy rounds sums to half precision after each of up to four terms.
    tolerance = {"e": 4e-3, "f": 5e-6, "F": 5e-6}.get(precision_of or expected.dtype.char, 1e-12)
    largest = max(1.0, float(np.nanmax(np.abs(expected), initial=0)))
    where = f"{name} {args[0].dtype} {args[0].shape} {args[1:]} {kwargs}"
    np.testing.assert_allclose(actual.get(), expected, rtol=0, atol=tolerance * largest, err_msg=where)


@pytest.mark.parametrize("char", "?bilefdFD")
def test_coefficients_of_lines(char):
    for length in (1, 2, 3, 8, 40, 700, 5000):
        check("cspline1d", values(char, length))
        check("qspline1d", values(char, length))
        # SciPy fails for two samples.
        if length > 2:
            for lamb in (0.06, 0.5, 20.0, 1e4):
                check("cspline1d", values(char, length), lamb)


@pytest.mark.parametrize("char", "ilefdFD")
def test_coefficients_of_images(char):
    image = values(char, 40, 55)
    for precision in (-1.0, 1e-2, 1e-9):
        check("cspline2d", image, precision=precision)
        check("qspline2d", image, precision=precision)
        if char not in "FD":
            check("cspline2d", image, 0.1, precision=precision)
    check("cspline2d", image[0])
    check("cspline2d", image.T[::-1])


@pytest.mark.parametrize("char", "ilefdFD")
def test_filters_in_both_directions(char):
    for shape in ((60,), (3, 60), (40, 500)):
        signal = values(char, *shape)
        for pole in (-0.3, 0.5, 0.1 + 0.2j):
            check("symiirorder1", signal, 0.7, pole)
        check("symiirorder1", signal, 1, 0.5, 1e-2)
        if char not in "FD":
            for r, omega in ((0.5, 0.3), (0.4, 0.0), (0.3, np.pi), (0.6, 2.0)):
                check("symiirorder2", signal, r, omega)
                check("symiirorder2", signal, r, omega, 1e-2)


@pytest.mark.parametrize("name", ["cspline1d_eval", "qspline1d_eval"])
def test_values(name):
    points = np.random.default_rng(1).uniform(-50, 80, (6, 9))
    points[0] = [-1, 0, 0.5, 1, 18, 19, 19.5, 20, np.nan]
    for char in "efd" if name == "qspline1d_eval" else "efdFD":
        for length in (2, 3, 20):
            # SciPy calls itself for each reflection.
            near = points * (length / 20)
            check(name, values(char, length), near)
            check(name, values(char, length), near / 2, 0.25, -3)
    for char in "ilefd":
        finite = np.nan_to_num(points).astype(char)
        check(name, values("d", 20), finite)
    check(name, values("d", 20), np.array(3.25))
    check(name, values("d", 20), np.zeros((0, 2)))


def test_integer_coefficients():
    cj, points = np.arange(9), np.linspace(-3, 12, 30)
    check("qspline1d_eval", cj, points)
    with pytest.raises(TypeError, match="dtype of cj"):
        gpunp_scipy.signal.cspline1d_eval(gpunp.asarray(cj), gpunp.asarray(points))


def test_values_of_coefficients_are_the_samples():
    samples = gpunp.asarray(values("d", 300))
    for order in "cq":
        coefficients = getattr(gpunp_scipy.signal, f"{order}spline1d")(samples)
        back = getattr(gpunp_scipy.signal, f"{order}spline1d_eval")(coefficients, gpunp.arange(300.0))
        inner = slice(1, -1)
        np.testing.assert_allclose(back.get()[inner], samples.get()[inner], rtol=0, atol=1e-11)


def test_gaussians():
    for char in "ilfd":
        check("gauss_spline", values(char, 5, 6) / 10 if char in "fd" else values(char, 5, 6), 3)
    check("gauss_spline", np.linspace(-2, 2, 9), 0)


@pytest.mark.parametrize("char", "fdFD")
def test_smoothing_of_images(char):
    image = values(char, 60, 70)
    # SciPy computes complex images in single precision.
    check("spline_filter", image, 0.0, precision_of="F" if char in "FD" else None)
    if char not in "FD":
        check("spline_filter", image, 0.1)
        check("spline_filter", image)


@pytest.mark.parametrize("char", "?bBhHiIlLefdFD")
def test_separable_filters(char):
    for shape in ((20, 30), (9, 7), (7, 9)):
        rows, columns = values("f", 7), values("f", 3)
        check("sepfir2d", values(char, *shape), rows, columns)
        check("sepfir2d", values(char, *shape).T, columns, values("f", 1))
        check("sepfir2d", values(char, *shape), [0.5, 1, 0.5], [2])


def test_filters_longer_than_the_image():
    image, taps = values("d", 3, 4), values("d", 9)
    actual = gpunp_scipy.signal.sepfir2d(gpunp.asarray(image), taps, taps).get()
    expected = np.pad(image, 4, mode="symmetric")
    for axis in (0, 1):
        expected = np.apply_along_axis(np.convolve, axis, expected, taps, "valid")
    np.testing.assert_allclose(actual, expected, rtol=1e-10)


LINE, IMAGE = np.ones(20), np.ones((20, 30))
BAD = (
    ("symiirorder1", (LINE, 1.0, 1.0), ValueError),
    ("symiirorder1", (LINE, 1.0, 0.99), ValueError),
    ("symiirorder1", (LINE[:1], 1.0, 0.5), ValueError),
    ("symiirorder1", (IMAGE[None], 1.0, 0.5), ValueError),
    ("symiirorder1", (np.array(1.0), 1.0, 0.5), ValueError),
    ("symiirorder2", (LINE, 1.0, 0.5), ValueError),
    ("symiirorder2", (LINE, 0.99, 0.5), ValueError),
    ("symiirorder2", (LINE[:1], 0.5, 0.5), ValueError),
    ("symiirorder2", (LINE + 0j, 0.5, 0.5), TypeError),
    ("cspline1d", (LINE[:0],), IndexError),
    ("cspline1d", (LINE[:1], 1.0), IndexError),
    ("cspline1d", (LINE, 0.001), ValueError),
    ("cspline1d", (IMAGE,), ValueError),
    ("qspline1d", (LINE, 1.0), ValueError),
    ("qspline2d", (IMAGE, 1.0), ValueError),
    ("cspline2d", (IMAGE[:5],), ValueError),
    ("cspline1d_eval", (LINE[:0], LINE), ValueError),
    ("qspline1d_eval", (LINE[:0], LINE), ValueError),
    ("cspline1d_eval", (IMAGE, LINE), ValueError),
    ("cspline1d_eval", (LINE, LINE + 0j), TypeError),
    ("qspline1d_eval", (LINE + 0j, LINE), TypeError),
    ("spline_filter", (IMAGE.astype(int),), TypeError),
    ("spline_filter", (IMAGE + 0j,), TypeError),
    ("sepfir2d", (IMAGE, LINE[:2], LINE[:3]), ValueError),
    ("sepfir2d", (LINE, LINE[:3], LINE[:3]), ValueError),
    ("sepfir2d", (IMAGE, LINE[:3], IMAGE), ValueError),
    ("sepfir2d", (IMAGE.astype("f"), LINE[:3], LINE[:3]), TypeError),
    ("sepfir2d", (IMAGE.astype("f"), LINE[:2], LINE[:3]), TypeError),
)


@pytest.mark.parametrize(("name", "args", "error"), BAD)
def test_bad_arguments(name, args, error):
    with pytest.raises(error):
        getattr(scipy.signal, name)(*args)
    args = [gpunp.asarray(each) if isinstance(each, np.ndarray) else each for each in args]
    with pytest.raises(error):
        getattr(gpunp_scipy.signal, name)(*args)


@pytest.mark.parametrize("name", NAMES)
def test_signatures(name):
    if isinstance(inspect.unwrap(getattr(scipy.signal, name)), types.BuiltinFunctionType):
        pytest.skip("SciPy before 1.18 has it in C, without a signature")

    def of(module):
        parameters = inspect.signature(getattr(module, name)).parameters.values()
        return [(each.name, each.default) for each in parameters]

    assert of(gpunp_scipy.signal) == of(scipy.signal)
