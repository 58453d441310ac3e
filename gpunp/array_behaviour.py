"""The properties of arrays, and the special methods that are implemented in Python."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asnumpy, rebuild
from gpunp.array.flags import Flags
from gpunp.array.scalars import host_scalar
from gpunp.array.views import imaginary_part, matrix_transposed, real_part, reshaped
from gpunp.dispatch.first_use import first_use
from gpunp.ufunc.function_calls import array_function

_construct = first_use("gpunp.array.construct", "construct")
_cuda_array_interface = first_use("gpunp.interop.exchange", "cuda_array_interface")
_flatiter = first_use("gpunp.indexing.flat", "flatiter")
_pointer = first_use("gpunp.array.construct", "Pointer")
_set_flat = first_use("gpunp.indexing.flat", "set_flat")


def _reshaped_view(self, shape):
    """Return the view for an assignment to ``shape``; raise if it needs a copy."""
    view = reshaped(self, shape, "C", None)
    if view.size and view._element_place != self._element_place:
        raise AttributeError(
            "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired "
            "shape."
        )
    return view


def contains(self, value):
    """``value in array``: whether any element equals the value."""
    if self._is_scalar:
        raise TypeError("argument of type 'gpunp.ndarray' is not iterable: it is a scalar")
    return bool((self == value).any())


def _reduce(self):
    """Pickle through the host; scalars as NumPy's, so that they are scalars again."""
    return rebuild, (host_scalar(self) if self._is_scalar else asnumpy(self),)


def _copied(self, memo=None):
    # Scalars never change.
    return self if self._is_scalar else layout.converted(self, order="K")


def reduced_view(self):
    """A view with as few axes as the strides allow, in the order of the elements.

    Returns
    -------
    gpunp.ndarray
        One-dimensional if the array is C-contiguous; the array itself if it has no more than one axis.
    """
    if self.ndim <= 1:
        return self
    if self.flags.c_contiguous:
        return reshaped(self, (self.size,), "C", copy=False)
    shape, strides = [], []
    for extent, stride in zip(self.shape, self.strides, strict=True):
        if extent == 1:
            continue
        if shape and strides[-1] == stride * extent:
            shape[-1], strides[-1] = shape[-1] * extent, stride
        else:
            shape.append(extent)
            strides.append(stride)
    return layout.strided_view(self, shape, strides)


def _scatter(name, does, ufunc):
    def method(self, slices, value):
        # The method `at` of NumPy's ufunc, which comes here.
        ufunc.at(self, slices, value)

    method.__name__ = name
    method.__qualname__ = f"ndarray.{name}"
    method.__doc__ = f"""{does}, repeated ones too: ``numpy.{ufunc.__name__}.at(array, slices, value)``.

    Parameters
    ----------
    slices : index
        Slices, integers, or arrays of indices or booleans.
    value : array_like
        Broadcast to the elements.
    """
    return method


def _of_a_number(name):
    """Return a property for an attribute that scalars of some dtypes have, and arrays lack."""

    def attribute(self):
        if not self._is_scalar or not hasattr(self.dtype.type, name):
            raise AttributeError(f"'gpunp.ndarray' object has no attribute {name!r}")
        return getattr(host_scalar(self), name)

    return property(attribute, doc=f"`{name}` of the number of a scalar; waits for the device.")


def _refuse_scalar(self, name):
    if self._is_scalar:
        raise AttributeError(
            f"attribute {name!r} of a scalar is not writable; gpunp.asarray(scalar) is an array"
        )


def _set_real(self, value):
    _refuse_scalar(self, "real")
    real_part(self)[...] = value


def _set_imag(self, value):
    _refuse_scalar(self, "imag")
    if self.dtype.kind != "c":
        raise TypeError("array does not have imaginary part to set")
    imaginary_part(self)[...] = value


PROPERTIES = {
    "data": property(_pointer, doc="The device memory of the first element; `data.ptr` is its address."),
    "flags": property(Flags, doc="The memory layout, such as `c_contiguous` and `writeable`."),
    "flat": property(_flatiter, _set_flat, doc="The elements in C order, as an iterator that takes indices."),
    "mT": property(matrix_transposed, doc=matrix_transposed.__doc__),
    "real": property(real_part, _set_real, doc="The real parts as a view; the array itself if it is real."),
    "imag": property(
        imaginary_part, _set_imag, doc="The imaginary parts as a view; zeros if the array is real."
    ),
    "__cuda_array_interface__": property(
        _cuda_array_interface, doc="Pointer, shape and strides for other CUDA libraries; CUDA devices only."
    ),
}

# Methods that programs know from other libraries.
PROPERTIES["reduced_view"] = reduced_view
for _name, _does, _ufunc in (
    ("scatter_add", "Add values to elements", numpy.add),
    ("scatter_max", "Replace elements by greater values", numpy.maximum),
    ("scatter_min", "Replace elements by smaller values", numpy.minimum),
):
    PROPERTIES[_name] = _scatter(_name, _does, _ufunc)

for _name in ("as_integer_ratio", "bit_count", "denominator", "hex", "is_integer", "numerator"):
    PROPERTIES[_name] = _of_a_number(_name)

# Implementations of the special methods that need Python.
BEHAVIOUR = {
    "reshaped_view": _reshaped_view,
    "construct": _construct,
    "__array__": first_use("gpunp.array.implicit", "host_array"),
    "__array_function__": array_function,
    "__contains__": contains,
    "__repr__": first_use("gpunp.io.printing", "array_repr"),
    "__str__": first_use("gpunp.io.printing", "array_str"),
    "__format__": first_use("gpunp.io.printing", "format_array"),
    "__reduce__": _reduce,
    "__copy__": _copied,
    "__deepcopy__": _copied,
}
