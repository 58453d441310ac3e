"""Cosine and sine transforms of ``scipy.fftpack``: those of ``scipy.fft``, without factors of inverses."""

from gpunp_scipy import fft
from gpunp_scipy.fftpack.helper import good_shape

# The type that undoes a type, up to a factor.
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    """The discrete cosine transform; see `scipy.fftpack.dct`."""
    return fft.dct(x, type, n, axis, norm, overwrite_x)


def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    """The inverse of `dct`, up to a factor unless ``norm='ortho'``; see `scipy.fftpack.idct`."""
    return fft.dct(x, _INVERSE[type], n, axis, norm, overwrite_x)


def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    """The discrete sine transform; see `scipy.fftpack.dst`."""
    return fft.dst(x, type, n, axis, norm, overwrite_x)


def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    """The inverse of `dst`, up to a factor unless ``norm='ortho'``; see `scipy.fftpack.idst`."""
    return fft.dst(x, _INVERSE[type], n, axis, norm, overwrite_x)


def dctn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
    """The cosine transform over several axes; see `scipy.fftpack.dctn`."""
    return fft.dctn(x, type, good_shape(x, shape, axes), axes, norm, overwrite_x)


def idctn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
    """The inverse of `dctn`, up to a factor unless ``norm='ortho'``; see `scipy.fftpack.idctn`."""
    return fft.dctn(x, _INVERSE[type], good_shape(x, shape, axes), axes, norm, overwrite_x)


def dstn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
    """The sine transform over several axes; see `scipy.fftpack.dstn`."""
    return fft.dstn(x, type, good_shape(x, shape, axes), axes, norm, overwrite_x)


def idstn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
    """The inverse of `dstn`, up to a factor unless ``norm='ortho'``; see `scipy.fftpack.idstn`."""
    return fft.dstn(x, _INVERSE[type], good_shape(x, shape, axes), axes, norm, overwrite_x)
