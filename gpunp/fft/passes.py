"""Transforms of checked arguments: NumPy's pocketfft on the CPU device, cuFFT on CUDA."""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array import layout
from gpunp.array.convert import asarray, host_view
from gpunp.array.ndarray import ndarray

_SINGLE = "efF"
_SWAPPED = {"backward": "forward", None: "forward", "ortho": "ortho", "forward": "backward"}
# cuFFT's side, imported with the first transform on CUDA.
_library = None


def real_dtype(dtype):
    """The dtype of real results: NumPy computes halves in single precision and returns halves."""
    return numpy.dtype({"e": "e", "f": "f", "F": "f"}.get(dtype.char, "d"))


def complex_dtype(dtype):
    """The dtype of complex results."""
    return numpy.dtype("F" if dtype.char in _SINGLE else "D")


def swap(norm):
    """The norm that scales the other direction."""
    try:
        return _SWAPPED[norm]
    except (KeyError, TypeError):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".') from None


def factor(norm, forward, lengths, dtype):
    """What the result of passes of these lengths over an array of a dtype is multiplied by."""
    norm = norm if forward else swap(norm)
    if norm is None or norm == "backward":
        return 1.0
    if norm not in ("ortho", "forward"):
        swap(norm)
    total = 1.0
    real = real_dtype(dtype)
    for n in lengths:
        # NumPy rounds the factor of each pass to the real dtype; after the first one there are no halves.
        n = real.type(n)
        total *= float(real.type(1) / (numpy.sqrt(n) if norm == "ortho" else n))
        real = numpy.dtype("f") if real.char == "e" else real
    return total


def operand(a, out=None):
    """The array to transform, on the device of ``out`` where it comes from the host."""
    if out is None:
        return asarray(a)
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


def transform(a, lengths, axes, kind, forward, norm=None, out=None, overwrite=False):
    """The transform along ``axes``, in NumPy's order.

    Parameters
    ----------
    a : ndarray
    lengths : sequence of int
        Of the result along the axes; of the real side for real transforms.
    axes : sequence of int
        At least one; an axis may come twice.
    kind : {"complex", "real", "hermitian"}
        Which transform; the last two concern the last of ``axes``, and go forwards and backwards only.
    forward : bool
        The direction of the complex ones.
    norm : {None, "backward", "ortho", "forward"}
    out : ndarray, optional
    overwrite : bool
        ``a`` is not needed any more.

    Returns
    -------
    ndarray
    """
    axes = [normalize_axis_index(operator.index(axis), a.ndim) for axis in axes]
    lengths = [operator.index(n) for n in lengths]
    for n in reversed(lengths):
        if n < 1:
            raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
        if kind == "real" and a.dtype.kind == "c":
            raise TypeError(
                f"rfft: the input must be real, not {a.dtype}; take its real part, or use fft for complex "
                "input"
            )
    if out is not None:
        _check_out(a, lengths, axes, kind, out)
    if a.device.is_cpu:
        return _on_host(a, lengths, axes, kind, forward, norm, out, overwrite)
    return _on_library(a, lengths, axes, kind, forward, norm, out, overwrite)


def _on_library(a, lengths, axes, kind, forward, norm, out, overwrite):
    """All axes together, or one pass after the other where an axis comes twice."""
    library = _load_library()
    if len(set(axes)) == len(axes):
        scale = factor(norm, forward, [n for _, n, _ in _order(lengths, axes, kind)], a.dtype)
        return library.run(a, lengths, axes, kind, forward, scale, out, overwrite)
    for axis, n, one in _order(lengths, axes, kind):
        scale = factor(norm, forward, (n,), a.dtype)
        a = library.run(a, [n], [axis], one, forward, scale, None, overwrite)
        overwrite = True
    if out is None:
        return a
    layout.copy_into(out, a)
    return out


def last_axis(a, real, forward, norm):
    """The transform along the last axis of a dense CUDA array; None for all other cases."""
    if type(a) is not ndarray:
        return None
    library = _library
    if library is None:
        if a.device.is_cpu:
            return None
        library = _load_library()
    if (norm is not None or not forward) and not real and library.scales(a):
        return None
    result = library.last_axis(a, real, forward)
    if result is None or (norm is None and forward):
        return result
    # The direction that a norm scales by 1 / n; swap refuses what is no norm.
    whole = (norm if forward else swap(norm)) == "forward"
    if norm == "ortho":
        library.scale(result, a.shape[-1] ** -0.5, result)
    elif whole:
        library.scale(result, 1 / a.shape[-1], result)
    elif norm != "backward":
        swap(norm)
    return result


def _load_library():
    global _library
    if _library is None:
        from gpunp.fft import library

        _library = library
    return _library


def _order(lengths, axes, kind):
    """(axis, length, kind) of one pass after the other, in NumPy's order."""
    passes = [(axis, n, "complex") for axis, n in zip(axes, lengths, strict=True)]
    if kind == "complex":
        return passes[::-1]
    passes[-1] = (axes[-1], lengths[-1], kind)
    return passes[::-1] if kind == "real" else passes


def _check_out(a, lengths, axes, kind, out):
    shape = list(a.shape)
    if kind == "hermitian":
        for axis, n in zip(axes, lengths, strict=True):
            shape[axis] = n
    else:
        # NumPy writes every pass into out: only the first one may change a length.
        for axis, n, one in _order(lengths, axes, kind):
            shape[axis] = n // 2 + 1 if one == "real" else n
            if tuple(shape) != out.shape:
                raise ValueError("output array has wrong shape.")
    if tuple(shape) != out.shape:
        raise ValueError("output array has wrong shape.")
    dtype = real_dtype(a.dtype) if kind == "hermitian" else complex_dtype(a.dtype)
    if not numpy.can_cast(dtype, out.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast fft output from {dtype!r} to {out.dtype!r} with casting rule 'same_kind'"
        )
    if not out.flags.writeable:
        raise ValueError("output array is read-only")


def _on_host(a, lengths, axes, kind, forward, norm, out, overwrite):
    """One pass after the other by NumPy, on the memory of the device arrays."""
    source = a
    passes = _order(lengths, axes, kind)
    for i, (axis, n, one) in enumerate(passes):
        last = i == len(passes) - 1
        name = {"real": "rfft", "hermitian": "irfft"}.get(one, "fft" if forward else "ifft")
        shape = list(a.shape)
        shape[axis] = n // 2 + 1 if one == "real" else n
        if out is not None and (last or kind != "hermitian"):
            target = out
        elif a is not source and one == "complex" and a.shape[axis] == n:
            target = a
        else:
            dtype = real_dtype(a.dtype) if one == "hermitian" else complex_dtype(a.dtype)
            target = layout.empty(shape, dtype, "C", a.device)
        if a.shape[axis]:
            getattr(numpy.fft, name)(host_view(a), n, axis, norm, host_view(target))
        else:
            # Padding alone; NumPy's irfft leaves its result as it finds it here.
            swap(norm)
            target[...] = 0
        a = target
    return a
