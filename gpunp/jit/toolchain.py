"""The compilers of Python functions, numba and numba-cuda: loaded at their first use, and their errors.

Both are optional. Nothing here is imported by ``import gpunp``.
"""

import contextlib
import functools
import importlib
import os
import re
import threading
import warnings

import numpy

_INSTALL = "pip install gpunp[jit]"


class NotCompiled(TypeError):
    """A Python function cannot be compiled; the message names it, its line and the reason."""


class NotInstalled(NotCompiled, ImportError):
    """numba or numba-cuda is missing."""


@functools.cache
def load_numba():
    """Return numba, the compiler of the CPU device."""
    try:
        return importlib.import_module("numba")
    except ImportError as error:
        raise NotInstalled(
            f"Python functions are compiled by numba, which is missing ({error}): {_INSTALL}"
        ) from error


@functools.cache
def load_numba_cuda():
    """Return ``numba.cuda`` of the package numba-cuda, with all that it knows to compile loaded."""
    load_numba()
    try:
        with _row_stack(), warnings.catch_warnings():
            # Of NumPy 2.5, about what numba-cuda 0.30 does when it is imported.
            warnings.simplefilter("ignore", DeprecationWarning)
            importlib.import_module("numba_cuda")
            cuda = importlib.import_module("numba.cuda")
            importlib.import_module("numba.cuda.descriptor").cuda_target.typing_context.refresh()
    except ImportError as error:
        raise NotInstalled(
            f"Python functions are compiled for CUDA by numba-cuda, which is missing ({error}): {_INSTALL}"
        ) from error
    return cuda


@contextlib.contextmanager
def _row_stack():
    """NumPy 2.5 has no ``row_stack``, which numba-cuda 0.30 reads when it is loaded."""
    if hasattr(numpy, "row_stack"):
        yield
        return
    numpy.row_stack = numpy.vstack
    try:
        yield
    finally:
        del numpy.row_stack


class _Target:
    """Stands for a device of numba-cuda: only its architecture is asked for."""

    def __init__(self, cc):
        self.compute_capability = cc


_current = threading.local()


def target_capability():
    """The compute capability that is compiled for, within `compiling_for`."""
    return _current.capability


@contextlib.contextmanager
def compiling_for(device, pipeline=None):
    """Have numba-cuda compile for a device's architecture, with a pipeline of our own; one thread at a time.

    numba-cuda compiles functions that a function calls for the *current* device and with its own pipeline.
    This holds its compiler's lock, and says which device and which pipeline are meant.

    Parameters
    ----------
    device : Device
        A CUDA device.
    pipeline : callable, optional
        Makes the pipeline's class from numba-cuda's own.
    """
    load_numba_cuda()
    dispatcher = importlib.import_module("numba.cuda.dispatcher")
    compiler = importlib.import_module("numba.cuda.compiler")
    lock = importlib.import_module("numba.cuda.core.compiler_lock").global_compiler_lock
    with lock:
        own = dispatcher.get_current_device, compiler.CUDACompiler
        _current.capability = device.compute_capability
        dispatcher.get_current_device = lambda: _Target(device.compute_capability)
        if pipeline is not None:
            compiler.CUDACompiler = pipeline(compiler.CUDACompiler)
        try:
            yield
        finally:
            dispatcher.get_current_device, compiler.CUDACompiler = own


def place_of(function):
    """The name, file and line of a function, for messages."""
    code = getattr(function, "__code__", None)
    name = getattr(function, "__name__", None) or repr(function)
    return name if code is None else f"{name} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"


def reason_of(error):
    """What one of numba's errors says, without the stages of its compiler, as one or a few lines."""
    kept, seen = [], set()
    for line in str(error).splitlines():
        text = re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip()
        stages = ("Failed in ", "During: ", "This is not usually a problem", "For more information visit")
        if not text.strip() or text.lstrip().startswith(stages) or text in seen:
            continue
        seen.add(text)
        kept.append(text)
    return "\n".join(kept[:12]) or type(error).__name__


def explain(function, error):
    """The error to raise for what a compiler said about a function."""
    if isinstance(error, NotCompiled):
        return error
    return NotCompiled(f"{place_of(function)} cannot be compiled: {reason_of(error)}")
