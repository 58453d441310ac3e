"""SciPy's compiled functions on the memory of the CPU device, which is not copied."""

import functools

import numpy
from scipy.sparse import _sparsetools

import gpunp
from gpunp.array import transfer
from gpunp.array.operands import device_of


def uses_scipy(device):
    """Whether SciPy's compiled functions compute on a device."""
    return device.is_cpu


def host_of(value):
    """A host array over the memory of an array of the CPU device; of other values, the value itself."""
    if type(value) is not gpunp.ndarray:
        return value
    return value.item() if value._is_scalar else transfer.host_view(value)


def _is_view_of_device(array):
    while isinstance(array.base, numpy.ndarray):
        array = array.base
    return array.base is not None


def device_of_host(value, device):
    """An array of the CPU device over a new host array; of other values, the value itself."""
    if isinstance(value, tuple):
        return tuple(device_of_host(each, device) for each in value)
    if not isinstance(value, numpy.ndarray):
        return value
    if not value.size or not value.ndim or _is_view_of_device(value) or not value.flags.c_contiguous:
        return gpunp.asarray(value.copy(), device=device)
    return transfer.wrap_host(value, device)


def shared(name, function):
    """A function of the module that stands in for ``_sparsetools``: on the CPU device, SciPy's one runs."""
    scipys = getattr(_sparsetools, name, None)
    if scipys is None:
        # This release has no such function.
        return function

    @functools.wraps(function)
    def call(*args):
        device = device_of(*args)
        if device is None or not uses_scipy(device):
            return function(*args)
        return device_of_host(scipys(*map(host_of, args)), device)

    return call
