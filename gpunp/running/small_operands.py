"""Small host arrays that meet device arrays again and again are uploaded once, until they are changed.

An upload of a few numbers takes as long as a kernel on a large array. Programs have such operands in their
loops: weights, bounds, the coefficients of a formula.
"""

import weakref

import numpy

from gpunp.array.convert import asarray
from gpunp.device import get_device
from gpunp.dispatch.policy import check_host_operand
from gpunp.ufunc import operands

# Comparing so many bytes takes less than a tenth of an upload.
MOST_BYTES = 4096
_MOST_ARRAYS = 256
# Arrays seen once, and those that are on the device, by the address of the object.
_seen = {}
_kept = {}


def _state(host):
    return host.dtype, host.shape, host.tobytes()


def operand(value, device=None):
    """Convert an operand of a ufunc to a device array, which nobody writes.

    Parameters
    ----------
    value : array_like
    device : Device, optional

    Returns
    -------
    ndarray
    """
    if type(value) is not numpy.ndarray or value.nbytes > MOST_BYTES:
        return asarray(value, device=device)
    key = id(value)
    found = _kept.get(key)
    if found is not None:
        reference, state, array = found
        # Written since, or another array at the same address.
        if reference() is value and array.device is get_device(device) and state == _state(value):
            return array
        del _kept[key]
    array = asarray(value, device=device)
    reference = _seen.pop(key, None)
    if reference is not None and reference() is value:
        if len(_kept) >= _MOST_ARRAYS:
            del _kept[next(iter(_kept))]
        _kept[key] = reference, _state(value), array
    else:
        if len(_seen) >= _MOST_ARRAYS:
            _seen.clear()
        _seen[key] = weakref.ref(value)
    return array


def start():
    """Keep operands from now on."""
    operands.install(operand, check_host_operand)


def stop():
    """Upload operands at each call again."""
    operands.install(asarray, check_host_operand)
    _seen.clear()
    _kept.clear()
