"""Device arrays in a program that knows only NumPy's: what devices lack runs on host copies."""

import contextlib
import functools
import sys
import time
import types

import numpy

import gpunp
from gpunp import array_behaviour, array_methods, array_shortcuts
from gpunp.array import host_copies, transfer
from gpunp.array.completion import install
from gpunp.array.convert import asnumpy
from gpunp.array.scalars import host_scalar, stays_on_device
from gpunp.array.sharing import is_shared, shared_or_copy
from gpunp.dispatch import function_protocol, hooks, ufunc_protocol
from gpunp.interop._on_import import finder
from gpunp.running import calls, counting, fallbacks, placement, sharing
from gpunp.ufunc import operators
from gpunp_scipy.routing import handlers

# Modules of the standard library that compare classes for their callers.
_ASK_FOR_CLASSES = frozenset({"functools", "unittest.case"})
# Methods of NumPy that change the array.
_IN_PLACE = frozenset(["fill", "itemset", "partition", "put", "resize", "setfield", "sort", "byteswap"])
# Methods that concern devices, or are as they should be.
_AS_THEY_ARE = frozenset(
    [
        "get",
        "set",
        "to_device",
        "toDevice",
        "reduced_view",
        "tolist",
        "item",
        "tobytes",
        "__array_namespace__",
        "__dlpack__",
        "__dlpack_device__",
        "__dlpack_c_exchange_api__",
        "__class_getitem__",
        "_repr_inline_",
        "__bytes__",
        "__round__",
        "__trunc__",
    ]
)


def _class_of(array):
    """The attribute ``__class__``: of scalars NumPy's, if a program or a module that dispatches asks."""
    if _active and array._is_scalar:
        names = sys._getframe(1).f_globals
        if counting.MARK in names or names.get("__name__") in _ASK_FOR_CLASSES:
            return array.dtype.type
    return type(array)


def _scalar_as_numpy(array):
    return repr(host_scalar(array)) if array._is_scalar else _BEHAVIOUR["__repr__"](array)


def _reduce(array):
    """Pickle as NumPy's arrays do, so that programs without gpunp can read the pickle."""
    return (host_scalar(array) if array._is_scalar else asnumpy(array)).__reduce__()


def _reduce_by_protocol(array, protocol):
    """Likewise; protocol 5 leaves the elements of large arrays out, for whoever asks for that."""
    if _active and not array._is_scalar:
        return asnumpy(array).__reduce_ex__(protocol)
    return object.__reduce_ex__(array, protocol)


def placed(value):
    """Move the large arrays in a result of NumPy to the device."""
    if type(value) is numpy.ndarray:
        return placement.move(value) if value.size >= calls.least_elements() else value
    if isinstance(value, tuple):
        items = [placed(item) for item in value]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    return [placed(item) for item in value] if type(value) is list else value


def copied(value):
    """Replace device arrays by copies on the host or memory that they share, and scalars by NumPy's.

    Those in containers, too.
    """
    if isinstance(value, gpunp.ndarray):
        return host_scalar(value) if value._is_scalar else shared_or_copy(value)
    if type(value) in (list, tuple):
        return type(value)(copied(item) for item in value)
    return {key: copied(item) for key, item in value.items()} if type(value) is dict else value


def run_on_copies(call, args, kwargs, device, name, in_place=False):
    """Run a function of NumPy or SciPy on host copies, and count that; it replaces `run_on_host`.

    Parameters
    ----------
    call : callable
    args : tuple
    kwargs : dict
    device : Device
        Not needed, as results are placed by their size.
    name : str
        For the report.
    in_place : bool, optional
        Whether the function writes into its first argument.

    Returns
    -------
    object
        Large arrays are on the device, and device arrays given as ``out`` have the result.
    """
    started = time.perf_counter()
    host_args, host_kwargs = copied(args), copied(kwargs)
    try:
        result = call(*host_args, **host_kwargs)
    except Exception as raised:
        # The error of the device, which was tried before, tells the program nothing.
        raise raised from None
    written = [*_outputs(kwargs, host_kwargs)]
    if in_place and args:
        written.append((args[0], host_args[0]))
    for target, host in written:
        if isinstance(target, gpunp.ndarray):
            fallbacks.store(target, host)
    nbytes = sum(value.nbytes for value in (*args, *kwargs.values()) if isinstance(value, gpunp.ndarray))
    counting.count("fallback", name, nbytes, time.perf_counter() - started)
    for target, host in written:
        if result is host:
            return target
    if not _has_views(result, host_args):
        return placed(result)
    # Of a copy: a write would be lost.
    if not in_place:
        # As long as somebody holds the memory, it is shared.
        _memory = [sharing.share(value) for value in args if type(value) is gpunp.ndarray]
        result = call(*copied(args), **host_kwargs)
    if not all(type(value) is not gpunp.ndarray or is_shared(value) for value in args):
        for view in result if isinstance(result, list | tuple) else [result]:
            view.flags.writeable = False
    return result


def _has_views(result, hosts):
    """Whether a result is a view of an argument, or has views among its items."""
    if isinstance(result, list | tuple):
        return any(_has_views(item, hosts) for item in result)
    return (
        isinstance(result, numpy.ndarray)
        and result.base is not None
        and any(type(host) is numpy.ndarray and numpy.may_share_memory(result, host) for host in hosts)
    )


def _outputs(kwargs, host_kwargs):
    """Pairs of an array given for the result, and its copy."""
    for name in ("out", "output"):
        outs, hosts = kwargs.get(name), host_kwargs.get(name)
        if isinstance(outs, tuple):
            yield from zip(outs, hosts, strict=True)
        elif outs is not None:
            yield outs, hosts


def _array_function(self, func, types, args, kwargs):
    """``__array_function__``: calls that fail on the device run on the host."""
    try:
        if kwargs and placement.asks_for_other_bytes((), kwargs):
            raise TypeError("a byte order")
        found = function_protocol.array_function(self, func, types, args, kwargs)
        if found is not NotImplemented:
            return found
    except Exception:
        # What follows raises NumPy's own error.
        pass
    foreign = {cls for cls in types if not issubclass(cls, _ARRAYS)}
    operands = [each for each in _items((args, kwargs)) if type(each) in foreign] if foreign else ()
    found = _by_another_class("__array_function__", operands, func, types, args, kwargs)
    if found is not NotImplemented:
        return found
    # Masked arrays, matrices and other subclasses of NumPy's class find copies.
    in_place = func.__name__ in function_protocol.IN_PLACE
    return run_on_copies(func, args, kwargs, self.device, function_protocol.public_path(func), in_place)


def _array_ufunc(self, ufunc, method, inputs, kwargs):
    """``__array_ufunc__`` off the fast path, likewise."""
    try:
        found = ufunc_protocol.array_ufunc(self, ufunc, method, inputs, kwargs)
        if found is not NotImplemented:
            return found
    except Exception:
        pass
    operands = [each for each in inputs if not isinstance(each, _KNOWN) and hasattr(each, "__array_ufunc__")]
    found = _by_another_class("__array_ufunc__", operands, ufunc, method, *inputs, **kwargs)
    if found is not NotImplemented:
        return found
    name = f"numpy.{ufunc.__name__}"
    return run_on_copies(getattr(ufunc, method), inputs, kwargs, self.device, name, method == "at")


def _items(value):
    """Yield what is in tuples, lists and dictionaries."""
    if type(value) in (tuple, list, dict):
        for item in value.values() if type(value) is dict else value:
            yield from _items(item)
    else:
        yield value


def _by_another_class(protocol, operands, *args, **kwargs):
    """What the first operand makes of a call that has a protocol for it and takes device arrays.

    NumPy would ask the operands after the device array next, but then give up where host copies would do.
    """
    for operand in operands:
        with contextlib.suppress(Exception):
            found = getattr(type(operand), protocol)(operand, *args, **kwargs)
            if found is not NotImplemented:
                return found
    return NotImplemented


def _route(self, *args, **kwargs):
    """The call of a function of SciPy that has a handler, likewise."""
    try:
        return _real_route(self, *args, **kwargs)
    except Exception:
        if not _active:
            raise
        return run_on_copies(hooks.original(self.function), args, kwargs, None, self.path)


def _operator_on_copies(function, args, in_place=False):
    name = f"operator.{function.__name__}"
    return run_on_copies(function, args, {}, None, name, in_place)


def _vectorized(self, *args, **kwargs):
    """The call of `numpy.vectorize`: the function of the program gets one element after the other."""
    call = hooks.original(numpy.vectorize.__call__)
    return run_on_copies(call, (self, *args), kwargs, None, f"numpy.vectorize of {self.pyfunc!r}")


def _method(name, function):
    """A method of arrays; calls that fail on the device are tried with NumPy's array."""

    takes_dtype = name in ("astype", "view")

    def call(self, *args, **kwargs):
        if takes_dtype and placement.asks_for_other_bytes(args, kwargs):
            return _on_copy(self, name, args, kwargs)
        try:
            return function(self, *args, **kwargs)
        except Exception:
            if not hasattr(numpy.ndarray, name):
                raise
            return _on_copy(self, name, args, kwargs)

    call.__name__, call.__qualname__, call.__doc__ = name, f"ndarray.{name}", function.__doc__
    return call


def _on_copy(array, name, args, kwargs):
    def call(host, *args, **kwargs):
        return getattr(host, name)(*args, **kwargs)

    return run_on_copies(call, (array, *args), kwargs, array.device, f"ndarray.{name}", name in _IN_PLACE)


def _of_memory(name, value_of):
    """A property that only NumPy's arrays have, of memory that the array shares as long as it lives.

    Code outside the program gets a read-only copy, which it must keep.
    """

    def attribute(self):
        if not _active or self._is_scalar or stays_on_device():
            raise AttributeError(f"'gpunp.ndarray' object has no attribute {name!r}")
        is_programs = counting.MARK in sys._getframe(1).f_globals
        return value_of(sharing.memory_of(self, stays=True) if is_programs else host_copies.taken(self))

    return property(attribute, doc=f"`{name}` of host memory, while a program runs.")


def _wrap(self):
    """`__array_wrap__`, with which a library gives its result the class of its argument."""
    if not _active:
        raise AttributeError("'gpunp.ndarray' object has no attribute '__array_wrap__'")
    return functools.partial(_wrapped, numpy.empty(0).__array_wrap__)


def _wrapped(wrap, array, context=None, return_scalar=False):
    if isinstance(array, gpunp.ndarray):
        return array[()] if return_scalar and not array.ndim else array
    return wrap(array, context, return_scalar)


def _data(array):
    """The attribute ``data``: a memory view, as NumPy's, while a program runs."""
    return sharing.memory_of(array).data if _active else _POINTER.fget(array)


def _interface(host):
    """The array interface with the copy as the buffer, which whoever reads it keeps alive."""
    host = numpy.asarray(host, order="C")
    return {**host.__array_interface__, "data": memoryview(host.reshape(-1).view("u1")), "strides": None}


def _teach_json():
    """Let the encoder of `json`, once that is imported, know scalars of the device while a program runs."""
    global _json_default
    encoder = sys.modules["json.encoder"].JSONEncoder
    if _active and encoder.default is not _default:
        _json_default, encoder.default = encoder.default, _default


def _default(self, value):
    """`json.JSONEncoder.default`, which is called for what the encoder does not know."""
    if type(value) is gpunp.ndarray and value._is_scalar:
        number = host_scalar(value)
        if isinstance(number, float):
            return float(number)
        raise TypeError(f"Object of type {type(number).__name__} is not JSON serializable")
    return _json_default(self, value)


def _upload(host, device):
    started = time.perf_counter()
    made = _real_upload(host, device)
    counting.count("upload", "", host.nbytes, time.perf_counter() - started)
    return made


def _download(source, host):
    started = time.perf_counter()
    _real_download(source, host)
    counting.count("download", "", host.nbytes, time.perf_counter() - started)


_ARRAYS = (gpunp.ndarray, numpy.ndarray)
_KNOWN = (*_ARRAYS, numpy.generic)
_BEHAVIOUR = dict(array_behaviour.BEHAVIOUR)
_json_default = None
_real_upload, _real_download = transfer.upload, transfer.download
_real_run_on_host, _real_route = function_protocol.run_on_host, handlers.Route.__call__
# The modules that run functions on host copies.
_RUNNERS = (function_protocol, ufunc_protocol, handlers)
_METHODS = {
    name: _method(name, function)
    for name, function in array_methods.METHODS.items()
    if isinstance(function, types.FunctionType) and name not in _AS_THEY_ARE
}
_POINTER = array_behaviour.PROPERTIES["data"]
# These do as they do without a program while none runs.
_ATTRIBUTES = {
    "data": property(_data, doc=_POINTER.__doc__),
    "flat": sharing.FLAT,
    "__array_interface__": _of_memory("__array_interface__", _interface),
    "__array_wrap__": property(_wrap),
    "ctypes": _of_memory("ctypes", lambda host: host.ctypes),
    "__class__": property(_class_of),
    "__reduce_ex__": _reduce_by_protocol,
}
# Whether a program runs.
_active = False
_waits_for_json = False


class Conversions:
    """Allows all conversions until `end`, and counts them."""

    def __init__(self):
        global _active, _waits_for_json
        _active = True
        self._settings = {name: getattr(gpunp.config, name) for name in ("host_copies", "fallback")}
        gpunp.config.host_copies, gpunp.config.fallback = "allow", "numpy"
        self._stop = host_copies.observe(counting.count)
        install(
            _METHODS,
            _ATTRIBUTES,
            {"__repr__": _scalar_as_numpy, "__reduce__": _reduce, "__array_function__": _array_function},
        )
        operators.install_protocol(ufunc_protocol.UFUNCS, _array_ufunc)
        handlers.Route.__call__ = _route
        fallbacks.start(_operator_on_copies)
        hooks.install("numpy", {"vectorize.__call__": _vectorized})
        for module in _RUNNERS:
            module.run_on_host = run_on_copies
        if not _waits_for_json:
            _waits_for_json = True
            finder.add("json.encoder", _teach_json)
        elif "json.encoder" in sys.modules:
            _teach_json()
        transfer.upload, transfer.download = _upload, _download

    def end(self):
        """Undo everything."""
        global _active, _json_default
        _active = False
        transfer.upload, transfer.download = _real_upload, _real_download
        if _json_default is not None:
            sys.modules["json.encoder"].JSONEncoder.default = _json_default
            _json_default = None
        handlers.Route.__call__ = _real_route
        fallbacks.stop()
        hooks.install("numpy", {"vectorize.__call__": "gpunp.interop.numpy_vectorize:call"})
        for module in _RUNNERS:
            module.run_on_host = _real_run_on_host
        operators.install_protocol(ufunc_protocol.UFUNCS, ufunc_protocol.array_ufunc)
        complete = {**array_methods.METHODS, **array_shortcuts.METHODS}
        install({name: complete[name] for name in _METHODS}, {}, _BEHAVIOUR)
        self._stop()
        for name, value in self._settings.items():
            setattr(gpunp.config, name, value)
