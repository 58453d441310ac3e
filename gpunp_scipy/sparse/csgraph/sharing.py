"""SciPy's functions of graphs on the memory of the CPU device: what is searched there is not copied."""

import functools

import numpy
import scipy.sparse
from scipy.sparse import csgraph

from gpunp_scipy.sparse import classes
from gpunp_scipy.sparse.methods import DeviceSparse
from gpunp_scipy.sparse.sharing import device_of_host, host_of


def shared(value):
    """A host array, dense or sparse, over the memory of one of the CPU device; any other value itself."""
    if isinstance(value, DeviceSparse):
        made = object.__new__(value.scipy_class)
        vars(made).update({name: _part(part) for name, part in value._state().items()})
        return made
    value = host_of(value)
    # SciPy's search of all paths at once leaves dense graphs in Fortran's order as they are.
    return numpy.ascontiguousarray(value) if isinstance(value, numpy.ndarray) and value.ndim == 2 else value


def _part(value):
    return tuple(map(_part, value)) if isinstance(value, (tuple, list)) else host_of(value)


def wrapped(value, device):
    """What `shared` does, undone: arrays of results belong to the device, without a copy where possible."""
    if scipy.sparse.issparse(value):
        made = object.__new__(classes._derived(type(value)))
        vars(made).update({name: device_of_host(part, device) for name, part in vars(value).items()})
        return made
    if isinstance(value, tuple):
        return tuple(wrapped(each, device) for each in value)
    if hasattr(value, "flow_value"):
        value.flow = wrapped(value.flow, device)
    return device_of_host(value, device)


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
