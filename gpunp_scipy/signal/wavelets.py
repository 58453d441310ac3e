"""Continuous wavelet transforms and wavelets, which SciPy had until 1.15."""

import numpy

import gpunp
from gpunp_scipy.signal.convolution import convolve


def cwt(data, wavelet, widths, dtype=None, **kwargs):
    """Continuous wavelet transform, with SciPy's definition.

    Parameters
    ----------
    data : array_like, shape (n,)
    wavelet : callable
        Called as ``wavelet(length, width, **kwargs)``, with a length of ``min(10 * width, n)``; returns the
        wavelet's samples.
    widths : sequence of float, shape (m,)
    dtype : dtype, optional
        Of the result; by default complex128 for complex wavelets, else float64.
    **kwargs
        Passed on to the wavelet.

    Returns
    -------
    ndarray, shape (m, n)
        The convolution of the data with the wavelet of each width.
    """
    data = gpunp.asarray(data)
    if len(widths) == 0:
        raise IndexError("cwt: widths is empty; give at least one")
    rows = None
    for row, width in enumerate(widths):
        taps = numpy.conj(wavelet(numpy.min([10 * width, len(data)]), width, **kwargs)[::-1])
        if rows is None:
            found = numpy.complex128 if taps.dtype.char in "FD" else numpy.float64
            rows = gpunp.empty((len(widths), len(data)), dtype or found, device=data.device)
        rows[row] = convolve(data, taps, mode="same")
    return rows


def _centred(points):
    return gpunp.arange(points) - (points - 1.0) / 2


def ricker(points, a):
    """Sample the Ricker wavelet ("Mexican hat").

    Parameters
    ----------
    points : int
        The number of samples, which are centred.
    a : float
        The width in samples.

    Returns
    -------
    ndarray of float64, shape (points,)
    """
    square = (_centred(int(points)) / a) ** 2
    return 2 / (numpy.sqrt(3 * a) * numpy.pi**0.25) * (1 - square) * numpy.exp(-square / 2)


def morlet(M, w=5.0, s=1.0, complete=True):
    """Sample the complex Morlet wavelet on ``[-2 pi s, 2 pi s]``.

    Parameters
    ----------
    M : int
        The number of samples.
    w : float, optional
        The angular frequency.
    s : float, optional
        The scale of the interval.
    complete : bool, optional
        Whether to subtract the term that makes the mean zero, which matters for ``w`` below 5.

    Returns
    -------
    ndarray of complex128, shape (M,)
    """
    x = gpunp.linspace(-s * 2 * numpy.pi, s * 2 * numpy.pi, M)
    wave = numpy.exp(1j * w * x)
    if complete:
        wave = wave - numpy.exp(-0.5 * w**2)
    return wave * numpy.exp(-0.5 * x**2) * numpy.pi**-0.25


def morlet2(M, s, w=5):
    """Sample the complex Morlet wavelet for `cwt`.

    Parameters
    ----------
    M : int
        The number of samples, which are centred.
    s : float
        The width in samples.
    w : float, optional
        The angular frequency times `s`.

    Returns
    -------
    ndarray of complex128, shape (M,)
    """
    x = _centred(int(M)) / s
    return numpy.exp(1j * w * x) * numpy.exp(-0.5 * x**2) * numpy.pi**-0.25 * numpy.sqrt(1 / s)


def qmf(hk):
    """Return the quadrature mirror filter of a low-pass filter: reversed, with alternating signs.

    Parameters
    ----------
    hk : array_like, shape (n,)

    Returns
    -------
    ndarray, shape (n,)
    """
    hk = gpunp.asarray(hk)
    return hk[::-1] * (1 - 2 * (gpunp.arange(len(hk)) % 2))
