"""NumPy for code of SciPy that computes on device arrays."""

import functools

import numpy

import gpunp
from gpunp.array.operands import device_of

# The functions that create arrays.
CREATION = (
    "arange empty empty_like eye full full_like geomspace identity linspace logspace meshgrid ones ones_like "
    "tri zeros zeros_like"
)


def _conversion(name, nested):
    host, ours = getattr(numpy, name), getattr(gpunp, name)

    @functools.wraps(host)
    def convert(a, *args, **kwargs):
        return (host if device_of(a, nested=nested) is None else ours)(a, *args, **kwargs)

    return convert


class Numpy:
    """NumPy, with conversions that keep device arrays and some functions that create device arrays.

    Parameters
    ----------
    created : str, optional
        The names of functions whose results are on the device. Those of others are on the host.
    nested : bool, optional
        Whether a list of device arrays is converted to a device array. Otherwise it may have scalars only,
        which become numbers of a host array.
    """

    def __init__(self, created="", nested=True):
        # For isinstance.
        self.ndarray = numpy.ndarray | gpunp.ndarray
        for name in ("asarray", "array", "ascontiguousarray", "asarray_chkfinite"):
            setattr(self, name, _conversion(name, nested))
        self.asanyarray = self.asarray
        for name in created.split():
            setattr(self, name, getattr(gpunp, name))

    def __getattr__(self, name):
        return getattr(numpy, name)
