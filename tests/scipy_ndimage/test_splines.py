"""Spline coefficients of ``scipy.ndimage`` on device arrays, compared with SciPy's on host copies."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.ndimage
from splines import skip_if_inexact

import gpunp
import gpunp_scipy.ndimage

MODES = (
    "nearest",
    "wrap",
    "reflect",
    "grid-mirror",
    "mirror",
    "constant",
    "grid-constant",
    "grid-wrap",
)


def values(char, shape):
    rng = np.random.default_rng([11, *shape])
    found = rng.normal(0, 100, shape)
    return (found + 1j * rng.normal(0, 100, shape) if char in "FD" else found).astype(char)


def check(name, image, **kwargs):
    with warnings.catch_warnings():
        # Complex images promote the default output dtype, with a warning.
        warnings.simplefilter("ignore")
        expected = getattr(scipy.ndimage, name)(image, **kwargs)
        actual = getattr(gpunp_scipy.ndimage, name)(gpunp.asarray(image), **kwargs)
    assert type(actual) is gpunp.ndarray
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    tolerance = 2e-6 if expected.dtype.char in "fF" else 1e-13
    largest = max(1.0, float(np.abs(expected).max(initial=0)))
    where = f"{image.dtype} {image.shape} {kwargs}"
    np.testing.assert_allclose(actual.get(), expected, rtol=0, atol=tolerance * largest, err_msg=where)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_all_axes(order, mode):
    skip_if_inexact(order, mode)
    for shape in ((1,), (2,), (3,), (16,), (47,), (200,), (20, 33), (1, 40), (5, 7, 6), (3, 4, 2, 5), (0, 3)):
        check("spline_filter", values("d", shape), order=order, mode=mode)
        check("spline_filter", values("f", shape), order=order, mode=mode, output=np.float32)


@pytest.mark.parametrize("char", "?bBhHiIlLfdFD")
def test_dtypes(char):
    image = values(char, (12, 17))
    check("spline_filter", image)
    check("spline_filter1d", image, axis=0)
    check("spline_filter1d", image, order=1)
    check("spline_filter", image, output=np.complex64 if char in "FD" else np.float32)


def test_integers_are_stored_between_the_axes():
    image = np.random.default_rng(2).integers(-90, 90, (12, 17))
    check("spline_filter", image, output=np.int64)
    check("spline_filter1d", image, axis=0, output=np.int16)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("order", [0, 1, 3, 5])
def test_one_axis(axis, order):
    for shape in ((40, 50, 3), (1, 2, 300), (33, 1, 32)):
        check("spline_filter1d", values("d", shape), order=order, axis=axis)
        check("spline_filter1d", values("F", shape), order=order, axis=axis, output=np.complex64)


def test_outputs_and_layouts():
    host = values("d", (24, 30))
    image = gpunp.asarray(host)
    expected = scipy.ndimage.spline_filter(host[::2].T)
    output = gpunp.empty((12, 30)).T
    assert gpunp_scipy.ndimage.spline_filter(image[::2].T, output=output) is output
    np.testing.assert_allclose(output.get(), expected, rtol=0, atol=1e-10)
    assert gpunp_scipy.ndimage.spline_filter(image, output=image) is image
    np.testing.assert_allclose(image.get(), scipy.ndimage.spline_filter(host), rtol=0, atol=1e-10)


def test_zero_dimensions():
    check("spline_filter", np.array(3.0))
    check("spline_filter1d", np.array(3.0), order=1)


@pytest.mark.parametrize(
    ("name", "kwargs", "error"),
    [
        ("spline_filter", {"order": 1}, RuntimeError),
        ("spline_filter", {"order": 6}, RuntimeError),
        ("spline_filter", {"mode": "other"}, RuntimeError),
        ("spline_filter1d", {"order": -1}, RuntimeError),
        ("spline_filter1d", {"axis": 2}, ValueError),
        ("spline_filter1d", {"output": np.complex128}, RuntimeError),
        ("spline_filter", {"output": np.float16}, RuntimeError),
    ],
)
def test_bad_arguments(name, kwargs, error):
    image = np.ones((4, 5))
    with pytest.raises(error):
        getattr(scipy.ndimage, name)(image, **kwargs)
    with pytest.raises(error):
        getattr(gpunp_scipy.ndimage, name)(gpunp.asarray(image), **kwargs)


@pytest.mark.parametrize("name", ["spline_filter", "spline_filter1d"])
def test_signatures(name):
    def of(module):
        parameters = inspect.signature(getattr(module, name)).parameters.values()
        return [(each.name, each.kind, each.default) for each in parameters]

    assert of(gpunp_scipy.ndimage) == of(scipy.ndimage)
