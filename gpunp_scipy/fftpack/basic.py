"""Fourier transforms of ``scipy.fftpack``; those of real arrays have real results, in FFTPACK's order.

The order is Re 0, Re 1, Im 1, Re 2, Im 2, ...: an array has as many elements as its transform. ``plan`` takes
a plan of `gpunp.fft.plan` or `get_fft_plan`; SciPy's functions have no such parameter.
"""

import gpunp
from gpunp_scipy import fft as transforms
from gpunp_scipy.fft.arguments import axis_of, check, operand
from gpunp_scipy.fftpack.helper import good_shape


def fft(x, n=None, axis=-1, overwrite_x=False, *, plan=None):
    """The discrete Fourier transform; see `scipy.fftpack.fft`."""
    return transforms.fft(x, n, axis, overwrite_x=overwrite_x, plan=plan)


def ifft(x, n=None, axis=-1, overwrite_x=False, *, plan=None):
    """The inverse of `fft`; see `scipy.fftpack.ifft`."""
    return transforms.ifft(x, n, axis, overwrite_x=overwrite_x, plan=plan)


def fftn(x, shape=None, axes=None, overwrite_x=False, *, plan=None):
    """The Fourier transform over several axes; see `scipy.fftpack.fftn`."""
    return transforms.fftn(x, good_shape(x, shape, axes), axes, overwrite_x=overwrite_x, plan=plan)


def ifftn(x, shape=None, axes=None, overwrite_x=False, *, plan=None):
    """The inverse of `fftn`; see `scipy.fftpack.ifftn`."""
    return transforms.ifftn(x, good_shape(x, shape, axes), axes, overwrite_x=overwrite_x, plan=plan)


def fft2(x, shape=None, axes=(-2, -1), overwrite_x=False, *, plan=None):
    """The Fourier transform over two axes; see `scipy.fftpack.fft2`."""
    return fftn(x, shape, axes, overwrite_x, plan=plan)


def ifft2(x, shape=None, axes=(-2, -1), overwrite_x=False, *, plan=None):
    """The inverse of `fft2`; see `scipy.fftpack.ifft2`."""
    return ifftn(x, shape, axes, overwrite_x, plan=plan)


def _real(x, axis, n):
    """The operand, its axis and the length of the transform."""
    x = operand(x)
    if x.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    axis = axis_of(x, axis)
    return x, axis, check(x.shape[axis] if n is None else n)


def _at(x, axis, where):
    """The view of some positions of an axis."""
    return x[(*(slice(None),) * axis, where)]


def rfft(x, n=None, axis=-1, overwrite_x=False, *, plan=None):
    """The Fourier transform of a real array, as a real array in FFTPACK's order; see `scipy.fftpack.rfft`."""
    x, axis, n = _real(x, axis, n)
    spectrum = transforms.rfft(x, n, axis, plan=plan)
    out = gpunp.empty((*x.shape[:axis], n, *x.shape[axis + 1 :]), x.dtype, device=x.device)
    _at(out, axis, slice(0, 1))[...] = _at(spectrum, axis, slice(0, 1)).real
    _at(out, axis, slice(1, None, 2))[...] = _at(spectrum, axis, slice(1, None)).real
    _at(out, axis, slice(2, None, 2))[...] = _at(spectrum, axis, slice(1, (n + 1) // 2)).imag
    return out


def irfft(x, n=None, axis=-1, overwrite_x=False, *, plan=None):
    """The inverse of `rfft`; see `scipy.fftpack.irfft`."""
    x, axis, n = _real(x, axis, n)
    x = _at(x, axis, slice(0, n))
    shape = (*x.shape[:axis], n // 2 + 1, *x.shape[axis + 1 :])
    # Elements that x lacks are zeros.
    spectrum = gpunp.zeros(shape, x.dtype.char.upper(), device=x.device)
    real, imaginary = _at(x, axis, slice(1, None, 2)), _at(x, axis, slice(2, None, 2))
    _at(spectrum, axis, slice(0, 1)).real[...] = _at(x, axis, slice(0, 1))
    _at(spectrum, axis, slice(1, 1 + real.shape[axis])).real[...] = real
    _at(spectrum, axis, slice(1, 1 + imaginary.shape[axis])).imag[...] = imaginary
    return transforms.irfft(spectrum, n, axis, plan=plan)
