"""Frequencies, shifts and fast lengths."""

import operator

from gpunp.fft.helper import fftfreq as _fftfreq
from gpunp.fft.helper import fftshift, ifftshift
from gpunp.fft.helper import rfftfreq as _rfftfreq

__all__ = ["fftfreq", "fftshift", "ifftshift", "next_fast_len", "prev_fast_len", "rfftfreq"]


def fftfreq(n, d=1.0, *, xp=None, device=None):
    """The frequencies of a transform; see `scipy.fft.fftfreq`."""
    return _fftfreq(n, d, device=device)


def rfftfreq(n, d=1.0, *, xp=None, device=None):
    """The frequencies of a real transform; see `scipy.fft.rfftfreq`."""
    return _rfftfreq(n, d, device=device)


def _is_fast(n):
    for prime in (2, 3, 5, 7):
        while n % prime == 0:
            n //= prime
    return n == 1


def _length(n, least):
    n = operator.index(n)
    if n < least:
        raise ValueError(f"the length must be at least {least}, not {n}")
    return n


def next_fast_len(target, real=False):
    """The smallest length of at least ``target`` with no prime factor above 7, for which cuFFT is fast."""
    n = _length(target, 0)
    while n and not _is_fast(n):
        n += 1
    return n


def prev_fast_len(target, real=False):
    """The largest length of at most ``target`` with no prime factor above 7."""
    n = _length(target, 1)
    while not _is_fast(n):
        n -= 1
    return n
