"""Which conversions of arrays get memory that they share with the array, so that no write is lost.

Others get read-only copies, which cost less: what is shared is uploaded at each use on the device.
"""

import sys
import time

from gpunp.array import host_copies
from gpunp.array.flags import Flags
from gpunp.array.numpy_internals import MODULES_OVER_MEMORY
from gpunp.array.sharing import is_shared, shared
from gpunp.array_behaviour import PROPERTIES
from gpunp.running import counting

# Bits of the requests for buffers: memory that may be written, with a format as `memoryview` asks for, and
# any that is contiguous, as `numpy.ndarray` asks for, which keeps the address only.
_WRITABLE, _FORMAT, _ANY_CONTIGUOUS = 0x1, 0x4, 0x98
# Those of gpunp that write arrays as a program does, by assignment.
_ASSIGNING = (__package__, "gpunp.interop.numpy_random")


def share(array, stays=False):
    """Return memory that a device array shares, as a NumPy array; None if it cannot be shared."""
    known, started = is_shared(array), time.perf_counter()
    host = shared(array, stays)
    if host is not None and not known:
        Flags.writeable = _guarded
        counting.count("shared with the host", "", array.nbytes, time.perf_counter() - started)
    return host


def memory_of(array, stays=False):
    """Return the memory of a device array as a NumPy array, or a read-only copy if it cannot be shared."""
    host = None if array._is_scalar else share(array, stays)
    return host_copies.with_copies(array) if host is None else host


def _of_request(array, flags):
    """What a conversion gets: see `gpunp.array.host_copies.share`."""
    if flags is not None and flags & _ANY_CONTIGUOUS == _ANY_CONTIGUOUS:
        return share(array, stays=True)
    if is_shared(array):
        return shared(array)
    if flags is None or not array.flags.writeable:
        return None
    if flags & _WRITABLE:
        return share(array)
    return share(array) if flags & _FORMAT and _keeps_memory() else None


def _keeps_memory():
    """Whether the program itself asks for memory, or a function of NumPy that makes an array over it."""
    frame = sys._getframe(1)
    while frame is not None:
        names = frame.f_globals
        if counting.MARK in names:
            return True
        name = names.get("__name__", "")
        if not name.startswith("gpunp."):
            # These functions have an argument of this name.
            return name in MODULES_OVER_MEMORY and frame.f_locals.get("copy") is not True
        frame = frame.f_back
    return False


def _writeable(flags):
    """`Flags.writeable`: functions that ask before they write a shared array on the device must not."""
    if is_shared(flags._array):
        names = sys._getframe(1).f_globals
        name = names.get("__name__", "")
        if name.startswith("gpunp") and not name.startswith(_ASSIGNING) and counting.MARK not in names:
            raise BufferError("the memory of the array is shared with the host")
    return _real_writeable.fget(flags)


_real_writeable = Flags.writeable
_guarded = property(_writeable, _real_writeable.fset, doc=_real_writeable.__doc__)


def _flat(array):
    return shared(array).flat if is_shared(array) else _real_flat.fget(array)


def _set_flat(array, value):
    if is_shared(array):
        shared(array).flat = host_copies.with_copies(value)
    else:
        _real_flat.fset(array, value)


_real_flat = PROPERTIES["flat"]
FLAT = property(_flat, _set_flat, doc=_real_flat.__doc__)


def start():
    """Share from now on."""
    host_copies.share(_of_request)


def stop():
    """Hand out copies alone."""
    host_copies.share(None)
    Flags.writeable = _real_writeable
