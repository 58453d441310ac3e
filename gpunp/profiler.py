"""Times of functions on the host and on the device.

Examples
--------
>>> import gpunp, numpy as np
>>> from gpunp.profiler import benchmark
>>> x = gpunp.ones(1000)
>>> result = benchmark(np.sum, (x,), n_repeat=20)
>>> result.cpu_times.shape
(20,)
"""

import contextlib
import functools
import math
import time

import numpy

from gpunp import cuda
from gpunp.device import get_device


class BenchmarkResult:
    """The times of the calls of a function.

    Attributes
    ----------
    name : str
        The name of the function.
    cpu_times : numpy.ndarray, shape (n,)
        Seconds from the beginning of each call until it returned on the host.
    gpu_times : numpy.ndarray, shape (devices, n)
        Seconds from the first to the last work of each call on each CUDA device.
    """

    def __init__(self, name, cpu_times, gpu_times):
        self.name, self.cpu_times, self.gpu_times = name, cpu_times, gpu_times

    def to_str(self, show_gpu=False):
        """Return one line with the mean, the standard deviation and the extremes in microseconds.

        Parameters
        ----------
        show_gpu : bool, optional
            Whether the times on devices follow.
        """
        lines = [("CPU", self.cpu_times)]
        if show_gpu:
            lines += [(f"GPU-{index}", times) for index, times in enumerate(self.gpu_times)]
        return f"{self.name:<20}:" + "".join(_summary(label, times * 1e6) for label, times in lines)

    def __str__(self):
        return self.to_str(show_gpu=True)

    def __repr__(self):
        return str(self)


def _summary(label, times):
    text = f"    {label}: {times.mean():9.3f} us"
    if len(times) > 1:
        text += f"   +/- {times.std():6.3f} (min: {times.min():9.3f} / max: {times.max():9.3f}) us"
    return text


def _wait(devices):
    for device in devices:
        device.synchronize()


def benchmark(
    func, args=(), kwargs=None, n_repeat=10000, *, name=None, n_warmup=10, max_duration=math.inf, devices=None
):
    """Time the calls of a function on the host and on CUDA devices.

    Parameters
    ----------
    func : callable
    args : tuple, optional
        Its positional arguments.
    kwargs : dict, optional
        Its keyword arguments.
    n_repeat : int, optional
        The number of calls that are timed.
    name : str, optional
        The name in the result; by default that of the function.
    n_warmup : int, optional
        The number of calls before.
    max_duration : float, optional
        The seconds after which no further call begins.
    devices : sequence of int, optional
        The CUDA devices to time; by default the current device, and none on the CPU device.

    Returns
    -------
    BenchmarkResult

    Raises
    ------
    ValueError
        If an argument is not of its type.
    """
    kwargs = {} if kwargs is None else kwargs
    if not callable(func):
        raise ValueError(f"benchmark: func must be callable, not {type(func).__name__}")
    if not isinstance(args, tuple):
        raise ValueError(f"benchmark: args must be a tuple, not {type(args).__name__}")
    if not isinstance(kwargs, dict):
        raise ValueError(f"benchmark: kwargs must be a dict, not {type(kwargs).__name__}")
    for count, what in ((n_repeat, "n_repeat"), (n_warmup, "n_warmup")):
        if not isinstance(count, int):
            raise ValueError(f"benchmark: {what} must be an int, not {type(count).__name__}")
    if name is not None and not isinstance(name, str):
        raise ValueError(f"benchmark: name must be a string, not {type(name).__name__}")
    current = get_device()
    if devices is None:
        found = [] if current.is_cpu else [current]
    else:
        found = [cuda.Device(index) for index in devices]
    for _ in range(n_warmup):
        results = func(*args, **kwargs)
        _wait(found)
    cpu_times, gpu_times = [], []
    started = time.perf_counter()
    for _ in range(n_repeat):
        if time.perf_counter() - started > max_duration:
            break
        events = [_recorded(device) for device in found]
        before = time.perf_counter()
        # Operations that are deferred run as long as somebody has their results.
        results = func(*args, **kwargs)
        cpu_times.append(time.perf_counter() - before)
        ends = [_recorded(device) for device in found]
        _wait(found)
        del results
        gpu_times.append([cuda.elapsed_time(a, b) / 1e3 for a, b in zip(events, ends, strict=True)])
    name = getattr(func, "__name__", repr(func)) if name is None else name
    times = numpy.array(gpu_times, float).reshape(len(cpu_times), len(found)).T
    return BenchmarkResult(name, numpy.array(cpu_times, float), times)


def _recorded(device):
    """An event in the current stream of a device."""
    with device:
        event = cuda.Event(timing=True)
        event.record()
    return event


@contextlib.contextmanager
def profile():
    """Context manager in which a profiler that waits for it records, such as ``nsys -c cudaProfilerApi``.

    On the CPU device it does nothing.
    """
    if get_device().is_cpu:
        yield
        return
    cuda.profiler.start()
    try:
        yield
    finally:
        cuda.profiler.stop()


class time_range:
    """Context manager and decorator that shows a part of a program as a range in a profiler.

    Parameters
    ----------
    message : str, optional
        The name of the range; that of the function for a decorator.
    color_id : int, optional
        The number of a color.
    argb_color : int, optional
        A color, ``0xAARRGGBB``.
    sync : bool, optional
        Whether the device is waited for at the beginning and the end, so that the range has its work.

    Raises
    ------
    ValueError
        If both colors are given.
    ImportError
        If the package nvtx is not installed.

    Examples
    --------
    ::

        with time_range("assembly", color_id=1):
            assemble()

        @time_range()
        def solve(): ...
    """

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise ValueError("time_range: color_id and argb_color both name the color; give one of them")
        self.message, self.color_id, self.argb_color, self.sync = message, color_id, argb_color, sync

    def _push(self, message):
        if self.sync:
            get_device().synchronize()
        if self.argb_color is not None:
            cuda.nvtx.RangePushC(message, self.argb_color)
        else:
            cuda.nvtx.RangePush(message, -1 if self.color_id is None else self.color_id)

    def __enter__(self):
        self._push("range" if self.message is None else self.message)
        return self

    def __exit__(self, *error):
        if self.sync:
            get_device().synchronize()
        cuda.nvtx.RangePop()

    def __call__(self, function):
        @functools.wraps(function)
        def called(*args, **kwargs):
            self._push(function.__name__ if self.message is None else self.message)
            try:
                return function(*args, **kwargs)
            finally:
                self.__exit__()

        return called
