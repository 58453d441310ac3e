"""Where arrays are: small ones stay NumPy's, large ones go to the device."""

import time

import numpy

import gpunp
from gpunp.array import transfer
from gpunp.running import counting

# From how many elements a call on the device takes less time than NumPy's, if the launch takes 5 us and the
# host adds a thousand million elements in a second: `measured` finds the number of a machine.
LEAST_ELEMENTS = 32768
_SIZES = tuple(2**power for power in range(10, 22))
_upload = transfer.upload


def is_supported(dtype):
    """Whether arrays of a dtype can be on the device."""
    return dtype.kind in "biufc" and dtype.char not in "gG"


def move(array):
    """Return a device array with the elements of a NumPy array, or the array itself if there is none."""
    if not is_supported(array.dtype):
        return array
    try:
        return gpunp.asarray(array)
    except MemoryError:
        # The program can go on with the host's memory.
        counting.count("no device memory", "", array.nbytes, 0.0)
        return array


def made_by(name):
    """Return a function of gpunp for calls that make large arrays; NumPy makes what it cannot."""
    host, ours = getattr(numpy, name), getattr(gpunp, name)

    def make(*args, **kwargs):
        if kwargs.get("like") is None and "device" not in kwargs:
            try:
                return ours(*args, **kwargs)
            except (TypeError, ValueError, NotImplementedError, MemoryError):
                # NumPy raises an error of its own, or makes an array of a dtype that devices lack.
                pass
        made = host(*args, **kwargs)
        return move(made) if type(made) is numpy.ndarray else made

    return make


def measured(limit=0.2):
    """Measure from how many elements the device is faster than NumPy, with a chain of three calls and a read.

    Parameters
    ----------
    limit : float, optional
        The seconds that the measurement may take.

    Returns
    -------
    int
        A power of two; the largest one tried is 2**21.
    """
    started = time.perf_counter()
    for size in _SIZES:
        host = numpy.linspace(0.0, 1.0, size)
        if time.perf_counter() - started > limit or _taken(gpunp.asarray(host)) < _taken(host):
            return size
    return _SIZES[-1]


def _taken(x, rounds=3):
    """The shortest time of a few calls whose result is read."""
    times = []
    for _ in range(rounds + 1):
        before = time.perf_counter()
        float(numpy.sqrt(x * x + 1.0).sum())
        times.append(time.perf_counter() - before)
    # The first round loads the kernels.
    return min(times[1:])
