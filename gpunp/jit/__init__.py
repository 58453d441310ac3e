"""Kernels in Python, compiled by numba-cuda, with the names that `cupyx.jit` has.

`rawkernel` makes a kernel of a function, in which the other names can be used. numba and numba-cuda, which
``pip install gpunp[jit]`` brings, are imported when the first of these names is.
"""

import importlib

__all__ = [
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_dec",
    "atomic_exch",
    "atomic_inc",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xor",
    "blockDim",
    "blockIdx",
    "cg",
    "grid",
    "gridDim",
    "gridsize",
    "laneid",
    "range",
    "rawkernel",
    "shared_memory",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "syncthreads",
    "syncwarp",
    "threadIdx",
    "warpsize",
]

# The number of threads of a warp, on all architectures.
warpsize = 32


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "cg":
        return importlib.import_module("gpunp.jit.cg")
    if name == "rawkernel":
        found = importlib.import_module("gpunp.jit.kernels").rawkernel
    else:
        importlib.import_module("gpunp.jit.toolchain").load_numba_cuda()
        names = importlib.import_module("gpunp.jit.kernel_names")
        found = getattr(names, "range_" if name == "range" else name)
    globals()[name] = found
    return found


def __dir__():
    return __all__
