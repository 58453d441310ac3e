"""Array exchange protocols: DLPack, the CUDA Array Interface, and moves between devices.

This module handles devices, versions, streams and copies; `dlpack` creates and reads the capsules.
"""

import contextlib
import operator
import sys

from gpunp import cuda
from gpunp.array import layout, transfer
from gpunp.array.arguments import copy_flag
from gpunp.array.convert import to_device
from gpunp.array.ndarray import ndarray
from gpunp.array.views import plain_view
from gpunp.device import get_device
from gpunp.interop.dlpack import CUDA_KINDS, HOST_KINDS, is_capsule, make_capsule, read_capsule


class CopyNeededError(BufferError, ValueError):
    """Raised for ``copy=False`` if a copy is needed; the standard requires both base classes."""


def dlpack_device(array):
    """Device type and index in DLPack's numbering."""
    device = array.device
    return (1, 0) if device.is_cpu else (2, device.index)


def export(array, /, *, stream=None, max_version=None, dl_device=None, copy=None):
    """A DLPack capsule of the array; see the array API standard.

    Parameters
    ----------
    stream : int, optional
        The consumer's CUDA stream, which will wait for the work queued on gpunp's current stream: None or 1
        is the legacy default stream, 2 the per-thread default stream, -1 requests no ordering.
    max_version : tuple of int, optional
        The newest version of DLPack that the consumer supports; from (1, 0) on the capsule is versioned.
    dl_device : tuple of int, optional
        The device on which the consumer wants the data; (1, 0) copies to the host.
    copy : bool, optional
        None copies if needed, True always, False never (BufferError).
    """
    copy = copy_flag(copy)
    own = dlpack_device(array)
    kind, index = own if dl_device is None else _pair("dl_device", dl_device)
    if not _has_device(kind, index):
        places = "(1, 0), the host" + ("" if own == (1, 0) else f", or {own}, where the array is")
        raise BufferError(
            f"__dlpack__: gpunp has no memory on device ({kind}, {index}) of DLPack; ask for {places}"
        )
    versioned = max_version is not None and _pair("max_version", max_version)[0] >= 1
    if kind == 1 and stream is not None:
        raise ValueError(f"__dlpack__: the host has no streams; stream must be None, not {stream!r}")
    copied = copy is True
    if (kind, index) != own:
        if copy is False:
            raise CopyNeededError(f"__dlpack__: copy=False, but the array is on {array.device}")
        array, copied = to_device(array, "cpu" if kind == 1 else f"cuda:{index}"), True
    elif copied or (copy is None and array._is_scalar):
        # A consumer may write to its array, but a scalar must never change.
        array, copied = layout.converted(array, order="K"), True
    if kind == 2:
        let_consumer_wait(array.device, stream)
    return make_capsule(array, kind, index, versioned, copied)


def _pair(name, value):
    """Check an argument that is a tuple of two integers."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise TypeError(f"__dlpack__: {name} must be a tuple of two integers or None, not {value!r}")
    return operator.index(value[0]), operator.index(value[1])


def _has_device(kind, index):
    """Whether gpunp supports the device with this DLPack type and index."""
    if kind == 1:
        return index == 0
    if kind != 2 or not cuda.is_available():
        return False
    return 0 <= index < cuda.device_count()


def let_consumer_wait(device, stream):
    """Make a consumer's stream, in DLPack's numbering, wait for the current stream."""
    from gpunp.cuda import ExternalStream, get_current_stream

    if stream is None:
        stream = 1
    elif hasattr(stream, "__cuda_stream__"):
        stream = ExternalStream(stream, device).ptr or 1
    if isinstance(stream, bool) or not isinstance(stream, int):
        raise TypeError(f"__dlpack__: stream must be an integer or None, not {type(stream).__name__}")
    if stream == -1:
        return
    if stream <= 0:
        raise ValueError(
            f"__dlpack__: there is no stream {stream}; 1 is the legacy default stream, 2 the per-thread one, "
            "-1 requests no ordering, and None is 1"
        )
    current = get_current_stream(device)
    if (current.ptr or 1) != stream:
        ExternalStream(stream, device).wait_stream(current)


def from_dlpack(x, /, *, device=None, copy=None):
    """A device array over the memory of another library's array.

    Parameters
    ----------
    x : object with ``__dlpack__`` and ``__dlpack_device__``, or a DLPack capsule
        A capsule must be safe to read on the current stream.
    device : Device or str, optional
        The device of the result; by default that of ``x``.
    copy : bool, optional
        None copies if needed, True always, False never.

    Returns
    -------
    ndarray
        Read-only if the producer marks ``x`` as read-only.

    Raises
    ------
    BufferError
        For memory, dtypes or versions of DLPack that gpunp does not support, and for a copy that is needed
        but not allowed.

    Examples
    --------
    >>> import numpy as np, gpunp
    >>> host = np.arange(3.0)
    >>> a = gpunp.from_dlpack(host)
    >>> host[0] = 5
    >>> a
    array([5., 1., 2.])
    """
    copy = copy_flag(copy)
    place = None if device is None else get_device(device)
    if isinstance(x, ndarray):
        # A view and not the object itself, whose flags and shape its owner may change.
        source, copied = plain_view(x), False
    elif is_capsule(x):
        source, copied = read_capsule(x)
    else:
        source, copied = read_capsule(_request(x, place, copy))
    if place is not None and place is not source.device:
        if copy is False:
            raise CopyNeededError(f"from_dlpack: copy=False, but the data is on {source.device}, not {place}")
        return to_device(source, place)
    return layout.converted(source, order="K") if copy and not copied else source


def _request(x, place, copy):
    """Request a producer's capsule; the current stream is ordered after the producer's work."""
    kind, index = x.__dlpack_device__()
    kind, old, new = int(kind), {}, {"max_version": (1, 0)}
    current = contextlib.nullcontext()
    if kind in CUDA_KINDS:
        from gpunp.cuda import get_current_stream
        from gpunp.cuda.driver import ForeignCalls

        old["stream"] = get_current_stream(int(index)).ptr or 1
        # PyTorch refuses to export if another device is current.
        current = ForeignCalls(int(index))
    elif kind not in HOST_KINDS:
        # gpunp cannot access this memory, but the producer may copy it to the host.
        new["dl_device"] = (1, 0)
    if copy is not None and (place is None or place.is_cpu == (kind not in CUDA_KINDS)):
        new["copy"] = copy
    with current:
        try:
            return x.__dlpack__(**old, **new)
        except TypeError:
            # A producer older than DLPack 1.0 does not know the new arguments.
            return x.__dlpack__(**old)


def cuda_array_interface(array):
    """The CUDA Array Interface (version 3): pointer, shape and strides, for arrays on CUDA devices only."""
    if array.device.is_cpu:
        raise AttributeError("an array on the CPU device has no __cuda_array_interface__")
    transfer.expose(array)
    return {
        "shape": array.shape,
        "strides": None if array.flags.c_contiguous else array.strides,
        "typestr": array.dtype.str,
        # Some libraries refuse read-only memory, so scalars are exported as writable, on trust.
        "data": (transfer.data_pointer(array), not (array.flags.writeable or array._is_scalar)),
        "version": 3,
        # The legacy default stream, CUDA's handle 0, is 1 in this protocol, which disallows 0.
        "stream": array.device.stream.ptr or 1,
    }


def array_to_device(array, device, /, *, stream=None):
    """The array on another device; see `gpunp.ndarray.to_device`."""
    device = get_device(device)
    place = array.device if device.is_cpu else device
    if stream is not None and place.is_cpu:
        raise ValueError(f"to_device: the host has no streams; stream must be None, not {stream!r}")
    if stream is None or device is array.device:
        return to_device(array, device)
    from gpunp.cuda.stream import as_stream, get_current_stream

    # The copy waits for the work that produces the array, and later work on the current stream for the copy.
    here, side = get_current_stream(place), as_stream(stream, place)
    side.wait_stream(here)
    with side:
        result = to_device(array, device)
    here.wait_stream(side)
    return result


def get_array_module(*arrays):
    """The module for the arguments: `gpunp` if one is a device array, else `numpy`.

    NumPy's functions accept device arrays themselves; this is for creation, such as ``xp.zeros``.

    Parameters
    ----------
    *arrays : object

    Returns
    -------
    module
    """
    return sys.modules["gpunp" if any(isinstance(a, ndarray) for a in arrays) else "numpy"]
