"""The Fourier transforms of ``scipy.fft``: NumPy's with SciPy's arguments, and Hermitian ones of n axes."""

import numpy

from gpunp.fft.passes import swap, transform
from gpunp_scipy.fft.arguments import axis_of, check, context, lengths_and_axes, operand


def _source(x, kind):
    x = operand(x)
    if kind == "real" and x.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    return x


def _one(x, n, axis, kind, forward, norm, overwrite_x, workers, plan):
    original, x = x, _source(x, kind)
    axis = axis_of(x, axis)
    if n is None:
        n = (x.shape[axis] - 1) * 2 if kind == "hermitian" else x.shape[axis]
    elif kind == "hermitian" and n == 0:
        # SciPy's way to ask for the odd length.
        n = 1
    return _run(x, [check(n)], [axis], kind, forward, norm, overwrite_x or x is not original, workers, plan)


def _several(x, s, axes, kind, forward, norm, overwrite_x, workers, plan):
    original, x = x, _source(x, kind)
    default = s is None
    s, axes = lengths_and_axes(x, s, axes)
    if not axes:
        if kind == "complex":
            return original
        raise ValueError("at least 1 axis must be transformed")
    if kind == "hermitian" and default:
        # SciPy has one element here where its one-dimensional functions refuse.
        s[-1] = max((x.shape[axes[-1]] - 1) * 2, 1)
    return _run(x, s, axes, kind, forward, norm, overwrite_x or x is not original, workers, plan)


def _run(x, lengths, axes, kind, forward, norm, overwrite, workers, plan):
    """Backward real and forward Hermitian transforms, as conjugates of those that libraries have."""
    with context(workers, plan):
        if kind == "hermitian" and forward:
            if x.dtype.kind == "c":
                x, overwrite = numpy.conjugate(x), True
            return transform(x, lengths, axes, kind, False, swap(norm), None, overwrite)
        if kind == "real" and not forward:
            result = transform(x, lengths, axes, kind, True, swap(norm))
            return numpy.conjugate(result, out=result)
        return transform(x, lengths, axes, kind, forward, norm, None, overwrite)


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The discrete Fourier transform; see `scipy.fft.fft`."""
    return _one(x, n, axis, "complex", True, norm, overwrite_x, workers, plan)


def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `fft`; see `scipy.fft.ifft`."""
    return _one(x, n, axis, "complex", False, norm, overwrite_x, workers, plan)


def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The half of `fft` that real input has; see `scipy.fft.rfft`."""
    return _one(x, n, axis, "real", True, norm, False, workers, plan)


def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `rfft`; see `scipy.fft.irfft`."""
    return _one(x, n, axis, "hermitian", False, norm, overwrite_x, workers, plan)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The real transform of one half of Hermitian input; see `scipy.fft.hfft`."""
    return _one(x, n, axis, "hermitian", True, norm, overwrite_x, workers, plan)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `hfft`; see `scipy.fft.ihfft`."""
    return _one(x, n, axis, "real", False, norm, False, workers, plan)


def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The discrete Fourier transform along several axes; see `scipy.fft.fftn`."""
    return _several(x, s, axes, "complex", True, norm, overwrite_x, workers, plan)


def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `fftn`; see `scipy.fft.ifftn`."""
    return _several(x, s, axes, "complex", False, norm, overwrite_x, workers, plan)


def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The half of `fftn` that real input has; see `scipy.fft.rfftn`."""
    return _several(x, s, axes, "real", True, norm, False, workers, plan)


def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `rfftn`; see `scipy.fft.irfftn`."""
    return _several(x, s, axes, "hermitian", False, norm, overwrite_x, workers, plan)


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The real transform of one half of Hermitian input, several axes; see `scipy.fft.hfftn`."""
    return _several(x, s, axes, "hermitian", True, norm, overwrite_x, workers, plan)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `hfftn`; see `scipy.fft.ihfftn`."""
    return _several(x, s, axes, "real", False, norm, False, workers, plan)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The discrete Fourier transform along two axes; see `scipy.fft.fft2`."""
    return fftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `fft2`; see `scipy.fft.ifft2`."""
    return ifftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The half of `fft2` that real input has; see `scipy.fft.rfft2`."""
    return rfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `rfft2`; see `scipy.fft.irfft2`."""
    return irfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The real transform of one half of Hermitian input, two axes; see `scipy.fft.hfft2`."""
    return hfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `hfft2`; see `scipy.fft.ihfft2`."""
    return ihfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)
