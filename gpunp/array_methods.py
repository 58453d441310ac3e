"""The methods of arrays that are implemented in Python.

A method named like a NumPy function calls that function's handler with the array as the first argument.
Chapters are imported when one of their methods is first called.
"""

import math
import operator
import pickle
import sys
import types
import warnings

import numpy

from gpunp.array import layout
from gpunp.array.arguments import strict_integer
from gpunp.array.convert import asnumpy, joined, on_stream, set_values
from gpunp.array.dtype import as_dtype
from gpunp.array.method_docstrings import complete
from gpunp.array.ndarray import ndarray
from gpunp.array.views import plain_view, reinterpreted, reshaped, transposed
from gpunp.device import get_device
from gpunp.dispatch.first_use import first_use
from gpunp.dispatch.registry import NAMESPACE, SHORT_FUNCTIONS, find_by_name
from gpunp.interop.dlpack import exchange_table

_array_namespace = first_use("gpunp.interop.array_api", "array_namespace")
_array_to_device = first_use("gpunp.interop.exchange", "array_to_device")
_convert_dtype = first_use("gpunp.manipulation.copying", "convert_dtype")
_dlpack_device = first_use("gpunp.interop.exchange", "dlpack_device")
_export = first_use("gpunp.interop.exchange", "export")
_fill = first_use("gpunp.creation.filled", "fill")
_partition_in_place = first_use("gpunp.sorting.partition", "partition_in_place")
_resize_in_place = first_use("gpunp.manipulation.elements", "resize_in_place")
_sort_in_place = first_use("gpunp.sorting.sort", "sort_in_place")
_swap_bytes = first_use("gpunp.manipulation.copying", "swap_bytes")

# Methods that call a function with the array as first argument, and their other parameters.
_FUNCTIONS = {
    "all": "axis out keepdims where",
    "any": "axis out keepdims where",
    "argmax": "axis out keepdims",
    "argmin": "axis out keepdims",
    "argpartition": "kth axis kind order",
    "argsort": "axis kind order stable descending",
    "cumprod": "axis dtype out",
    "cumsum": "axis dtype out",
    "diagonal": "offset axis1 axis2",
    "dot": "b out",
    "max": "axis out keepdims initial where",
    "mean": "axis dtype out keepdims where",
    "min": "axis out keepdims initial where",
    "nonzero": "",
    "prod": "axis dtype out keepdims initial where",
    "ravel": "order",
    "repeat": "repeats axis",
    "round": "decimals out",
    "searchsorted": "v side sorter",
    "squeeze": "axis",
    "std": "axis dtype out ddof keepdims where mean correction",
    "sum": "axis dtype out keepdims initial where",
    "swapaxes": "axis1 axis2",
    "take": "indices axis out mode",
    "trace": "offset axis1 axis2 dtype out",
    "var": "axis dtype out ddof keepdims where mean correction",
}


def _delegate(name):
    function = None

    def method(self, *args, **kwargs):
        nonlocal function
        if function is None:
            # Short functions need the handler, too. Without one, NumPy's raises, or falls back as configured.
            function = SHORT_FUNCTIONS.get(method.__wrapped__, find_by_name(name) or method.__wrapped__)
        return function(self, *args, **kwargs)

    method.__name__, method.__qualname__ = name, f"ndarray.{name}"
    method.__doc__ = f"`numpy.{name}` of this array."
    method.__wrapped__ = getattr(numpy, name)  # help() shows its signature
    return method


def choose(self, *choices, out=None, mode="raise"):
    """`numpy.choose` with this array; the choices are one sequence or separate arguments."""
    return NAMESPACE["choose"](self, choices[0] if len(choices) == 1 else choices, out, mode)


def clip(self, min=None, max=None, out=None, **kwargs):
    """`numpy.clip` of this array."""
    return NAMESPACE["clip"](self, min, max, out, **kwargs)


def compress(self, condition, axis=None, out=None):
    """`numpy.compress` of this array."""
    return NAMESPACE["compress"](condition, self, axis, out)


def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """A copy with the elements converted; see `numpy.ndarray.astype`."""
    return _convert_dtype(self, dtype, order, casting, subok, copy)


def byteswap(self, inplace=False):
    """The elements with their bytes in reverse order; see `numpy.ndarray.byteswap`."""
    return _swap_bytes(self, inplace)


def conj(self, out=None, /):
    """The complex conjugate; see `numpy.conjugate`."""
    if out is None:
        return numpy.conjugate(self) if self.dtype.kind == "c" else self
    return numpy.conjugate(self, out=out)


def conjugate(self, out=None, /):
    """The complex conjugate; see `numpy.conjugate`."""
    return conj(self, out)


def copy(self, order="C"):
    """A copy on the same device; see `numpy.ndarray.copy`."""
    made = layout.converted(self, order="C" if order is None else order)
    return made._mark_scalar() if self._is_scalar else made


def dump(self, file, protocol=2):
    """Write a pickle of the array to a file or path."""
    if hasattr(file, "write"):
        pickle.dump(self, file, protocol=protocol)
    else:
        with open(file, "wb") as stream:
            pickle.dump(self, stream, protocol=protocol)


def dumps(self, protocol=2):
    """The pickle of the array as bytes."""
    return pickle.dumps(self, protocol=protocol)


def fill(self, value):
    """Write one value everywhere; see `numpy.ndarray.fill`."""
    if not self.flags.writeable:
        raise ValueError("assignment destination is read-only")
    value = joined(value)
    if isinstance(value, ndarray):
        if value.ndim:
            raise ValueError("setting an array element with a sequence.")
    else:
        # Convert the value as an assignment to one element does.
        cell = numpy.empty(1, self.dtype)
        with numpy.errstate(all="ignore"):
            cell[0] = value
        value = cell[0]
    _fill(self, value)


def flatten(self, order="C"):
    """A 1-d copy; see `numpy.ndarray.flatten`."""
    if order in ("K", "k"):
        return layout.converted(NAMESPACE["ravel"](self, "K"), order="C")
    return reshaped(self, (self.size,), order, copy=True)


def get(self, stream=None, order="K", out=None, blocking=True):
    """A host copy, as by `gpunp.asnumpy`."""
    return asnumpy(self, stream, order, out, blocking=blocking)


def getfield(self, dtype, offset=0):
    """A view of some bytes of each element as another dtype; see `numpy.ndarray.getfield`."""
    dtype = as_dtype(dtype)
    if offset < 0:
        raise ValueError("offset is negative")
    if dtype.itemsize > self.itemsize:
        raise ValueError("new type is larger than original type")
    if offset + dtype.itemsize > self.itemsize:
        raise ValueError("new type plus offset is larger than original type")
    if offset % dtype.itemsize:
        raise ValueError(
            f"getfield: offset {offset} is not a multiple of the {dtype.itemsize} bytes of {dtype}; device "
            "memory is read in whole elements"
        )
    # An added last axis of length one can be reinterpreted for any strides.
    parts = reinterpreted(self[..., None], dtype)
    part = parts[..., offset // dtype.itemsize]
    return part._mark_scalar() if self._is_scalar else part


def setfield(self, val, dtype, offset=0):
    """Write values into some bytes of each element; see `numpy.ndarray.setfield`."""
    getfield(self, dtype, offset)[...] = val


def set(self, arr, stream=None):
    """Overwrite the elements with those of a host array of the same shape, on a CUDA stream."""
    if stream is None:
        set_values(self, arr)
    else:
        with on_stream(stream):
            set_values(self, arr)


def toDlpack(self):
    """A DLPack capsule that shares the memory; `gpunp.from_dlpack` of the array replaces it."""
    warnings.warn(
        "ndarray.toDlpack is deprecated; pass the array itself to from_dlpack",
        DeprecationWarning,
        stacklevel=2,
    )
    return dlpack_export(self)


def item(self, *args):
    """One element as a Python scalar; see `numpy.ndarray.item`."""
    if len(args) == 1 and isinstance(args[0], tuple):
        args = args[0]
    if not args:
        return self._scalar_item()
    if len(args) == 1:
        index = strict_integer(args[0])
        if not -self.size <= index < self.size:
            raise IndexError(f"index {index} is out of bounds for size {self.size}")
        args = (index,) if self.ndim == 1 else numpy.unravel_index(index % self.size, self.shape)
    elif len(args) != self.ndim:
        raise ValueError("incorrect number of indices for array")
    return self[tuple(strict_integer(index) for index in args)]._scalar_item()


def partition(self, kth, axis=-1, kind="introselect", order=None):
    """Partition the array in place; see `numpy.ndarray.partition`."""
    _partition_in_place(self, kth, axis, kind, order)


def resize(self, *new_shape, refcheck=True):
    """Change shape and size in place, with zeros where it grows; see `numpy.ndarray.resize`.

    References are not checked: existing views keep the old memory.
    """
    if not new_shape or new_shape[0] is None:
        return
    if len(new_shape) == 1 and not layout.is_integer(new_shape[0]):
        new_shape = tuple(new_shape[0])
    _resize_in_place(self, new_shape)


def put(self, indices, values, mode="raise"):
    """`numpy.put` into this array."""
    NAMESPACE["put"](self, indices, values, mode)


def reshape(self, *shape, order="C", copy=None):
    """The same elements in another shape; see `numpy.ndarray.reshape`."""
    if len(shape) == 1:
        shape = shape[0]
    elif not shape:
        raise TypeError("reshape: the shape is missing; give integers or a tuple, () for no dimensions")
    return reshaped(self, shape, order, copy)


def setflags(self, write=None, align=None, uic=None):
    """Set whether the array may be written to; see `numpy.ndarray.setflags`."""
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is not None:
        self.flags.writeable = write


def sort(self, axis=-1, kind=None, order=None, *, stable=None, descending=None):
    """Sort the array in place, stably; see `numpy.ndarray.sort`."""
    _sort_in_place(self, axis, kind, order, stable=stable, descending=descending)


def to_numpy(self):
    """A host copy, as by `gpunp.asnumpy`; xarray and Matplotlib call this method."""
    return asnumpy(self)


def inline_repr(self, max_width):
    """Text for xarray's table of variables: a single value, or else the device, without a download."""
    text = str(self.item()) if self.size == 1 else f"gpunp.ndarray<{self.device}>"
    return text[:max_width]


def tobytes(self, order="C"):
    """The elements as bytes; see `numpy.ndarray.tobytes`."""
    return asnumpy(self).tobytes(order)


def _bytes(self):
    """``bytes(x)``: the elements; for a zero-dimensional integer that many zero bytes, as in Python."""
    return bytes(operator.index(self)) if self.ndim == 0 and self.dtype.kind in "iu" else tobytes(self)


def tofile(self, fid, sep="", format="%s"):
    """Write the elements to a file; see `numpy.ndarray.tofile`."""
    asnumpy(self).tofile(fid, sep, format)


def tolist(self):
    """The elements as nested lists of Python scalars."""
    return asnumpy(self).tolist()


def transpose(self, *axes):
    """Axes in another order; see `numpy.ndarray.transpose`."""
    if len(axes) == 1 and not layout.is_integer(axes[0]):
        return transposed(self, axes[0] if axes[0] is None else tuple(axes[0]))
    return transposed(self, axes or None)


def view(self, dtype=numpy._NoValue, type=None):
    """The same memory as another array object or another dtype; see `numpy.ndarray.view`."""
    kind = dtype if numpy.ndarray in getattr(dtype, "__mro__", ()) else type
    if kind not in (None, ndarray, numpy.ndarray):
        raise ValueError(f"view: type must be gpunp.ndarray, which has no subclasses, not {kind!r}")
    if dtype is numpy._NoValue or dtype in (ndarray, numpy.ndarray):
        return plain_view(self)
    if not (wanted := numpy.dtype(dtype)).isnative:
        raise TypeError(f"view: dtype {wanted} is not in native byte order")
    return reinterpreted(self, wanted)


def array_to_device(self, device, /, *, stream=None):
    """Return a copy of the array on another device, or the array itself if it is already there.

    Parameters
    ----------
    device : Device or str
    stream : gpunp.cuda.Stream, object with ``__cuda_stream__`` or int, optional
        The CUDA stream on which the copy is queued, on the target if that is a CUDA device, else on the
        array's device; by default the current one. A copy to the host is complete when the call returns.

    Returns
    -------
    gpunp.ndarray
    """
    return _array_to_device(self, device, stream=stream)


def array_namespace(self, /, *, api_version=None):
    """The gpunp module, for every published revision of the array API standard.

    If the array is not on the current device, the module's functions create arrays on the array's device.
    """
    if api_version is None and self.device is get_device():
        return sys.modules["gpunp"]
    return _array_namespace(self, api_version=api_version)


def dlpack_export(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
    """Return a DLPack capsule of the array; see `gpunp.interop.exchange.export`."""
    return _export(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def dlpack_device(self):
    """Return the device type and index in DLPack's numbering."""
    return _dlpack_device(self)


def _round_number(self, ndigits=None):
    """``round(x)`` where NumPy would have a scalar: a Python integer, or with ``ndigits`` an array."""
    _check_number(self, "__round__")
    return round(self.item()) if ndigits is None else NAMESPACE["round"](self, operator.index(ndigits))


def _truncate_number(self):
    """``math.trunc(x)`` where NumPy would have a scalar: a Python integer."""
    _check_number(self, "__trunc__")
    return math.trunc(self.item())


def _check_number(array, method):
    if array.ndim or array.dtype.kind in "bc":
        raise TypeError(
            f"type ndarray doesn't define {method} method for shape {array.shape} and dtype {array.dtype}"
        )


METHODS = {name: _delegate(name) for name in _FUNCTIONS}
METHODS.update(
    {
        function.__name__: function
        for function in (
            astype,
            byteswap,
            choose,
            clip,
            compress,
            conj,
            conjugate,
            copy,
            dump,
            dumps,
            fill,
            flatten,
            get,
            getfield,
            item,
            partition,
            put,
            reshape,
            resize,
            set,
            setfield,
            setflags,
            sort,
            toDlpack,
            to_numpy,
            tobytes,
            tofile,
            tolist,
            transpose,
            view,
        )
    }
)
complete(METHODS, _FUNCTIONS)
METHODS["__bytes__"] = _bytes
METHODS["__round__"] = _round_number
METHODS["__trunc__"] = _truncate_number
METHODS["to_device"] = array_to_device
METHODS["_repr_inline_"] = inline_repr
METHODS["__array_namespace__"] = array_namespace
METHODS["__dlpack__"] = dlpack_export
METHODS["__dlpack_device__"] = dlpack_device
METHODS["__dlpack_c_exchange_api__"] = exchange_table
METHODS["__class_getitem__"] = classmethod(types.GenericAlias)
