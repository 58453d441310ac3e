"""Read-only host copies of device arrays, for code that asks for host memory: counted, and off by default."""

import time

from gpunp.array.convert import asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.array.scalars import host_scalar

# Set by `install`: whether the settings allow a copy. It may warn.
_permit = None
# Returns a copy of an array that is kept for those who only read, or None: see `keep`.
_kept = None
# Returns a NumPy array over memory that an array shares with whoever asks, or None: see `share`.
_shared = None
# Called with the kind of an event, its name, bytes and seconds: see `observe`.
_observers = []


def install(permit):
    """Set the function that says whether host copies are allowed, called with what will be copied."""
    global _permit
    _permit = permit


def permitted(array):
    """Whether a host copy of a device array may be made where code asks for one."""
    return _permit is not None and _permit(array)


def keep(find):
    """Have copies that are not written taken from a function, where it returns one; None ends that."""
    global _kept
    _kept = find


def share(find):
    """Have a function asked for memory to be shared, where a copy would be read-only; None ends that.

    Parameters
    ----------
    find : callable or None
        Called with an array and the flags of the buffer request, or None for other conversions. It returns a
        NumPy array, whose changes change the array, or None.
    """
    global _shared
    _shared = find


def hand_out_buffers():
    """Give device arrays the buffer protocol, through which C code gets read-only host copies."""
    from gpunp.array import buffers

    buffers.install(taken)


def observe(observer):
    """Have a function called with the kind, name, bytes and seconds of each host copy and fallback.

    Parameters
    ----------
    observer : callable
        Called after the event. The kinds are "host copy", "fallback" and "upload of shared memory".

    Returns
    -------
    callable
        Ends the observation.
    """
    _observers.append(observer)
    return lambda: _observers.remove(observer)


def tell(kind, name, nbytes, seconds):
    """Tell the observers of an event."""
    for observer in _observers:
        observer(kind, name, nbytes, seconds)


def taken(array, dtype=None, copy=None, flags=None):
    """Return a host copy, as ``__array__`` does, and count it.

    It is read-only where the caller expects the memory of the array itself: a write then raises an error and
    is not lost. It is writable where NumPy's array would have been copied. What an array shares is no copy.

    Parameters
    ----------
    array : ndarray
    dtype : dtype, optional
    copy : bool, optional
    flags : int, optional
        Of the buffer request that the copy is for.
    """
    host = None if copy or _shared is None else _shared(array, flags)
    if host is not None and (dtype is None or host.dtype == dtype):
        return host
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    start = time.perf_counter()
    if host is None and not copy and _kept is not None:
        host = _kept(array)
    if host is None:
        host = asnumpy(array)
    writable = bool(copy)
    if dtype is not None and host.dtype != dtype:
        host, writable = host.astype(dtype), True
    tell("host copy", "", array.nbytes, time.perf_counter() - start)
    host.flags.writeable = writable
    return host


def with_copies(value):
    """Replace device arrays by read-only host copies, also in lists, tuples and dictionaries."""
    if isinstance(value, ndarray):
        return host_scalar(value) if value._is_scalar else taken(value)
    if type(value) in (list, tuple):
        return type(value)(with_copies(item) for item in value)
    if type(value) is dict:
        return {key: with_copies(item) for key, item in value.items()}
    return value
