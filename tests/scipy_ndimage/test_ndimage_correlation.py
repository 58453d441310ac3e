"""Correlations, Gaussian filters, derivatives and means, compared with SciPy."""

import numpy as np
import pytest

pytest.importorskip("scipy")
from image_filters import DTYPES, MODES, SHAPES, compare, image, same

import gpunp
import gpunp_scipy.ndimage

SYMMETRIC = (0.25, 1.5, 3.0, 1.5, 0.25)
ANTISYMMETRIC = (-0.5, -2.0, 0.0, 2.0, 0.5)
# More than a launch takes as parameters; longer than most axes.
LONG = tuple(np.linspace(-1, 2, 151))


@pytest.mark.parametrize("char", DTYPES)
def test_one_axis(char, rng):
    for shape in SHAPES:
        a = image(rng, shape, char)
        for axis in range(-1, len(shape) - 1):
            mode = MODES[(axis + len(shape)) % len(MODES)]
            for weights in (SYMMETRIC, ANTISYMMETRIC, (1, 2), (0.5, 1.25, -3), (2,), LONG):
                compare("correlate1d", a, weights, axis, mode=mode, cval=1.5)
                compare("convolve1d", a, weights, axis, mode=mode, cval=-2)
            compare("correlate1d", a, (1, 2, 3, 4), axis, "f8", mode, 0.0, -2)
            compare("convolve1d", a, (1, 2, 3, 4), axis, np.uint8, mode, 0.0, 1)


def test_large_images(rng):
    """Large images, of whose tiles not all are filtered at once."""
    a = image(rng, (1500, 2300), "f")
    compare("gaussian_filter", a, 3)
    compare("sobel", a)
    compare("uniform_filter", a, 15, mode="constant", cval=2.5)
    compare("maximum_filter", a, 7)
    compare("minimum_filter1d", a, 5, axis=0)
    compare("correlate1d", a, SYMMETRIC, axis=1, mode="wrap")
    compare("median_filter", a, 3)


@pytest.mark.parametrize("mode", MODES)
def test_three_weights_along_two_axes(mode, rng):
    """With few rows or columns, and numbers of columns that are and are not multiples of four."""
    for shape in ((1, 1), (1, 8), (9, 1), (2, 3), (37, 63), (33, 260), (16, 64), (3, 40, 22)):
        a = image(rng, shape, "f")
        for axis in (-1, -2):
            compare("sobel", a, axis, mode=mode, cval=2.5)
            compare("prewitt", a, axis, mode=mode, cval=2.5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("char", "Bhfd")
def test_modes(mode, char, rng):
    for shape in SHAPES:
        a = image(rng, shape, char)
        for length in (3, 4, 25, 64, 129):
            weights = rng.normal(size=length)
            for origin in (0, -(length // 2), (length - 1) // 2):
                compare("correlate1d", a, weights, 0, mode=mode, cval=2.5, origin=origin)
        compare("gaussian_filter", a, 1.5, mode=mode, cval=1.25)
        compare("sobel", a, 0, mode=mode, cval=3)
        compare("prewitt", a, mode=mode, cval=3)
        compare("uniform_filter", a, 5, mode=mode, cval=1.25)
        compare("laplace", a, mode=mode, cval=1)
        for kernel in (rng.normal(size=(3, 4, 2, 5)[: len(shape)]), np.eye(3)):
            compare("correlate", a, kernel, mode=mode, cval=1.25)
            compare("convolve", a, kernel, mode=mode, cval=1.25, origin=-1)


@pytest.mark.parametrize("char", [*DTYPES, "F", "D"])
def test_gaussians(char, rng):
    for shape in SHAPES:
        a = image(rng, shape, char)
        sigmas = (1.0, 0.5, 2.0, 0.0)[: len(shape)]
        compare("gaussian_filter", a, sigmas)
        compare("gaussian_filter", a, 1.0, (1, 0, 2, 3)[: len(shape)], mode=MODES[: len(shape)])
        compare("gaussian_filter", a, 2.0, output=np.complex64 if char in "FD" else np.float64, radius=3)
        compare("gaussian_filter", a, 9.0, truncate=6.0)
        compare("gaussian_filter1d", a, 1.2, 0, 2)
    a = image(rng, (9, 12, 7), char)
    compare("gaussian_filter", a, (1, 2), axes=(2, 0), mode=("wrap", "constant"), cval=2)
    compare("gaussian_filter", a, 1, axes=())
    compare("gaussian_filter", a, 0)
    compare("gaussian_filter", a, 1, output=np.float32)


@pytest.mark.filterwarnings("ignore:invalid value encountered in sqrt")
@pytest.mark.parametrize("char", "Bhifd")
def test_derivatives(char, rng):
    for shape in SHAPES[:-1]:
        a = image(rng, shape, char)
        compare("gaussian_laplace", a, 1.0, atol=1e-4 if char == "f" else None)
        compare("laplace", a, "f8", "wrap")
        compare("gaussian_gradient_magnitude", a.astype("d"), (1.0, 2.0, 0.5)[: len(shape)])
        for axis in range(len(shape)):
            compare("sobel", a, axis, output="i4")
            compare("prewitt", a, axis, np.float64, MODES[: len(shape)])
    a = image(rng, (4, 8, 9), "d")
    compare("laplace", a, axes=(2, 0))
    compare("laplace", a, axes=())
    compare("gaussian_laplace", a, (1, 2), axes=(1, 2), mode=("wrap", "nearest"))
    compare("gaussian_gradient_magnitude", a, 1.5, axes=(1, 2), truncate=2.0)
    compare("gaussian_gradient_magnitude", a, 1.5, axes=())


def test_generic_derivatives(rng):
    def second(input, axis, output, mode, cval, scale, power=1):
        function = gpunp_scipy.ndimage if isinstance(input, gpunp.ndarray) else scipy_ndimage
        return function.correlate1d(input, [scale, -2 * scale**power, scale], axis, output, mode, cval, 0)

    scipy_ndimage = pytest.importorskip("scipy.ndimage")
    a = image(rng, (7, 11), "d")
    for name in ("generic_laplace", "generic_gradient_magnitude"):
        compare(
            name, a, second, mode=("wrap", "nearest"), extra_arguments=(2.0,), extra_keywords={"power": 2}
        )
        compare(name, a, second, "f4", extra_arguments=(2.0,), axes=(1,))
        compare(name, a, second, axes=())


@pytest.mark.parametrize("char", [*DTYPES, "F", "D"])
def test_means(char, rng):
    for shape in SHAPES:
        a = image(rng, shape, char)
        for size in (1, 2, 5, 15, 130):
            compare("uniform_filter1d", a, size, 0, atol=1e-4 if char in "fF" else None)
        compare("uniform_filter", a, (3, 4, 1, 2)[: len(shape)], mode=MODES[: len(shape)], origin=-1)
        compare("uniform_filter", a, 3, output="F" if char in "FD" else "f", axes=(-1,))


def test_complex(rng):
    for shape in ((9,), (6, 40)):
        for char in "dDF":
            a = image(rng, shape, char)
            weights = rng.normal(size=4) + 1j * rng.normal(size=4)
            compare("correlate1d", a, weights, mode="constant", cval=1.5)
            compare("convolve1d", a, weights, output=np.complex64)
            compare("convolve1d", a, weights, output=np.float64)
            compare("correlate1d", a, weights, mode="constant", cval=1 + 2j)
            kernel = (rng.normal(size=(2, 3)) + 1j)[: len(shape), :][0 if len(shape) == 1 else slice(None)]
            compare("correlate", a, kernel, mode="wrap")
            compare("convolve", a, kernel, mode="constant", cval=2)
    a = image(rng, (6, 40), "D")
    compare("sobel", a)
    compare("uniform_filter", a, 3, mode="constant", cval=1 - 2j)
    compare("gaussian_filter", a, 2, mode="constant", cval=1 - 2j)


def test_layouts_and_outputs(rng):
    a = image(rng, (20, 31), "f")
    filters = gpunp_scipy.ndimage
    expected = pytest.importorskip("scipy.ndimage").gaussian_filter(a, 1.0)
    for view, wanted in (
        (lambda x: x.T, lambda x: x.T),
        (lambda x: x[::-1, ::2], lambda x: x[::-1, ::2]),
    ):
        compare("gaussian_filter", view(a), 1.0)
        out = gpunp.zeros(a.shape, np.float64)
        target = wanted(out)
        assert filters.gaussian_filter(view(gpunp.asarray(a)), 1.0, output=target) is target
        reference = pytest.importorskip("scipy.ndimage").gaussian_filter(view(a), 1.0, output=np.float64)
        same(target, reference)
    # The output may be the image.
    device = gpunp.asarray(a)
    assert filters.gaussian_filter(device, 1.0, output=device) is device
    same(device, expected)
    device = gpunp.asarray(a)
    filters.correlate(device, np.ones((3, 3)), output=device)
    same(device, pytest.importorskip("scipy.ndimage").correlate(a, np.ones((3, 3))))
    weights = gpunp.asarray([1.0, 2.0, 1.0])
    same(filters.correlate1d(gpunp.asarray(a), weights), filters.correlate1d(a, [1.0, 2, 1]).get())


def test_special_values(rng):
    a = image(rng, (8, 40), "f")
    a[3, 4], a[5, 20], a[0, 0] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        compare("correlate", a, np.eye(3))
        compare("correlate1d", a, [1.0, 2.0, 0.5, 1.0])


def test_empty_images():
    for shape in ((0,), (0, 4), (3, 0)):
        a = np.ones(shape, "f")
        compare("gaussian_filter", a, 1.0)
        compare("uniform_filter", a, 3)
        compare("sobel", a)
        compare("correlate", a, np.ones((3,) * len(shape)))
    compare("gaussian_filter", np.array(3.0), 1.0)
    compare("uniform_filter", np.array(3), 2)


def test_bad_arguments():
    a = np.ones((4, 5))
    for name, args, kwargs in (
        ("correlate1d", ([],), {}),
        ("correlate1d", ([[1.0]],), {}),
        ("correlate1d", ([1.0, 2.0],), {"axis": 2}),
        ("correlate1d", ([1.0, 2.0],), {"origin": 1}),
        ("correlate1d", ([1.0, 2.0],), {"mode": "unknown"}),
        ("correlate1d", ([1.0, 2.0],), {"output": "S4"}),
        ("correlate1d", ([1j],), {"cval": 1j}),
        ("convolve1d", ([1.0, 2.0],), {"origin": -2}),
        ("correlate", ([1.0, 2.0],), {}),
        ("correlate", (np.ones((2, 0)),), {}),
        ("correlate", (np.ones((2, 2)),), {"mode": ("wrap", "wrap")}),
        ("correlate", (np.ones((2, 2)),), {"origin": (0, 1)}),
        ("correlate", (np.ones((2, 2)),), {"axes": (0,)}),
        ("gaussian_filter", (1.0,), {"radius": 1.5}),
        ("gaussian_filter", (1.0,), {"radius": -1}),
        ("gaussian_filter", (1.0,), {"order": -1}),
        ("gaussian_filter", ((1.0, 2.0, 3.0),), {}),
        ("gaussian_filter", (1.0,), {"axes": (0, 0)}),
        ("gaussian_filter", (1.0,), {"axes": (2,)}),
        ("uniform_filter1d", (0,), {}),
        ("uniform_filter1d", (3,), {"origin": 2}),
        ("uniform_filter", (3,), {"mode": "unknown"}),
        ("sobel", (), {"axis": 4}),
        ("sobel", (), {"mode": ("wrap",)}),
    ):
        compare(name, a, *args, **kwargs)
    compare("correlate1d", np.ones(4, np.float16), [1.0, 2.0])
    with pytest.raises(TypeError, match="device array"):
        gpunp_scipy.ndimage.sobel(gpunp.ones((3, 3)), output=np.ones((3, 3)))
