"""Arrays from existing data."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import moved as convert
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.scalars import as_array
from gpunp.creation.filled import place
from gpunp.device import get_device
from gpunp.dispatch.registry import find_by_name, implements


def _unmarked(array, copy):
    """A scalar as an array of its own, unless ``copy`` is False."""
    return array if copy is False else as_array(array)


@implements(numpy.array, like=True)
def array(
    object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=0, like=None, blocking=False
):
    """A new device array; see `numpy.array`.

    Parameters
    ----------
    blocking : bool, optional
        Without effect: host data is read before the function returns.
    """
    if ndmax and not isinstance(object, ndarray):
        object = numpy.array(object, dtype=dtype, ndmax=ndmax)
    out = _unmarked(convert(object, dtype, place(None, like), copy, order), copy)
    if out.ndim < ndmin:
        out = out.reshape((1,) * (ndmin - out.ndim) + out.shape)
    return out


@implements(numpy.asarray, like=True)
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None, blocking=False):
    """A device array with the values of ``a``; ``a`` itself if no conversion is needed.

    Parameters
    ----------
    a : array_like
        A device array, a host array, a scalar, nested sequences of these, or an object that offers
        ``__cuda_array_interface__``, ``__array_interface__``, ``__dlpack__`` or a buffer.
    dtype : dtype_like, optional
        By default the dtype that NumPy would give.
    order : {"K", "A", "C", "F"}, optional
        Memory order.
    device : Device or str, optional
        By default the device of ``a`` if it has one, otherwise the current device.
    copy : bool, optional
        True always copies, False never (a ValueError if a copy is needed), None copies if needed.
    like : array_like, optional
        An array whose device is used.
    blocking : bool, optional
        Without effect: host data is read before the function returns.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import gpunp
    >>> gpunp.asarray([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    """
    return _unmarked(convert(a, dtype, place(device, like), copy, order), copy)


@implements(numpy.asanyarray, like=True)
def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None, blocking=False):
    """The same as `asarray`, since there are no subclasses; see `numpy.asanyarray`.

    Parameters
    ----------
    blocking : bool, optional
        Without effect: host data is read before the function returns.
    """
    return _unmarked(convert(a, dtype, place(device, like), copy, order), copy)


@implements(numpy.ascontiguousarray, like=True)
def ascontiguousarray(a, dtype=None, *, like=None, blocking=False):
    """A C-contiguous array of at least one dimension; see `numpy.ascontiguousarray`.

    Parameters
    ----------
    blocking : bool, optional
        Without effect: host data is read before the function returns.
    """
    return array(a, dtype, copy=None, order="C", ndmin=1, like=like)


@implements(numpy.asfortranarray, like=True)
def asfortranarray(a, dtype=None, *, like=None, blocking=False):
    """A Fortran-contiguous array of at least one dimension; see `numpy.asfortranarray`.

    Parameters
    ----------
    blocking : bool, optional
        Without effect: host data is read before the function returns.
    """
    return array(a, dtype, copy=None, order="F", ndmin=1, like=like)


_REQUIREMENTS = {
    "C": "C",
    "C_CONTIGUOUS": "C",
    "CONTIGUOUS": "C",
    "F": "F",
    "F_CONTIGUOUS": "F",
    "FORTRAN": "F",
    "A": "A",
    "ALIGNED": "A",
    "W": "W",
    "WRITEABLE": "W",
    "O": "O",
    "OWNDATA": "O",
    "E": "E",
    "ENSUREARRAY": "E",
}


@implements(numpy.require, like=True)
def require(a, dtype=None, requirements=None, *, like=None):
    """An array that meets requirements on its flags; see `numpy.require`."""
    wanted = {_REQUIREMENTS[name.upper()] for name in requirements or ()}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "F" if "F" in wanted else "C" if "C" in wanted else "A"
    out = array(a, dtype, copy=None, order="K" if order == "A" else order, like=like)
    flags = out.flags
    if ("O" in wanted and not flags.owndata) or ("W" in wanted and not flags.writeable):
        return layout.converted(out, order=order)
    return out


@implements(name="asarray_chkfinite")
def asarray_chkfinite(a, dtype=None, order=None):
    """Like `asarray`, but infinities and NaN raise a ValueError; see `numpy.asarray_chkfinite`.

    Waits for the device to check the values.
    """
    out = asarray(a, dtype=dtype, order=order)
    if out.dtype.kind in "fc" and not bool(numpy.isfinite(out).all()):
        raise ValueError("array must not contain infs or NaNs")
    return out


@implements(numpy.copy)
def copy(a, order="K", subok=False):
    """A copy on the device; see `numpy.copy`."""
    return convert(a, copy=True, order=order)


def _upload(host, device, like):
    return convert(host, device=get_device(place(device, like)))


@implements(numpy.frombuffer, like=True)
def frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None):
    """Elements of a host buffer, copied to the device; see `numpy.frombuffer`."""
    return _upload(numpy.frombuffer(buffer, numpy.dtype(dtype), count, offset), None, like)


@implements(numpy.fromiter, like=True)
def fromiter(iter, dtype, count=-1, *, like=None):
    """Elements of an iterable; see `numpy.fromiter`."""
    return _upload(numpy.fromiter(iter, as_dtype(dtype), count), None, like)


@implements(numpy.fromfile, like=True)
def fromfile(file, dtype=None, count=-1, sep="", offset=0, *, like=None):
    """Elements of a binary or text file; see `numpy.fromfile`.

    Returns
    -------
    ndarray
        One-dimensional, on the device.
    """
    return _upload(numpy.fromfile(file, numpy.dtype(dtype), count, sep, offset), None, like)


@implements(numpy.fromstring, like=True)
def fromstring(string, dtype=None, count=-1, *, sep, like=None):
    """Elements written in a string; see `numpy.fromstring`."""
    return _upload(numpy.fromstring(string, numpy.dtype(dtype), count, sep=sep), None, like)


@implements(numpy.fromfunction, like=True)
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """The result of ``function`` on coordinate arrays; see `numpy.fromfunction`.

    Parameters
    ----------
    **kwargs
        Further arguments of `function`.

    Notes
    -----
    `function` is called once, with device arrays of coordinates. If it needs the value of one coordinate, as
    ``if i > j`` does, it is compiled and runs for each element; see `vectorize`.
    """
    from gpunp.creation.ranges import arange

    with get_device(place(None, like)):
        coordinates = []
        for axis, extent in enumerate(shape):
            line = arange(extent, dtype=dtype)
            line = line.reshape([extent if d == axis else 1 for d in range(len(shape))])
            whole = layout.empty(shape, line.dtype)
            whole[...] = line
            coordinates.append(whole)
        try:
            return function(*coordinates, **kwargs)
        except (TypeError, ValueError) as error:
            # A ValueError or TypeError of the function's own is raised again.
            return find_by_name("vectorize").instead_of(error, function, coordinates, kwargs)
