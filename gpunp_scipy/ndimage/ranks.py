"""Samples of a rank in windows: medians, percentiles.

Medians of float32 and short integers with 3 x 3 and 5 x 5 samples come from selection networks in registers,
those of 7 x 7 to 15 x 15 samples of at most 4 bytes from networks that share sorted columns, other rectangles
of up to two axes from sorted tiles, and other footprints from a search bit by bit. SciPy leaves the place of
NaN undefined; here it is ordered last, except by networks for 3 x 3 and 5 x 5.
"""

import operator
import warnings

import numpy

from gpunp.array import layout
from gpunp_scipy.ndimage.arguments import (
    axes_of,
    check_dtype,
    check_origin,
    delivered,
    expand_footprint,
    expand_modes,
    expand_origins,
    image,
    on_host,
    one_mode,
    output_for,
    separate,
    sequence,
)
from gpunp_scipy.ndimage.separable import holds_in_float, median_of_square
from gpunp_scipy.ndimage.stencil import (
    filter_footprint,
    has_median_network,
    median_by_network,
    rank_of_rectangle,
    rank_tile,
)
from gpunp_scipy.ndimage.window_extremes import extrema


def rank_filter(
    input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The sample of a rank in each window; see `scipy.ndimage.rank_filter`."""
    rank = operator.index(rank)
    return _filter(input, lambda count: rank, size, footprint, output, mode, cval, origin, axes)


def median_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """Medians of windows; see `scipy.ndimage.median_filter`."""
    return _filter(input, lambda count: count // 2, size, footprint, output, mode, cval, origin, axes)


def percentile_filter(
    input,
    percentile,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """Percentiles of windows; see `scipy.ndimage.percentile_filter`."""

    def rank(count):
        percent = percentile + 100.0 if percentile < 0.0 else percentile
        if not 0 <= percent <= 100:
            raise RuntimeError(f"invalid percentile: {percentile}; it must be at least -100 and at most 100")
        return count - 1 if percent == 100.0 else int(float(count) * percent / 100.0)

    return _filter(input, rank, size, footprint, output, mode, cval, origin, axes)


def _filter(input, rank_of, size, footprint, output, mode, cval, origin, axes=None):
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=3)
    input = image(input, real=True)
    axes = axes_of(axes, input.ndim)
    if footprint is not None:
        footprint = on_host(footprint, bool)
    elif size is None:
        raise RuntimeError("no footprint or filter size provided")
    else:
        footprint = numpy.ones(sequence(size, len(axes)), dtype=bool)
    footprint = expand_footprint(input.ndim, axes, footprint)
    origins = expand_origins(input.ndim, axes, origin)
    mode = expand_modes(input.ndim, axes, mode)
    for one, length in zip(origins, footprint.shape, strict=True):
        check_origin(one, length)
    count = int(footprint.sum())
    rank = rank_of(count)
    rank = rank + count if rank < 0 else rank
    if not 0 <= rank < count:
        raise RuntimeError(f"rank not within filter footprint size: {rank} of {count}")
    if rank in (0, count - 1):
        kind = "maximum" if rank else "minimum"
        return extrema(input, kind, footprint=footprint, output=output, mode=mode, cval=cval, origin=origins)
    output = output_for(output, input)
    code = one_mode(mode, "by non-separable rank filters")
    if input.dtype.char == "e" and input.ndim == 1:
        # SciPy's filter of 1-d images computes these in float32.
        single = input.astype(numpy.float32)
        output[...] = _filter(
            single, lambda count: rank, None, footprint, output=None, mode=mode, cval=cval, origin=origins
        )
        return output
    check_dtype(input, output)
    if output.size == 0:
        return output
    if input.dtype.kind == "b":
        # As in SciPy, booleans are bytes.
        input = input.view(numpy.uint8)
    # SciPy converts the constant to the dtype of the image here.
    with numpy.errstate(invalid="ignore", over="ignore"):
        cval = float(numpy.asarray(cval).astype(input.dtype))
    result = separate(output, input)
    before = [length // 2 + one for one, length in zip(origins, footprint.shape, strict=True)]
    if not (footprint.all() and _rectangle(input, result, footprint.shape, before, code, cval, rank)):
        filter_footprint(input, result, footprint, None, before, [code] * input.ndim, cval, "rank", rank)
    return delivered(result, output)


def _rectangle(input, result, window, before, code, cval, rank):
    """Filter with a window along at most two axes; False if it is too large, or has more axes."""
    wide = [axis for axis, length in enumerate(window) if length > 1]
    if len(wide) > 2:
        return False
    # The window's axes become the last two.
    others = [axis for axis in range(input.ndim) if axis not in wide]
    lines = [others.pop()] if len(wide) == 1 and others else []
    wide = sorted(lines + wide)
    order = [axis for axis in range(input.ndim) if axis not in wide] + wide
    source = layout.converted(input.transpose(order), order="C")
    extents, behind = [window[axis] for axis in wide], [before[axis] for axis in wide]
    if input.ndim == 1:
        source, extents, behind = source.reshape(1, -1), [1, *extents], [0, *behind]
    square = extents[0] if extents in ([3, 3], [5, 5]) else 0
    network = square and rank == square * square // 2 and holds_in_float(input) and holds_in_float(result)
    wide_network = has_median_network(source, *extents, rank)
    if not (network or wide_network) and rank_tile(*extents) is None:
        return False
    moved = result.transpose(order)
    target = moved
    if not moved.flags.c_contiguous:
        target = layout.empty(moved.shape, result.dtype, device=result.device)
    if network:
        median_of_square(source, target, square, behind, (code, code), cval)
    elif wide_network:
        median_by_network(source, target.reshape(source.shape), extents[0], behind, (code, code), cval)
    else:
        rank_of_rectangle(source, target.reshape(source.shape), extents, behind, (code, code), cval, rank)
    if target is not moved:
        moved[...] = target
    return True
