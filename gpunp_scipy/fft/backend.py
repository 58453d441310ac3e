"""The uarray protocol of ``scipy.fft``, and the backend that gpunp registers."""

import sys

import gpunp
from gpunp_scipy.routing.switch import is_suspended

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


class Registered:
    """The backend of programs that set none."""

    __ua_domain__ = __ua_domain__

    @staticmethod
    def __ua_convert__(dispatchables, coerce):
        """Accept calls with a device array, unless `gpunp_scipy.disable` or `disabled` was called."""
        return NotImplemented if is_suspended() else __ua_convert__(dispatchables, coerce)

    __ua_function__ = staticmethod(__ua_function__)


def register():
    """Register with ``scipy.fft``, which is imported."""
    sys.modules["scipy.fft"].register_backend(Registered)
