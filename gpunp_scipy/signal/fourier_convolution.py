"""Convolution by Fourier transforms, in one piece or overlap-add: SciPy's code with our transforms."""

import numpy

from gpunp_scipy.rebinding import Rebound
from gpunp_scipy.signal import transforms


def _freq_domain_conv(xp, in1, in2, axes, shape, calc_fast_len=False):
    """The product of spectra, in the memory of the first, transformed back."""
    if not len(axes):
        return in1 * in2
    is_complex = "c" in (in1.dtype.kind, in2.dtype.kind)
    lengths = shape
    if calc_fast_len:
        lengths = [transforms.next_fast_len(shape[axis], not is_complex) for axis in axes]
    forward, back = (
        (transforms.fftn, transforms.ifftn) if is_complex else (transforms.rfftn, transforms.irfftn)
    )
    spectrum, other = (forward(x, lengths, axes=axes) for x in (in1, in2))
    if spectrum.dtype == numpy.result_type(spectrum, other) and spectrum.shape == numpy.broadcast_shapes(
        spectrum.shape, other.shape
    ):
        spectrum *= other
    else:
        spectrum = spectrum * other
    result = back(spectrum, lengths, axes=axes, overwrite_x=True)
    return result[tuple(map(slice, shape))] if calc_fast_len else result


_CODE = Rebound("scipy.signal._signaltools", {"_freq_domain_conv": _freq_domain_conv})

fftconvolve = _CODE.public("fftconvolve", __name__)
oaconvolve = _CODE.public("oaconvolve", __name__)
