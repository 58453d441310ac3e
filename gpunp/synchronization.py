"""Refusal of calls that wait for a CUDA device, to find them in a program."""

import threading

_local = threading.local()
_lock = threading.Lock()
_count = 0


class DeviceSynchronized(RuntimeError):
    """A call waited for a device in a block of ``allow_synchronize(False)``."""


class allow_synchronize:
    """Context manager in which calls of this thread may wait for a CUDA device, or raise.

    Parameters
    ----------
    allow : bool
        False makes copies to the host and synchronizations of devices, streams and events raise
        `DeviceSynchronized`. Calls on the CPU device, which do not wait for anything, are not affected.

    Examples
    --------
    >>> import gpunp
    >>> with gpunp.allow_synchronize(True):
    ...     gpunp.ones(3).tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(self, allow):
        self._allow = bool(allow)
        self._outer = []

    def __enter__(self):
        self._outer.append(getattr(_local, "allowed", True))
        self._change(self._allow)

    def __exit__(self, *error):
        self._change(self._outer.pop())

    def _change(self, allow):
        global _count
        before = getattr(_local, "allowed", True)
        _local.allowed = allow
        with _lock:
            _count += before - allow
            try:
                from gpunp.cuda import driver
            except ImportError:
                # Built without CUDA: there is nothing to wait for.
                return
            driver.forbid_waits(_count, refuse)


def refuse(call):
    """Raise if the calling thread must not wait; called where some thread must not."""
    if not getattr(_local, "allowed", True):
        raise DeviceSynchronized(
            f"{call}: this waits for the device, and gpunp.allow_synchronize(False) forbids it here"
        )
