"""Transforms on the CPU device: large ones by SciPy, with threads, the others by NumPy."""

import functools
import importlib

import numpy

from gpunp.array import layout, transfer
from gpunp.array.convert import host_view
from gpunp.cpu import gpunp_threads
from gpunp.fft.dtypes import complex_dtype, real_dtype

# From so many elements on SciPy is used, if it is installed: its import takes as long as some of the
# transforms below.
_SCIPY_ELEMENTS = 1 << 16


# Up to so many elements a transform along the last axis is one call of NumPy, which checks the arguments.
_SHORT = 4096


def short_transform(a, norm, *, real, forward):
    """The transform of few elements of an array of the CPU device along the last axis; None for others."""
    if a.ndim == 0 or a.size > _SHORT or a.dtype.char not in ("fd" if real else "fdFD"):
        return None
    function = numpy.fft.rfft if real else numpy.fft.fft if forward else numpy.fft.ifft
    return transfer.adopt_host(function(host_view(a), norm=norm), a.device)


@functools.cache
def _scipy_fft():
    try:
        return importlib.import_module("scipy.fft")
    except ImportError:
        return None


def run(a, passes, kind, forward, norm, out, stretched):
    """Run the passes, each an axis, a length and a kind, on the memory of an array of the CPU device."""
    axes = [axis for axis, _, _ in passes]
    if a.size >= _SCIPY_ELEMENTS and a.dtype.char in "fdFD" and not stretched and len(set(axes)) == len(axes):
        module = _scipy_fft()
        if module is not None:
            return _by_scipy(module, a, passes, kind, forward, norm, out)
    return _by_numpy(a, passes, kind, forward, norm, out)


def _by_scipy(module, a, passes, kind, forward, norm, out):
    """All passes in one call, whose lines are shared by threads."""
    lengths = {axis: n for axis, n, _ in passes}
    # NumPy's order of the passes: of a real transform, the first axis is the real one, else the last.
    axes = [axis for axis, _, _ in passes]
    if kind != "hermitian":
        axes.reverse()
    name = {"real": "rfftn", "hermitian": "irfftn"}.get(kind, "fftn" if forward else "ifftn")
    options = {"norm": norm, "workers": gpunp_threads.get()}
    result = getattr(module, name)(host_view(a), [lengths[axis] for axis in axes], axes, **options)
    if out is None:
        return transfer.adopt_host(result, a.device)
    numpy.copyto(host_view(out), result, casting="same_kind")
    return out


def _by_numpy(a, passes, kind, forward, norm, out):
    """One pass after the other."""
    source = a
    for axis, n, one in passes:
        name = {"real": "rfft", "hermitian": "irfft"}.get(one, "fft" if forward else "ifft")
        shape = list(a.shape)
        shape[axis] = n // 2 + 1 if one == "real" else n
        if out is not None and (one == kind or kind != "hermitian"):
            target = out
        elif a is not source and one == "complex" and a.shape[axis] == n:
            target = a
        else:
            dtype = real_dtype(a.dtype) if one == "hermitian" else complex_dtype(a.dtype)
            target = layout.empty_like(a, dtype, shape=shape)
        if a.shape[axis]:
            getattr(numpy.fft, name)(host_view(a), n, axis, norm, host_view(target))
        else:
            # The input is padding only; NumPy's irfft would leave the result uninitialized here.
            target[...] = 0
        a = target
    return a
