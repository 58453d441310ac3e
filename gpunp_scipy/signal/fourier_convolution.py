"""Convolution by Fourier transforms, in one piece or overlap-add: SciPy's code with our transforms."""

from gpunp_scipy.rebinding import Rebound
from gpunp_scipy.signal import transforms


def _numeric_arrays(arrays, kinds="buifc", xp=None):
    return all(array.dtype.kind in kinds for array in arrays)


_CODE = Rebound("scipy.signal._signaltools", {"sp_fft": transforms, "_numeric_arrays": _numeric_arrays})

fftconvolve = _CODE.public("fftconvolve", __name__)
oaconvolve = _CODE.public("oaconvolve", __name__)
