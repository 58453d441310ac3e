"""Fourier transforms of ``scipy.fft``: NumPy's with SciPy's arguments, and n-dimensional Hermitian ones."""

import numpy

from gpunp.fft.passes import swap, transform
from gpunp_scipy.fft.arguments import axis_of, check, context, lengths_and_axes, operand


def _source(x, kind):
    x = operand(x)
    if kind == "real" and x.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    return x


def _one(x, n, axis, kind, norm, workers, plan, *, forward, overwrite):
    original, x = x, _source(x, kind)
    axis = axis_of(x, axis)
    if n is None:
        n = (x.shape[axis] - 1) * 2 if kind == "hermitian" else x.shape[axis]
    elif kind == "hermitian" and n == 0:
        # In SciPy n=0 requests the length 1.
        n = 1
    overwrite = overwrite or x is not original
    return _run(x, [check(n)], [axis], kind, norm, workers, plan, forward=forward, overwrite=overwrite)


def _several(x, s, axes, kind, norm, workers, plan, *, forward, overwrite):
    original, x = x, _source(x, kind)
    default = s is None
    s, axes = lengths_and_axes(x, s, axes)
    if not axes:
        if kind == "complex":
            return original
        raise ValueError("at least 1 axis must be transformed")
    if kind == "hermitian" and default:
        # SciPy uses at least one element here, while its one-dimensional functions raise an error.
        s[-1] = max((x.shape[axes[-1]] - 1) * 2, 1)
    overwrite = overwrite or x is not original
    return _run(x, s, axes, kind, norm, workers, plan, forward=forward, overwrite=overwrite)


def _run(x, lengths, axes, kind, norm, workers, plan, *, forward, overwrite):
    """Run a transform; backward real and forward Hermitian ones are conjugates of those in the libraries."""
    with context(workers, plan):
        if kind == "hermitian" and forward:
            if x.dtype.kind == "c":
                x, overwrite = numpy.conjugate(x), True
            return transform(x, lengths, axes, kind, swap(norm), forward=False, overwrite=overwrite)
        if kind == "real" and not forward:
            result = transform(x, lengths, axes, kind, swap(norm), forward=True)
            return numpy.conjugate(result, out=result)
        return transform(x, lengths, axes, kind, norm, forward=forward, overwrite=overwrite)


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The discrete Fourier transform; see `scipy.fft.fft`."""
    return _one(x, n, axis, "complex", norm, workers, plan, forward=True, overwrite=overwrite_x)


def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `fft`; see `scipy.fft.ifft`."""
    return _one(x, n, axis, "complex", norm, workers, plan, forward=False, overwrite=overwrite_x)


def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The nonredundant half of the `fft` of real input; see `scipy.fft.rfft`."""
    return _one(x, n, axis, "real", norm, workers, plan, forward=True, overwrite=False)


def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `rfft`; see `scipy.fft.irfft`."""
    return _one(x, n, axis, "hermitian", norm, workers, plan, forward=False, overwrite=overwrite_x)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The real transform of Hermitian input, given by one half; see `scipy.fft.hfft`."""
    return _one(x, n, axis, "hermitian", norm, workers, plan, forward=True, overwrite=overwrite_x)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `hfft`; see `scipy.fft.ihfft`."""
    return _one(x, n, axis, "real", norm, workers, plan, forward=False, overwrite=False)


def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The discrete Fourier transform along several axes; see `scipy.fft.fftn`."""
    return _several(x, s, axes, "complex", norm, workers, plan, forward=True, overwrite=overwrite_x)


def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `fftn`; see `scipy.fft.ifftn`."""
    return _several(x, s, axes, "complex", norm, workers, plan, forward=False, overwrite=overwrite_x)


def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The nonredundant half of the `fftn` of real input; see `scipy.fft.rfftn`."""
    return _several(x, s, axes, "real", norm, workers, plan, forward=True, overwrite=False)


def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `rfftn`; see `scipy.fft.irfftn`."""
    return _several(x, s, axes, "hermitian", norm, workers, plan, forward=False, overwrite=overwrite_x)


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The real transform of Hermitian input, given by one half, along several axes; see `scipy.fft.hfftn`."""
    return _several(x, s, axes, "hermitian", norm, workers, plan, forward=True, overwrite=overwrite_x)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `hfftn`; see `scipy.fft.ihfftn`."""
    return _several(x, s, axes, "real", norm, workers, plan, forward=False, overwrite=False)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The discrete Fourier transform along two axes; see `scipy.fft.fft2`."""
    return fftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `fft2`; see `scipy.fft.ifft2`."""
    return ifftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The nonredundant half of the `fft2` of real input; see `scipy.fft.rfft2`."""
    return rfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `rfft2`; see `scipy.fft.irfft2`."""
    return irfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The real transform of Hermitian input, given by one half, along two axes; see `scipy.fft.hfft2`."""
    return hfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `hfft2`; see `scipy.fft.ihfft2`."""
    return ihfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)
