"""Compile a source for a device."""

import os

from gpunp.compiler import cache
from gpunp.compiler.keys import Key
from gpunp.compiler.request import Request
from gpunp.device import Device


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
    """
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
    return run(find_or_build if cache.is_on() else build, request)


def run(make, request):
    """Compile, and write the source to a file where the user asked for that.

    Parameters
    ----------
    make : callable
        `find_or_build` or `build`.
    request : Request

    Returns
    -------
    Compiled
    """
    if not os.environ.get("GPUNP_DUMP_SOURCE"):
        return make(request)
    from gpunp.compiler.dump import dumping

    return dumping(make, request)


def find_or_build(request):
    """Take the code from the disk cache, or compile and keep it there.

    Parameters
    ----------
    request : Request

    Returns
    -------
    Compiled
    """
    key = Key(request)
    if key.text is None:
        return build(request)
    compiled = cache.load(key.text)
    if compiled is None:
        compiled = build(request)
        # The key must be that of the files as the compiler read them.
        if not key.reads_files or Key(request).text == key.text:
            cache.store(key.text, compiled, os.path.basename(request.name), describe(request))
    return compiled


def describe(request):
    """What code is for, in a few words for the list of the cache.

    Parameters
    ----------
    request : Request

    Returns
    -------
    str
    """
    if request.on_cpu:
        return "CPU"
    return f"{request.options.architecture or f'sm_{request.architecture}'} by {request.backend}"


def build(request):
    """Compile, whatever the cache has.

    Parameters
    ----------
    request : Request

    Returns
    -------
    Compiled
    """
    if request.on_cpu:
        from gpunp.compiler.host_compiler import compile_host

        return compile_host(request)
    if request.backend == "nvcc":
        from gpunp.compiler.nvcc import compile_nvcc

        return compile_nvcc(request)
    from gpunp.compiler.cuda_compiler import compile_cuda

    return compile_cuda(request)
