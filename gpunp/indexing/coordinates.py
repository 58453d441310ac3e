"""Open grids of indices, and conversion between flat indices and coordinates."""

import operator

import numpy

from gpunp.array import layout
from gpunp.array.arguments import order_name
from gpunp.array.convert import asarray, joined
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of
from gpunp.creation.ranges import arange
from gpunp.dispatch.registry import implements
from gpunp.indexing import masks
from gpunp.indexing.taking import mode_number
from gpunp.indexing.where import nonzero

_KERNELS = ("include/gpunp/indexing/choose.h",)
_INT64 = numpy.dtype(numpy.int64)


@implements(numpy.ix_)
def ix_(*args):
    """Index arrays that select the Cartesian product of sequences; masks wait for the device.

    Parameters
    ----------
    *args : array_like of one dimension
        Integers or booleans.

    Returns
    -------
    tuple of ndarray
    """
    device = device_of(*args)
    out = []
    for k, new in enumerate(args):
        new = joined(new)
        if not isinstance(new, ndarray):
            new = numpy.asarray(new)
            new = asarray(new if new.size else new.astype(numpy.intp), device=device)
        if new.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if new.dtype == bool:
            (new,) = nonzero(new)
        out.append(new.reshape((1,) * k + (new.size,) + (1,) * (len(args) - k - 1)))
    return tuple(out)


@implements()
def indices(dimensions, dtype=int, sparse=False):
    """The coordinates of the elements of a grid; see `numpy.indices`.

    Parameters
    ----------
    dimensions : sequence of int
    dtype : dtype_like, optional
    sparse : bool, optional
        Return broadcastable coordinates instead of full arrays.

    Returns
    -------
    ndarray or tuple of ndarray
        One array per axis, stacked unless ``sparse``.
    """
    dimensions = tuple(dimensions)
    count = len(dimensions)
    axes = tuple(
        arange(n, dtype=dtype).reshape((1,) * d + (n,) + (1,) * (count - d - 1))
        for d, n in enumerate(dimensions)
    )
    if sparse:
        return axes
    out = layout.empty((count, *dimensions), numpy.dtype(dtype))
    for d, axis in enumerate(axes):
        out[d] = axis
    return out


def _order(order):
    order = order_name(order)
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return order == "F"


def _integers(value, device):
    value = joined(value)
    if not isinstance(value, ndarray):
        value = numpy.asarray(value)
        if value.dtype.kind not in "biu" and value.size == 0:
            raise TypeError(
                "indices must be integral: the provided empty sequence was inferred as float. Wrap it with "
                "'np.array(indices, dtype=np.intp)'"
            )
    if value.dtype.kind not in "biu":
        raise TypeError("only int indices permitted")
    return asarray(value, dtype=_INT64, device=device)


def _checked_size(shape):
    size = 1
    for n in shape:
        size *= n
    if size > numpy.iinfo(numpy.intp).max:
        raise ValueError("dimensions are too large; arrays and shapes with a total size greater than 'intp' "
                         "are not supported.")  # fmt: skip
    return size


@implements(numpy.unravel_index, kernels=_KERNELS)
def unravel_index(indices, shape, order="C"):
    """Coordinates of elements at flat indices in C or Fortran order.

    Parameters
    ----------
    indices : array_like of int
        An index out of bounds raises a ValueError; on a GPU in a later call.
    shape : int or tuple of int
    order : {"C", "F"}, optional

    Returns
    -------
    tuple of ndarray
    """
    f_order = _order(order)
    shape = (operator.index(shape),) if layout.is_integer(shape) else tuple(map(operator.index, shape))
    size = _checked_size(shape)
    indices = joined(indices)
    host = None if isinstance(indices, ndarray) else numpy.asarray(indices)
    flat = _integers(indices, None)
    if not shape:
        if flat.ndim:
            raise ValueError("multiple indices are not supported for 0d arrays")
        if host is not None and host != 0:
            raise ValueError(f"index {host} is out of bounds for array with size 1")
        return ()
    if host is not None:
        outside = host[(host < 0) | (host >= size)]
        if outside.size:
            raise ValueError(f"index {outside.flat[0]} is out of bounds for array with size {size}")
    if size == 0 and flat.size:
        raise ValueError(f"index is out of bounds: an array of shape {shape} has no elements")
    if not flat.flags.c_contiguous:
        flat = layout.converted(flat, order="C")
    out = layout.empty((len(shape), *flat.shape), _INT64, device=flat.device)
    masks.convert_numbers(flat, out, shape, f_order)
    return tuple(out)


@implements(numpy.ravel_multi_index, kernels=_KERNELS)
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Flat indices in C or Fortran order of the elements at coordinates.

    Parameters
    ----------
    multi_index : sequence of array_like of int
        The coordinates along each axis, broadcast against each other.
    dims : int or tuple of int
        The shape of the array.
    mode : {"raise", "wrap", "clip"} or sequence of these, optional
        Treatment of coordinates out of bounds, for all axes or per axis. On a GPU "raise" raises in a
        later call.
    order : {"C", "F"}, optional

    Returns
    -------
    ndarray
    """
    f_order = _order(order)
    dims = (operator.index(dims),) if layout.is_integer(dims) else tuple(map(operator.index, dims))
    modes = mode if isinstance(mode, list | tuple) else [mode] * len(dims)
    if len(modes) != len(dims):
        raise ValueError(f"list of clipmodes has wrong length ({len(modes)} instead of {len(dims)})")
    modes = [mode_number(m) for m in modes]
    try:
        _checked_size(dims)
    except ValueError:
        raise ValueError(
            "invalid dims: array size defined by dims is larger than the maximum possible size."
        ) from None
    parts = list(multi_index)
    if len(parts) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    device = device_of(*parts)
    parts = [_integers(part, device) for part in parts]
    shape = numpy.broadcast_shapes(*(part.shape for part in parts))
    if 0 in dims and 0 not in shape:
        raise ValueError(f"invalid entry in coordinates array: an array of shape {dims} has no elements")
    place = parts[0].device if parts else device
    coordinates = layout.empty((len(dims), *shape), _INT64, device=place)
    for d, part in enumerate(parts):
        coordinates[d] = part
    out = layout.empty(shape, _INT64, device=place)
    masks.convert_numbers(out, coordinates, dims, f_order, modes)
    return out._mark_scalar()
