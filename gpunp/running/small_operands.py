"""Host arrays that meet device arrays again and again are uploaded once, until they are changed.

An upload of a few numbers takes as long as a kernel on a large array. Programs have such operands in their
loops: weights, bounds, the coefficients of a formula.
"""

import time
import weakref

import numpy

from gpunp.array.convert import asarray
from gpunp.device import get_device
from gpunp.dispatch.policy import check_host_operand
from gpunp.running import counting
from gpunp.running.mirrors import has_bytes
from gpunp.ufunc import operands

# Comparing so many bytes takes less than a tenth of an upload, and of the most less than a half.
_FEW_BYTES, MOST_BYTES = 4096, 2**19
# The uploads after which arrays are kept: those with few bytes, others, and others after a change.
_TIMES_OF_SMALL, _TIMES, _TIMES_OF_CHANGED = 2, 4, 32
_MOST_ARRAYS = 256
# By the address of the object: arrays and how often they must come until they are kept, and those that are.
_seen = {}
_kept = {}


class _Kept:
    """An array that is on the device, and what it was when it was uploaded."""

    def __init__(self, host, reference, device):
        self.reference = reference
        # Read before the upload: what another thread writes meanwhile makes a difference at the next use.
        self.dtype, self.shape, self.bytes = host.dtype, host.shape, host.tobytes()
        self.array = asarray(host, device=device)

    def is_of(self, host, device):
        """Whether it is what an array is now, on a device."""
        if self.reference() is not host or self.array.device is not get_device(device):
            return False
        if host.dtype != self.dtype or host.shape != self.shape:
            return False
        return has_bytes(host, self.bytes) if host.flags.c_contiguous else host.tobytes() == self.bytes


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
    is_small = value.nbytes <= _FEW_BYTES
    if not is_small and not value.flags.c_contiguous:
        return asarray(value, device=device)
    key, times = id(value), _TIMES_OF_SMALL if is_small else _TIMES
    found = _kept.get(key)
    if found is not None:
        if found.is_of(value, device):
            return found.array
        _kept.pop(key, None)
        if not is_small and found.reference() is value:
            times = _TIMES_OF_CHANGED
    reference, left = _seen.pop(key, (None, times))
    if reference is None or reference() is not value:
        reference, left = weakref.ref(value), times
    if left > 1:
        if len(_seen) >= _MOST_ARRAYS:
            _seen.clear()
        _seen[key] = reference, left - 1
        return asarray(value, device=device)
    started = time.perf_counter()
    while len(_kept) >= _MOST_ARRAYS:
        _kept.pop(next(iter([*_kept])), None)
    _kept[key] = kept = _Kept(value, reference, device)
    counting.count("kept on the device", "", value.nbytes, time.perf_counter() - started)
    return kept.array


def start():
    """Keep operands from now on."""
    operands.install(operand, check_host_operand)


def stop():
    """Upload operands at each call again."""
    operands.install(asarray, check_host_operand)
    _seen.clear()
    _kept.clear()
