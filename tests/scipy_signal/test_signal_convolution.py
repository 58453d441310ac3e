"""Convolutions and correlations of arrays and images, against SciPy."""

import numpy as np
import pytest
import scipy.fft
import scipy.signal
from signal_calls import compare, values

import gpunp
from gpunp_scipy import signal
from gpunp_scipy.signal import block_kernels, convolution, fourier_convolution

MODES = ("full", "same", "valid")
METHODS = ("direct", "fft", "auto")
SHAPES = [((50,), (7,)), ((7,), (50,)), ((9, 40), (4, 5)), ((3, 5), (8, 9)), ((6, 7, 20), (2, 3, 4))]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shapes", [*SHAPES, ((3, 4, 5, 6), (2, 3, 2, 3)), ((1, 5), (1, 1))])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_modes_and_methods(name, shapes, method, mode, rng):
    for chars in ("dd", "ff", "fD", "ii", "dF"):
        one, other = (values(rng, shape, char) for shape, char in zip(shapes, chars, strict=True))
        tolerance = 2e-5 if chars in ("fD", "dF") else None
        functions = getattr(signal, name), getattr(scipy.signal, name)
        compare(*functions, one, other, mode=mode, method=method, tolerance=tolerance)


@pytest.mark.parametrize("char", "?bBhHilLQfdFD")
def test_dtypes(char, rng):
    # SciPy refuses images of booleans.
    for shapes in (((30,), (4,)), ((12, 13), (3, 4)))[: 1 if char == "?" else 2]:
        one, other = (values(rng, shape, char) for shape in shapes)
        for name in ("convolve", "correlate"):
            compare(getattr(signal, name), getattr(scipy.signal, name), one, other, method="direct")


@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
@pytest.mark.parametrize("mode", MODES)
def test_transforms(name, mode, rng):
    function, reference = getattr(signal, name), getattr(scipy.signal, name)
    for chars in ("dd", "fF", "ii"):
        for shapes in (*SHAPES, ((3000,), (40,)), ((500, 60), (9, 9))):
            one, other = (values(rng, shape, char) for shape, char in zip(shapes, chars, strict=True))
            compare(function, reference, one, other, mode=mode)
    one, other = values(rng, (4, 300), "d"), values(rng, (4, 20), "d")
    compare(function, reference, one, other, mode=mode, axes=1)
    compare(function, reference, one, other, mode=mode, axes=[])
    compare(function, reference, one, other[:3], mode=mode, axes=1)


@pytest.mark.parametrize("chars", ["ff", "fF", "Ff", "FF"])
def test_blocks_of_rows(chars, rng):
    for shape, taps, block in (
        ((1100, 70), (63, 9), 512),
        ((451, 64), (62, 64), 512),
        ((700, 33), (2, 1), 1024),
    ):
        one, other = (values(rng, n, char) for n, char in zip((shape, taps), chars, strict=True))
        expected = scipy.signal.fftconvolve(one.astype("D"), other)
        width = scipy.fft.next_fast_len(expected.shape[1], "F" not in chars)
        arrays = gpunp.asarray(one), gpunp.asarray(other)
        actual = fourier_convolution._by_blocks(*arrays, block, width)
        assert actual.dtype == np.result_type(one, other)
        np.testing.assert_allclose(actual.get(), expected, atol=2e-6 * np.abs(expected).max())
        for array, host in zip(arrays, (one, other), strict=True):
            np.testing.assert_array_equal(array.get(), host)


@pytest.mark.parametrize("block", [512, 1024])
def test_pairs_of_rows(block, rng):
    """Odd and even numbers of rows, one block or more, and halves that differ in size."""
    for shape, taps in (((1100, 70), (63, 9)), ((451, 64), (62, 64)), ((1999, 33), (2, 1)), ((9, 5), (1, 3))):
        one, other = values(rng, shape, "f"), values(rng, taps, "f")
        expected = scipy.signal.fftconvolve(one.astype("d"), other)
        width = scipy.fft.next_fast_len(expected.shape[1])
        arrays = gpunp.asarray(one), gpunp.asarray(other)
        actual = fourier_convolution._by_pairs(*arrays, block, width)
        assert actual.dtype == np.float32
        np.testing.assert_allclose(actual.get(), expected, atol=2e-6 * np.abs(expected).max())
        for array, host in zip(arrays, (one, other), strict=True):
            np.testing.assert_array_equal(array.get(), host)


def test_arrays_of_block_kernels():
    pairs, other = gpunp.zeros((1000, 8), "F"), gpunp.zeros((512, 8), "F")
    with pytest.raises(ValueError, match="1 blocks of 512 rows, of which 500 are kept, do not fit"):
        block_kernels.convolved_blocks(pairs, other, gpunp.zeros((1, 500, 8), "F"))
    with pytest.raises(ValueError, match="image is C-contiguous with 2 dimensions"):
        block_kernels.pack_pairs(gpunp.zeros((3, 3)), pairs, 0, 2)
    with pytest.raises(ValueError, match="do not hold an image of shape"):
        block_kernels.unpack_pairs(pairs, gpunp.zeros((3, 9), "f"), 2)


def test_large_images(rng):
    """On a GPU, by blocks of rows."""
    one = values(rng, (2500, 1000), "f")
    for taps in ((63, 63), (40, 3)):
        other = values(rng, taps, "f")
        for mode in MODES:
            compare(signal.fftconvolve, scipy.signal.fftconvolve, one, other, mode, tolerance=2e-5)
            compare(signal.fftconvolve, scipy.signal.fftconvolve, other, one, mode, tolerance=2e-5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_images(name, boundary, mode, rng):
    function, reference = getattr(signal, name), getattr(scipy.signal, name)
    shapes = [((40, 33), (5, 4)), ((70, 90), (19, 3)), ((6, 7), (6, 7)), ((5, 4), (8, 9)), ((1, 9), (1, 3))]
    for shape, taps in shapes:
        for chars in ("dd", "fF", "Bb", "hl"):
            one, other = values(rng, shape, chars[0]), values(rng, taps, chars[1])
            options = {"fillvalue": 3} if boundary == "fill" else {}
            compare(function, reference, one, other, mode=mode, boundary=boundary, **options)
    one, other = values(rng, (80, 90), "d"), values(rng, (7, 6), "D")
    compare(function, reference, one[::2, ::-1].T, other[::-1].T, mode=mode, boundary=boundary)


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ((np.ones(3), np.ones(3)), {}),
        ((np.ones((3, 3)), np.ones((2, 2))), {"mode": "most"}),
        ((np.ones((3, 3)), np.ones((2, 2))), {"boundary": "none"}),
        ((np.ones((3, 1)), np.ones((2, 2))), {"mode": "valid"}),
        ((np.ones((3, 3)), np.ones((2, 2))), {"fillvalue": [1, 2]}),
        ((np.ones((3, 3)), np.ones((2, 2))), {"fillvalue": 1j}),
        ((np.ones((3, 3), "B"), np.ones((2, 2), "B")), {"fillvalue": -1}),
        ((np.ones((3, 3), "B"), np.ones((2, 2), "B")), {"fillvalue": 300}),
        ((np.ones((3, 3), "e"), np.ones((2, 2), "e")), {}),
    ],
)
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_bad_images(name, args, options):
    compare(getattr(signal, name), getattr(scipy.signal, name), *args, **options)


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize(("image", "weights"), [((0, 3), (2, 2)), ((3, 3), (0, 2))])
def test_images_without_elements(name, image, weights):
    # With some boundaries, SciPy divides by zero and the process ends.
    with pytest.raises(ValueError, match=f"{name}: images of shapes .* both must have elements"):
        getattr(signal, name)(gpunp.ones(image), gpunp.ones(weights))


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_bad_input(name):
    for args in (
        (np.ones(3), np.ones((3, 3))),
        (np.ones(3), np.ones(3), "most"),
        (np.ones((2, 3)), np.ones((3, 2)), "valid"),
    ):
        compare(getattr(signal, name), getattr(scipy.signal, name), *args)
    compare(getattr(signal, name), getattr(scipy.signal, name), np.ones(3), np.ones(3), method="none")
    compare(getattr(signal, name), getattr(scipy.signal, name), np.array(2.0), np.array(3j))


def test_large_integers_are_exact():
    x = np.full(3000, 1 << 30)
    assert signal.choose_conv_method(gpunp.asarray(x), gpunp.asarray(x)) == "direct"
    compare(signal.convolve, scipy.signal.convolve, x, x)


def test_choice_of_a_method(rng, monkeypatch):
    x, w = (gpunp.asarray(values(rng, size, "d")) for size in (100_000, 50_000))
    assert signal.choose_conv_method(x, w) == "fft"
    assert signal.choose_conv_method(x, w[:2]) == "direct"
    method, times = signal.choose_conv_method(x[:100], w[:5], measure=True)
    assert times.keys() == {"fft", "direct"}
    assert times[method] == min(times.values())
    # The cost on a GPU depends on the terms of the sum.
    assert convolution._terms((10,), (3,), "valid") == (24, 12)
    assert convolution._terms((10, 4), (3, 3), "same") == (360, 72)


@pytest.mark.parametrize("chars", ["??", "?b", "DF", "ff"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_single_numbers(name, chars):
    one, other = (np.ones((), char) for char in chars)
    compare(getattr(signal, name), getattr(scipy.signal, name), one, other)
