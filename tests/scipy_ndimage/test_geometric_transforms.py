"""Geometric transforms of ``scipy.ndimage`` on device arrays, compared with SciPy's on host copies."""

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
SHAPES = ((37,), (1,), (2,), (20, 33), (5, 1, 6), (3, 4, 5, 4))
# Relative to the largest sample. In single precision the coefficients of four axes cancel.
TOLERANCES = {"f": 3e-6, "d": 1e-12, "D": 1e-12, "F": 3e-6}
NAMES = ("affine_transform", "geometric_transform", "map_coordinates", "rotate", "shift", "zoom")


def make_image(char, shape, seed=0):
    rng = np.random.default_rng([seed, *shape])
    values = rng.normal(100, 50, shape)
    if char in "FD":
        values = values + 1j * rng.normal(0, 50, shape)
    return np.clip(values, 0, 255).astype(char) if char in "bBhHiIlL" else values.astype(char)


def call(module, name, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(module, name)(*args, **kwargs)


def check(name, *args, exact=False, **kwargs):
    """Compare with SciPy; integers may differ by one where their values are halfway between two."""
    expected = call(scipy.ndimage, name, *args, **kwargs)
    on_device = [gpunp.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    actual = call(gpunp_scipy.ndimage, name, *on_device, **kwargs)
    where = f"{name} {args[0].dtype} {args[0].shape} {kwargs}"
    assert type(actual) is gpunp.ndarray, where
    assert actual.dtype == expected.dtype, where
    assert actual.shape == expected.shape, where
    if exact:
        np.testing.assert_array_equal(actual.get(), expected, err_msg=where)
        return
    largest = max(1.0, float(np.abs(args[0]).max(initial=0)))
    if expected.dtype.kind in "fc":
        tolerance = TOLERANCES[expected.dtype.char] * largest
        np.testing.assert_allclose(actual.get(), expected, rtol=0, atol=tolerance, err_msg=where)
        return
    kwargs["output"] = np.float64
    halves = np.abs(np.abs(call(scipy.ndimage, name, *args, **kwargs)) % 1 - 0.5) < 1e-9
    np.testing.assert_array_equal(actual.get()[~halves], expected[~halves], err_msg=where)
    assert (np.abs(actual.get().astype(int) - expected.astype(int)) <= 1).all(), where


def calls(image, seed=0):
    """Arguments of all functions for an image."""
    rng = np.random.default_rng([seed, *image.shape])
    ndim = image.ndim
    points = rng.uniform(-30, 50, (ndim, 6, 7))
    # On samples, at the ends, and just beyond them.
    points[:, 0] = np.arange(-3, 4)
    points[:, 1] = np.array(image.shape)[:, None] - 1 + np.array([-1, -0.5, -1e-9, 0, 1e-9, 0.5, 1])
    points[:, 2, :5] = [-1, -1e-16, -1e-9, -0.5, -0.0]
    yield "zoom", (image, 1.7), {}
    yield "zoom", (image, [0.6 + 0.3 * k for k in range(ndim)]), {}
    yield "shift", (image, 2.3), {}
    yield "shift", (image, -1), {}
    yield "map_coordinates", (image, points), {}
    yield "map_coordinates", (image, points.astype(np.float32)), {}
    yield "affine_transform", (image, rng.normal(size=(ndim, ndim))), {"offset": 1.5}
    yield "affine_transform", (image, rng.normal(size=ndim)), {"offset": 2.5}
    if ndim > 1:
        yield "rotate", (image, 30), {}
        yield "rotate", (image, -120.0), {"reshape": False, "axes": (-1, 0)}


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", MODES)
def test_modes_and_orders(order, mode):
    skip_if_inexact(order, mode)
    for char, shapes in (("d", SHAPES), ("f", SHAPES[2:5]), ("D", SHAPES[3:4])):
        for shape in shapes:
            for name, args, kwargs in calls(make_image(char, shape)):
                check(name, *args, order=order, mode=mode, cval=7.5, **kwargs)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [0, 1])
def test_integers_without_coefficients_are_the_same(order, mode):
    for char in "?bBhHiIlL":
        image = make_image(char, (9, 14))
        for name, args, kwargs in calls(image):
            check(name, *args, order=order, mode=mode, cval=3, exact=True, **kwargs)


@pytest.mark.parametrize("char", "bBhHiIlL")
def test_integers_with_coefficients(char):
    for order in (2, 3, 5):
        for name, args, kwargs in calls(make_image(char, (9, 14))):
            check(name, *args, order=order, mode="reflect", **kwargs)


@pytest.mark.parametrize("char", "?bBhHiIlLfd")
def test_results_are_limited_to_the_range_of_the_output(char):
    image = np.array([[-1000.0, 1000, 0.4, -0.4], [70000, -70000, 5e9, -5e9], [2.5, -2.5, 3e19, np.nan]])
    if char == "?":
        # SciPy's conversion of large numbers to booleans is not defined.
        image = image[:1, 2:]
    if char in "lL":
        image = image[:2]
    for output in (char, np.dtype(char)) if char != "?" else (np.bool_,):
        check("shift", image, 0, order=0, output=output, exact=True)


def test_without_prefilter():
    image = make_image("d", (20, 33))
    for order in range(6):
        for mode in MODES:
            check("zoom", image, 1.3, order=order, mode=mode, prefilter=False)
            check("zoom", image.astype("f"), 1, order=order, mode=mode, prefilter=False)


@pytest.mark.parametrize("mode", ["reflect", "grid-constant", "grid-wrap", "constant", "wrap"])
def test_grid_mode(mode):
    skip_if_inexact(3, mode)
    for shape in ((7,), (1,), (5, 8)):
        image = make_image("d", shape)
        for order in range(4):
            check("zoom", image, 2.5, order=order, mode=mode, grid_mode=True)
            check("zoom", image, 0.5, order=order, mode=mode, grid_mode=True)
    if mode in ("constant", "wrap"):
        with pytest.warns(UserWarning, match="It is recommended to use mode"):
            gpunp_scipy.ndimage.zoom(gpunp.ones(5), 2, mode=mode, grid_mode=True)


def test_grid_mode_of_complex_images():
    skip_if_inexact(3, "reflect")
    image = make_image("D", (5, 8))
    actual = gpunp_scipy.ndimage.zoom(gpunp.asarray(image), 2, mode="reflect", grid_mode=True).get()
    for part in ("real", "imag"):
        expected = scipy.ndimage.zoom(getattr(image, part), 2, mode="reflect", grid_mode=True)
        np.testing.assert_allclose(getattr(actual, part), expected, rtol=0, atol=1e-9)


def test_a_zoom_of_one_is_a_copy():
    image = gpunp.asarray(make_image("d", (4, 5)))
    result = gpunp_scipy.ndimage.zoom(image, 1)
    assert not np.may_share_memory(result, image)
    np.testing.assert_array_equal(result.get(), image.get())


@pytest.mark.parametrize("ndim", [1, 2, 3, 4, 5])
def test_matrices(ndim):
    image = make_image("d", (6, 5, 4, 3, 2)[:ndim])
    rng = np.random.default_rng(3)
    matrix, offset = rng.normal(size=(ndim, ndim)), rng.normal(size=ndim)
    whole = np.zeros((ndim + 1, ndim + 1))
    whole[:ndim, :ndim], whole[:ndim, ndim], whole[ndim, ndim] = matrix, offset, 1
    for order in (1, 2, 3)[: 5 - ndim or 1]:
        for each in (matrix, whole, whole[:ndim]):
            check("affine_transform", image, each, offset=offset.tolist(), order=order, mode="mirror")
    for rank in (1, 2, 3, 4):
        shape = (7, 2, 3, 5)[:rank]
        # A matrix with one more column holds the offset.
        if rank not in (ndim, ndim + 1):
            check("affine_transform", image, rng.normal(size=(ndim, rank)), 1.0, shape, order=2)


@pytest.mark.parametrize("shape", [(1,), (300,), (7, 40), (3, 1), (2, 3, 4), (2, 3, 2, 33), (0,), (4, 0)])
def test_shapes_of_coordinates(shape):
    for ndim in (1, 2, 3):
        image = make_image("f", (12, 13, 14)[:ndim])
        points = np.random.default_rng(5).uniform(0, 11, (ndim, *shape))
        for order in (0, 1, 3):
            check("map_coordinates", image, points, order=order)


@pytest.mark.parametrize("char", "?bBhHiIlLfd")
def test_dtypes_of_coordinates(char):
    points = np.random.default_rng(5).uniform(0, 12, (2, 30)).astype(char)
    check("map_coordinates", make_image("d", (12, 13)), points)


@pytest.mark.parametrize("mode", MODES)
def test_coordinates_far_away_and_not_finite(mode):
    image = make_image("d", (8,))
    check(
        "map_coordinates", image, np.array([[1e6 + 0.25, -1e6 - 0.25, np.nan, 12345.0]]), order=1, mode=mode
    )
    # Beyond the range of indices SciPy reads anything; here it is a sample of the image, or NaN.
    points = gpunp.asarray(np.array([[1e300, -1e300, np.inf, -np.inf]]))
    result = gpunp_scipy.ndimage.map_coordinates(gpunp.asarray(image), points, order=1, mode=mode).get()
    assert (np.isnan(result) | (np.abs(result) <= np.abs(image).max())).all()


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (0, 2), (-1, -2), (1, 3)])
def test_planes(axes):
    skip_if_inexact(3, "reflect")
    for char in "dfBD":
        image = make_image(char, (5, 6, 7, 4) if 3 in axes else (5, 6, 7))
        for order, mode in ((0, "constant"), (1, "nearest"), (3, "reflect"), (3, "nearest")):
            check("rotate", image, 25.0, axes, order=order, mode=mode)


def test_layouts():
    host = make_image("f", (24, 30))
    device = gpunp.asarray(host)
    for view in (lambda a: a.T, lambda a: a[::-1, ::2], lambda a: a[3:, 5:], lambda a: a[:, ::-1]):
        for order in (1, 3):
            expected = scipy.ndimage.rotate(view(host), 20, order=order)
            actual = gpunp_scipy.ndimage.rotate(view(device), 20, order=order)
            np.testing.assert_allclose(actual.get(), expected, rtol=0, atol=1e-3)


def test_output_arrays():
    host = make_image("d", (9, 10))
    image = gpunp.asarray(host)
    expected = scipy.ndimage.shift(host, 0.5, output=np.float32)
    for output in (gpunp.empty((9, 10), np.float32), gpunp.empty((10, 9), np.float32).T):
        result = gpunp_scipy.ndimage.shift(image, 0.5, output=output)
        assert result is output
        np.testing.assert_allclose(output.get(), expected, rtol=0, atol=1e-4)
    matrix = np.eye(2) / 2
    output = gpunp.empty((4, 20))
    gpunp_scipy.ndimage.affine_transform(image, matrix, output=output)
    expected = scipy.ndimage.affine_transform(host, matrix, output_shape=(4, 20))
    np.testing.assert_allclose(output.get(), expected, rtol=0, atol=1e-9)
    assert gpunp_scipy.ndimage.shift(image, 0.0, output=image, order=1) is image
    np.testing.assert_array_equal(image.get(), host)


def test_complex_outputs():
    image = make_image("D", (9, 10))
    check("shift", image, 0.25, cval=2 - 3j)
    check("shift", image, 0.25, output=np.complex64, order=1)
    check("rotate", image, 10, output="complex64")
    with pytest.raises(RuntimeError, match="complex"):
        gpunp_scipy.ndimage.shift(gpunp.asarray(image.real.copy()), 1, output=np.complex128)


def test_large_images():
    image = make_image("f", (300, 520))
    for order in (1, 2, 3, 4):
        check("zoom", image, 0.5, order=order)
        check("zoom", image, (2.1, 1.3), order=order, mode="grid-wrap")
        check("rotate", image, 30, order=order)
    check("zoom", make_image("f", (5000,)), 0.3, mode="wrap")
    check("shift", make_image("d", (2, 1000, 3)), 0.3, mode="mirror")


@pytest.mark.parametrize("mode", MODES)
def test_linear_interpolation_in_planes(mode):
    """Results that are inside, outside and at the border, some of them of threads with fewer rows."""
    for shape in ((2, 2), (2, 90), (123, 75), (301, 411)):
        image = make_image("f", shape)
        for angle in (0, 30, 90, 161.5, -100):
            check("rotate", image, angle, order=1, mode=mode, cval=3.5)
        check("zoom", image, (2, 3.3), order=1, mode=mode)
        check("shift", image, (-40.5, 33.25), order=1, mode=mode, cval=-1)
        matrix = np.array([[0.4, 1.7], [-2.5, 0.3]])
        shape = (67, 130)
        check("affine_transform", image, matrix, offset=11.5, order=1, mode=mode, cval=9, output_shape=shape)


def swirl(at, amount, centre=5.0):
    y, x = at[0] - centre, at[1] - centre
    turn = amount * np.exp(-(y**2 + x**2) / 20)
    return centre + y * np.cos(turn) - x * np.sin(turn), centre + y * np.sin(turn) + x * np.cos(turn)


def test_mappings():
    image = make_image("d", (11, 12))
    keywords = {"extra_arguments": (0.5,), "extra_keywords": {"centre": 4.0}}
    check("geometric_transform", image, swirl, **keywords)
    check("geometric_transform", image, swirl, output_shape=(5, 20), order=1, **keywords)
    check("geometric_transform", image, lambda at: (at[2] * 0.5, 3), output_shape=(2, 3, 4), mode="mirror")
    check("geometric_transform", make_image("D", (11,)), lambda at: (at[0] - 0.5,), cval=1j)


def test_mappings_that_are_not_for_arrays():
    import math

    image = gpunp.ones((4, 5))
    transform = gpunp_scipy.ndimage.geometric_transform
    for mapping in (
        lambda at: (math.sin(at[0]), at[1]),
        lambda at: (at[0] if at[0] > 2 else 0, at[1]),
    ):
        with pytest.raises(TypeError, match="calls its mapping once, with device arrays"):
            transform(image, mapping)
    with pytest.raises(TypeError, match="must be a Python function"):
        transform(image, 3)
    with pytest.raises(RuntimeError, match="tuple of 2 coordinates"):
        transform(image, lambda at: (at[0],))
    with pytest.raises(KeyError):
        transform(image, lambda at: {}[0])


def test_empty_images():
    check("zoom", np.zeros((0, 3)), 2)
    check("shift", np.zeros((3, 0)), 1.0)
    empty = gpunp.zeros((0,))
    points = gpunp.zeros((1, 4))
    result = gpunp_scipy.ndimage.map_coordinates(empty, points, cval=2)
    np.testing.assert_array_equal(result.get(), np.full(4, 2.0))
    for char, cval in (("B", -1), ("B", 300), ("B", 1.5), ("i", 1.7), ("i", -1.7), ("b", 5), ("d", -1.5)):
        image = np.zeros((0, 3), char)
        expected = scipy.ndimage.map_coordinates(image, [[0], [1.5]], cval=cval)
        actual = gpunp_scipy.ndimage.map_coordinates(gpunp.asarray(image), [[0], [1.5]], cval=cval)
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual.get(), expected)
    with pytest.raises(ValueError, match="without elements"):
        gpunp_scipy.ndimage.map_coordinates(empty, points, mode="nearest")


BAD = (
    ("zoom", ((4, 5), 2), {"order": 6}, RuntimeError),
    ("zoom", ((4, 5), 2), {"order": -1}, RuntimeError),
    ("zoom", ((4, 5), (2, 2, 2)), {}, RuntimeError),
    ("zoom", ((), 2), {}, RuntimeError),
    ("zoom", ((4, 5), 2), {"mode": "grid"}, RuntimeError),
    ("shift", ((4, 5), (1, 2, 3)), {}, RuntimeError),
    ("shift", ((), 1), {}, RuntimeError),
    ("map_coordinates", ((4, 5), np.zeros((3, 4))), {}, RuntimeError),
    ("map_coordinates", ((4, 5), np.zeros(2)), {}, RuntimeError),
    ("map_coordinates", ((4, 5), np.zeros((2, 4), complex)), {}, TypeError),
    ("map_coordinates", ((4, 5), np.zeros((2, 4), np.float16)), {}, RuntimeError),
    ("affine_transform", ((4, 5), np.zeros((3, 2))), {}, RuntimeError),
    ("affine_transform", ((4, 5), np.zeros((2, 1))), {}, RuntimeError),
    ("affine_transform", ((4, 5), np.zeros((3, 3))), {}, ValueError),
    ("affine_transform", ((4, 5), np.zeros((1, 2, 2))), {}, RuntimeError),
    ("affine_transform", ((4, 5), np.eye(2), (1, 2, 3)), {}, RuntimeError),
    ("rotate", ((4,), 3), {}, ValueError),
    ("rotate", ((4, 5), 3), {"axes": (0, 1, 2)}, ValueError),
    ("rotate", ((4, 5), 3), {"axes": (0, 0.5)}, ValueError),
    ("rotate", ((4, 5), 3), {"axes": (0, 2)}, ValueError),
)


@pytest.mark.parametrize(("name", "args", "kwargs", "error"), BAD)
def test_bad_arguments(name, args, kwargs, error):
    shape, *rest = args
    image = np.ones(shape)
    with pytest.raises(error):
        getattr(scipy.ndimage, name)(image, *rest, **kwargs)
    with pytest.raises(error):
        getattr(gpunp_scipy.ndimage, name)(gpunp.asarray(image), *rest, **kwargs)


@pytest.mark.parametrize(("char", "cval"), [("B", -1), ("i", 2.5), ("?", 2.5), ("h", -3.5), ("f", 1e-3)])
def test_the_constant_of_grids_has_the_dtype_of_the_image(char, cval):
    image = make_image(char, (5, 1, 6))
    for order in (1, 3):
        options = {"order": order, "mode": "grid-constant", "cval": cval, "output": "float64"}
        check("shift", image, (0.7, 0.3, -1.2), **options)
        check("zoom", image, 1.3, **options)


def test_half_precision_is_refused():
    image = gpunp.ones((4, 5), np.float16)
    with pytest.raises(RuntimeError, match="float16"):
        gpunp_scipy.ndimage.zoom(image, 2)


@pytest.mark.parametrize("name", NAMES)
def test_signatures(name):
    def of(module):
        parameters = inspect.signature(getattr(module, name)).parameters.values()
        return [(each.name, each.kind, each.default) for each in parameters]

    assert of(gpunp_scipy.ndimage) == of(scipy.ndimage)
