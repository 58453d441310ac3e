"""Empty memory pools for machines without a CUDA device, so that programs that configure pools run."""

import numpy

from gpunp.device import Device
from gpunp.memory_limits import choose_limit, parse_limit


def _refuse():
    """Raise the error that says why there is no CUDA device."""
    Device("cuda", 0)
    raise RuntimeError("there was no CUDA device when its memory pool was first used; restart the program")


class MemoryPool:
    """A pool without memory: its statistics are zero, and allocating raises.

    Parameters
    ----------
    allocator : callable, optional
        Never called. Any other value raises: there is no such device.
    device : None, optional
        Any other value raises: there is no such device.
    """

    def __init__(self, allocator=None, device=None):
        if device is not None or not (allocator is None or callable(allocator)):
            _refuse()
        self._limit = 0

    def malloc(self, nbytes):
        """Raise RuntimeError: there is no device to allocate on.

        Parameters
        ----------
        nbytes : int

        Raises
        ------
        RuntimeError
            Always.
        """
        _refuse()

    def set_limit(self, size=None, fraction=None):
        """Set the value of `get_limit`; fractions of the device's memory are 0.

        Parameters
        ----------
        size : int or str, optional
            Bytes, or text such as ``"4GiB"``.
        fraction : float, optional
            A fraction of the device's memory, which is 0 bytes.
        """
        self._limit = choose_limit(size, fraction, 0)

    def get_limit(self):
        """The limit in bytes; 0 means none.

        Returns
        -------
        int
        """
        return self._limit

    def free_all_blocks(self, stream=None):
        """Do nothing: there are no blocks.

        Parameters
        ----------
        stream : object, optional
            Ignored.
        """

    def free_all_free(self):
        """Do nothing: there are no blocks."""

    def reset_peak(self):
        """Do nothing: `peak_bytes` is always 0."""

    def _nothing(self):
        """Always 0."""
        return 0

    used_bytes = pending_bytes = cached_bytes = total_bytes = free_bytes = peak_bytes = _nothing
    n_free_blocks = live_buffers = allocations = _nothing

    def statistics(self):
        """All numbers of the pool in a dict.

        Returns
        -------
        dict of str to int
            Bytes, and numbers of buffers.
        """
        names = "used_bytes", "peak_bytes", "pending_bytes", "cached_bytes", "total_bytes"
        return {**dict.fromkeys(names, 0), "limit": self._limit, "live_buffers": 0, "allocations": 0}

    def __repr__(self):
        return "<MemoryPool without a device>"


class PinnedMemoryPool:
    """A pool of host memory without page-locking: its arrays are in ordinary memory.

    Parameters
    ----------
    limit : int or str, optional
        The value of `get_limit`.
    """

    def __init__(self, limit=None):
        self.set_limit(0 if limit is None else limit)

    def set_limit(self, limit):
        """Set the value of `get_limit`.

        Parameters
        ----------
        limit : int or str
            Bytes, or text such as ``"4GiB"``.
        """
        self._limit = parse_limit(limit, 0)

    def get_limit(self):
        """The limit in bytes.

        Returns
        -------
        int
        """
        return self._limit

    def free_all_blocks(self):
        """Do nothing: there are no blocks."""

    def _nothing(self):
        """Always 0."""
        return 0

    n_free_blocks = used_bytes = cached_bytes = _nothing

    def malloc(self, nbytes):
        """Raise RuntimeError: there is no driver that page-locks memory.

        Parameters
        ----------
        nbytes : int

        Raises
        ------
        RuntimeError
            Always.
        """
        _refuse()

    def free(self, mem=None, size=None):
        """Do nothing: memory is freed with the last reference to it.

        Parameters
        ----------
        mem, size : object, optional
            Ignored.
        """

    def empty(self, shape, dtype=float):
        """An uninitialized NumPy array, in ordinary memory.

        Parameters
        ----------
        shape : int or tuple of ints
        dtype : data-type, optional
            By default float64.

        Returns
        -------
        numpy.ndarray
        """
        return numpy.empty(shape, dtype)

    def __repr__(self):
        return "<PinnedMemoryPool without a device>"


_pool = MemoryPool()
_pinned_pool = PinnedMemoryPool()


def get_default_memory_pool(device=None):
    """Return an empty pool in place of the one that arrays of a CUDA device come from.

    Parameters
    ----------
    device : None, optional
        Any other value raises: there is no such device.

    Returns
    -------
    MemoryPool
    """
    if device is not None:
        _refuse()
    return _pool


def get_default_pinned_memory_pool():
    """Return an empty pool in place of the one that large downloads come from.

    Returns
    -------
    PinnedMemoryPool
    """
    return _pinned_pool


def set_allocator(allocator=None):
    """Do nothing: no memory is allocated on a CUDA device.

    Parameters
    ----------
    allocator : MemoryPool, callable or None, optional
        Only its type is checked.
    """
    if not (allocator is None or isinstance(allocator, MemoryPool) or callable(allocator)):
        raise TypeError(
            f"set_allocator: a MemoryPool, a callable or None is needed, not {type(allocator).__name__}"
        )


pinned_empty = _pinned_pool.empty
