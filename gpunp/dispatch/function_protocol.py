"""NEP 18 and NEP 35: calls of NumPy functions with a device array, also in ``like=``."""

import time
import warnings

import numpy

from gpunp.array.convert import asarray, asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.array.scalars import host_scalar
from gpunp.device import get_device
from gpunp.dispatch import policy
from gpunp.dispatch.registry import HANDLERS, LIKE, find_handler, public_path

# Types whose arrays gpunp converts; a call with any other type that has the protocol is left to that type.
_KNOWN = {ndarray: True, numpy.ndarray: True, numpy.memmap: True}
# Functions that write into their first argument: a fallback copies the result back.
IN_PLACE = frozenset(
    {"assign_fields_by_name", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}
)


def _is_known(cls):
    known = _KNOWN.get(cls)
    if known is None:
        known = _KNOWN[cls] = issubclass(cls, ndarray)
    return known


def array_function(self, func, types, args, kwargs):
    """Implement ``ndarray.__array_function__``."""
    for cls in types:
        if cls is not ndarray and not _is_known(cls):
            return NotImplemented
    handler = HANDLERS.get(func)
    if handler is None:
        handler = find_handler(func)
        if handler is None:
            return _fall_back(func, args, kwargs, self.device)
    if func in LIKE:
        device = self.device
        if device is get_device():
            return handler(*args, **kwargs)
        with device:
            return handler(*args, **kwargs)
    return call_handler(handler, func, args, kwargs)


def call_handler(handler, name, args, kwargs):
    """Call a handler after the policy for host operands.

    Parameters
    ----------
    handler : callable
    name : str or function
        The public path of the function that was called, or the NumPy function.
    args : tuple
    kwargs : dict
    """
    if "host_operands" in policy.changed and policy.config.host_operands != "upload":
        for argument in _host_arrays(args, kwargs):
            policy.check_host_operand(argument, name if isinstance(name, str) else public_path(name))
        # Host arrays that the handler creates itself are exempt from the policy.
        with policy.config.using(host_operands="upload"):
            return handler(*args, **kwargs)
    return handler(*args, **kwargs)


def _host_arrays(*containers):
    for container in containers:
        for value in container.values() if isinstance(container, dict) else container:
            if isinstance(value, numpy.ndarray):
                if value.ndim:
                    yield value
            elif isinstance(value, list | tuple):
                yield from _host_arrays(value)


def unhandled(name, reason=None):
    """Return the TypeError for a function, ufunc or method that gpunp does not handle, maybe for a reason."""
    why = f": {reason}" if reason else ""
    return TypeError(
        f"gpunp does not handle {name}{why}. Convert the arguments with gpunp.asnumpy and call it on the "
        "host, or set gpunp.config.fallback = 'numpy' to have gpunp do so in every such call."
    )


def to_host(value):
    """Replace every device array in ``value``, also in containers, by a host copy, and scalars by NumPy's."""
    if isinstance(value, ndarray):
        return host_scalar(value) if value._is_scalar else asnumpy(value)
    if type(value) in (list, tuple):
        return type(value)(to_host(item) for item in value)
    if type(value) is dict:
        return {key: to_host(item) for key, item in value.items()}
    # Sparse arrays: what hooks take for a device array must not reach NumPy's function as it is.
    return value.get() if getattr(type(value), "holds_device_arrays", False) else value


def to_device(value, device):
    """Upload every host array in ``value`` to the device; arrays of unsupported dtypes stay on the host."""
    if isinstance(value, numpy.ndarray | numpy.generic):
        if value.dtype.kind in "biufc" and value.dtype.char not in "gG":
            made = asarray(value, device=device)
            return made._mark_scalar() if isinstance(value, numpy.generic) else made
        return value
    if isinstance(value, tuple):
        items = [to_device(item, device) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value) is list:
        return [to_device(item, device) for item in value]
    return value


def run_on_host(call, args, kwargs, device, name, in_place=False):
    """Run ``call`` on host copies if ``config.fallback`` allows it; copy results into device ``out``."""
    setting = policy.config.fallback
    if setting == "error":
        raise unhandled(name)
    if setting == "warn":
        warnings.warn(
            f"gpunp does not handle {name}: it runs on host copies",
            policy.FallbackWarning,
            stacklevel=4,
        )
    from gpunp.array import host_copies

    start = time.perf_counter()
    try:
        return _with_copies(call, args, kwargs, device, in_place)
    finally:
        sizes = [value.nbytes for value in (*args, *kwargs.values()) if isinstance(value, ndarray)]
        host_copies.tell("fallback", name, sum(sizes), time.perf_counter() - start)


def _with_copies(call, args, kwargs, device, in_place):
    outs = kwargs.get("out")
    host_args, host_kwargs = to_host(args), to_host(kwargs)
    result = call(*host_args, **host_kwargs)
    if in_place and args and isinstance(args[0], ndarray):
        args[0][...] = host_args[0]
    if outs is None:
        return to_device(result, device)
    if not isinstance(outs, tuple):
        outs[...] = host_kwargs["out"]
        return outs
    for out, host in zip(outs, host_kwargs["out"], strict=True):
        if isinstance(out, ndarray):
            out[...] = host
    results = result if isinstance(result, tuple) else (result,)
    returned = [
        to_device(value, device) if out is None else out for out, value in zip(outs, results, strict=True)
    ]
    return tuple(returned) if isinstance(result, tuple) else returned[0]


def _fall_back(func, args, kwargs, device):
    return run_on_host(func, args, kwargs, device, public_path(func), func.__name__ in IN_PLACE)
