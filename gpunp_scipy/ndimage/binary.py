"""Erosion and dilation of binary images, and what is made of them."""

import operator

import numpy
from gpunp.array.ndarray import ndarray

import gpunp
from gpunp_scipy.ndimage import binary_steps
from gpunp_scipy.ndimage.arguments import (
    axes_of,
    check_origin,
    delivered,
    expand_footprint,
    expand_origins,
    image,
    on_host,
    sequence,
)
from gpunp_scipy.ndimage.labels import label
from gpunp_scipy.ndimage.structures import flipped, neighborhood


def _bytes(mask):
    """Contiguous bytes, which are nonzero where an image is."""
    mask = mask if mask.dtype.itemsize == 1 else mask != 0
    return gpunp.ascontiguousarray(mask).view(numpy.uint8)


def _is_given(output, input):
    """Whether there is an array for the results, which fits; a dtype has no effect, as in SciPy."""
    if not isinstance(output, ndarray):
        return False
    if output.dtype.kind == "c":
        raise TypeError("Complex output type not supported")
    if output.shape != input.shape:
        raise RuntimeError(f"output shape not correct: {output.shape} instead of {input.shape}")
    return True


def _structure(structure, axes):
    return neighborhood(len(axes), 1) if structure is None else on_host(structure, bool)


def _reflected(structure, origin):
    """The structure and the origins by which erosion of the complement dilates."""
    origin = [-start - (1 - n % 2) for start, n in zip(origin, structure.shape, strict=False)]
    return flipped(structure), origin


def _morphed(input, structure, origin, axes, *, dilate, iterations=1, mask=None, output=None, border_value=0):
    """Erode, or dilate by a structure that is reflected already, as a function of SciPy's arguments."""
    try:
        iterations = operator.index(iterations)
    except TypeError as error:
        raise TypeError(f"iterations parameter should be an integer, not {iterations!r}") from error
    input = image(input, real=True)
    if input.ndim > binary_steps.MOST_AXES:
        raise ValueError(f"{input.ndim} dimensions; at most {binary_steps.MOST_AXES} are supported")
    if len(axes) < input.ndim:
        structure = expand_footprint(input.ndim, axes, structure, "structure")
    if structure.ndim != input.ndim:
        raise RuntimeError(
            f"structure and input must have same dimensionality, not {structure.ndim} and {input.ndim}"
        )
    if structure.size < 1:
        raise RuntimeError("structure must not be empty")
    if mask is not None:
        mask = gpunp.asarray(mask, device=input.device)
        if mask.shape != input.shape:
            raise RuntimeError(f"mask and input must have equal sizes, not {mask.shape} and {input.shape}")
    origin = expand_origins(input.ndim, axes, origin)
    for start, n in zip(origin, structure.shape, strict=True):
        check_origin(start, n)
    given = _is_given(output, input)
    pixels, mask = _bytes(input), None if mask is None else _bytes(mask)
    if input.ndim == 0:
        # A line of one pixel.
        pixels, structure, origin = pixels.reshape(1), structure.reshape(1), [0]
        mask = None if mask is None else mask.reshape(1)
    center = [n // 2 + start for n, start in zip(structure.shape, origin, strict=True)]
    offsets = numpy.argwhere(structure) - numpy.asarray(center, numpy.int64)
    if input.size == 0:
        result = pixels
    elif iterations < 1 and _grows_regions(structure, origin):
        result = _grown(pixels, offsets, mask, structure, dilate=dilate, border=bool(border_value))
    else:
        result = binary_steps.steps(
            pixels, offsets, mask, iterations, dilate=dilate, border=bool(border_value)
        )
    result = result.view(bool).reshape(input.shape)
    return delivered(result, output) if given else result


def _grows_regions(structure, origin):
    """Whether repeated dilation reaches all of a connected region, as `label` finds it."""
    return (
        all(n == 3 for n in structure.shape)
        and not any(origin)
        and bool(structure[(1,) * structure.ndim])
        and numpy.array_equal(structure, flipped(structure))
    )


def _grown(image, offsets, mask, structure, *, dilate, border):
    """The end of repeated steps: whole regions of the mask change that contain a pixel which does.

    Erosion changes pixels to 0, dilation to 1.
    """
    first = binary_steps.steps(image, offsets, mask, 1, dilate=dilate, border=border).view(bool)
    within = gpunp.ones(image.shape, bool, device=image.device) if mask is None else mask != 0
    labels = label(within, structure)[0]
    reached = numpy.zeros_like(labels, bool, shape=(image.size + 1,))
    reached[numpy.where(within & (first == dilate), labels, 0)] = True
    reached[0] = False
    return numpy.where(reached[labels], dilate, first).view(numpy.uint8)


def binary_erosion(
    input,
    structure=None,
    iterations=1,
    mask=None,
    output=None,
    border_value=0,
    origin=0,
    brute_force=False,
    *,
    axes=None,
):
    """Erosion of a binary image; see `scipy.ndimage.binary_erosion`.

    ``brute_force`` has no effect.
    """
    input = image(input)
    axes = axes_of(axes, input.ndim)
    structure, origin = _structure(structure, axes), sequence(origin, len(axes))
    return _morphed(
        input,
        structure,
        origin,
        axes,
        dilate=False,
        iterations=iterations,
        mask=mask,
        output=output,
        border_value=border_value,
    )


def binary_dilation(
    input,
    structure=None,
    iterations=1,
    mask=None,
    output=None,
    border_value=0,
    origin=0,
    brute_force=False,
    *,
    axes=None,
):
    """Dilation of a binary image; see `scipy.ndimage.binary_dilation`.

    ``brute_force`` has no effect.
    """
    input = image(input)
    axes = axes_of(axes, input.ndim)
    structure, origin = _reflected(_structure(structure, axes), sequence(origin, len(axes)))
    return _morphed(
        input,
        structure,
        origin,
        axes,
        dilate=True,
        iterations=iterations,
        mask=mask,
        output=output,
        border_value=border_value,
    )


def binary_opening(
    input,
    structure=None,
    iterations=1,
    output=None,
    origin=0,
    mask=None,
    border_value=0,
    brute_force=False,
    *,
    axes=None,
):
    """Erosion, then dilation; see `scipy.ndimage.binary_opening`."""
    arguments = (structure, iterations, mask)
    rest = (border_value, origin, brute_force)
    eroded = binary_erosion(input, *arguments, None, *rest, axes=axes)
    return binary_dilation(eroded, *arguments, output, *rest, axes=axes)


def binary_closing(
    input,
    structure=None,
    iterations=1,
    output=None,
    origin=0,
    mask=None,
    border_value=0,
    brute_force=False,
    *,
    axes=None,
):
    """Dilation, then erosion; see `scipy.ndimage.binary_closing`."""
    arguments = (structure, iterations, mask)
    rest = (border_value, origin, brute_force)
    dilated = binary_dilation(input, *arguments, None, *rest, axes=axes)
    return binary_erosion(dilated, *arguments, output, *rest, axes=axes)


def binary_hit_or_miss(
    input, structure1=None, structure2=None, output=None, origin1=0, origin2=None, *, axes=None
):
    """Places where one structure fits and another does not touch; see `scipy.ndimage.binary_hit_or_miss`."""
    input = image(input)
    axes = axes_of(axes, input.ndim)
    hit = _structure(structure1, axes)
    miss = ~hit if structure2 is None else on_host(structure2, bool)
    origin1 = sequence(origin1, len(axes))
    origin2 = origin1 if origin2 is None else sequence(origin2, len(axes))
    hits = _morphed(input, hit, origin1, axes, dilate=False)
    touched = _morphed(input, miss, origin2, axes, dilate=True)
    result = hits & ~touched
    if not _is_given(output, input):
        return result
    output[...] = result
    return None


def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0, *, axes=None):
    """Dilation within a mask until nothing changes; see `scipy.ndimage.binary_propagation`."""
    return binary_dilation(input, structure, -1, mask, output, border_value, origin, axes=axes)


def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    """Fill the background that is not connected to the border; see `scipy.ndimage.binary_fill_holes`."""
    mask = image(input) == 0
    outside = binary_dilation(numpy.zeros_like(mask), structure, -1, mask, None, 1, origin, axes=axes)
    if not _is_given(output, mask):
        return ~outside
    output[...] = ~outside
    return None
