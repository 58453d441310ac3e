"""Erosion and dilation of grey images: minima and maxima of windows, and what is made of them."""

import warnings

import numpy
from gpunp.array.ndarray import ndarray

from gpunp_scipy.ndimage.arguments import axes_of, image, on_host, sequence
from gpunp_scipy.ndimage.structures import flipped
from gpunp_scipy.ndimage.window_extremes import extrema


def grey_erosion(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """Least value of a window, minus its heights; see `scipy.ndimage.grey_erosion`."""
    _check_window(size, footprint, structure)
    return extrema(
        input,
        "minimum",
        size=size,
        footprint=footprint,
        structure=structure,
        output=output,
        mode=mode,
        cval=cval,
        origin=origin,
        axes=axes,
    )


def grey_dilation(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """Greatest value of a reflected window, plus its heights; see `scipy.ndimage.grey_dilation`."""
    _check_window(size, footprint, structure)
    input = image(input, real=True)
    chosen = axes_of(axes, input.ndim)
    structure = None if structure is None else flipped(on_host(structure, numpy.float64))
    footprint = None if footprint is None else flipped(on_host(footprint, bool))
    # Reflected windows of an even extent begin one sample later.
    if footprint is not None:
        extents = footprint.shape
    elif structure is not None:
        extents = structure.shape
    else:
        extents = sequence(size, len(chosen))
    origin = sequence(origin, len(chosen))
    origin = [-start - (1 - int(n) % 2) for start, n in zip(origin, extents, strict=False)]
    return extrema(
        input,
        "maximum",
        size=size,
        footprint=footprint,
        structure=structure,
        output=output,
        mode=mode,
        cval=cval,
        origin=origin,
        axes=axes,
    )


def _check_window(size, footprint, structure):
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")


def _window(size, footprint, structure, rest):
    """The arguments of erosion and dilation of a function that calls both, without its output."""
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=3)
        size = None
    mode, cval, origin, axes = rest
    window = {"size": size, "footprint": footprint, "structure": structure}
    return {**window, "mode": mode, "cval": cval, "origin": origin, "axes": axes}


def _both(first, second, input, output, window):
    """Call erosion and dilation after each other.

    Heights make numbers of booleans. As in SciPy, the second function takes these, in 8 bits.
    """
    input = image(input)
    if input.dtype != bool or window["structure"] is None:
        return second(first(input, **window), output=output, **window)
    result = second(first(input, output=numpy.uint8, **window), output=output, **window)
    return result != 0 if output is None else result


def grey_opening(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """Erosion, then dilation; see `scipy.ndimage.grey_opening`."""
    window = _window(size, footprint, structure, (mode, cval, origin, axes))
    return _both(grey_erosion, grey_dilation, input, output, window)


def grey_closing(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """Dilation, then erosion; see `scipy.ndimage.grey_closing`."""
    window = _window(size, footprint, structure, (mode, cval, origin, axes))
    return _both(grey_dilation, grey_erosion, input, output, window)


def morphological_gradient(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """Dilation minus erosion; see `scipy.ndimage.morphological_gradient`."""
    window = _window(size, footprint, structure, (mode, cval, origin, axes))
    dilated = grey_dilation(input, **window)
    if not isinstance(output, ndarray):
        return dilated - grey_erosion(input, **window)
    grey_erosion(input, output=output, **window)
    return numpy.subtract(dilated, output, output)


def morphological_laplace(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """Dilation plus erosion minus twice the image; see `scipy.ndimage.morphological_laplace`."""
    input = image(input)
    window = _window(size, footprint, structure, (mode, cval, origin, axes))
    dilated = grey_dilation(input, **window)
    given = output if isinstance(output, ndarray) else None
    result = grey_erosion(input, output=given, **window)
    numpy.add(dilated, result, result)
    numpy.subtract(result, input, result)
    return numpy.subtract(result, input, result)


def white_tophat(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """The image minus its opening; see `scipy.ndimage.white_tophat`."""
    input = image(input)
    window = _window(size, footprint, structure, (mode, cval, origin, axes))
    opened = _both(grey_erosion, grey_dilation, input, output, window)
    return _difference(input, opened, opened)


def black_tophat(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """The closing of an image minus the image; see `scipy.ndimage.black_tophat`."""
    input = image(input)
    window = _window(size, footprint, structure, (mode, cval, origin, axes))
    closed = _both(grey_dilation, grey_erosion, input, output, window)
    return _difference(closed, input, closed)


def _difference(a, b, out):
    """Subtract in place; booleans differ where one of them is true."""
    both = a.dtype == bool and b.dtype == bool
    return (numpy.bitwise_xor if both else numpy.subtract)(a, b, out=out)
