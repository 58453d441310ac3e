"""Conversion of array-likes to device arrays, and of device arrays to NumPy."""

import numpy

from gpunp.array import layout, transfer
from gpunp.array.arguments import copy_flag, order_name, warn_of_imaginary
from gpunp.array.dtype import DTYPES, as_dtype, dtype_code
from gpunp.array.foreign import from_foreign, is_exchanged, only_dlpack
from gpunp.array.ndarray import ndarray
from gpunp.array.scalars import host_scalar, without_fetching
from gpunp.device import get_device

host_view = transfer.host_view
# Types that wrap device arrays, to functions that unwrap them; adapters of other libraries add entries.
HOLDERS = {}
# Set by `install_join`: joins arrays of one dtype and device in one launch; None where that does not apply.
_join = None
# Types of numbers, which hold no arrays, for a quick check.
_NUMBERS = frozenset({bool, int, float, complex, *numpy.sctypeDict.values()})


def asarray(a, dtype=None, device=None, copy=None, order=None):
    """Return a device array with the values of ``a``.

    Parameters
    ----------
    a : array_like
        A device array, a host array, a scalar, nested sequences of these, or an object with
        ``__cuda_array_interface__``, ``__dlpack__``, ``__array_interface__`` or the buffer protocol.
    dtype : dtype_like, optional
        By default the dtype NumPy would give.
    device : Device or str, optional
        By default the device of ``a`` if it has one, else the current device. A device array must already be
        on it; `moved` copies between devices.
    copy : bool, optional
        None copies where needed, True always, False never (a ValueError where a copy is needed).
    order : {None, "K", "A", "C", "F"}, optional
        Memory order of the result.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        For elements that gpunp does not support: objects, strings, dates, records, extended precision.
    """
    if type(a) is ndarray and dtype is None and device is None and copy is None and order is None:
        return a
    if dtype is not None:
        dtype = as_dtype(dtype)
    if copy is not None:
        copy = copy_flag(copy)
    if order is not None:
        order = order_name(order)
    if isinstance(a, ndarray):
        _require_device(a, device)
        return _from_device_array(a, dtype, copy, order)
    if type(a) in HOLDERS:
        return moved(HOLDERS[type(a)](a), dtype, device, copy, order)
    place = get_device(device)
    if copy is not False and order in (None, "K"):
        made = transfer.of_numbers(a, dtype, place)
        if made is not None:
            return made
    if type(a) is not numpy.ndarray:
        foreign = from_foreign(a)
        if foreign is not None:
            _require_device(foreign, device)
            return _from_device_array(foreign, dtype, copy, order)
        if only_dlpack(a):
            a = numpy.from_dlpack(a)
    # NumPy would refuse device arrays in a sequence; testing the first element finds most of them early.
    device_parts = isinstance(a, (list, tuple)) and a and isinstance(a[0], ndarray)
    host = None if device_parts else as_host(a, dtype, copy)
    if host is None:
        return _stack(a, dtype, device, copy, order)
    if copy is False:
        return _without_copy(host, dtype, place, order)
    return transfer.upload(_in_order(_native(host, dtype), order), place)


def moved(a, dtype=None, device=None, copy=None, order=None):
    """Like `asarray`, but also from another device: for creation with ``device=`` and for assignment."""
    if device is None:
        return asarray(a, dtype, None, copy, order)
    place = get_device(device)
    if type(a) in HOLDERS:
        a = HOLDERS[type(a)](a)
    source = a if isinstance(a, ndarray) else from_foreign(a)
    if source is None or source.device is place:
        return asarray(a if source is None else source, dtype, place, copy, order)
    if copy is False:
        raise ValueError(f"asarray: copy=False, but the array is on {source.device}, not on {place}")
    dtype = None if dtype is None else as_dtype(dtype)
    order = None if order is None else order_name(order)
    return _from_device_array(to_device(source, place), dtype, None, order)


def assigned(value, target, element=False, ndmax=None):
    """Convert a value that is not a device array for assignment, by NumPy's rules for the target's dtype.

    Parameters
    ----------
    value : object
    target : ndarray
        Gives dtype and device.
    element : bool, optional
        Whether the target is one element, which accepts no sequence.
    ndmax : int, optional
        The most levels of nested sequences; by default the dimensions of the target.
    """
    if isinstance(value, numpy.ndarray) and not element:
        return asarray(value, device=target.device)
    if type(value) in HOLDERS:
        return moved(value, device=target.device)
    if is_exchanged(value):
        return moved(value, device=target.device)
    with numpy.errstate(all="ignore"):
        if element:
            host = numpy.empty(1, target.dtype)
            host[0] = value
            return transfer.upload(host.reshape(()), target.device)
        try:
            with without_fetching():
                host = numpy.array(
                    value, target.dtype, ndmax=target.ndim if ndmax is None else ndmax, copy=None
                )
        except (TypeError, ValueError):
            if isinstance(value, (list, tuple)) and _holds_device_array(value):
                return moved(value, device=target.device)
            raise
    return transfer.upload(host, target.device)


def _require_device(a, device):
    if device is not None and (place := get_device(device)) is not a.device:
        raise ValueError(f"the operands are on {place} and {a.device}; move one with to_device")


def as_host(a, dtype=None, copy=None):
    """Return ``a`` as a NumPy array; None for a sequence that holds device arrays."""
    try:
        # Python integers beyond the dtype must fail as in NumPy; arrays convert by a cast instead.
        wanted = dtype if dtype is not None and not hasattr(a, "dtype") else None
        if isinstance(a, (list, tuple)):
            with without_fetching():
                host = numpy.asarray(a, dtype=wanted, copy=False if copy is False else None)
        else:
            host = numpy.asarray(a, dtype=wanted, copy=False if copy is False else None)
    except TypeError:
        if isinstance(a, (list, tuple)) and _holds_device_array(a):
            return None
        raise
    # NumPy treats arrays that it cannot read as Python objects.
    if host.dtype.kind == "O" and isinstance(a, (list, tuple)) and _holds_device_array(a):
        return None
    return host


def joined(value):
    """Return ``value``, or a device array of it if it is or holds arrays that NumPy cannot read."""
    if isinstance(value, (list, tuple)):
        return asarray(value) if _holds_device_array(value) else value
    return asarray(value) if type(value) in HOLDERS or is_exchanged(value) else value


def rebuild(host):
    """Unpickle an array onto the current device; a NumPy scalar becomes a scalar."""
    made = asarray(host)
    return made._mark_scalar() if isinstance(host, numpy.generic) else made


def fetched(value):
    """Return a parameter that is needed on the host as a NumPy array; waits for device arrays in it."""
    value = joined(value)
    return asnumpy(value) if isinstance(value, ndarray) else numpy.asarray(value)


def _native(host, dtype):
    """Convert a host array to a supported dtype in native byte order, or raise TypeError."""
    wanted = DTYPES[dtype_code(host.dtype)] if dtype is None else dtype
    if host.dtype != wanted or not host.dtype.isnative:
        dtype_code(host.dtype)
        return host.astype(wanted)
    return host


def _in_order(host, order):
    if order in (None, "K"):
        return host
    return numpy.asarray(host, order=order)


def _without_copy(host, dtype, device, order):
    converted = _in_order(_native(host, dtype), order)
    if not device.is_cpu or not numpy.shares_memory(converted, host):
        raise ValueError(
            f"asarray: copy=False, but host data ({host.dtype}) cannot be used on {device} without a copy"
        )
    return transfer.wrap_host(converted, device)


def _from_device_array(a, dtype, copy, order):
    same_dtype = dtype is None or dtype == a.dtype
    if same_dtype and not copy and _has_order(a, order):
        return a
    if copy is False:
        raise ValueError("asarray: copy=False, but the conversion of dtype or memory order needs a copy")
    if not same_dtype:
        warn_of_imaginary(a.dtype, dtype)
    return layout.converted(a, dtype, order or "K")


def _has_order(a, order):
    # "A" decides between C and F only where a copy is made.
    if order in (None, "K", "A"):
        return True
    return a.flags.c_contiguous if order == "C" else a.flags.f_contiguous


def to_device(a, device):
    """Return a device array on ``device``, or ``a`` itself if it is already on it."""
    device = get_device(device)
    if a.device is device:
        return a
    if not a.device.is_cpu and not device.is_cpu:
        return transfer.to_peer(a, device)
    host = transfer.host_view(a) if a.device.is_cpu else asnumpy(a)
    return transfer.upload(host, device)


def _holds_device_array(a):
    for x in a:
        kind = type(x)
        if kind in _NUMBERS:
            continue
        if isinstance(x, (list, tuple)):
            if _holds_device_array(x):
                return True
        elif isinstance(x, ndarray) or kind in HOLDERS or is_exchanged(x):
            return True
    return False


def _adopted(a):
    """Convert the arrays of other libraries in a nested sequence to device arrays."""
    if isinstance(a, (list, tuple)):
        return [_adopted(x) for x in a]
    return asarray(a) if type(a) in HOLDERS or is_exchanged(a) else a


def install_join(join):
    """Set the function that joins arrays on the device."""
    global _join
    _join = join


def _stack(a, dtype, device, copy, order):
    """Assemble a nested sequence that holds device arrays on the device."""
    if copy is False:
        raise ValueError("asarray: copy=False, but a sequence of arrays needs a copy")
    a, leaves = _adopted(a), []
    shape = _shape_of(a, leaves)
    if dtype is None:
        dtypes = {getattr(x, "dtype", None) or numpy.asarray(x).dtype for x in leaves}
        dtype = as_dtype(numpy.result_type(*dtypes))
    if device is None:
        device, *others = dict.fromkeys(x.device for x in leaves if isinstance(x, ndarray))
        if others:
            raise ValueError(
                f"asarray: the arrays of a sequence are on {device} and on {others[0]}; pass device="
            )
    device = get_device(device)
    if order != "F" and all(isinstance(x, ndarray) and x.device is device for x in leaves):
        joined = _join(leaves, 0, new_axis=True)
        if joined is not None and joined.dtype == dtype and joined.ndim == 1 + leaves[0].ndim:
            return joined.reshape(shape)
    out = layout.empty(shape, dtype, "F" if order == "F" else "C", device)
    _fill(out, a)
    return out


def _shape_of(a, leaves):
    if not isinstance(a, (list, tuple)):
        leaves.append(a)
        return numpy.shape(a) if not isinstance(a, ndarray) else a.shape
    shapes = {_shape_of(x, leaves) for x in a}
    if len(shapes) > 1:
        raise ValueError(
            "setting an array element with a sequence. The requested array has an inhomogeneous shape: "
            f"the parts have shapes {sorted(shapes)}"
        )
    return (len(a), *shapes.pop()) if shapes else (0,)


def _fill(out, a):
    for i, part in enumerate(a):
        if isinstance(part, (list, tuple)) and _holds_device_array(part):
            _fill(out[i], part)
        elif isinstance(part, ndarray):
            out[i, ...] = to_device(part, out.device)
        else:
            out[i, ...] = part


def asnumpy(a, stream=None, order="K", out=None, *, blocking=True):
    """Return a host copy of a device array.

    Parameters
    ----------
    a : array_like
        A device array; anything else goes through ``numpy.asarray``.
    stream : gpunp.cuda.Stream, optional
        The CUDA stream that the copy is queued on; by default the current one.
    order : {"K", "A", "C", "F"}, optional
        Memory order of a new result.
    out : numpy.ndarray, optional
        A host array of the same shape and dtype to write into.
    blocking : bool, optional
        Without effect: the copy is complete when the call returns.

    Returns
    -------
    numpy.ndarray
    """
    if stream is not None:
        with on_stream(stream):
            return asnumpy(a, None, order, out)
    if type(a) in HOLDERS:
        a = HOLDERS[type(a)](a)
    if not isinstance(a, ndarray):
        a = joined(a)
    if not isinstance(a, ndarray):
        if out is None:
            return numpy.asarray(a, order=None if order == "K" else order)
        numpy.copyto(out, a)
        return out
    if out is not None:
        return _download_into(a, out)
    if a._is_scalar:
        return numpy.array(host_scalar(a))
    flags = a.flags
    if not (flags.c_contiguous or flags.f_contiguous):
        a = layout.converted(a, order="K" if order == "K" else "C")
        flags = a.flags
        if not (flags.c_contiguous or flags.f_contiguous):
            a = layout.converted(a, order="C")
    host = transfer.host_empty(a)
    transfer.download(a, host)
    return host if order == "K" else numpy.asarray(host, order=order)


def on_stream(stream):
    """Return a stream that a ``with`` statement accepts; raise TypeError for anything else."""
    if isinstance(stream, numpy.ndarray):
        raise TypeError("the second argument is the CUDA stream: give the host array as out=")
    if not hasattr(stream, "__enter__"):
        raise TypeError(f"stream must be a gpunp.cuda.Stream, not {type(stream).__name__}")
    return stream


def _download_into(a, out):
    if not isinstance(out, numpy.ndarray):
        raise TypeError(f"asnumpy: out must be a NumPy array, not {type(out).__name__}")
    if out.shape != a.shape:
        raise ValueError(f"asnumpy: out has shape {out.shape} and the array has shape {a.shape}")
    if not out.flags.writeable:
        raise ValueError("asnumpy: out is read-only")
    if out.dtype == a.dtype and out.dtype.isnative:
        if out.flags.c_contiguous:
            transfer.download(a if a.flags.c_contiguous else layout.converted(a, order="C"), out)
            return out
        if out.flags.f_contiguous:
            transfer.download(a if a.flags.f_contiguous else layout.converted(a, order="F"), out)
            return out
    numpy.copyto(out, asnumpy(a), casting="same_kind")
    return out


def set_values(a, values):
    """Overwrite a device array with values of the same shape from the host."""
    host = values if isinstance(values, ndarray) else numpy.asarray(values)
    if host.shape != a.shape:
        raise ValueError(f"set: the values have shape {host.shape} and the array has shape {a.shape}")
    flags = a.flags
    if isinstance(host, ndarray) or not flags.writeable or not (flags.c_contiguous or flags.f_contiguous):
        a[...] = host
        return
    order = "C" if flags.c_contiguous else "F"
    transfer.set_from_host(a, numpy.asarray(_native(host, a.dtype), dtype=a.dtype, order=order))
