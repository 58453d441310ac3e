"""Minima and maxima of windows."""

import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp_scipy.ndimage.arguments import (
    axes_of,
    check_dtype,
    check_origin,
    delivered,
    expand_footprint,
    expand_origins,
    image,
    on_host,
    one_mode,
    output_for,
    separate,
)
from gpunp_scipy.ndimage.correlation import filtered
from gpunp_scipy.ndimage.stencil import filter_footprint
from gpunp_scipy.ndimage.uniform import window, windows


def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Minima of windows along an axis; see `scipy.ndimage.minimum_filter1d`."""
    return _along(input, size, axis, output, mode, cval, origin, kind="minimum")


def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Maxima of windows along an axis; see `scipy.ndimage.maximum_filter1d`."""
    return _along(input, size, axis, output, mode, cval, origin, kind="maximum")


def _along(input, size, axis, output, mode, cval, origin, kind):
    input = image(input, real=True)
    axis = normalize_axis_index(axis, input.ndim)
    output = output_for(output, input)
    return filtered(input, output, [window(axis, size, origin, mode)], cval, kind)


def minimum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """Minima of windows; see `scipy.ndimage.minimum_filter`."""
    return extrema(input, "minimum", size, footprint, None, output, mode, cval, origin, axes)


def maximum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """Maxima of windows; see `scipy.ndimage.maximum_filter`."""
    return extrema(input, "maximum", size, footprint, None, output, mode, cval, origin, axes)


def extrema(
    input,
    kind,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    axes=None,
):
    """Minima or maxima of windows of any shape, flat or not: the engine of filters and of grey morphology.

    A full flat window is filtered along each axis, the last two in one launch; others sample by sample.

    Parameters
    ----------
    input : array_like
        Real.
    kind : {"minimum", "maximum"}
    size : int or sequence of int, or None
        The extent of the window along each axis; ignored if there is a footprint or a structure.
    footprint : array_like of bool or None
        Samples of the window.
    structure : array_like or None
        Heights, of the shape of the window: a maximum is that of samples plus heights, a minimum that of
        samples minus heights. As in SciPy, all sums but the first are rounded to the dtype of the image.
    output, mode, cval, origin, axes
        As for `scipy.ndimage.minimum_filter`.

    Returns
    -------
    ndarray
    """
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=3)
    heights = None if structure is None else on_host(structure, numpy.float64)
    if footprint is not None:
        footprint = on_host(footprint, bool)
    if heights is not None:
        footprint = numpy.ones(heights.shape, bool) if footprint is None else footprint
    elif footprint is not None:
        if not footprint.any():
            raise ValueError("All-zero footprint is not supported.")
        if footprint.all():
            size, footprint = footprint.shape, None
    elif size is None:
        raise RuntimeError("no footprint provided; give a size or a footprint")
    input = image(input, real=True)
    output = output_for(output, input)
    if heights is not None and input.dtype == bool:
        # As in SciPy, sums of booleans and heights are rounded to 8 bits.
        input = input.view(numpy.uint8)
    axes = axes_of(axes, input.ndim)
    if footprint is None:
        passes = windows(axes, size, origin, mode)
        if passes:
            return filtered(input, output, passes, cval, kind)
        output[...] = input
        return output
    return _of_footprint(input, footprint, heights, output, mode, cval, origin, kind, axes)


def _of_footprint(input, footprint, heights, output, mode, cval, origin, kind, axes):
    footprint = expand_footprint(input.ndim, axes, footprint)
    origins = expand_origins(input.ndim, axes, origin)
    for one, length in zip(origins, footprint.shape, strict=True):
        check_origin(one, length)
    if heights is not None:
        if heights.ndim != len(axes):
            raise RuntimeError(
                f"structure array has incorrect shape: {heights.ndim} dimensions for {len(axes)} axes"
            )
        heights = expand_footprint(input.ndim, axes, heights, "structure")
        if heights.shape != footprint.shape:
            raise RuntimeError(f"structure array has incorrect shape: {heights.shape}, not {footprint.shape}")
        heights = -heights if kind == "minimum" else heights
    code = one_mode(mode, "for non-separable footprints")
    check_dtype(input, output)
    if output.size == 0:
        return output
    result = separate(output, input)
    before = [length // 2 + one for one, length in zip(origins, footprint.shape, strict=True)]
    # As in SciPy, the constant has the dtype of the image here.
    with numpy.errstate(invalid="ignore", over="ignore"):
        cval = float(numpy.asarray(cval).astype(numpy.uint8 if input.dtype.kind == "b" else input.dtype))
        filter_footprint(input, result, footprint, heights, before, [code] * input.ndim, cval, kind)
    return delivered(result, output)
