"""Compile what is not in the disk cache."""

import os

from gpunp.compiler import cache_files
from gpunp.compiler.keys import Key


def build_and_keep(request, key):
    """Compile, and keep the code in the disk cache.

    Parameters
    ----------
    request : Request
    key : Key
        Of the request.

    Returns
    -------
    Compiled
    """
    compiled = build(request)
    # The key must be that of the files as the compiler read them.
    if not key.reads_files or Key(request).text == key.text:
        cache_files.store(key.text, compiled, os.path.basename(request.name), describe(request))
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
