"""Filters forwards and backwards, and others that SciPy composes from them: its code with our filters."""

import numpy
import scipy.signal

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp_scipy.rebinding import NUMPY, Rebound, array_namespace
from gpunp_scipy.signal import convolution, filtering, fir, transforms


class _Linalg:
    """``scipy.linalg`` as these functions use it."""

    @staticmethod
    def lstsq(a, b):
        """Least squares, as NumPy computes them."""
        return numpy.linalg.lstsq(a, b, rcond=None)


def _lfilter_zi(b, a):
    return scipy.signal.lfilter_zi(fetched(b), fetched(a))


def _validate_sos(sos):
    from scipy.signal._filter_design import _validate_sos as validate

    return validate(fetched(sos))


def _validate_x(x):
    if x.ndim == 0:
        raise ValueError("x must be at least 1-D")
    return x


EXTENSIONS = Rebound("scipy.signal._arraytools", {})
_CODE = Rebound(
    "scipy.signal._signaltools",
    {
        "_validate_sos": _validate_sos,
        "_validate_x": _validate_x,
        "array_namespace": array_namespace,
        "convolve": convolution.convolve,
        "correlate": convolution.correlate,
        "lfilter": filtering.lfilter,
        "lfilter_zi": _lfilter_zi,
        "linalg": _Linalg,
        "np": NUMPY,
        "sosfilt": filtering.sosfilt,
        # On the host.
        "sosfilt_zi": scipy.signal.sosfilt_zi,
        "sp_fft": transforms,
        "upfirdn": fir.upfirdn,
        **{
            name: EXTENSIONS[name]
            for name in ("axis_reverse", "axis_slice", "const_ext", "even_ext", "odd_ext")
        },
    },
)


def lfilter_zi(b, a):
    """States of a filter in the steady state of a step; see `scipy.signal.lfilter_zi`."""
    return gpunp.asarray(_lfilter_zi(b, a), device=device_of(b, a))


def sosfilt_zi(sos):
    """States of sections in the steady state of a step; see `scipy.signal.sosfilt_zi`."""
    return gpunp.asarray(scipy.signal.sosfilt_zi(fetched(sos)), device=device_of(sos))


filtfilt = _CODE.public("filtfilt", __name__, host=("b", "a"))
sosfiltfilt = _CODE.public("sosfiltfilt", __name__, host=("sos",))
deconvolve = _CODE.public("deconvolve", __name__)
lfiltic = _CODE.public("lfiltic", __name__)
wiener = _CODE.public("wiener", __name__, host=("mysize",))
vectorstrength = _CODE.public("vectorstrength", __name__)
resample = _CODE.public("resample", __name__)
resample_poly = _CODE.public("resample_poly", __name__)
decimate = _CODE.public("decimate", __name__)
_SMOOTHING = Rebound(
    "scipy.signal._savitzky_golay", {"convolve1d": fir.convolve1d, "axis_slice": EXTENSIONS["axis_slice"]}
)
savgol_filter = _SMOOTHING.public("savgol_filter", __name__)
