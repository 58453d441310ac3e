"""Names of NumPy's past, and names that programs know from other libraries.

Those that NumPy has dropped or renamed warn of it. `gpunp.namespace` finds them here.
"""

import sys
import warnings

import numpy

from gpunp import cuda
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.interop.exchange import from_dlpack


def _warn(name, replacement):
    warnings.warn(f"gpunp.{name} is deprecated; use {replacement}", DeprecationWarning, stacklevel=3)


def in1d(ar1, ar2, assume_unique=False, invert=False):
    """Which elements of an array are in another one, as a 1-d array; `numpy.isin` replaces it."""
    _warn("in1d", "numpy.isin")
    return numpy.isin(asarray(ar1).ravel(), ar2, assume_unique=assume_unique, invert=invert)


def msort(a):
    """A copy of an array sorted along its first axis; `numpy.sort` with ``axis=0`` replaces it."""
    _warn("msort", "numpy.sort(a, axis=0)")
    return numpy.sort(asarray(a), axis=0)


def row_stack(tup, *, dtype=None, casting="same_kind"):
    """Arrays as rows of one array; `numpy.vstack` replaces it."""
    _warn("row_stack", "numpy.vstack")
    return numpy.vstack([asarray(each) for each in tup], dtype=dtype, casting=casting)


def trapz(y, x=None, dx=1.0, axis=-1):
    """Integrate by the trapezoidal rule; `numpy.trapezoid` replaces it."""
    _warn("trapz", "numpy.trapezoid")
    return numpy.trapezoid(asarray(y), x, dx, axis)


def round_(a, decimals=0, out=None):
    """Round to a number of decimals; `numpy.round` replaces it."""
    _warn("round_", "numpy.round")
    return numpy.round(asarray(a), decimals, out)


def asfarray(a, dtype=numpy.float64):
    """An array of floats; `numpy.asarray` with a dtype replaces it."""
    _warn("asfarray", "numpy.asarray(a, dtype)")
    dtype = numpy.dtype(dtype)
    return asarray(a, dtype if dtype.kind in "fc" else numpy.float64)


def fromDlpack(dltensor):
    """An array that shares the memory of a DLPack capsule; `from_dlpack` replaces it."""
    _warn("fromDlpack", "gpunp.from_dlpack")
    return from_dlpack(dltensor)


def scatter_add(a, slices, value):
    """Add values to elements, repeated ones too: ``numpy.add.at(a, slices, value)``.

    Parameters
    ----------
    a : ndarray
        Changed in place.
    slices : index
        Slices, integers, or arrays of indices or booleans.
    value : array_like
        Broadcast to the elements.
    """
    numpy.add.at(a, slices, value)


def scatter_max(a, slices, value):
    """Replace elements by greater values: ``numpy.maximum.at(a, slices, value)``.

    Parameters
    ----------
    a : ndarray
        Changed in place.
    slices : index
        Slices, integers, or arrays of indices or booleans.
    value : array_like
        Broadcast to the elements.
    """
    numpy.maximum.at(a, slices, value)


def scatter_min(a, slices, value):
    """Replace elements by smaller values: ``numpy.minimum.at(a, slices, value)``.

    Parameters
    ----------
    a : ndarray
        Changed in place.
    slices : index
        Slices, integers, or arrays of indices or booleans.
    value : array_like
        Broadcast to the elements.
    """
    numpy.minimum.at(a, slices, value)


def rsqrt(x, out=None):
    """The reciprocal square root of each element, in one fused kernel.

    Parameters
    ----------
    x : array_like
    out : ndarray, optional

    Returns
    -------
    ndarray
        Integers give float64.
    """
    return numpy.divide(1, numpy.sqrt(asarray(x)), out=out)


def byte_bounds(a):
    """The addresses of an array's memory on its device.

    Parameters
    ----------
    a : ndarray

    Returns
    -------
    low, high : int
        Of the first byte, and the one after the last byte.
    """
    low = high = a.data.ptr
    if a.size == 0:
        return low, high
    for extent, stride in zip(a.shape, a.strides, strict=True):
        if stride < 0:
            low += (extent - 1) * stride
        else:
            high += (extent - 1) * stride
    return low, high + a.itemsize


def who(vardict=None):
    """Print the names, shapes, bytes and dtypes of device arrays.

    Parameters
    ----------
    vardict : dict, optional
        Arrays by name; by default the caller's global variables.
    """
    variables = sys._getframe(1).f_globals if vardict is None else vardict
    rows = [("Name", "Shape", "Bytes", "Type")]
    names = {}
    total = 0
    for name, value in variables.items():
        if isinstance(value, ndarray):
            address = value.data.ptr
            if address not in names:
                names[address] = name
                total += value.nbytes
                size = str(value.nbytes)
            else:
                size = f"{value.nbytes} (as {names[address]})"
            rows.append((name, " x ".join(map(str, value.shape)), size, value.dtype.name))
    if len(rows) == 1:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
    print(f"Upper bound on total bytes: {total}")


def is_available():
    """Whether a CUDA device can be used: `gpunp.cuda.is_available`."""
    return cuda.is_available()


def _pinned(shape, dtype, order, value=None):
    if order not in ("C", "F", None):
        raise ValueError(f"order must be 'C' or 'F', not {order!r}")
    shape = (shape,) if not numpy.iterable(shape) else tuple(shape)
    made = cuda.pinned_empty(shape[::-1] if order == "F" else shape, dtype)
    if value is not None:
        made[...] = value
    return made.T if order == "F" else made


def empty_pinned(shape, dtype=float, order="C"):
    """Create an uninitialized NumPy array in page-locked memory.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype_like, optional
    order : {"C", "F"}, optional

    Returns
    -------
    numpy.ndarray
        In ordinary memory on machines without a GPU.
    """
    return _pinned(shape, dtype, order)


def zeros_pinned(shape, dtype=float, order="C"):
    """Create a NumPy array of zeros in page-locked memory; see `empty_pinned`."""
    return _pinned(shape, dtype, order, 0)


def _like(a, dtype, order, shape, value=None):
    a = a if isinstance(a, ndarray) else numpy.asarray(a)
    shape = a.shape if shape is None else shape
    # Another number of axes has no order to keep.
    keeps = order in ("A", "K", None) and a.flags.fnc and numpy.size(shape) == a.ndim
    dtype = a.dtype if dtype is None else dtype
    return _pinned(shape, dtype, "F" if order == "F" or keeps else "C", value)


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """Create an uninitialized NumPy array like another array in page-locked memory; see `empty_pinned`."""
    return _like(a, dtype, order, shape)


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """Create a NumPy array of zeros like another array in page-locked memory; see `empty_pinned`."""
    return _like(a, dtype, order, shape, 0)
