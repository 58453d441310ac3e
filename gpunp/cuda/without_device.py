"""The pools of memory where there is no CUDA device: empty, so that programs that ask for them run."""

import numpy

from gpunp.cuda.limits import parse_limit
from gpunp.device import Device


def _refuse():
    """Raise the error that says why there is no CUDA device."""
    Device("cuda", 0)
    raise RuntimeError("there was no CUDA device when its memory was first asked for; restart the program")


class MemoryPool:
    """A pool without memory: its statistics are zero, and what it is asked for raises.

    Parameters
    ----------
    device : None, optional
        Any other value raises: the device is not there.
    """

    def __init__(self, device=None):
        if device is not None:
            _refuse()
        self._limit = 0

    def malloc(self, nbytes):
        """Raises: there is no device to allocate on.

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
        """Set what `get_limit` gives; parts of the device's memory are 0.

        Parameters
        ----------
        size : int or str, optional
            Bytes, or a text such as ``"4GiB"``.
        fraction : float, optional
            A part of the device's memory, which is 0.
        """
        if size is not None and fraction is not None:
            raise ValueError("set_limit: give size or fraction, not both")
        if fraction is not None and not 0 <= fraction <= 1:
            raise ValueError(f"set_limit: fraction must be between 0 and 1, it is {fraction}")
        self._limit = 0 if size is None else parse_limit(size, 0)

    def get_limit(self):
        """The limit in bytes; 0 means none.

        Returns
        -------
        int
        """
        return self._limit

    def free_all_blocks(self, stream=None):
        """Does nothing: there are no blocks.

        Parameters
        ----------
        stream : object, optional
            Ignored.
        """

    def reset_peak(self):
        """Does nothing: `peak_bytes` is 0."""

    def _nothing(self):
        """Always 0."""
        return 0

    used_bytes = cached_bytes = total_bytes = free_bytes = peak_bytes = _nothing
    n_free_blocks = live_buffers = allocations = _nothing

    def statistics(self):
        """All numbers of the pool in a dict.

        Returns
        -------
        dict of str to int
            Bytes, and numbers of buffers.
        """
        names = "used_bytes", "peak_bytes", "cached_bytes", "total_bytes"
        return {**dict.fromkeys(names, 0), "limit": self._limit, "live_buffers": 0, "allocations": 0}

    def __repr__(self):
        return "<MemoryPool without a device>"


class PinnedMemoryPool:
    """A pool of host memory that nothing page-locks: its arrays are ordinary ones.

    Parameters
    ----------
    limit : int or str, optional
        What `get_limit` gives.
    """

    def __init__(self, limit=None):
        self.set_limit(0 if limit is None else limit)

    def set_limit(self, limit):
        """Set what `get_limit` gives.

        Parameters
        ----------
        limit : int or str
            Bytes, or a text such as ``"4GiB"``.
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
        """Does nothing: there are no blocks."""

    def _nothing(self):
        """Always 0."""
        return 0

    n_free_blocks = used_bytes = cached_bytes = _nothing

    def empty(self, shape, dtype=float):
        """An uninitialised NumPy array.

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
    """The pool that arrays of a CUDA device would come from: an empty one.

    Parameters
    ----------
    device : None, optional
        Any other value raises: the device is not there.

    Returns
    -------
    MemoryPool
    """
    if device is not None:
        _refuse()
    return _pool


def get_default_pinned_memory_pool():
    """The pool that large downloads would come from: an empty one.

    Returns
    -------
    PinnedMemoryPool
    """
    return _pinned_pool


def set_allocator(allocator=None):
    """Has no effect: nothing is allocated on a CUDA device.

    Parameters
    ----------
    allocator : MemoryPool, callable or None, optional
        Only its type is checked.
    """
    if not (allocator is None or isinstance(allocator, MemoryPool) or callable(allocator)):
        raise TypeError(
            f"set_allocator: a MemoryPool, a callable or None is needed, not {type(allocator).__name__}"
        )


def pinned_empty(shape, dtype=float):
    """An uninitialised NumPy array in ordinary memory.

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
