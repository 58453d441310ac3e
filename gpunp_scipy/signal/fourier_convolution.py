"""Convolution by Fourier transforms, in one piece or overlap-add: SciPy's code with our transforms."""

from gpunp_scipy import fft
from gpunp_scipy.rebinding import Rebound


def _numeric_arrays(arrays, kinds="buifc", xp=None):
    return all(array.dtype.kind in kinds for array in arrays)


class _Transforms:
    """``scipy.fft`` for SciPy's convolutions."""

    def __getattr__(self, name):
        import scipy.fft

        return getattr(fft, name) if name in fft.__all__ else getattr(scipy.fft, name)


TRANSFORMS = _Transforms()
_CODE = Rebound("scipy.signal._signaltools", {"sp_fft": TRANSFORMS, "_numeric_arrays": _numeric_arrays})

fftconvolve = _CODE.public("fftconvolve", __name__)
oaconvolve = _CODE.public("oaconvolve", __name__)
