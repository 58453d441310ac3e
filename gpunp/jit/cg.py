"""Cooperative groups in kernels: see `gpunp.jit`."""

from gpunp.jit.toolchain import load_numba_cuda

_NAMES = ("memcpy_async", "sync", "this_grid", "this_thread_block", "wait", "wait_prior")


def __getattr__(name):
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    load_numba_cuda()
    from gpunp.jit import groups

    globals()[name] = getattr(groups, name)
    return globals()[name]


def __dir__():
    return list(_NAMES)
