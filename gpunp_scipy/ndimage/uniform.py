"""Means of windows.

SciPy keeps a running sum along an axis. Here each mean is computed from the samples of its window, so that
rounding errors, infinities and NaN do not travel along the axis.
"""

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp_scipy.ndimage.arguments import axes_of, check_origin, image, mode_code, output_for, sequence
from gpunp_scipy.ndimage.correlation import by_components, filtered
from gpunp_scipy.ndimage.separable import Pass


def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Means of windows along an axis; see `scipy.ndimage.uniform_filter1d`."""
    input = image(input)
    axis = normalize_axis_index(axis, input.ndim)
    output = output_for(output, input, complex_output=input.dtype.kind == "c")
    return _means(input, output, [window(axis, size, origin, mode)], cval)


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Means of windows; see `scipy.ndimage.uniform_filter`.

    The last two axes are filtered in one pass over the image.
    """
    input = image(input)
    output = output_for(output, input, complex_output=input.dtype.kind == "c")
    axes = axes_of(axes, input.ndim)
    return _means(input, output, windows(axes, size, origin, mode), cval)


def window(axis, size, origin, mode):
    """The pass of a filter whose window has ``size`` samples along an axis."""
    if size < 1:
        raise RuntimeError(f"incorrect filter size: {size}; it must be at least 1")
    check_origin(origin, size)
    return Pass(axis, int(size), int(size) // 2 + origin, mode_code(mode, is_filter=True))


def windows(axes, size, origin, mode):
    """The passes of a filter along several axes; axes of size 1 or less are not filtered."""
    per_axis = (sequence(value, len(axes)) for value in (size, origin, mode))
    return [
        window(axis, int(one_size), one_origin, one_mode)
        for axis, one_size, one_origin, one_mode in zip(axes, *per_axis, strict=True)
        if one_size > 1
    ]


def _means(input, output, passes, cval):
    if not passes:
        output[...] = input
        return output
    if input.dtype.kind != "c":
        return filtered(input, output, passes, cval, "sum")

    def components(part, _, output, cval):
        return filtered(part, output, passes, cval, "sum")

    return by_components(components, input, numpy.ones(1), output, cval)
