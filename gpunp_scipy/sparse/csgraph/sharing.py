"""SciPy's functions on the memory of the CPU device: what is searched there is not copied."""

import functools
import types

import numpy
import scipy.sparse
from scipy.sparse import csgraph

import gpunp
from gpunp.array import transfer
from gpunp_scipy.sparse import classes
from gpunp_scipy.sparse.methods import DeviceSparse


def shared(value):
    """A host array, dense or sparse, over the memory of one of the CPU device; any other value itself."""
    if isinstance(value, DeviceSparse):
        made = object.__new__(value.scipy_class)
        vars(made).update({name: _part(part) for name, part in value._state().items()})
        return made
    if isinstance(value, gpunp.ndarray):
        return value.item() if value._is_scalar else transfer.host_view(value)
    return value


def _part(value):
    return tuple(map(_part, value)) if isinstance(value, tuple) else shared(value)


def _is_view_of_device(array):
    while isinstance(array.base, numpy.ndarray):
        array = array.base
    return not isinstance(array.base, types.NoneType)


def wrapped(value, device):
    """What `shared` does, undone: arrays of results belong to the device, without a copy where possible."""
    if isinstance(value, numpy.ndarray):
        if not value.ndim or _is_view_of_device(value) or not value.flags.c_contiguous:
            return gpunp.asarray(value.copy(), device=device)
        return transfer.wrap_host(value, device)
    if scipy.sparse.issparse(value):
        made = object.__new__(classes._derived(type(value)))
        vars(made).update({name: _wrapped_part(part, device) for name, part in vars(value).items()})
        return made
    if isinstance(value, tuple):
        return tuple(wrapped(each, device) for each in value)
    if hasattr(value, "flow_value"):
        value.flow = wrapped(value.flow, device)
    return value


def _wrapped_part(value, device):
    if isinstance(value, tuple):
        return tuple(_wrapped_part(each, device) for each in value)
    return wrapped(value, device) if isinstance(value, numpy.ndarray) else value


def on_cpu(function):
    """Have a function of graphs run SciPy's function of the same name where arrays are on the CPU device.

    The function itself, for other devices, is the ``__wrapped__`` of the result.
    """
    scipys = getattr(csgraph, function.__name__)

    @functools.wraps(function)
    def call(*args, **kwargs):
        device = classes.device_of_parts(*args, *kwargs.values())
        with device:
            if not device.is_cpu:
                return function(*args, **kwargs)
            kwargs = {name: shared(value) for name, value in kwargs.items()}
            return wrapped(scipys(*map(shared, args), **kwargs), device)

    return call
