"""NumPy's functions that take distributed arrays."""

import numpy

from gpunp.distributed.array.core import DistributedArray
from gpunp.distributed.array.transforms import ONE_AXIS, SEVERAL_AXES, transform

_METHODS = {
    numpy.sum: "sum",
    numpy.prod: "prod",
    numpy.max: "max",
    numpy.amax: "max",
    numpy.min: "min",
    numpy.amin: "min",
    numpy.mean: "mean",
    numpy.any: "any",
    numpy.all: "all",
}
_ATTRIBUTES = {numpy.shape: "shape", numpy.ndim: "ndim"}
_POSITIONS = {
    "sum": ("axis", "dtype", "out", "keepdims"),
    "prod": ("axis", "dtype", "out", "keepdims"),
    "mean": ("axis", "dtype", "out", "keepdims"),
}
_USUAL = ("axis", "out", "keepdims")


def call_function(function, args, kwargs):
    """The ``__array_function__`` of distributed arrays."""
    name = f"np.{function.__name__}"
    if function in _ATTRIBUTES:
        return getattr(args[0] if args else kwargs["a"], _ATTRIBUTES[function])
    if function is numpy.size:
        return _size(*args, **kwargs)
    if function in ONE_AXIS or function in SEVERAL_AXES:
        return transform(function, args, kwargs)
    if function not in _METHODS:
        raise TypeError(
            f"{name} is not supported for a DistributedArray; use it on the arrays of all_chunks(), or on "
            "get()"
        )
    method = _METHODS[function]
    array, *positional = args if args else (kwargs.pop("a"),)
    options = dict(zip(_POSITIONS.get(method, _USUAL), positional, strict=False)) | kwargs
    options = {key: value for key, value in options.items() if value is not numpy._NoValue}
    for key in set(options) - {"axis", "dtype", "out", "keepdims"}:
        raise TypeError(f"{name}: {key} is not supported for a DistributedArray")
    return getattr(array, method)(**options)


def _size(a, axis=None):
    if not isinstance(a, DistributedArray):
        raise TypeError("np.size: axis must be an integer, not a DistributedArray")
    return a.size if axis is None else a.shape[axis]
