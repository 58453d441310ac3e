"""Indexing with arrays: what basic indexing hands over."""

import numpy

from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.dispatch import policy
from gpunp.dispatch.function_protocol import run_on_host, unhandled
from gpunp.indexing.where import write_where


def _describe(key):
    if isinstance(key, tuple):
        return "(" + ", ".join(map(_describe, key)) + ")"
    if isinstance(key, ndarray):
        return f"a device array of {key.dtype}"
    return "a slice" if isinstance(key, slice) else type(key).__name__


def advanced_get(array, key):
    """Not handled yet: an error, or NumPy on host copies as ``config.fallback`` has it."""
    return run_on_host(
        lambda host, index: host[index], (array, key), {}, array.device, f"indexing with {_describe(key)}"
    )


def advanced_set(array, key, value):
    """Assignment of one value through a boolean mask of the array's shape; other keys are not handled."""
    mask = key[0] if isinstance(key, tuple) and len(key) == 1 else key
    if isinstance(mask, numpy.ndarray | list):
        mask = asarray(mask, device=array.device)
    single = value.size == 1 if isinstance(value, ndarray) else numpy.size(value) == 1
    if isinstance(mask, ndarray) and mask.dtype == numpy.bool_ and mask.shape == array.shape and single:
        if isinstance(value, ndarray):
            value = value.reshape(())
        else:
            cell = numpy.empty((), array.dtype)
            cell[()] = numpy.asarray(value).reshape(()) if numpy.ndim(value) else value
            value = cell[()]
        write_where(array, mask, value)
        return
    name = f"assignment by {_describe(key)}"
    if policy.config.fallback == "error":
        raise unhandled(name)

    def assign(host, index, values):
        host[index] = values

    run_on_host(assign, (array, key, value), {}, array.device, name, in_place=True)
