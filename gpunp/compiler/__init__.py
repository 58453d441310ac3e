"""The run-time compiler: sources to code, code to modules.

Neither NVRTC nor a host compiler is loaded or run before the first compilation. Each module takes 0.1 to
0.2 ms to import, so it is imported where it is first needed: those that compile are not where the code comes
from the disk cache.
"""

import importlib
import os

from gpunp.device import Device

_HOMES = {
    "CompileException": "gpunp.compiler.errors",
    "Compiled": "gpunp.compiler.module",
    "Module": "gpunp.compiler.module",
    "load_module": "gpunp.compiler.module",
}

__all__ = ["CompileException", "Compiled", "Module", "compile_source", "load_module"]


def compile_source(
    source,
    device,
    *,
    name="kernel",
    options=(),
    name_expressions=(),
    backend="nvrtc",
    link=(),
    line_info=False,
):
    """Compile C++ for a device, or take the code from the disk cache.

    Parameters
    ----------
    source : str
        CUDA C++, or C++ for the CPU device. ``#include "gpunp/..."`` finds gpunp's headers.
    device : Device or int
        The device; or a compute capability, 90 for 9.0, to compile for a GPU that this machine does not have.
    name : str, default "kernel"
        The name of the source in messages. If it has a folder, quoted includes are looked for there.
    options : sequence of str, optional
        Options of NVRTC or nvcc. The CPU device takes ``-D``, ``-U``, ``-I``, ``-std=``, ``-O*`` and ``-g``.
    name_expressions : sequence of str, optional
        Instances of templates and other C++ names to find in the code, such as ``"f<float>"``.
    backend : {"nvrtc", "nvcc"}, default "nvrtc"
        The compiler for CUDA. The CPU device always uses the host's C++ compiler.
    link : sequence of tuple of (bytes, str), optional
        Code to link, and its kind: "ltoir", "ptx" or "cubin". CUDA only.
    line_info : bool, default False
        Keep the lines of the source in the code, for profilers.

    Returns
    -------
    Compiled

    Raises
    ------
    CompileException
        If the source does not compile.
    RuntimeError
        If a compiler or a library is missing.
    TypeError, ValueError
        For arguments that cannot be used.

    Notes
    -----
    Threads may compile at the same time. When the interpreter exits, compilations by NVRTC in daemon threads
    are canceled, which ends these threads without a message; other threads it waits for as ever.
    """
    from gpunp.compiler.request import Request

    if isinstance(device, Device):
        device = 0 if device.is_cpu else device.architecture
    request = Request(
        source,
        device,
        name=name,
        options=options,
        name_expressions=name_expressions,
        backend=backend,
        link=link,
        line_info=line_info,
    )
    return run(_find_or_build, request)


def run(make, request):
    """Compile, and write the source to a file where the user asked for that.

    Parameters
    ----------
    make : callable
        Returns the Compiled of a request: `compiling.build`, for example.
    request : Request

    Returns
    -------
    Compiled
    """
    if not os.environ.get("GPUNP_DUMP_SOURCE"):
        return make(request)
    from gpunp.compiler.dump import dumping

    return dumping(make, request)


def _find_or_build(request):
    """Take the code from the disk cache, or compile."""
    from gpunp.compiler import cache
    from gpunp.compiler.keys import Key

    key = Key(request) if cache.is_on() else None
    compiled = None if key is None or key.text is None else cache.load(key.text)
    if compiled is not None:
        return compiled
    from gpunp.compiler.compiling import build, build_and_keep

    return build(request) if key is None or key.text is None else build_and_keep(request, key)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
