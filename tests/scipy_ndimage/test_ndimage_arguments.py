"""Arguments that the functions of ``gpunp_scipy.ndimage`` share, compared with SciPy's own checks."""

import numpy as np
import pytest

import gpunp

pytest.importorskip("scipy")
from scipy import ndimage
from scipy.ndimage import _ni_support as scipy_support

from gpunp_scipy.ndimage import arguments


def same(actual, expected, *args, **kwargs):
    """Call two functions; they return equal values, or raise errors of the same type."""
    try:
        wanted = expected(*args, **kwargs)
    except Exception as error:
        with pytest.raises(type(error)):
            actual(*args, **kwargs)
        return
    assert actual(*args, **kwargs) == wanted


@pytest.mark.parametrize("is_filter", [False, True])
@pytest.mark.parametrize("mode", [*arguments.MODES, "unknown", "", None, 3])
def test_modes(mode, is_filter):
    same(arguments.mode_code, scipy_support._extend_mode_to_code, mode, is_filter)


@pytest.mark.parametrize(
    "axes", [None, 0, 2, (0,), (2, 0), (-4,), (3,), (-1,), (), (0, -3), (1.5,), "0", 1.5, np.arange(2)]
)
def test_axes(axes):
    same(arguments.axes_of, scipy_support._check_axes, axes, 3)


@pytest.mark.parametrize("value", [1, 2.5, "wrap", (1, 2, 3), [1], np.arange(3), (), None])
def test_sequences(value):
    same(arguments.sequence, scipy_support._normalize_sequence, value, 3)


def test_numbers_as_axes():
    # SciPy leaves it to later code to normalize a single negative axis, and to refuse one out of range.
    assert arguments.axes_of(-1, 3) == (2,)
    with pytest.raises(ValueError, match="out of range"):
        arguments.axes_of(3, 3)


def test_sequences_on_the_device():
    assert arguments.sequence(gpunp.asarray([3, 4]), 2) == [3, 4]
    assert arguments.sequence(gpunp.asarray(3), 2) == [3, 3]
    scalar = gpunp.sum(gpunp.asarray(1.5))
    assert list(map(type, arguments.sequence((scalar, 2), 2))) == [np.float64, int]
    image = np.eye(7)
    actual = ndimage.gaussian_laplace(gpunp.asarray(image), (scalar, scalar))
    np.testing.assert_allclose(actual.get(), ndimage.gaussian_laplace(image, 1.5), atol=1e-15)


OUTPUTS = (None, float, "uint8", np.int16, np.dtype("f"), "complex64", np.complex128, "bool", "S3", bool)


@pytest.mark.filterwarnings("ignore:promoting specified output dtype")
@pytest.mark.parametrize("complex_output", [False, True])
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("char", "?BfD")
def test_outputs(output, char, complex_output):
    a = np.ones((2, 3), char)

    def described(function):
        def call(image, shape):
            result = function(output, image, shape, complex_output)
            return result.dtype, result.shape

        return call

    for shape in (None, (4,)):
        device = gpunp.asarray(a)
        try:
            expected = described(scipy_support._get_output)(a, shape)
        except Exception as error:
            with pytest.raises(type(error)):
                arguments.output_for(output, device, shape, complex_output)
            continue
        assert described(arguments.output_for)(device, shape) == expected


def test_output_arrays():
    a, out = gpunp.ones((2, 3)), gpunp.empty((2, 3), np.uint8)
    assert arguments.output_for(out, a) is out
    with pytest.raises(RuntimeError, match="shape"):
        arguments.output_for(out, a, (3, 2))
    with pytest.raises(RuntimeError, match="complex"):
        arguments.output_for(out, a, complex_output=True)
    with pytest.raises(TypeError, match="device array"):
        arguments.output_for(np.empty((2, 3)), a)


READ_ONLY = {
    "gaussian_filter": (1,),
    "uniform_filter": (3,),
    "median_filter": (3,),
    "maximum_filter": (3,),
    "laplace": (),
    "sobel": (),
    "correlate1d": ([1, 2, 1],),
    "convolve": ([[1, 2], [3, 4]],),
    "grey_opening": (3,),
    "morphological_laplace": (3,),
    "shift": (1,),
    "rotate": (30, (1, 0), False),
    "fourier_gaussian": (1,),
    "fourier_shift": (1,),
}


@pytest.mark.parametrize("name", READ_ONLY)
def test_read_only_outputs_are_refused(name):
    dtype = complex if name.startswith("fourier") else float
    for module in (np, gpunp):
        image, output = module.ones((4, 5), dtype=dtype), module.zeros((4, 5), dtype=dtype)
        output.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            getattr(ndimage, name)(image, *READ_ONLY[name], output=output)
        assert not output.any()


def test_memory_is_separate():
    a = gpunp.asarray(np.arange(6.0))
    assert arguments.separate(a[1:], a[:-1]) is not None
    other = arguments.separate(a[1:], a[:-1])
    assert not np.may_share_memory(other, a)
    out = gpunp.empty(6)
    assert arguments.separate(out, a) is out
    assert arguments.delivered(a, out) is out
    np.testing.assert_array_equal(out.get(), a.get())


def test_expanded_parameters():
    assert arguments.expand_origins(3, (2, 0), (5, 6)) == [6, 0, 5]
    assert arguments.expand_origins(2, (0, 1), 4) == [4, 4]
    assert arguments.expand_modes(3, (1,), ("wrap",)) == ["constant", "wrap", "constant"]
    assert arguments.expand_modes(3, (1,), "wrap") == "wrap"
    footprint = np.ones((2, 3))
    assert arguments.expand_footprint(4, (1, 3), footprint).shape == (1, 2, 1, 3)
    with pytest.raises(RuntimeError, match=r"footprint\.ndim"):
        arguments.expand_footprint(3, (1,), footprint)
    with pytest.raises(RuntimeError, match=r"weights\.ndim"):
        arguments.expand_footprint(3, (0, 1, 2), footprint, "weights")


@pytest.mark.parametrize("length", [1, 2, 5])
def test_origins(length):
    for origin in range(-4, 5):
        if -(length // 2) <= origin <= (length - 1) // 2:
            arguments.check_origin(origin, length)
        else:
            with pytest.raises(ValueError, match="origin"):
                arguments.check_origin(origin, length)


def test_dtypes():
    arguments.check_dtype(gpunp.ones(2, np.float32))
    with pytest.raises(RuntimeError, match="float16"):
        arguments.check_dtype(gpunp.ones(2, np.float16))
    with pytest.raises(TypeError, match="Complex"):
        arguments.image(gpunp.ones(2, complex), real=True)
