"""The uarray protocol of ``scipy.fft``, and the registration of this backend."""

import sys

import gpunp
from gpunp.interop._on_import import finder

__ua_domain__ = "numpy.scipy.fft"


def __ua_convert__(dispatchables, coerce):
    """Accept calls with a device array; with ``coerce``, convert the arguments of every call."""
    values = [each.value for each in dispatchables]
    if coerce:
        return [value if isinstance(value, gpunp.ndarray) else gpunp.asarray(value) for value in values]
    if any(isinstance(value, gpunp.ndarray) for value in values):
        return values
    return NotImplemented


def __ua_function__(method, args, kwargs):
    """Call the function of the same name."""
    from gpunp_scipy import fft

    function = getattr(fft, method.__name__, None)
    return NotImplemented if function is None else function(*args, **kwargs)


def _register():
    from gpunp_scipy import fft

    sys.modules["scipy.fft"].register_backend(fft)


def register():
    """Register with ``scipy.fft``: at once if it is imported, otherwise after its import."""
    finder.add("scipy.fft", _register)
