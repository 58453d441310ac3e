"""Grey morphology, compared with SciPy."""

import inspect
import itertools
import warnings

import numpy as np
import pytest

import gpunp

ndimage = pytest.importorskip("scipy.ndimage")
from gpunp_scipy import ndimage as ours  # noqa: E402 - after the check that SciPy is installed

ONE = ("grey_erosion", "grey_dilation")
TWO = ("grey_opening", "grey_closing", "morphological_gradient", "white_tophat", "black_tophat")
ALL = (*ONE, *TWO, "morphological_laplace")
MODES = ("reflect", "constant", "nearest", "mirror", "wrap")


def check(name, image, *args, **kwargs):
    """Compare a call with a device array with one with a host array."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = inspect.unwrap(getattr(ndimage, name))(image, *args, **kwargs)
        actual = getattr(ours, name)(gpunp.asarray(image), *args, **kwargs)
    assert isinstance(actual, gpunp.ndarray)
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual.get(), expected, rtol=1e-6, err_msg=f"{name} {args} {kwargs}")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shape", [(20,), (9, 14), (4, 5, 6), (3, 4, 2, 5)], ids=str)
def test_windows_and_modes(name, shape, rng):
    image = rng.normal(size=shape)
    for mode in MODES:
        check(name, image, 3, mode=mode, cval=0.5)
        check(name, image, (2, 5, 1, 3)[: len(shape)], mode=mode)
        footprint = rng.random((3, 4, 2, 1)[: len(shape)]) < 0.6
        footprint.flat[1] = True
        check(name, image, footprint=footprint, mode=mode, cval=-1)
        check(name, image, structure=rng.normal(size=footprint.shape), mode=mode)
        check(name, image, None, footprint, rng.normal(size=footprint.shape), mode=mode, cval=1)


@pytest.mark.parametrize("name", ALL)
def test_origins_and_axes(name, rng):
    image = rng.integers(0, 50, (8, 9, 10))
    for extent in ((3, 3), (2, 4)):
        for origin in itertools.product(*(range(-(n // 2) + 1 - n % 2, (n - 1) // 2 + 1) for n in extent)):
            check(name, image[0], extent, origin=origin)
            check(name, image[0], footprint=np.ones(extent), origin=origin)
    check(name, image, (3, 5), axes=(0, 2))
    check(name, image, 3, axes=(-1,), origin=-1)
    check(name, image, footprint=[[1, 0], [1, 1]], axes=(1, 2))
    check(name, image, structure=[[1, 0], [4, 2]], axes=(0, 1))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("char", "BhHiIlLfd")
def test_dtypes_layouts_and_outputs(name, char, rng):
    # Where heights exceed unsigned values, C leaves the result open.
    image = rng.integers(10, 90, (12, 15)).astype(char)
    device = gpunp.asarray(image)
    check(name, image, 3)
    check(name, image, structure=np.array([[0, 2, 0], [2, 3, 2], [0, 2, 0]]))
    expected = getattr(ndimage, name)(image[::-1, ::2], 3)
    np.testing.assert_array_equal(getattr(ours, name)(device[::-1, ::2], 3).get(), expected)
    for out in ("i", "d"):
        expected, output = np.empty((12, 15), out), gpunp.empty((12, 15), out)
        try:
            getattr(ndimage, name)(image, 3, output=expected)
        except TypeError:
            # Differences are not cast to integers.
            with pytest.raises(TypeError, match="casting"):
                getattr(ours, name)(device, 3, output=output)
            continue
        result = getattr(ours, name)(device, 3, output=output)
        assert result is output
        np.testing.assert_array_equal(output.get(), expected)


@pytest.mark.parametrize("name", ["white_tophat", "black_tophat", "grey_opening"])
def test_booleans(name, rng):
    check(name, rng.random((9, 11)) < 0.5, 3)


@pytest.mark.parametrize("name", ["white_tophat", "black_tophat", "grey_opening", "grey_closing", *ONE])
def test_booleans_with_heights(name, rng):
    """Sums with heights are numbers, which the second of two passes takes."""
    image = rng.random((9, 11)) < 0.5
    check(name, image, structure=np.ones((3, 3), bool))
    check(name, image, structure=rng.integers(0, 3, (2, 3)), output=np.uint8)


@pytest.mark.parametrize("name", ALL)
def test_refused_arguments(name):
    image = gpunp.ones((4, 5))
    function = getattr(ours, name)
    with pytest.raises(ValueError, match="must be specified"):
        function(image)
    with pytest.raises(TypeError, match="Complex"):
        function(image * 1j, 3)
    with pytest.raises(RuntimeError, match="not supported"):
        function(image, 3, mode="other")
    with pytest.raises(ValueError, match="origin"):
        function(image, 3, origin=2)
    with pytest.raises(RuntimeError, match="length equal"):
        function(image, (3, 3, 3))
    if name not in ONE:
        with pytest.warns(UserWarning, match="ignoring size"):
            function(image, 3, np.ones((2, 2)))
