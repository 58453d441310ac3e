"""One interface to the compared array libraries: creating arrays, synchronizing, timing, freeing memory."""

import importlib
import timeit
from statistics import median

import numpy as np

# Calls between two synchronizations in host timings: fewer than a launch queue holds.
QUEUED_CALLS = 200
HOST_SAMPLES = 31


def host_values(elements, dtype=np.float32):
    """Numbers from 0.5 to 1.5: a random block, repeated."""
    block = np.random.default_rng(7).uniform(0.5, 1.5, min(elements, 1 << 20)).astype(dtype)
    return np.resize(block, elements)


class Library:
    """Base class; libraries differ in how they synchronize and in their names of functions."""

    name = None
    # The keyword of pick() for this library.
    dialect = None

    def __init__(self, device):
        self.device = device

    def pick(self, **alternatives):
        """The alternative for this library."""
        return alternatives[self.dialect]

    def values(self, *shape):
        """A float32 array of a shape, with values around 1."""
        return self.upload(host_values(int(np.prod(shape))).reshape(shape))

    def reset_peak(self):
        """Begin to observe the use of memory; without a pool that tells it, nothing happens."""

    def peak_bytes(self):
        """The largest use of memory since `reset_peak`, in bytes, or None if it is not known."""

    def measure(self, row, size):
        """Seconds per call of what a row builds: the median of several samples."""
        if row.timing == "host":
            return self.host_seconds(*row.build(self, size))
        body = row.build(self, size)
        if row.timing == "wall":
            return self.wall_seconds(body, size.repeats)
        return self.device_seconds(body, size.repeats)

    def warm_up(self, run):
        """Run until later runs take the usual time."""
        run()
        run()

    def host_seconds(self, statement, names):
        """Host time per call, while the device still executes earlier calls."""
        timer = timeit.Timer(statement, globals={**names, "xp": self.xp})
        samples = []
        for _ in range(HOST_SAMPLES + 1):
            self.synchronize()
            samples.append(timer.timeit(QUEUED_CALLS) / QUEUED_CALLS)
        self.synchronize()
        return median(samples[1:])

    def wall_seconds(self, body, repeats):
        """Time until the result of one call is complete."""

        def run():
            _result = body()
            self.synchronize()

        self.warm_up(run)
        return median(timeit.repeat(run, number=1, repeat=repeats))

    def device_seconds(self, body, repeats):
        """Device time per call, between events around a group of calls."""
        self.warm_up(body)
        self.synchronize()
        once = self.group_seconds(body, 1)
        count = int(min(max(0.02 / once, 1), 100))
        self.group_seconds(body, min(count, 10))
        return median(self.group_seconds(body, count) / count for _ in range(repeats))

    def group_seconds(self, body, count):
        """Seconds between two events with ``count`` calls in between.

        Results live until the next call has returned: what nobody holds may never be computed.
        """
        start, stop = self.event(), self.event()
        start.record()
        for _ in range(count):
            _result = body()
        stop.record()
        stop.synchronize()
        return self.between(start, stop) * 1e-3


class Gpunp(Library):
    name = "gpunp"
    dialect = "numpy"
    xp = np

    def __init__(self, device):
        super().__init__(device)
        self.module = importlib.import_module("gpunp")
        self.version = self.module.__version__
        self.place = self.module.Device(device)
        self.place.use()
        self.synchronize = self.place.synchronize
        self.upload = self.module.asarray
        self.download = self.module.asnumpy

    def warm_up(self, run):
        """Run until the kernels of chains are there, which a thread compiles meanwhile."""
        wait = importlib.import_module("gpunp.fusion.worker").wait
        for _ in range(4):
            _result = run()
            self.synchronize()
            wait(60)

    def group_seconds(self, body, count):
        if not self.place.is_cpu:
            return super().group_seconds(body, count)

        def run():
            for _ in range(count):
                _result = body()
            self.synchronize()

        return timeit.timeit(run, number=1)

    def reset_peak(self):
        if not self.place.is_cpu:
            self.module.cuda.get_default_memory_pool().reset_peak()

    def peak_bytes(self):
        return None if self.place.is_cpu else self.module.cuda.get_default_memory_pool().peak_bytes()

    def event(self):
        return self.module.cuda.Event(timing=True)

    def between(self, start, stop):
        return self.module.cuda.elapsed_time(start, stop)

    def free(self):
        if not self.place.is_cpu:
            self.module.cuda.get_default_memory_pool().free_all_blocks()


class Cupy(Library):
    name = "CuPy"
    dialect = "cupy"

    def __init__(self, device):
        super().__init__(device)
        self.xp = importlib.import_module("cupy")
        self.version = self.xp.__version__
        self.upload = self.xp.asarray
        self.download = self.xp.asnumpy
        self.event = self.xp.cuda.Event
        self.between = self.xp.cuda.get_elapsed_time

    def synchronize(self):
        self.xp.cuda.get_current_stream().synchronize()

    def free(self):
        self.xp.get_default_memory_pool().free_all_blocks()

    # The pool holds what was in use at once, so that its size is the peak.
    reset_peak = free

    def peak_bytes(self):
        return self.xp.get_default_memory_pool().total_bytes()


class Torch(Library):
    name = "PyTorch"
    dialect = "torch"

    def __init__(self, device):
        super().__init__(device)
        self.xp = importlib.import_module("torch")
        self.version = self.xp.__version__
        self.synchronize = self.xp.cuda.synchronize

    def upload(self, host):
        return self.xp.from_numpy(host).to("cuda")

    def download(self, array):
        return array.cpu()

    def event(self):
        return self.xp.cuda.Event(enable_timing=True)

    def between(self, start, stop):
        return start.elapsed_time(stop)

    def free(self):
        self.xp.cuda.empty_cache()

    def reset_peak(self):
        self.xp.cuda.reset_peak_memory_stats()

    def peak_bytes(self):
        return self.xp.cuda.max_memory_allocated()


class Numpy(Library):
    """NumPy, which is compared with gpunp's CPU device instead of the GPU libraries."""

    name = "NumPy"
    dialect = "numpy"
    xp = np
    version = np.__version__

    def synchronize(self):
        pass

    free = synchronize

    def upload(self, host):
        return host.copy()

    def download(self, array, out=None):
        if out is None:
            return array.copy()
        out[...] = array
        return out

    def group_seconds(self, body, count):
        return timeit.timeit(body, number=count)


def available(device, *, alone=False):
    """gpunp, then, unless it is measured alone, each other library that can be imported and finds a GPU."""
    found = [Gpunp(device)]
    if alone:
        return found
    if found[0].place.is_cpu:
        return [*found, Numpy(device)]
    for library in (Cupy, Torch):
        try:
            peer = library(device)
            peer.synchronize()
        except Exception as error:
            print(f"{library.name} is left out: {error}")
        else:
            found.append(peer)
    return found
