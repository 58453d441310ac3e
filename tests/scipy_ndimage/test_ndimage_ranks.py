"""Minima, maxima, medians and other ranks of windows, compared with SciPy."""

import numpy as np
import pytest

scipy_ndimage = pytest.importorskip("scipy.ndimage")
from gpunp_scipy.ndimage.stencil import MEDIAN_SIZES, has_median_network, rank_tile  # noqa: E402
from image_filters import DTYPES, MODES, SHAPES, compare, image, same  # noqa: E402

import gpunp  # noqa: E402
import gpunp_scipy.ndimage  # noqa: E402
from gpunp_scipy.ndimage.window_extremes import extrema  # noqa: E402


def wide(a):
    """Another dtype for results. SciPy 1.18 stores ranks of 1-d images in it as bits of their dtype."""
    return "f8" if a.ndim > 1 else None


@pytest.mark.parametrize("char", DTYPES)
def test_extrema(char, rng):
    for shape in SHAPES:
        a = image(rng, shape, char)
        for name in ("minimum", "maximum"):
            for size in (1, 2, 7, 8, 11, 150):
                compare(f"{name}_filter1d", a, size, 0, cval=1.5, mode=MODES[size % len(MODES)])
                compare(f"{name}_filter1d", a, size, -1, np.float64, "constant", 1.5, (size - 1) // 2)
            compare(f"{name}_filter", a, (3, 4, 1, 2)[: len(shape)], mode=MODES[: len(shape)])
            compare(f"{name}_filter", a, 9, output="f8", origin=-4)
            compare(f"{name}_filter", a, 3, axes=(-1,) if len(shape) == 1 else (0, 1), mode="wrap")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("char", "?hLfd")
def test_footprints(mode, char, rng):
    for shape in SHAPES:
        a = image(rng, shape, char)
        footprint = rng.random((3, 4, 2, 3)[: len(shape)]) > 0.4
        footprint.flat[:3] = True
        for name, args in (
            ("minimum_filter", ()),
            ("maximum_filter", ()),
            ("rank_filter", (1,)),
            ("rank_filter", (-2,)),
            ("percentile_filter", (35,)),
            ("median_filter", ()),
        ):
            compare(name, a, *args, footprint=footprint, mode=mode, cval=2)
            compare(name, a, *args, footprint=footprint, mode=mode, cval=2, origin=-1, output=wide(a))


@pytest.mark.parametrize("char", DTYPES)
def test_medians(char, rng):
    for shape in SHAPES:
        a = image(rng, shape, char)
        for mode in MODES:
            compare("median_filter", a, 3, mode=mode, cval=0.5)
            compare("median_filter", a, (5, 5, 1, 1)[: len(shape)], mode=mode, cval=1)
            compare("median_filter", a, (1, 1, 5, 5)[-len(shape) :], mode=mode, cval=1)
        compare("rank_filter", a, 3, (4, 7, 1, 1)[: len(shape)], output=wide(a))
        compare("rank_filter", a, -4, (1, 2, 3, 2)[-len(shape) :], output=wide(a), mode="constant", cval=0.5)
        compare("percentile_filter", a, 30, 4)
        for percentile in (-20, 0, 100):
            compare("percentile_filter", a, percentile, 3)


def ranks_of_windows(a, rank, window, **padding):
    """The samples of a rank by sorting windows: SciPy is wrong where windows are far longer than axes."""
    padded = np.pad(a, [(length // 2, length - 1 - length // 2) for length in window], **padding)
    windows = np.lib.stride_tricks.sliding_window_view(padded, window).reshape(*a.shape, -1)
    return np.sort(windows, axis=-1)[..., rank]


@pytest.mark.parametrize("size", [(15, 15), (1, 31), (31, 1), (13, 2), (29, 29), (40, 40), (1, 250)])
def test_large_windows(size, rng):
    for shape in ((50, 61), (3, 20), (2, 31, 19)):
        window = (1,) * (len(shape) - 2) + size
        for char in "fB":
            a = image(rng, shape, char)
            actual = gpunp_scipy.ndimage.median_filter(gpunp.asarray(a), window)
            same(actual, ranks_of_windows(a, size[0] * size[1] // 2, window, mode="symmetric"))
            actual = gpunp_scipy.ndimage.rank_filter(gpunp.asarray(a), 2, window, mode="constant", cval=7)
            same(actual, ranks_of_windows(a, 2, window, constant_values=7))
    compare("median_filter", image(rng, (4, 30, 3), "f"), (3, 5, 1))
    compare("median_filter", image(rng, (30, 4, 30), "f"), (5, 1, 5))


@pytest.mark.parametrize("size", MEDIAN_SIZES)
def test_medians_by_networks(size, rng):
    """Images of several tiles, in part; windows beyond the image; NaN, which is ordered last."""
    for char in ("f", "B", "e", "i"):
        a = image(rng, (37, 150), char)
        compare("median_filter", a, size, mode=MODES[size % len(MODES)], cval=2)
    single = gpunp.asarray(image(rng, (16, 64), "f"))
    assert has_median_network(single, size, size, size * size // 2)
    assert not has_median_network(single, size, size, size * size // 2 + 1)
    assert not has_median_network(single, size, size - 1, size * (size - 1) // 2)
    assert not has_median_network(single.astype("d"), size, size, size * size // 2)
    a = image(rng, (2, 20, 65), "f")
    compare("median_filter", a, (1, size, size), origin=(0, 2, -3), mode="constant", cval=0.5)
    compare("median_filter", a, (1, size, size), output="f8", mode="mirror")
    compare("percentile_filter", a, 50, (1, size, size), mode="wrap")
    a[0, :, ::2] = np.nan
    actual = gpunp_scipy.ndimage.median_filter(gpunp.asarray(a), (1, size, size))
    same(actual, ranks_of_windows(a, size * size // 2, (1, size, size), mode="symmetric"))


def test_tiles():
    for window in ((15, 15), (3, 3), (1, 31), (29, 29)):
        rows, columns = rank_tile(*window)
        high, wide = rows + window[0] - 1, columns + window[1] - 1
        assert high * wide <= 1024
        assert high + wide <= 200
    assert rank_tile(40, 40) is None


@pytest.mark.parametrize("kind", ["minimum", "maximum"])
@pytest.mark.parametrize("char", "Bfd")
def test_structures(kind, char, rng):
    name = {"minimum": "grey_erosion", "maximum": "grey_dilation"}[kind]
    a = image(rng, (13, 22), char).astype("d").astype(char)
    for shape in ((3, 3), (5, 3)):
        heights = rng.normal(size=shape) * 9
        footprint = rng.random(shape) > 0.3
        footprint[0, 0] = True
        if kind == "maximum":
            mirrored = {"structure": heights[::-1, ::-1], "footprint": footprint[::-1, ::-1]}
        else:
            mirrored = {"structure": heights, "footprint": footprint}
        for options in (mirrored, {"structure": mirrored["structure"]}):
            expected = getattr(scipy_ndimage, name)(a, **options, output=np.float64)
            flip = (slice(None, None, -1 if kind == "maximum" else 1),) * 2
            own = {key: value[flip] for key, value in options.items()}
            actual = extrema(gpunp.asarray(a), kind, **own, output=np.float64)
            same(actual, expected)


def test_layouts_and_outputs(rng):
    a = image(rng, (20, 31), "f")
    filters = gpunp_scipy.ndimage
    for name in ("minimum_filter", "median_filter"):
        compare(name, a.T, 5)
        compare(name, a[::-2, 1::2], 3)
        device = gpunp.asarray(a)
        assert getattr(filters, name)(device, 5, output=device) is device
        same(device, getattr(scipy_ndimage, name)(a, 5))
        out = gpunp.zeros((31, 20), "d")
        getattr(filters, name)(gpunp.asarray(a), 5, output=out.T)
        same(out.T, getattr(scipy_ndimage, name)(a, 5, output=np.float64))
    footprint = gpunp.asarray(np.eye(3, dtype=bool))
    actual = filters.median_filter(gpunp.asarray(a), footprint=footprint)
    same(actual, scipy_ndimage.median_filter(a, footprint=np.eye(3)))


def test_large_integers_are_exact():
    a = np.array([2**53 + 1, 2**53 + 3, 2**60 + 1, -(2**60) - 1, 5])
    actual = gpunp_scipy.ndimage.rank_filter(gpunp.asarray(a), 1, 3)
    np.testing.assert_array_equal(actual.get(), scipy_ndimage.rank_filter(a, 1, 3))


def test_nan_is_last():
    a = np.array([[3.0, np.nan, 1.0, 2.0, np.nan, 4.0, 0.0]])
    actual = gpunp_scipy.ndimage.rank_filter(gpunp.asarray(a), 1, (1, 3))
    np.testing.assert_array_equal(actual.get(), [[3.0, 3.0, 2.0, 2.0, 4.0, 4.0, 0.0]])


def test_float16(rng):
    a = image(rng, (30,), "e")
    compare("median_filter", a, 5)
    compare("median_filter", a.reshape(5, 6), 3)
    compare("minimum_filter", a, 3)


def test_empty_images():
    for shape in ((0,), (0, 4), (3, 0)):
        a = np.ones(shape, "f")
        compare("minimum_filter", a, 3)
        compare("median_filter", a, 3)
        compare("maximum_filter", a, footprint=np.eye(3)[: len(shape)][0 if len(shape) == 1 else slice(None)])
    compare("maximum_filter", np.array(3.0), ())


def test_bad_arguments():
    a = np.ones((4, 5))
    for name, args, kwargs in (
        ("minimum_filter", (), {}),
        ("minimum_filter", (3,), {"origin": 2}),
        ("minimum_filter", (), {"footprint": np.zeros((3, 3))}),
        ("minimum_filter", (), {"footprint": np.eye(3), "origin": 2}),
        ("minimum_filter", (), {"footprint": np.eye(3), "mode": ("wrap", "wrap")}),
        ("minimum_filter", (), {"footprint": [True, False]}),
        ("minimum_filter1d", (0,), {}),
        ("maximum_filter1d", (3,), {"axis": 2}),
        ("median_filter", (), {}),
        ("median_filter", (3,), {"mode": ("wrap", "wrap")}),
        ("median_filter", (3,), {"origin": (0, 2)}),
        ("median_filter", ((3, 3, 3),), {}),
        ("rank_filter", (9, 3), {}),
        ("rank_filter", (-10, 3), {}),
        ("rank_filter", (1.5, 3), {}),
        ("percentile_filter", (101, 3), {}),
        ("percentile_filter", (-101, 3), {}),
    ):
        compare(name, a, *args, **kwargs)
    for name in ("minimum_filter", "median_filter"):
        compare(name, a + 1j, 3)
        with pytest.warns(UserWarning, match="ignoring size"):
            getattr(gpunp_scipy.ndimage, name)(gpunp.asarray(a), 3, footprint=np.eye(3))
