"""Filters forwards and backwards, and others that SciPy composes from them: its code with our filters."""

import numpy
import scipy.signal

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp_scipy import ndimage
from gpunp_scipy.rebinding import NUMPY, Rebound, array_namespace, public
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


def _wiener(im, mysize=None, noise=None):
    """SciPy's formulas with means of windows, in the memory of three images, of which one is the result."""
    im = gpunp.asarray(im)
    mysize = 3 if mysize is None else mysize
    options = {"output": numpy.result_type(im, numpy.float64), "mode": "constant"}
    half = im.dtype.char == "e"
    mean = ndimage.uniform_filter(im.astype("f") if half else im, mysize, **options)
    # Squares have the dtype of the image; images have no filters in half precision.
    squares = im**2
    variance = ndimage.uniform_filter(squares.astype("f") if half else squares, mysize, **options)
    del squares
    out = numpy.multiply(mean, mean, out=numpy.empty_like(mean))
    variance -= out
    noise = numpy.mean(variance) if noise is None else noise
    quiet = variance < noise
    numpy.subtract(im, mean, out=out)
    # The share of the deviation that is kept.
    numpy.divide(noise, variance, out=variance)
    numpy.subtract(1, variance, out=variance)
    out *= variance
    out += mean
    numpy.copyto(out, mean, where=quiet)
    return out


wiener = public(_wiener, scipy.signal.wiener, __name__, host=("mysize",))
vectorstrength = _CODE.public("vectorstrength", __name__)
resample = _CODE.public("resample", __name__)
resample_poly = _CODE.public("resample_poly", __name__)
decimate = _CODE.public("decimate", __name__)
_SMOOTHING = Rebound(
    "scipy.signal._savitzky_golay", {"convolve1d": fir.convolve1d, "axis_slice": EXTENSIONS["axis_slice"]}
)


def _savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, *args, **kwargs):
    # SciPy's code for all array libraries takes NumPy's numbers for arrays on the host.
    delta = delta.item() if hasattr(delta, "item") else delta
    return _SMOOTHING["savgol_filter"](x, window_length, polyorder, deriv, delta, *args, **kwargs)


savgol_filter = public(_savgol_filter, scipy.signal.savgol_filter, __name__)
