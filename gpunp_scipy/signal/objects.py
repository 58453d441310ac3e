"""Constructors of SciPy's classes of signal processing: their windows and coefficients stay on the host.

These are few numbers, which a device array is copied for. The methods take signals on the device.
"""

import inspect

import scipy.signal

from gpunp_scipy.signal.design import on_host


def _constructor(cls, name):
    found = inspect.getattr_static(cls, name)
    scipys = getattr(found, "__func__", found)

    def construct(self, *args, **kwargs):
        kwargs = {key: on_host(value) for key, value in kwargs.items()}
        return scipys(self, *map(on_host, args), **kwargs)

    construct.__name__ = name
    construct.__doc__ = f"Call `scipy.signal.{cls.__name__}.{name}` with coefficients on the host."
    return construct


short_time_fft = _constructor(scipy.signal.ShortTimeFFT, "__init__")
from_dual = _constructor(scipy.signal.ShortTimeFFT, "from_dual")
from_win_equals_dual = _constructor(scipy.signal.ShortTimeFFT, "from_win_equals_dual")
from_window = _constructor(scipy.signal.ShortTimeFFT, "from_window")
state_space = _constructor(scipy.signal.StateSpace, "__init__")
transfer_function = _constructor(scipy.signal.TransferFunction, "__init__")
zeros_poles_gain = _constructor(scipy.signal.ZerosPolesGain, "__init__")
