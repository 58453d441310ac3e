"""Where arrays are: small ones stay NumPy's, large ones go to the device."""

import math
import os
import sys
import time

import numpy

import gpunp
from gpunp.running import counting

# The bytes that an array on the CPU device may have: NumPy's zeros take no memory before they are written.
_MOST_ON_HOST = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 8
# From how many elements arrays are on the device. On an H100, 14 of 17 kinds of calls took less time than
# NumPy's there, half of them from 8,000 elements on. Those whose result is waited for, and products with
# vectors, gain from 56,000 to 161,000. `measured` finds the number of a machine.
LEAST_ELEMENTS = 32768
_OTHER_ORDER = ">" if sys.byteorder == "little" else "<"
_SIZES = tuple(2**power for power in range(10, 22))


def is_supported(dtype):
    """Whether arrays of a dtype can be on the device."""
    return dtype.kind in "biufc" and dtype.char not in "gG" and dtype.isnative


def asks_for_other_bytes(args, kwargs):
    """Whether a dtype among the arguments of a call has the byte order of other machines."""
    return any(map(_has_other_bytes, args)) or _has_other_bytes(kwargs.get("dtype"))


def _has_other_bytes(value):
    if isinstance(value, str):
        return value[:1] == _OTHER_ORDER and value[1:2] in "iufc"
    return isinstance(value, numpy.dtype) and not value.isnative


def move(array):
    """Return a device array with the elements of a NumPy array, or the array itself if there is none."""
    if not is_supported(array.dtype) or not _has_room(array.nbytes):
        return array
    try:
        return gpunp.asarray(array)
    except MemoryError:
        # The program can go on with the host's memory.
        counting.count("no device memory", "", array.nbytes, 0.0)
        return array


def _has_room(nbytes):
    """Whether an array may be on the current device; the memory of GPUs is tried."""
    return nbytes < _MOST_ON_HOST or not gpunp.get_device().is_cpu


def _elements(args, kwargs):
    """How many elements the first argument asks for."""
    shape = args[0] if args else kwargs.get("shape", 0)
    if isinstance(shape, tuple | list):
        return math.prod(shape)
    return shape if isinstance(shape, int) else 0


def _has_class_of_its_own(value):
    return type(value) not in (numpy.ndarray, gpunp.ndarray) and hasattr(type(value), "__array_function__")


def made_by(name):
    """Return a function of gpunp for calls that make large arrays; NumPy makes what it cannot."""
    host = getattr(numpy, name)

    def make(*args, **kwargs):
        is_ours = kwargs.get("like") is None and "device" not in kwargs
        # NumPy's subclasses and the arrays of libraries, such as those with units, decide what results are.
        is_ours = is_ours and not any(map(_has_class_of_its_own, (*args, *kwargs.values())))
        if is_ours and not asks_for_other_bytes(args, kwargs) and _has_room(8 * _elements(args, kwargs)):
            try:
                return getattr(gpunp, name)(*args, **kwargs)
            except (TypeError, ValueError, NotImplementedError, MemoryError):
                # NumPy raises an error of its own, or makes an array of a dtype that devices lack.
                pass
        made = host(*args, **kwargs)
        return move(made) if type(made) is numpy.ndarray else made

    return make


def combined_by(name):
    """Return a function for calls whose result has an element for each combination of those of small arrays.

    The first array is moved, so that the result is made on the device.
    """
    host = getattr(numpy, name)

    def make(first, *args, **kwargs):
        # With sparse=True, results of `meshgrid` are as small as its arguments.
        return host(move(first) if kwargs.keys() <= {"indexing"} else first, *args, **kwargs)

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
