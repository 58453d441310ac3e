"""Binary morphology, compared with SciPy."""

import inspect
import itertools

import numpy as np
import pytest

import gpunp

ndimage = pytest.importorskip("scipy.ndimage")
from gpunp_scipy import ndimage as ours  # noqa: E402 - after the check that SciPy is installed

STEPS = ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing")
SHAPES = ((1,), (9,), (40,), (1, 6), (12, 17), (70, 90), (5, 6, 7), (2, 3, 4, 5))


def check(name, image, **arguments):
    """Compare a call with a device array with one with a host array."""
    # SciPy's wrapper refuses Python's types as dtypes in the array API mode.
    expected = inspect.unwrap(getattr(ndimage, name))(image, **arguments)
    if "mask" in arguments and arguments["mask"] is not None:
        arguments["mask"] = gpunp.asarray(arguments["mask"])
    actual = getattr(ours, name)(gpunp.asarray(image), **arguments)
    assert isinstance(actual, gpunp.ndarray)
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual.get(), expected, err_msg=f"{name} {arguments}")


def structures(rng, ndim):
    """None, connected neighborhoods, and others of any size."""
    yield None
    yield np.ones((3,) * ndim)
    yield np.ones((2, 4, 1, 3)[:ndim])
    for _ in range(3):
        structure = rng.random(rng.integers(1, 5, ndim)) < 0.6
        structure.flat[0] = 1
        yield structure


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_steps(name, shape, rng):
    for density, structure in itertools.product((0.1, 0.6, 0.97), structures(rng, len(shape))):
        image = rng.random(shape) < density
        mask = rng.random(shape) < 0.7
        # SciPy's other algorithm for more than one step writes beyond its arrays for even sizes.
        more = {"structure": structure, "brute_force": True}
        for iterations, border in ((1, 0), (1, 1), (2, 0), (3, 1)):
            check(name, image, iterations=iterations, border_value=border, **more)
            check(name, image, iterations=iterations, border_value=border, mask=mask, **more)


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_until_nothing_changes(name, shape, rng):
    for density, connectivity in itertools.product((0.02, 0.5, 0.98), range(1, len(shape) + 1)):
        image, mask = rng.random(shape) < density, rng.random(shape) < 0.6
        structure = ndimage.generate_binary_structure(len(shape), connectivity)
        for border, chosen in itertools.product((0, 1), (None, mask)):
            check(name, image, structure=structure, iterations=-1, border_value=border, mask=chosen)
        # A structure that has its center, but is not symmetric.
        structure = structure & (rng.random(structure.shape) < 0.7)
        structure[(1,) * len(shape)] = True
        check(name, image, structure=structure, iterations=0, mask=mask, brute_force=True)


@pytest.mark.parametrize("name", STEPS)
def test_origins(name, rng):
    image = rng.random((12, 14)) < 0.7
    for shape in ((3, 3), (2, 4), (5, 1)):
        for origin in itertools.product(*(range(-(n // 2), (n - 1) // 2 + 1) for n in shape)):
            check(name, image, structure=np.ones(shape), origin=origin)
    for origin in itertools.product((-1, 0, 1), repeat=2):
        check(name, image, structure=np.ones((3, 3)), origin=origin, iterations=2, brute_force=True)
    check(name, image, structure=np.ones((3, 3)), origin=-1)
    for origin in (2, -2):
        with pytest.raises(ValueError, match="origin"):
            getattr(ours, name)(gpunp.asarray(image), structure=np.ones((3, 3)), origin=origin)


@pytest.mark.parametrize("name", STEPS)
def test_axes(name, rng):
    image = rng.random((5, 6, 7)) < 0.7
    for axes in (0, (1,), (0, 2), (-1, 1), (2, 0, 1), ()):
        check(name, image, axes=axes)
        check(name, image, axes=axes, iterations=2, border_value=1)
    check(name, image, axes=(0, 2), structure=np.ones((2, 3)), origin=(0, -1))
    check(name, image, axes=(2, 1), iterations=-1, mask=rng.random((5, 6, 7)) < 0.7)
    for axes in ((0, 0), 3):
        with pytest.raises(ValueError, match=r"axes|axis"):
            getattr(ours, name)(gpunp.asarray(image), axes=axes)


@pytest.mark.parametrize("char", "?bBhHiIlLefd")
def test_dtypes_and_layouts(char, rng):
    image = (rng.integers(0, 4, (20, 30)) - 1).astype(char)
    for arrange in (lambda a: a, lambda a: a.T, lambda a: a[::-1, ::3], lambda a: a.copy(order="F")):
        if char != "e":
            check("binary_dilation", arrange(image))
            check("binary_erosion", arrange(image), iterations=2, mask=arrange(image) != 1)
        device = gpunp.asarray(image)
        expected = ndimage.binary_erosion(arrange(image) != 0)
        np.testing.assert_array_equal(ours.binary_erosion(arrange(device)).get(), expected)


@pytest.mark.parametrize("name", [*STEPS, "binary_propagation", "binary_fill_holes", "binary_hit_or_miss"])
def test_outputs(name, rng):
    image = rng.random((12, 17)) < 0.6
    device, expected = gpunp.asarray(image), getattr(ndimage, name)(image)
    for char in "?Bif":
        for order in "CF":
            output = gpunp.empty((12, 17), char, order)
            result = getattr(ours, name)(device, output=output)
            assert result is (None if name in ("binary_fill_holes", "binary_hit_or_miss") else output)
            np.testing.assert_array_equal(output.get(), expected)
    np.testing.assert_array_equal(getattr(ours, name)(device, output=np.float32).get(), expected)
    aliased = gpunp.asarray(image)
    getattr(ours, name)(aliased, output=aliased)
    np.testing.assert_array_equal(aliased.get(), expected)
    with pytest.raises(RuntimeError, match="output shape"):
        getattr(ours, name)(device, output=gpunp.empty((3, 4), bool))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_hit_or_miss(shape, rng):
    for one, other in itertools.product(structures(rng, len(shape)), structures(rng, len(shape))):
        image = rng.random(shape) < 0.6
        check("binary_hit_or_miss", image, structure1=one, structure2=other)
    image = rng.random((12, 17)) < 0.6
    ones = np.ones((3, 3))
    check("binary_hit_or_miss", image, structure1=ones, origin1=(1, -1))
    check("binary_hit_or_miss", image, structure1=ones, structure2=1 - ones, origin1=1, origin2=-1)
    check("binary_hit_or_miss", image, axes=1)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_propagation_and_holes(shape, rng):
    for density in (0.3, 0.6, 0.9):
        image, mask = rng.random(shape) < 0.1, rng.random(shape) < density
        check("binary_propagation", image, mask=mask)
        check("binary_propagation", image, mask=mask, border_value=1)
        check("binary_propagation", image)
        for connectivity in range(1, len(shape) + 1):
            structure = ndimage.generate_binary_structure(len(shape), connectivity)
            check("binary_fill_holes", mask, structure=structure)
        check("binary_fill_holes", mask, structure=np.ones((5, 2, 3, 3)[: len(shape)]))
    if len(shape) > 1:
        check("binary_fill_holes", mask, axes=range(1, len(shape)))


@pytest.mark.parametrize("name", STEPS)
def test_zero_dimensions(name):
    for value in (False, True):
        check(name, np.array(value))
        check(name, np.array(value), structure=np.array(True), iterations=2, border_value=1)
        check(name, np.array(value), structure=np.array(False))


def test_empty_structures_and_images():
    image = np.ones((12, 17))
    for name in ("binary_erosion", "binary_dilation"):
        check(name, image, structure=np.zeros((3, 3)))
        check(name, np.ones((0, 3)))
        with pytest.raises(RuntimeError, match="structure must not be empty"):
            getattr(ours, name)(gpunp.asarray(image), structure=np.ones((0, 3)))


@pytest.mark.parametrize("name", STEPS)
def test_refused_arguments(name):
    image = gpunp.ones((4, 5))
    function = getattr(ours, name)
    with pytest.raises(TypeError, match="Complex"):
        function(image * 1j)
    with pytest.raises(TypeError, match="iterations"):
        function(image, iterations=1.5)
    with pytest.raises(RuntimeError, match="dimensionality"):
        function(image, structure=np.ones(3))
    with pytest.raises(RuntimeError, match="equal sizes"):
        function(image, mask=gpunp.ones((5, 4)))
    with pytest.raises(TypeError, match="Complex"):
        function(image, output=gpunp.empty((4, 5), complex))
    with pytest.raises(RuntimeError, match="length equal"):
        function(image, origin=(1, 2, 3))


def test_structures_of_neighbors(rng):
    for rank, connectivity in itertools.product(range(5), range(5)):
        actual = ours.generate_binary_structure(rank, connectivity)
        expected = ndimage.generate_binary_structure(rank, connectivity)
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual, expected)
    for structure in (np.ones((3, 3)), ndimage.generate_binary_structure(3, 1), rng.random((2, 5)) < 0.5):
        for iterations in range(5):
            expected = ndimage.iterate_structure(structure, iterations)
            for put in (np.asarray, gpunp.asarray):
                actual = ours.iterate_structure(put(structure), iterations)
                assert type(actual) is type(put(structure))
                assert actual.dtype == expected.dtype
                np.testing.assert_array_equal(gpunp.asnumpy(actual), expected)
        actual, origin = ours.iterate_structure(gpunp.asarray(structure), 3, 1)
        assert origin == ndimage.iterate_structure(structure, 3, 1)[1]
