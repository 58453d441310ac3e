"""Filters and interpolation with random shapes, layouts, boundary modes and origins, compared with SciPy."""

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.ndimage
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from image_filters import DTYPES, MODES, compare, image
from splines import is_inexact

import gpunp
import gpunp_scipy.ndimage

SETTINGS = settings(max_examples=60, deadline=None)


@st.composite
def images(draw, chars=DTYPES, longest=12):
    """An image of one to four axes in any order of its axes, with steps along them."""
    shape = draw(st.lists(st.integers(1, longest), min_size=1, max_size=4))
    seed = draw(st.integers(0, 1000))
    a = image(np.random.default_rng(seed), shape, draw(st.sampled_from(chars)))
    a = a.transpose(draw(st.permutations(range(a.ndim))))
    return a[tuple(slice(None, None, draw(st.sampled_from([1, 1, -1, 2]))) for _ in shape)]


@st.composite
def windows(draw, ndim, longest=5):
    """The extents of a window, and origins that keep each sample in its window."""
    extents = [draw(st.integers(1, longest)) for _ in range(ndim)]
    return extents, [draw(st.integers(-(n // 2), (n - 1) // 2)) for n in extents]


@SETTINGS
@given(images(DTYPES + "FD"), st.data())
def test_filters_of_one_axis(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    (length,), (origin,) = data.draw(windows(1, 30))
    options = {"axis": axis, "mode": data.draw(st.sampled_from(MODES)), "cval": data.draw(st.integers(0, 9))}
    weights = np.random.default_rng(length).normal(size=length)
    compare("correlate1d", a, weights, origin=origin, **options)
    compare("convolve1d", a, weights, origin=data.draw(st.integers(-(length // 2), length // 2)), **options)
    compare("uniform_filter1d", a, length, origin=origin, output=np.float64, **options)
    compare("minimum_filter1d", a, length, origin=origin, **options)
    compare("maximum_filter1d", a, length, origin=origin, **options)
    compare(
        "gaussian_filter1d", a, data.draw(st.floats(0.3, 4)), order=data.draw(st.integers(0, 3)), **options
    )


@SETTINGS
@given(images(longest=9), st.data())
def test_filters_of_windows(a, data):
    extents, origin = data.draw(windows(a.ndim, 4))
    options = {
        "mode": data.draw(st.sampled_from(MODES)),
        "cval": data.draw(st.integers(0, 9)),
        "origin": origin,
    }
    generator = np.random.default_rng(extents)
    footprint = generator.random(extents) < 0.6
    footprint.flat[generator.integers(footprint.size)] = True
    compare("correlate", a, generator.normal(size=extents), **options)
    for name in ("minimum_filter", "maximum_filter", "median_filter"):
        compare(name, a, size=extents, **options)
        compare(name, a, footprint=footprint, **options)
    compare("rank_filter", a, data.draw(st.integers(-3, 3)), size=extents, **options)
    compare("percentile_filter", a, data.draw(st.integers(0, 100)), footprint=footprint, **options)
    compare("grey_dilation", a, footprint=footprint, **options)
    compare("grey_erosion", a, size=extents, **options)


@SETTINGS
@given(images(longest=9), st.data())
def test_filters_of_some_axes(a, data):
    chosen = data.draw(st.lists(st.integers(0, a.ndim - 1), min_size=1, unique=True))
    extents, origin = data.draw(windows(len(chosen), 4))
    mode = [data.draw(st.sampled_from(MODES)) for _ in chosen]
    options = {"axes": tuple(chosen), "cval": 2}
    compare("uniform_filter", a, extents, origin=origin, mode=mode, output=np.float64, **options)
    compare("maximum_filter", a, extents, origin=origin, mode=mode, **options)
    compare("gaussian_filter", a, [0.5 + n / 2 for n in extents], mode=mode, **options)
    compare("median_filter", a, extents, origin=origin, mode=mode[0], **options)
    compare("grey_closing", a, extents, mode=mode[0], **options)


@SETTINGS
@given(images("?", longest=9), st.data())
def test_binary_morphology(a, data):
    extents, origin = data.draw(windows(a.ndim, 3))
    structure = np.random.default_rng(extents).random(extents) < 0.7
    options = {"structure": structure, "origin": origin, "border_value": data.draw(st.integers(0, 1))}
    # SciPy's other algorithm for more than one step writes beyond its arrays.
    options |= {"iterations": data.draw(st.integers(1, 3)), "brute_force": True}
    for name in ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing"):
        found = getattr(gpunp_scipy.ndimage, name)(gpunp.asarray(a), **options)
        expected = getattr(scipy.ndimage, name)(a, **options)
        np.testing.assert_array_equal(found.get(), expected, err_msg=name)


@SETTINGS
@given(images("fdD", longest=9), st.integers(0, 5), st.sampled_from(MODES), st.data())
def test_interpolation(a, order, mode, data):
    assume(not is_inexact(order, mode))
    generator = np.random.default_rng([order, *a.shape])
    numbers = st.floats(-3, 3, width=16)
    shifts = [data.draw(numbers) for _ in a.shape]
    zooms = [data.draw(st.floats(0.25, 2.5, width=16)) for _ in a.shape]
    points = generator.uniform(-20, 30, (a.ndim, 17))
    matrix = generator.normal(size=(a.ndim, a.ndim))
    tolerance = 300 * {"f": 3e-6}.get(a.dtype.char, 1e-11)
    options = {"order": order, "mode": mode, "cval": data.draw(st.integers(-2, 2)), "atol": tolerance}
    compare("map_coordinates", a, points, **options)
    compare("affine_transform", a, matrix, shifts, **options)
    # Samples at discontinuities of a spline may be rounded to either side.
    if order > 1:
        compare("shift", a, shifts, **options)
        compare("zoom", a, zooms, **options)
    if order > 1 and a.ndim > 1:
        compare("rotate", a, data.draw(st.floats(-180, 180, width=16)), **options)


@SETTINGS
@given(images("hfd", longest=9), st.integers(2, 5), st.sampled_from(("mirror", "reflect", "grid-wrap")))
def test_coefficients_of_splines(a, order, mode):
    assume(not is_inexact(order, mode))
    compare("spline_filter", a, order, mode=mode, atol=1e-9)
    compare("spline_filter1d", a, order, axis=0, mode=mode, atol=1e-9)


@pytest.mark.large
def test_images_of_more_than_two_to_the_31_samples(device):
    """Whose indices exceed 32 bits; results at the far end are those of a small image."""
    if device.is_cpu:
        pytest.skip("takes minutes on the host")
    rows, columns = 2**16 + 40, 2**15
    small = image(np.random.default_rng(0), (40, columns), "B")
    a = gpunp.zeros((rows, columns), np.uint8)
    a[-40:] = small
    for name, args in (
        ("uniform_filter", (5,)),
        ("median_filter", (3,)),
        ("maximum_filter", (7,)),
        ("correlate1d", ([1, 2, -1], 0)),
        ("grey_erosion", (3,)),
        ("binary_erosion", ()),
        ("shift", ((0.5, 0.25),)),
    ):
        expected = getattr(scipy.ndimage, name)(small, *args, **({"order": 1} if name == "shift" else {}))
        found = getattr(gpunp_scipy.ndimage, name)(a, *args, **({"order": 1} if name == "shift" else {}))
        np.testing.assert_array_equal(found[-20:].get(), expected[-20:], err_msg=name)
        del found


@pytest.mark.large
def test_labels_of_more_than_two_to_the_31_samples(device):
    if device.is_cpu:
        pytest.skip("takes minutes on the host")
    a = gpunp.zeros((2**16 + 1, 2**15), bool)
    a[::2] = True
    labels, count = gpunp_scipy.ndimage.label(a)
    assert count == 2**15 + 1
    assert labels[-1, -1].item() == count
    distances = gpunp_scipy.ndimage.distance_transform_cdt(a, "taxicab")
    assert distances.max().item() == 1
