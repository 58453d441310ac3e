"""Geometric transforms of images by spline interpolation.

Coordinates are computed in double precision and in SciPy's order of operations. Images in float32 with
results in float32 have coefficients, weights and sums in single precision up to order 3; all others, integers
among them, in double precision.
"""

import math
import warnings

import numpy
import scipy.special
from gpunp.array.ndarray import ndarray

from gpunp.array.convert import asarray
from gpunp_scipy.ndimage.arguments import (
    MODES,
    check_dtype,
    delivered,
    empty,
    image,
    mode_code,
    on_host,
    output_for,
    sequence,
)
from gpunp_scipy.ndimage.sampling import sample
from gpunp_scipy.ndimage.splines import padded_coefficients, parts, prepared, spline_order


def _image_and_order(input, order):
    order = spline_order(order)
    return image(input), order


def _require_dimensions(input, shape):
    if input.ndim < 1 or len(shape) < 1:
        raise RuntimeError("input and output rank must be > 0")


def _outside(mode):
    """The code of the mode for samples of a window that are beyond an image's ends."""
    return MODES["mirror"] if mode in ("constant", "wrap") else mode_code(mode)


def _sampled(input, output, order, mode, cval, prefilter, planes=False, **coordinates):
    """Interpolate an image and return the output.

    Parameters
    ----------
    input, output : ndarray
    order, mode, cval, prefilter
        As the public functions have them.
    planes : bool, optional
        Whether the first axis counts images.
    coordinates
        Arguments of `sample`.
    """
    code = mode_code(mode)
    check_dtype(input, output)
    is_complex = input.dtype.kind == "c"
    if not is_complex and output.dtype.kind == "c":
        raise RuntimeError("data type not supported: complex output of a real image; use a float dtype")
    fresh = output
    if not output.flags.c_contiguous or numpy.may_share_memory(input, output):
        fresh = empty(output.shape, output.dtype, input)
    axes = range(1 if planes else 0, input.ndim)
    for component, part in parts(input):
        value = float(numpy.real(cval) if component == 0 else numpy.imag(cval) if component else cval)
        if input.size == 0:
            _fill_around_nothing(fresh, mode, component, value)
            continue
        part, pad = prepared(part, fresh, order), 0
        if prefilter and order > 1:
            part, pad = padded_coefficients(part, order, mode, _padding(value, input.dtype), axes)
        sample(
            part,
            fresh,
            order,
            code,
            _outside(mode),
            value,
            pad,
            component=component,
            planes=planes,
            **coordinates,
        )
    return delivered(fresh, output)


def _padding(value, dtype):
    """The constant as SciPy extends an image by it before the spline filter: in the dtype of the image."""
    with numpy.errstate(invalid="ignore", over="ignore"):
        return float(numpy.asarray(value).astype(dtype).real)


def _fill_around_nothing(output, mode, component, value):
    if output.size and mode not in ("constant", "grid-constant"):
        raise ValueError(f"an image without elements has no values in mode {mode!r}; use 'constant'")
    target = output if component is None else (output.real, output.imag)[component]
    target[...] = _rounded(value, target.dtype)


def _rounded(value, dtype):
    """A float as SciPy stores it among samples: the nearest integer, within the limits of unsigned dtypes."""
    if dtype.kind == "u":
        value = int(min(value, 1e30) + 0.5) if value > 0 else 0
        value = min(value, numpy.iinfo(dtype).max)
    elif dtype.kind == "i":
        value = numpy.trunc(value + numpy.copysign(0.5, value))
    with numpy.errstate(invalid="ignore", over="ignore"):
        return numpy.asarray(value).astype(dtype)


def geometric_transform(
    input,
    mapping,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
    extra_arguments=(),
    extra_keywords=None,
):
    """Transform an image by a function of coordinates; see `scipy.ndimage.geometric_transform`.

    The mapping is called once, with device arrays of all output coordinates instead of one point's.

    Parameters
    ----------
    mapping : callable
        A function of a tuple of integer device arrays, the coordinates along each axis of the output. All
        have the shape of the output. It returns a tuple of the coordinates along each axis of the input:
        arrays or numbers that broadcast to that shape. NumPy's functions and operators work in it as on
        numbers, functions of `math` and ``if`` do not. A `scipy.LowLevelCallable` is refused.

    Raises
    ------
    TypeError
        If the mapping does not work with arrays.
    """
    input, order = _image_and_order(input, order)
    shape = input.shape if output_shape is None else tuple(output_shape)
    _require_dimensions(input, shape)
    output = output_for(output, input, shape, complex_output=input.dtype.kind == "c")
    coordinates = _mapped(mapping, shape, input, extra_arguments, extra_keywords or {})
    return _sampled(input, output, order, mode, cval, prefilter, coordinates=coordinates)


def _mapped(mapping, shape, input, arguments, keywords):
    if not callable(mapping):
        raise TypeError(
            f"geometric_transform calls its mapping on the device, so it must be a Python function, not a "
            f"{type(mapping).__name__}"
        )
    grids = []
    for axis, length in enumerate(shape):
        line = asarray(numpy.arange(length), device=input.device)
        line = line.reshape([-1 if k == axis else 1 for k in range(len(shape))])
        grids.append(numpy.broadcast_to(line, shape))
    try:
        results = mapping(tuple(grids), *arguments, **keywords)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "geometric_transform calls its mapping once, with device arrays of all coordinates, and it "
            f"failed: {error}. Use NumPy's functions and operators in it, without `math` and `if`"
        ) from error
    if not isinstance(results, tuple | list) or len(results) != input.ndim:
        raise RuntimeError(
            f"the mapping must return a tuple of {input.ndim} coordinates, one per axis of the image"
        )
    coordinates = empty((input.ndim, *shape), numpy.float64, input)
    for axis, result in enumerate(results):
        coordinates[axis] = result
    return coordinates


def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """Interpolate an image at coordinates; see `scipy.ndimage.map_coordinates`."""
    input, order = _image_and_order(input, order)
    coordinates = asarray(coordinates, device=input.device)
    if coordinates.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    shape = coordinates.shape[1:]
    _require_dimensions(input, shape)
    if coordinates.shape[0] != input.ndim:
        raise RuntimeError(
            f"invalid shape for coordinate array: {coordinates.shape[0]} coordinates per point for an image "
            f"of {input.ndim} dimensions"
        )
    if coordinates.dtype.char == "e":
        raise RuntimeError("coordinate array data type not supported: float16; convert it to float32")
    output = output_for(output, input, shape, complex_output=input.dtype.kind == "c")
    dtype = coordinates.dtype if coordinates.dtype.kind == "f" else numpy.float64
    coordinates = coordinates.astype(dtype, order="C", copy=False)
    return _sampled(input, output, order, mode, cval, prefilter, coordinates=coordinates)


def affine_transform(
    input,
    matrix,
    offset=0.0,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    """Apply an affine transform to an image; see `scipy.ndimage.affine_transform`."""
    input, order = _image_and_order(input, order)
    if output_shape is None:
        output_shape = output.shape if isinstance(output, ndarray) else input.shape
    shape = tuple(output_shape)
    _require_dimensions(input, shape)
    output = output_for(output, input, shape, complex_output=input.dtype.kind == "c")
    matrix, offset = _matrix_and_offset(matrix, offset, input, len(shape))
    if matrix.ndim == 1:
        with numpy.errstate(all="ignore"):
            where = {"zooms": matrix.tolist(), "shifts": (offset / matrix).tolist()}
    else:
        where = {"matrix": matrix.tolist(), "offset": offset.tolist()}
    return _sampled(input, output, order, mode, cval, prefilter, **where)


def _matrix_and_offset(matrix, offset, input, rank):
    """Return the matrix (or its diagonal) and the offset of a transform, on the host."""
    matrix = on_host(matrix, numpy.float64)
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise RuntimeError(f"no proper affine matrix provided: it has the shape {matrix.shape}")
    ndim = input.ndim
    if matrix.ndim == 2 and matrix.shape[1] == ndim + 1 and matrix.shape[0] in (ndim, ndim + 1):
        if matrix.shape[0] == ndim + 1:
            expected = [0] * ndim + [1]
            if not numpy.all(matrix[ndim] == expected):
                raise ValueError(
                    f"Expected homogeneous transformation matrix with shape {matrix.shape} for image shape "
                    f"{input.shape}, but bottom row was not equal to {expected}"
                )
        offset = matrix[:ndim, ndim]
        matrix = matrix[:ndim, :ndim]
    if matrix.shape[0] != ndim:
        raise RuntimeError(f"affine matrix has wrong number of rows: {matrix.shape[0]} for {ndim} dimensions")
    if (matrix.shape[1] if matrix.ndim == 2 else ndim) != rank:
        raise RuntimeError(f"affine matrix has wrong number of columns for an output of {rank} dimensions")
    offset = numpy.asarray(sequence(offset, ndim), numpy.float64)
    if offset.ndim != 1:
        raise RuntimeError("no proper offset provided: it must have one value per axis")
    return matrix, offset


def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """Shift an image; see `scipy.ndimage.shift`."""
    input, order = _image_and_order(input, order)
    _require_dimensions(input, input.shape)
    output = output_for(output, input, complex_output=input.dtype.kind == "c")
    shifts = [-float(each) for each in sequence(shift, input.ndim)]
    return _sampled(input, output, order, mode, cval, prefilter, shifts=shifts)


def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    """Zoom an image; see `scipy.ndimage.zoom`.

    Complex images follow ``grid_mode``, too, which SciPy 1.18 ignores for them.
    """
    input, order = _image_and_order(input, order)
    _require_dimensions(input, input.shape)
    zooms = sequence(zoom, input.ndim)
    shape = tuple(round(length * float(factor)) for length, factor in zip(input.shape, zooms, strict=True))
    is_complex = input.dtype.kind == "c"
    output = output_for(output, input, shape, complex_output=is_complex)
    if prefilter and all(factor == 1 for factor in zooms):
        output[...] = input
        return output
    advised = {"constant": "grid-constant", "wrap": "grid-wrap"}.get(mode)
    if grid_mode and advised and not is_complex:
        message = f"It is recommended to use mode = {advised} instead of {mode} when grid_mode is True."
        warnings.warn(message, stacklevel=2)
    less = 0 if grid_mode else 1
    # An axis of one sample (or none, on a grid) has no factor.
    factors = [
        (length - less) / (wanted - less) if wanted != less else 1.0
        for length, wanted in zip(input.shape, shape, strict=True)
    ]
    return _sampled(input, output, order, mode, cval, prefilter, zooms=factors, grid=grid_mode)


def rotate(
    input,
    angle,
    axes=(1, 0),
    reshape=True,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    """Rotate an image in the plane of two axes; see `scipy.ndimage.rotate`."""
    input = image(input)
    ndim = input.ndim
    if ndim < 2:
        raise ValueError(f"input array should be at least 2D, not {ndim}D")
    axes = _plane(axes, ndim)
    cosine, sine = float(scipy.special.cosdg(angle)), float(scipy.special.sindg(angle))
    matrix = numpy.array([[cosine, sine], [-sine, cosine]])
    plane = numpy.array([input.shape[axis] for axis in axes])
    wanted = plane
    if reshape:
        rows, columns = plane
        bounds = matrix @ [[0, 0, rows, rows], [0, columns, 0, columns]]
        wanted = (numpy.ptp(bounds, axis=1) + 0.5).astype(int)
    offset = (plane - 1) / 2 - matrix @ ((wanted - 1) / 2)
    shape = list(input.shape)
    shape[axes[0]], shape[axes[1]] = map(int, wanted)
    output = output_for(output, input, tuple(shape), complex_output=input.dtype.kind == "c")
    if ndim == 2:
        return affine_transform(input, matrix, offset, shape, output, order, mode, cval, prefilter)
    return _rotated_planes(input, output, axes, matrix, offset, spline_order(order), mode, cval, prefilter)


def _plane(axes, ndim):
    axes = list(axes)
    if len(axes) != 2:
        raise ValueError(f"axes should contain exactly two values, not {len(axes)}")
    if not all(float(axis).is_integer() for axis in axes):
        raise ValueError(f"axes should contain only integer values, not {axes}")
    axes = sorted(int(axis) + ndim if axis < 0 else int(axis) for axis in axes)
    if axes[0] < 0 or axes[1] >= ndim:
        raise ValueError(f"invalid rotation plane specified: {axes} of an image of {ndim} dimensions")
    return axes


def _rotated_planes(input, output, axes, matrix, offset, order, mode, cval, prefilter):
    """Rotate all planes of an image of three or more dimensions at once."""

    images = numpy.moveaxis(input, axes, (-2, -1))
    target = numpy.moveaxis(output, axes, (-2, -1))
    count = math.prod(images.shape[:-2])
    images = images.reshape(count, *images.shape[-2:])
    results = empty((count, *target.shape[-2:]), output.dtype, input)
    _sampled(
        images,
        results,
        order,
        mode,
        cval,
        prefilter,
        planes=True,
        matrix=matrix.tolist(),
        offset=offset.tolist(),
    )
    target[...] = results.reshape(target.shape)
    return output
