"""The functions that programs call, besides NumPy's: new arrays, reads, exports, threads and streams."""

import concurrent.futures
import contextlib
import copy
import pickle
import re
import threading
import types
import weakref

import numpy as np
from operands import DTYPES, SPECIAL

import gpunp

_LENGTH = 1024


def _table(dtype, edgy):
    """Elements of a dtype, among them extreme ones if ``edgy``."""
    numbers = np.arange(_LENGTH)
    plain = numbers * 7919 % 101
    if dtype.kind == "b":
        return plain % 2 == 0
    if dtype.kind != "u":
        plain = plain - 50
    values = (
        plain / 8 + (1j * (plain % 7) if dtype.kind == "c" else 0) if dtype.kind in "fc" else plain
    ).astype(dtype)
    if edgy:
        special = np.array(SPECIAL[dtype.name], dtype)
        places = numbers * 31 % 4 == 0
        values[places] = np.resize(special, places.sum())
        if dtype.kind == "f":
            # NaNs with a sign and a payload.
            bits = values.view(f"u{dtype.itemsize}")
            nan = np.array(np.nan, dtype).view(bits.dtype)
            bits[5::41] = nan | bits.dtype.type(1 << (8 * dtype.itemsize - 1))
            bits[7::53] = nan | bits.dtype.type(5)
    return values


_TABLES = {(np.dtype(name).str[1:], edgy): _table(np.dtype(name), edgy) for name in DTYPES for edgy in (0, 1)}


def elements(start, dtype, shape, edgy=1):
    """Return a new array on the host, from the table of a dtype."""
    size = 1
    for n in shape:
        size *= n
    return _TABLES[dtype, edgy][start : start + size].reshape(shape).copy()


# -- what a program leaves behind


def state(value):
    """The bits of an array, or of the arrays in a container; what else is compared of other values."""
    if isinstance(value, gpunp.ndarray):
        return "array", value.dtype.str, value.shape, value.strides, value.get().tobytes()
    if isinstance(value, np.ndarray | np.generic):
        return "host", value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return [state(each) for each in value]
    if isinstance(value, weakref.ref):
        return "reference", value() is None
    if isinstance(value, bool | int | str | bytes | float | complex | None):
        return repr(value)
    return type(value).__name__


_ADDRESS = re.compile(r"0x[0-9a-f]{5,}")
# In the text of errors of CUDA that a kernel found: which call raises them depends on when the kernel runs.
REPORTED = "(reported by a kernel)"


def text_of(error):
    """The type and the message of an exception."""
    notes = getattr(error, "__notes__", ())
    reported = f" {REPORTED}" if any(note.startswith("Raised by a later call") for note in notes) else ""
    return f"{type(error).__name__}: {_ADDRESS.sub('0x', str(error))}{reported}"


def _log(lines):
    return lambda *values: lines.append([state(each) for each in values])


# -- threads and streams

_POOL = concurrent.futures.ThreadPoolExecutor(2)


def _in_thread(function, device):
    """Call a function in a thread of its own, which then ends."""
    results = []

    def work():
        try:
            with device:
                results.append(function())
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if isinstance(results[0], Exception):
        raise results[0]
    return results[0]


def _together(functions, device):
    """Call functions at the same time, in threads that live on."""

    def work(function):
        with device:
            return function()

    futures = [_POOL.submit(work, function) for function in functions]
    concurrent.futures.wait(futures)
    return [future.result() for future in futures]


@contextlib.contextmanager
def _cuda_stream(number):
    """A stream that waits for what was done before; what is done later waits for it."""
    from gpunp import cuda

    stream = cuda.Stream()
    stream.wait_event(cuda.get_current_stream().record())
    try:
        with stream:
            yield
    finally:
        cuda.get_current_stream().wait_event(stream.record())


_COMMON = {
    "np": np,
    "nan": float("nan"),
    "inf": float("inf"),
    "copy": copy,
    "pickle": pickle,
    "weakref": weakref,
    "SimpleNamespace": types.SimpleNamespace,
    "text_of": text_of,
}


def _listed(values, dtype, shape=None):
    made = np.array(values, dtype)
    return made if shape is None else made.reshape(shape)


def host_names():
    """The names that programs use on the host; arrays of NumPy need no care there."""
    return {
        **_COMMON,
        "A": _listed,
        "F": elements,
        "log": lambda *values: None,
        "get": np.array,
        "export": lambda array: array.view() if isinstance(array, np.ndarray) else np.array(array),
        "in_thread": lambda function: function(),
        "together": lambda *functions: [function() for function in functions],
        "stream": lambda number: contextlib.nullcontext(),
    }


def device_names(device, lines):
    """The names that programs use on a device; ``lines`` gets what they print."""
    cuda = device.kind == "cuda" if hasattr(device, "kind") else "cuda" in str(device)
    asarray = gpunp.asarray
    return {
        **_COMMON,
        "A": lambda *given: asarray(_listed(*given)),
        "F": lambda *given: asarray(elements(*given)),
        "log": _log(lines),
        "get": gpunp.asnumpy,
        "export": gpunp.from_dlpack if cuda else np.from_dlpack,
        "in_thread": lambda function: _in_thread(function, device),
        "together": lambda *functions: _together(functions, device),
        "stream": _cuda_stream if cuda else lambda number: contextlib.nullcontext(),
    }
