"""Transforms of checked arguments: SciPy's or NumPy's on the CPU device, cuFFT on CUDA."""

import operator
from types import SimpleNamespace

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.numpy_internals import UFuncOutputCastingError
from gpunp.array.scalars import as_array
from gpunp.fft import host
from gpunp.fft.dtypes import complex_dtype, real_dtype

_SWAPPED = {"backward": "forward", None: "forward", "ortho": "ortho", "forward": "backward"}
# The module gpunp.fft.library, imported with the first transform on CUDA.
_library = None


def swap(norm):
    """The norm of the opposite direction."""
    try:
        return _SWAPPED[norm]
    except KeyError:
        raise _invalid(norm) from None


def _invalid(norm):
    return ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')


def factor(norm, forward, lengths, dtype):
    """The factor that normalizes passes of these lengths over an array of a dtype."""
    norm = norm if forward else swap(norm)
    if norm is None or norm == "backward":
        return 1.0
    total = 1.0
    real = real_dtype(dtype)
    for n in lengths:
        # NumPy rounds the factor of each pass to the real dtype; only the first pass can have halves.
        n = real.type(n)
        total *= float(real.type(1) / (numpy.sqrt(n) if norm == "ortho" else n))
        real = numpy.dtype("f") if real.char == "e" else real
    return total


def operand(a, out=None):
    """The array to transform; a host array is copied to the device of ``out``."""
    if out is None:
        return as_array(asarray(a))
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if not isinstance(out, ndarray):
        if isinstance(out, numpy.ndarray):
            raise TypeError(
                "fft: out is a host array; give a gpunp array, or copy the result with "
                "gpunp.asnumpy(result, out=...)"
            )
        raise TypeError("return arrays must be of ArrayType")
    a = asarray(a) if isinstance(a, ndarray) else asarray(a, device=out.device)
    if a.device is not out.device:
        raise ValueError(f"fft: the array is on {a.device} and out on {out.device}; move one with to_device")
    return a


def transform(a, lengths, axes, kind, norm=None, out=None, *, forward, overwrite=False):
    """The transform along ``axes``, in NumPy's order.

    Parameters
    ----------
    a : ndarray
    lengths : sequence of int or None
        Lengths along the axes, of the real side for real transforms. None is the length of the array.
    axes : sequence of int
        At least one; an axis may occur twice.
    kind : {"complex", "real", "hermitian"}
        The transform along the last of ``axes``; "real" is forward only, "hermitian" backward only. The
        others are complex.
    norm : {None, "backward", "ortho", "forward"}
    out : ndarray, optional
    forward : bool
        The direction of the complex transforms.
    overwrite : bool
        Whether ``a`` may be overwritten.

    Returns
    -------
    ndarray
    """
    if isinstance(out, tuple):
        (out,) = out
    passes, stretched = _checked(a, lengths, axes, kind, forward, norm, out)
    if a.device.is_cpu:
        return _on_host(a, passes, kind, forward, norm, out, overwrite, stretched)
    return _on_library(a, passes, kind, forward, norm, out, overwrite, stretched)


def _checked(a, lengths, axes, kind, forward, norm, out):
    """Check the arguments as NumPy does, pass by pass in its order.

    Returns
    -------
    passes : list of tuple
        The axis, the length and the kind of each pass.
    stretched : bool
        Whether the result of a pass is broadcast to ``out``.
    """
    shape, dtype = list(a.shape), a.dtype
    passes, stretched = [], False
    for axis, n, one in _order(lengths, axes, kind):
        if n is None:
            n = (shape[axis] - 1) * 2 if one == "hermitian" else shape[axis]
        if n < 1:
            raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
        known = norm if forward else swap(norm)
        if known is not None and known != "backward" and known != "ortho" and known != "forward":
            raise _invalid(norm)
        count = n // 2 + 1 if one == "real" else n
        axis = normalize_axis_index(axis, a.ndim)
        # A Hermitian transform writes only its last pass to out.
        written = out is not None and (kind != "hermitian" or one == kind)
        if not written:
            if isinstance(count, (bool, numpy.bool)):
                raise TypeError("an integer is required")
            count = operator.index(count)
        elif out.ndim != a.ndim or out.shape[axis] != count:
            raise ValueError("output array has wrong shape.")
        n = int(n) if n == int(n) else operator.index(n)
        if one == "real" and dtype.kind == "c":
            raise TypeError(
                f"rfft: the input must be real, not {dtype}; take its real part, or use fft for complex input"
            )
        dtype = real_dtype(dtype) if one == "hermitian" else complex_dtype(dtype)
        shape[axis] = int(count)
        passes.append((axis, n, one))
        if written:
            stretched |= _check_out(out, shape, dtype, "rfft" if one == "real" else "fft")
            shape, dtype = list(out.shape), out.dtype
    return passes, stretched


def _check_out(out, shape, dtype, name):
    """Raise unless the result of a pass can be written to ``out``; returns whether it must be broadcast."""
    if not numpy.can_cast(dtype, out.dtype, "same_kind"):
        ufunc = SimpleNamespace(__name__=name, nin=2, nout=1)
        raise UFuncOutputCastingError(ufunc, "same_kind", dtype, out.dtype, 0)
    if tuple(shape) != out.shape and any(m not in (1, n) for m, n in zip(shape, out.shape, strict=True)):
        raise ValueError(
            f"output array has wrong shape: it has {out.shape} and the result has {tuple(shape)}."
        )
    if not out.flags.writeable:
        raise ValueError("output array is read-only")
    return tuple(shape) != out.shape


def _on_library(a, passes, kind, forward, norm, out, overwrite, stretched):
    """Transform all axes together, or pass by pass if an axis occurs twice or a result is broadcast."""
    library = _load_library()
    axes = [axis for axis, _, _ in passes]
    if len(set(axes)) == len(axes) and not stretched:
        lengths = [n for _, n, _ in passes]
        scale = factor(norm, forward, lengths, a.dtype)
        if kind != "hermitian":
            axes.reverse()
            lengths.reverse()
        return library.run(a, lengths, axes, kind, forward, scale, out, overwrite)
    for axis, n, one in passes:
        scale = factor(norm, forward, (n,), a.dtype)
        a = library.run(a, [n], [axis], one, forward, scale, None, overwrite)
        overwrite = True
        if stretched and (kind != "hermitian" or one == kind):
            a, overwrite = numpy.broadcast_to(a, out.shape), False
    if out is None:
        return a
    layout.copy_into(out, a)
    return out


def last_axis(a, norm, *, real, forward):
    """The transform along the last axis of a contiguous CUDA array, or a short host array; else None."""
    if type(a) is not ndarray:
        return None
    library = _library
    if library is None:
        if a.device.is_cpu:
            return host.short_transform(a, norm, real=real, forward=forward)
        library = _load_library()
    if (norm is not None or not forward) and not real and library.scales(a):
        return None
    result = library.last_axis(a, real, forward)
    if result is None or (norm is None and forward):
        return result
    # Whether the norm scales this direction by 1 / n.
    whole = (norm if forward else swap(norm)) == "forward"
    if norm == "ortho":
        library.scale(result, a.shape[-1] ** -0.5, result)
    elif whole:
        library.scale(result, 1 / a.shape[-1], result)
    elif norm not in ("backward", "forward"):
        raise _invalid(norm)
    return result


def _load_library():
    global _library
    if _library is None:
        from gpunp.fft import library

        _library = library
    return _library


def _order(lengths, axes, kind):
    """(axis, length, kind) of the passes, in NumPy's order."""
    passes = [(axis, n, "complex") for axis, n in zip(axes, lengths, strict=True)]
    if kind == "complex":
        return passes[::-1]
    passes[-1] = (axes[-1], lengths[-1], kind)
    return passes[::-1] if kind == "real" else passes


def _on_host(a, passes, kind, forward, norm, out, overwrite, stretched):
    """Transform on the CPU device, where nothing is overwritten."""
    return host.run(a, passes, kind, forward, norm, out, stretched)
