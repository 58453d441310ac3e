"""Frequency responses of filters: SciPy's code, with coefficients and frequencies on one device."""

import inspect

import numpy
import scipy.signal

import gpunp
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.rebinding import Rebound, public


def _has_dimensions(value):
    # numpy.ndim would ask for the elements of a list, which may be scalars of the device.
    return isinstance(value, list | tuple) or getattr(value, "ndim", 0) > 0


def _uploaded(value, device):
    """An argument with its arrays and lists on a device; numbers, also those in arrays, stay."""
    if type(value) is tuple and any(_has_dimensions(each) for each in value):
        # A numerator and a denominator.
        return tuple(_uploaded(each, device) for each in value)
    if isinstance(value, numpy.ndarray | list | tuple) and _has_dimensions(value):
        return gpunp.asarray(value, device=device)
    return value


def _response(name, code=None):
    """SciPy's function of a name, or a copy of it with other globals, on uploaded arguments."""
    scipys = getattr(scipy.signal, name)
    # Not the function that SciPy's array API mode wraps around it, which calls it with its hook.
    bare = inspect.unwrap(scipys)

    def respond(*args, **kwargs):
        device = device_of(*args, *kwargs.values(), nested=True)
        kwargs = {key: _uploaded(value, device) for key, value in kwargs.items()}
        function = hooks.original(bare) if code is None else code[name]
        return function(*(_uploaded(value, device) for value in args), **kwargs)

    return public(respond, scipys, __name__)


freqs = _response("freqs")
freqs_zpk = _response("freqs_zpk")
freqz = _response("freqz")
freqz_sos = _response("freqz_sos")
freqz_zpk = _response("freqz_zpk")
sosfreqz = _response("sosfreqz")
# It names the frequencies at which it is singular: they must be where the mask of these is.
group_delay = _response("group_delay", Rebound("scipy.signal._filter_design", {}))
