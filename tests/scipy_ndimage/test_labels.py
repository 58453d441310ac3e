"""Connected regions and where each label is, compared with SciPy."""

import inspect

import numpy as np
import pytest

import gpunp

ndimage = pytest.importorskip("scipy.ndimage")
from gpunp_scipy import ndimage as ours  # noqa: E402 - after the check that SciPy is installed

SHAPES = (
    *((1,), (7,), (300,), (1, 9), (9, 1), (64, 64), (65, 63), (130, 200), (3, 300)),
    *((3, 5, 7), (2, 65, 66), (70, 3, 2), (4, 1, 130), (2, 3, 4, 5), (3, 2, 66, 67)),
)


def images(rng, shape):
    """Images of many, of intermediate and of few regions."""
    for density in (0.15, 0.4, 0.6, 0.85, 1.0):
        yield rng.random(shape) < density


def check(image, structure=None, output=None):
    labels, count = ours.label(gpunp.asarray(image), structure, output)
    # Without SciPy's wrapper, which refuses Python's types as dtypes in the array API mode.
    expected, expected_count = inspect.unwrap(ndimage.label)(image, structure, output)
    assert isinstance(labels, gpunp.ndarray)
    assert labels.dtype == expected.dtype
    np.testing.assert_array_equal(labels.get(), expected)
    assert int(count) == expected_count


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_label(shape, rng):
    for image in images(rng, shape):
        check(image)
        for connectivity in range(1, len(shape) + 1):
            check(image, ndimage.generate_binary_structure(len(shape), connectivity))


@pytest.mark.parametrize("shape", [(20,), (70, 140), (4, 9, 70), (2, 3, 4, 9)], ids=str)
def test_any_symmetric_structure(shape, rng):
    for _ in range(12):
        half = rng.random((3,) * len(shape)) < 0.3
        structure = half | half[(slice(None, None, -1),) * len(shape)]
        for image in images(rng, shape):
            check(image, structure)
    check(image, np.zeros((3,) * len(shape)))


def test_long_paths():
    """Regions along lines that turn at the ends of rows or columns, and a region for every other pixel."""
    snake = np.zeros((150, 130), bool)
    snake[::2] = True
    snake[1::4, -1] = snake[3::4, 0] = True
    for image in (snake, snake.T.copy(), np.indices((300, 270)).sum(axis=0) % 2 == 0):
        check(image)
        check(image, np.ones((3, 3)))


def test_regions_that_cross_many_tiles():
    rows, columns = np.mgrid[:200, :333]
    spiral = np.zeros((200, 200), int)
    for k in range(0, 96, 2):
        spiral[k : 200 - k, k] = spiral[k, k : 200 - k] = 1
        spiral[k : 200 - k, 199 - k] = spiral[199 - k, k : 198 - k] = 1
        spiral[k + 1, k] = 0
    combs = (columns % 2 == 0) | (rows == 199)
    for image in (spiral, combs, ~combs, (rows + columns) % 2, (rows // 3 + columns // 5) % 2):
        check(image)
        check(image, np.ones((3, 3)))
        check(image.T, np.ones((3, 3)))


@pytest.mark.parametrize("char", "?bBhHiIlLfd")
def test_dtypes_and_layouts(char, rng):
    image = (rng.integers(0, 3, (40, 70)) - (char in "bhilfd")).astype(char)
    check(image)
    device = gpunp.asarray(image)
    for arrange in (lambda a: a.T, lambda a: a[::-1, ::3], lambda a: a.copy(order="F")):
        np.testing.assert_array_equal(ours.label(arrange(device))[0].get(), ndimage.label(arrange(image))[0])
    if char in "fd":
        check(np.array([np.nan, 0, -0.0, np.inf], char))


def test_outputs(rng):
    image = rng.random((50, 60)) < 0.3
    most = ndimage.label(image)[1]
    assert most > 255
    for dtype in (np.int64, np.uint16, "int32", float, "f", np.intp):
        check(image, output=dtype)
    for dtype in (np.uint8, np.int8, bool):
        with pytest.raises(RuntimeError, match="insufficient bit-depth"):
            ours.label(gpunp.asarray(image), output=dtype)
        with pytest.raises(RuntimeError, match="insufficient bit-depth"):
            inspect.unwrap(ndimage.label)(image, output=dtype)
    check(image[:20], output=bool)
    for order in "CF":
        for dtype in (np.int32, np.int64, np.float32):
            expected, actual = np.empty(image.shape, dtype, order), gpunp.empty(image.shape, dtype, order)
            assert int(ours.label(gpunp.asarray(image), output=actual)) == ndimage.label(
                image, output=expected
            )
            np.testing.assert_array_equal(actual.get(), expected)
    with pytest.raises(ValueError, match="output shape"):
        ours.label(gpunp.asarray(image), output=gpunp.empty((3, 4), np.int32))


def test_images_without_elements_or_dimensions():
    for image in (np.zeros((0, 3)), np.zeros((2, 0, 4)), np.array(5), np.array(0.0)):
        check(image)
        output = np.empty(image.shape, np.int32)
        actual = gpunp.asarray(output)
        given = ours.label(gpunp.asarray(image), output=actual)
        assert given == ndimage.label(image, output=output)
        np.testing.assert_array_equal(actual.get(), output)


def test_label_refuses():
    image = gpunp.ones((3, 4))
    with pytest.raises(TypeError, match="Complex"):
        ours.label(image * 1j)
    with pytest.raises(RuntimeError, match="equal rank"):
        ours.label(image, np.ones(3))
    with pytest.raises(ValueError, match="equal to 3"):
        ours.label(image, np.ones((3, 2)))
    with pytest.raises(AssertionError, match="symmetric"):
        ours.label(image, [[1, 0, 0], [0, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize("char", "bBhHiIlL")
def test_find_objects(char, rng):
    for shape in ((30,), (9, 70), (4, 5, 6), (2, 3, 4, 5)):
        labels = (rng.integers(0, 12, shape) * (rng.random(shape) < 0.2)).astype(char)
        device = gpunp.asarray(labels)
        for most in (0, 1, 5, 20):
            assert ours.find_objects(device, most) == ndimage.find_objects(labels, most)
        assert ours.find_objects(device.T) == ndimage.find_objects(labels.T)


def test_find_objects_of_other_images():
    labels = np.array([[0, 1, 1], [0, 2, 0], [-4, 0, 0]])
    for image, most in (
        (labels, 0),
        (labels * 0, 0),
        (labels.astype(float), 3),
        (labels > 0, 3),
        (labels[1, 1], 3),
    ):
        assert ours.find_objects(gpunp.asarray(image), most) == ndimage.find_objects(np.asarray(image), most)
    assert ours.find_objects(*ours.label(gpunp.asarray(labels))) == ndimage.find_objects(
        *ndimage.label(labels)
    )
    assert ours.find_objects(gpunp.empty((0, 3), int), 2) == ndimage.find_objects(np.empty((0, 3), int), 2)
    for bad, error in ((labels.astype(float), TypeError), (labels * 1j, TypeError), (labels[:0], ValueError)):
        with pytest.raises(error):
            ours.find_objects(gpunp.asarray(bad))
        with pytest.raises(error):
            ndimage.find_objects(bad)


@pytest.mark.parametrize("char", "bBhHiIlL")
def test_value_indices(char, rng):
    for shape in ((40,), (5, 6), (2, 3, 4), ()):
        values = np.asarray(rng.integers(0, 7, shape)).astype(char)
        for ignore in (None, 0, 3):
            actual = ours.value_indices(gpunp.asarray(values), ignore_value=ignore)
            expected = ndimage.value_indices(values, ignore_value=ignore)
            assert list(actual) == list(expected)
            assert {type(key) for key in actual} <= {values.dtype.type}
            for key, places in expected.items():
                assert len(actual[key]) == len(places)
                for one, other in zip(actual[key], places, strict=True):
                    assert one.dtype == other.dtype
                    np.testing.assert_array_equal(one.get(), other)


def test_value_indices_refuses():
    assert ours.value_indices(gpunp.empty((0, 3), int)) == {}
    for bad in (gpunp.ones(3), gpunp.ones(3, bool)):
        with pytest.raises(ValueError, match="must be an integer array"):
            ours.value_indices(bad)
