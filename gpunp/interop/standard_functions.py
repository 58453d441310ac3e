"""Functions of the gpunp namespace whose signatures differ between the array API standard and NumPy.

They accept the arguments of both. Calls through NumPy, such as ``np.clip``, do not use them.
"""

import numpy

from gpunp.array.dtype import as_dtype
from gpunp.dispatch.registry import NAMESPACE

_ABSENT = numpy._NoValue


def clip(x=_ABSENT, /, min=None, max=None, out=None, *, a=_ABSENT, a_min=_ABSENT, a_max=_ABSENT, **kwargs):
    """Limit values to an interval.

    Parameters
    ----------
    x : array_like
    min, max : array_like or None, optional
        The bounds; None means no bound.
    out : ndarray, optional
    a, a_min, a_max : array_like or None, optional
        NumPy's names of the array and of the bounds.

    Returns
    -------
    ndarray
    """
    for other, name in ((a_min, "min"), (a_max, "max")):
        if other is not _ABSENT and (min if name == "min" else max) is not None:
            raise ValueError(f"clip: {name} and a_{name} are the same argument; pass one of them")
    if (x is _ABSENT) == (a is _ABSENT):
        raise TypeError("clip() takes the array by position, or by the name 'a'")
    lower = min if a_min is _ABSENT else a_min
    upper = max if a_max is _ABSENT else a_max
    return NAMESPACE["clip"](a if x is _ABSENT else x, lower, upper, out, **kwargs)


def _frequencies(name):
    def frequencies(n, d=1.0, device=None, *, dtype=None):
        result = NAMESPACE[name](n, d, device=device)
        if dtype is None:
            return result
        dtype = as_dtype(dtype)
        if dtype.kind != "f":
            raise ValueError(f"{name}: dtype must be real and floating, not {dtype}")
        return result.astype(dtype)

    frequencies.__name__ = frequencies.__qualname__ = name.rpartition(".")[2]
    frequencies.__doc__ = f"""The frequencies of the elements of a Fourier transform; see `numpy.{name}`.

    Parameters
    ----------
    n : int
        Length of the transform.
    d : scalar, optional
        Sample spacing.
    device : Device or str, optional
        By default the current device.
    dtype : dtype_like, optional
        A real floating dtype, by default float64.

    Returns
    -------
    ndarray
    """
    return frequencies


class FloatInfo:
    """Limits of a floating-point dtype as Python numbers; other attributes are those of `numpy.finfo`.

    Attributes
    ----------
    bits : int
    eps, max, min, smallest_normal, tiny, resolution, smallest_subnormal, epsneg : float
    dtype : numpy.dtype
        For a complex dtype, that of its real part.
    """

    _FLOATS = frozenset(
        ("eps", "max", "min", "smallest_normal", "tiny", "resolution", "smallest_subnormal", "epsneg")
    )

    def __init__(self, limits):
        self._limits = limits

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self._limits, name)
        return float(value) if name in self._FLOATS else value

    def __eq__(self, other):
        return self._limits == (other._limits if isinstance(other, FloatInfo) else other)

    def __hash__(self):
        return hash(self._limits)

    def __repr__(self):
        return repr(self._limits)

    def __str__(self):
        return str(self._limits)


def finfo(dtype, /):
    """Limits of a floating-point dtype, or of the dtype of an array, as Python numbers.

    Parameters
    ----------
    dtype : dtype_like or ndarray

    Returns
    -------
    FloatInfo
    """
    return FloatInfo(NAMESPACE["finfo"](dtype))


# The functions that replace NumPy's signatures in the namespace, by public name.
FUNCTIONS = {
    "clip": clip,
    "finfo": finfo,
    "fft.fftfreq": _frequencies("fft.fftfreq"),
    "fft.rfftfreq": _frequencies("fft.rfftfreq"),
}


def find_standard(name):
    """The function with a public name, or None if the namespace has NumPy's signature."""
    return FUNCTIONS.get(name)
