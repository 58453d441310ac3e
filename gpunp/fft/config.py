"""The caches of cuFFT plans, one per thread and CUDA device.

Examples
--------
>>> import gpunp
>>> cache = gpunp.fft.config.get_plan_cache()
>>> cache.size_limit = 16
>>> cache.size <= cache.size_limit
True
"""

import sys
import threading
from collections import OrderedDict

from gpunp.device import get_device

_local = threading.local()
_DEFAULT_SIZE_LIMIT = 64


class PlanCache:
    """The cuFFT plans of one thread for one device; the least recently used are dropped first.

    Attributes
    ----------
    device : Device
        The device on which the plans run.
    size_limit : int
        The most plans that are kept; 0 keeps none.
    memsize_limit : int or None
        The most bytes that `memsize` may reach; None means no limit. A plan beyond it is used once.
    hits, misses : int
        How often a plan was found, and how often one had to be made.
    """

    def __init__(self, device):
        self.device = device
        self.hits = self.misses = 0
        self._plans = OrderedDict()
        self._newest = None
        self._size_limit = _DEFAULT_SIZE_LIMIT
        self._memsize_limit = None
        # Plans held by active `gpunp.fft.plan` contexts; and the dict of a Plan under construction, or None.
        self._held = {}
        self._record = None

    def __len__(self):
        return len(self._plans)

    def __repr__(self):
        return f"<PlanCache of {self.device}: {self.size} plans, {self.memsize} bytes of work area>"

    @property
    def size(self):
        """The number of plans in the cache."""
        return len(self._plans)

    @property
    def memsize(self):
        """Sum of the plans' work areas in bytes; a work area is allocated only while its plan runs."""
        return sum(plan.work_size for plan in self._plans.values())

    @property
    def size_limit(self):
        """The most plans that are kept."""
        return self._size_limit

    @size_limit.setter
    def size_limit(self, value):
        if value < 0:
            raise ValueError(f"size_limit must not be negative, got {value}")
        self._size_limit = value
        self._trim()

    @property
    def memsize_limit(self):
        """The most bytes that `memsize` may reach, or None."""
        return self._memsize_limit

    @memsize_limit.setter
    def memsize_limit(self, value):
        if value is not None and value < 0:
            raise ValueError(f"memsize_limit must not be negative, got {value}; None means no limit")
        self._memsize_limit = value
        self._trim()

    def find(self, key):
        """The plan of a layout, or None."""
        plan = self._plans.get(key)
        if plan is None:
            plan = self._held.get(key)
            if plan is None:
                return None
        elif key != self._newest:
            self._plans.move_to_end(key)
            self._newest = key
        self.hits += 1
        if self._record is not None:
            self._record[key] = plan
        return plan

    def add(self, key, plan):
        """Keep a new plan, within the limits."""
        self.misses += 1
        if self._record is not None:
            self._record[key] = plan
        self._plans[key] = plan
        self._newest = key
        self._trim()

    def clear(self):
        """Drop all plans; plans made by `gpunp.fft.plan` stay usable."""
        self._plans.clear()
        self._newest = None

    def show(self):
        """Print the limits and the plans, the least recently used first."""
        limit = "no limit" if self._memsize_limit is None else f"limit {self._memsize_limit}"
        print(f"cuFFT plans of {self.device} in this thread")
        print(f"  plans: {self.size} (limit {self._size_limit})")
        print(f"  work area: {self.memsize} bytes ({limit})")
        print(f"  hits: {self.hits}, misses: {self.misses}")
        for plan in self._plans.values():
            print(f"  {plan.text}; work area {plan.work_size} bytes")

    def get_size(self):
        """`size_limit`, under CuPy's name."""
        return self._size_limit

    def set_size(self, size):
        """Set `size_limit`; -1 means no limit.

        Parameters
        ----------
        size : int
        """
        self.size_limit = sys.maxsize if size == -1 else size

    def get_curr_size(self):
        """`size`, under CuPy's name."""
        return self.size

    def get_memsize(self):
        """`memsize_limit`, or -1 if there is none."""
        return -1 if self._memsize_limit is None else self._memsize_limit

    def set_memsize(self, memsize):
        """Set `memsize_limit`; -1 means no limit.

        Parameters
        ----------
        memsize : int
            Bytes.
        """
        self.memsize_limit = None if memsize == -1 else memsize

    def get_curr_memsize(self):
        """`memsize`, under CuPy's name."""
        return self.memsize

    def show_info(self):
        """Print what `show` prints."""
        self.show()

    def _trim(self):
        while self._plans and (
            len(self._plans) > self._size_limit
            or (self._memsize_limit is not None and self.memsize > self._memsize_limit)
        ):
            self._plans.popitem(last=False)
        if self._newest not in self._plans:
            self._newest = None


def get_plan_cache(device=None):
    """The plan cache of this thread for a device.

    Parameters
    ----------
    device : Device or str, optional
        By default the current device. The cache of the CPU device stays empty.

    Returns
    -------
    PlanCache
    """
    device = get_device(device)
    return cache_of(-1 if device.is_cpu else device.index, device)


def set_cufft_callbacks(*args, **kwargs):
    """Raise NotImplementedError: cuFFT has callbacks for code that is linked into the plan at run time only.

    Parameters
    ----------
    *args, **kwargs
        Ignored.

    Raises
    ------
    NotImplementedError
        Always; the message says what to do instead.
    """
    raise NotImplementedError(
        "set_cufft_callbacks: plans of gpunp have no callbacks. Elementwise work before and after a "
        "transform is one fused kernel each: write it with NumPy, in a function decorated with gpunp.fuse"
    )


def set_cufft_gpus(gpus):
    """Set the devices of a transform; gpunp transforms an array on the device that it is on.

    Parameters
    ----------
    gpus : int or sequence of int
        One device: its number, or how many.

    Raises
    ------
    NotImplementedError
        For several devices.
    ValueError
        If there is none.
    """
    count = gpus if isinstance(gpus, int) else len(set(gpus))
    if count < 1:
        raise ValueError(f"set_cufft_gpus: at least one device is needed, not {gpus}")
    if count > 1:
        raise NotImplementedError(
            "set_cufft_gpus: a transform runs on one device. Transform a part on each device, or use the "
            "distributed transforms of the package nvmath-python"
        )


def show_plan_cache_info():
    """Print the plan cache of this thread for the current device."""
    get_plan_cache().show()


def cache_of(index, device):
    """The plan cache of this thread for a CUDA device by index, or for the CPU by -1."""
    try:
        return _local.caches[index]
    except (AttributeError, KeyError):
        caches = _local.__dict__.setdefault("caches", {})
        return caches.setdefault(index, PlanCache(device))
