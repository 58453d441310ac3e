"""Calls of SciPy's functions of images with random arguments, on the device and on the host.

Filters and interpolation with random windows are in test_ndimage_properties.
"""

import numpy as np
import pytest
import scipy.ndimage
from image_filters import MODES
from random_calls import Draw
from signal_calls import assert_close, compare, on_device

ANY, REAL = "dddfffFDilhBL?", "dddfffilhBL?"
CALLS_OF_EACH = 12


def image(draw, chars=REAL, most=4):
    return draw.array(draw.shape(most, {1: 40, 2: 14}.get(most, 8)), chars)


def by_label(draw, chars=REAL):
    a = image(draw, chars)
    labels = draw.rng.integers(0, 5, a.shape).astype(draw.pick("i", "l", "B", "d"))
    index = draw.pick(2, [1, 3], np.array([0, 4, 4, 7]), np.arange(6).reshape(2, 3), None)
    return draw.pick(((a,), {}), ((a, labels), {}), ((a, labels, index), {}), ((a, labels, index), {}))


def by_one_label(draw):
    """SciPy sorts, and does not say which of equal values of several labels comes first."""
    (a, *labels), _ = by_label(draw)
    return (a, *labels[:1]), {}


def sums_by_label(draw):
    return by_label(draw, ANY)


def counts_by_label(draw):
    """Of one group; those of several are an array of objects."""
    (a, *labels), _ = by_one_label(draw)
    return (a, draw.pick(-40, 0.5), 40, draw.whole(1, 9), *labels), {}


def components(draw):
    a = draw.rng.random(draw.shape(4, 8)) < 0.6
    structure = scipy.ndimage.generate_binary_structure(a.ndim, draw.whole(1, a.ndim))
    structure &= draw.pick(True, draw.rng.random(structure.shape) < 0.5)
    structure |= structure[(slice(None, None, -1),) * a.ndim]
    return (a.astype(draw.pick("?", "i", "d")),), draw.some(
        structure=structure, output=draw.pick("i", np.int64, "H")
    )


def labelled(draw):
    return (draw.rng.integers(0, 7, draw.shape(4, 8)).astype(draw.pick("i", "l", "B")),), {}


def objects(draw):
    return labelled(draw)[0], draw.some(max_label=lambda: draw.whole(0, 9))


def factors(draw):
    a = image(draw, "ddfFDi", 3)
    parameter = draw.pick(0.5, [draw.pick(0, 1.5, 3.3) for _ in a.shape])
    return (a, parameter), draw.some(
        axis=lambda: draw.axis(a.ndim),
        output=lambda: draw.pick(np.complex64, np.complex128, np.zeros(a.shape, "D")),
    )


def distances(draw):
    a = draw.rng.random(draw.shape(4, 8)) < 0.8
    # Where there is no background, the outputs are not SciPy's for all transforms.
    a.flat[0] = False
    return (a.astype(draw.pick("?", "i", "d")),), {}


def euclidean(draw):
    args, _ = distances(draw)
    sampling = draw.some(sampling=lambda: draw.pick(1.5, [draw.pick(1, 0.5, 2.25) for _ in args[0].shape]))
    # With a sampling, rounding decides between places that are equally near.
    return args, sampling or {"return_indices": True}


def chamfer(draw):
    return distances(draw)[0], draw.some(metric=lambda: draw.pick("taxicab", "chessboard"))


def output(draw, a, shape=None):
    """An output, given as a dtype, or as an array in C or Fortran order, half of the time."""
    shape = a.shape if shape is None else shape
    char = draw.pick(*("FD" if a.dtype.kind == "c" else "fd"))
    return draw.some(
        output=lambda: draw.pick(char, np.dtype(char), np.zeros(shape, char), np.zeros(shape[::-1], char).T)
    )


def smoothed(draw):
    a = image(draw, ANY)
    options = draw.some(
        order=lambda: draw.pick(0, 1, [draw.whole(0, 2) for _ in a.shape]),
        mode=lambda: draw.pick("wrap", [draw.pick(*MODES) for _ in a.shape]),
        cval=2,
        truncate=2.0,
        radius=lambda: draw.whole(1, 3),
    )
    return (a, draw.pick(1, [draw.pick(0, 0.5, 2.3) for _ in a.shape])), options | output(draw, a)


def derived(draw):
    a = image(draw, ANY)
    options = draw.some(axis=lambda: draw.axis(a.ndim), mode=lambda: draw.pick(*MODES), cval=2)
    return (a,), options | output(draw, a)


def of_windows(draw):
    a = image(draw, "ddffil", 3)
    size = [draw.whole(1, 3) for _ in a.shape]
    options = draw.some(mode=lambda: draw.pick(*MODES[:4]))
    return (a, draw.pick(np.mean, np.max, np.std)), {"size": size} | options


def moved(draw):
    a = image(draw, "ddffFDil", 3)
    options = draw.some(
        order=lambda: draw.whole(0, 3), mode=lambda: draw.pick(*MODES), cval=2, prefilter=False
    )
    return (a, lambda place: tuple(0.77 * each + 0.31 for each in place)), options | output(draw, a)


def morphological(draw):
    a = image(draw, "ddffilhB")
    extents = [draw.whole(1, 3) for _ in a.shape]
    options = draw.pick({"size": extents}, {"structure": draw.rng.normal(size=extents)})
    return (a,), options | draw.some(mode=lambda: draw.pick(*MODES), cval=2)


def patterns(draw):
    a = draw.rng.random(draw.shape(4, 8)) < 0.5
    hit, miss = (draw.rng.random((3,) * a.ndim) < share for share in (0.3, 0.1))
    return (a,), draw.some(structure1=hit, structure2=miss)


def regions(draw):
    a = draw.rng.random(draw.shape(4, 8)) < 0.6
    structure = scipy.ndimage.generate_binary_structure(a.ndim, draw.whole(1, a.ndim))
    return (a,), draw.some(structure=structure)


def regions_in_masks(draw):
    args, options = regions(draw)
    mask = draw.rng.random(args[0].shape) < 0.6
    return args, options | draw.some(mask=mask, border_value=1)


CALLS = {
    **dict.fromkeys(("sum_labels", "mean"), sums_by_label),
    **dict.fromkeys(("variance", "standard_deviation", "minimum", "maximum", "median"), by_label),
    **dict.fromkeys(("extrema", "minimum_position", "maximum_position", "center_of_mass"), by_one_label),
    "histogram": counts_by_label,
    "label": components,
    "find_objects": objects,
    **dict.fromkeys(("fourier_gaussian", "fourier_uniform", "fourier_shift", "fourier_ellipsoid"), factors),
    "distance_transform_edt": euclidean,
    "distance_transform_cdt": chamfer,
    "distance_transform_bf": chamfer,
    "gaussian_filter": smoothed,
    **dict.fromkeys(("sobel", "prewitt"), derived),
    **dict.fromkeys(("generic_filter", "vectorized_filter"), of_windows),
    "geometric_transform": moved,
    **dict.fromkeys(
        ("grey_opening", "white_tophat", "black_tophat", "morphological_gradient", "morphological_laplace"),
        morphological,
    ),
    "binary_hit_or_miss": patterns,
    "binary_fill_holes": regions,
    "binary_propagation": regions_in_masks,
}


@pytest.mark.parametrize("name", CALLS)
def test_images(name, device):
    draw, function = Draw(name), getattr(scipy.ndimage, name)
    for _ in range(CALLS_OF_EACH):
        args, kwargs = CALLS[name](draw)
        out = kwargs.pop("output", None)
        dtypes = [getattr(each, "dtype", np.dtype(bool)) for each in args]
        if out is not None:
            dtypes.append(out.dtype if isinstance(out, np.ndarray) else np.dtype(out))
        tolerance = 2e-5 if any(dtype.char in "fF" for dtype in dtypes) else 1e-9
        if not isinstance(out, np.ndarray):
            compare(
                function,
                function,
                *args,
                tolerance=tolerance,
                **kwargs,
                **({} if out is None else {"output": out}),
            )
            continue
        expected, found = out.copy("K"), on_device(out)
        function(*args, output=expected, **kwargs)
        function(*on_device(args), output=found, **kwargs)
        assert_close(found, expected, tolerance, f"{name} {kwargs}")
