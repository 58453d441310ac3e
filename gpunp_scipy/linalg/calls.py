"""How the functions of ``scipy.linalg`` take arrays: the CPU device, batches, dtypes and checks.

The functions of this package are written for a GPU. On the CPU device `linalg` calls SciPy's instead, on the
memory of the arrays.
"""

import functools
import inspect
import math

import numpy
from gpunp.device import get_device

import gpunp
from gpunp.array import layout
from gpunp.array.convert import asarray, host_view
from gpunp.array.operands import device_of
from gpunp.linalg.lapack import C8, C16, F4, F8, to_device, to_dtype


def _on_host(value, device):
    if isinstance(value, gpunp.ndarray):
        return host_view(value)
    if type(value) in (tuple, list):
        return type(value)(_on_host(each, device) for each in value)
    if callable(value):
        # A function of the user gets and returns device arrays, as on a GPU.
        return lambda *args: _on_host(value(*_delivered(args, device)), device)
    return value


def _delivered(value, device):
    if type(value) in (tuple, list):
        return type(value)([_delivered(each, device) for each in value])
    return to_device(value, device) if isinstance(value, numpy.ndarray | numpy.generic) else value


def linalg(function):
    """Decorate a function of ``scipy.linalg`` for GPUs; the CPU device calls SciPy's of that name."""
    name = function.__name__

    @functools.wraps(function)
    def call(*args, **kwargs):
        device = device_of(*args, *kwargs.values(), nested=True) or get_device()
        if device.is_cpu:
            import scipy.linalg

            kwargs = {key: _on_host(value, device) for key, value in kwargs.items()}
            args = [_on_host(value, device) for value in args]
            return _delivered(getattr(scipy.linalg, name)(*args, **kwargs), device)
        with device:
            return function(*args, **kwargs)

    return call


def arrays_of(*values, finite=False):
    """Arrays on the device of the first device array.

    Parameters
    ----------
    values : array_like or None
    finite : bool, optional
        Whether to wait for the device and look for values that are not finite.

    Raises
    ------
    ValueError
        If there are values that are not finite.
    """
    device = device_of(*values, nested=True) or get_device()
    found = [None if value is None else asarray(value, device=device) for value in values]
    if finite:
        flags = [numpy.isfinite(a).all() for a in found if a is not None and a.dtype.kind in "fc" and a.size]
        if flags and not bool(functools.reduce(numpy.logical_and, flags)):
            raise ValueError("array must not contain infs or NaNs")
    return found[0] if len(found) == 1 else found


def lapack_dtype(*arrays, small=F4):
    """The dtype to compute in: single or double precision, real or complex.

    As in SciPy's interface to LAPACK, integers of up to 16 bits are computed in float32. Some functions have
    another dtype for them: ``small``.
    """
    dtypes = [small if a.dtype.char in "?bBhH" else F4 if a.dtype.char == "e" else a.dtype for a in arrays]
    dtype = numpy.result_type(*dtypes)
    return dtype if dtype.kind in "fc" else F8


def common_dtype(*arrays):
    """The dtype to compute in, of functions that find NumPy's common dtype first.

    Integers are computed in double precision, also small ones, but not beside single precision.
    """
    dtype = numpy.result_type(*arrays)
    return dtype if dtype.char in "fdFD" else F4 if dtype.char == "e" else F8


def real_of(dtype):
    """The real dtype of the same precision."""
    return {C8: F4, C16: F8}.get(dtype, dtype)


def complex_of(dtype):
    """The complex dtype of the same precision."""
    return {F4: C8, F8: C16}.get(dtype, dtype)


def in_lapack_dtype(*arrays, small=F4):
    """The arrays, in the dtype that all of them are computed in; see `lapack_dtype`."""
    dtype = lapack_dtype(*arrays, small=small)
    found = [to_dtype(a, dtype) for a in arrays]
    return found[0] if len(found) == 1 else found


def eps_of(a):
    """The spacing at one of a dtype, as a Python number."""
    return float(numpy.finfo(a.dtype).eps)


def adjoint(a):
    """The conjugate transpose of each matrix."""
    return numpy.conjugate(a).mT if a.dtype.kind == "c" else a.mT


def no_empty_batch(name, shape):
    """Raise SciPy's ValueError if there is no matrix in a batch of this shape."""
    if math.prod(shape) == 0:
        raise ValueError(f"`{name}` does not support zero-size batches.")


def side_by_side(name, a, b):
    """Broadcast matrices and right sides, which are a vector or matrices, against each other.

    Returns
    -------
    a, b : ndarray
        Matrices, with the same batch.
    shape : tuple of int
        The shape of the solutions, of which a vector has no last axis in ``b``.
    """
    vector = b.ndim == 1
    b = b[:, None] if vector else b
    batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    no_empty_batch(name, batch)
    a = numpy.broadcast_to(a, (*batch, *a.shape[-2:]))
    b = numpy.broadcast_to(b, (*batch, *b.shape[-2:]))
    return a, b, b.shape[:-1] if vector else b.shape


def contiguous(a):
    """The matrices as a contiguous stack (batch, m, n)."""
    flat = a.reshape((math.prod(a.shape[:-2]), *a.shape[-2:]))
    return flat if flat.flags.c_contiguous else layout.converted(flat, order="C")


def over_batch(**cores):
    """Decorate a function so that it is called for each element of a batch, as SciPy does.

    Parameters
    ----------
    **cores : int
        For each array argument the number of axes of an element. Arguments may be None.
    """

    def decorate(function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            given = {name: bound.arguments.get(name) for name in cores}
            device = device_of(*given.values(), nested=True)
            given = {k: asarray(v, device=device) for k, v in given.items() if v is not None}
            bound.arguments.update(given)
            batches = {k: a.shape[: max(a.ndim - cores[k], 0)] for k, a in given.items()}
            if not any(batches.values()):
                return function(*bound.args, **bound.kwargs)
            batch = numpy.broadcast_shapes(*batches.values())
            no_empty_batch(function.__name__, batch)
            wide = {k: numpy.broadcast_to(a, batch + a.shape[len(batches[k]) :]) for k, a in given.items()}
            results = []
            for place in numpy.ndindex(batch):
                bound.arguments.update({name: a[place] for name, a in wide.items()})
                found = function(*bound.args, **bound.kwargs)
                results.append(found if isinstance(found, tuple) else (found,))
            stacks = [
                numpy.stack([asarray(part, device=device) for part in parts])
                for parts in zip(*results, strict=True)
            ]
            stacks = [stack.reshape(batch + stack.shape[1:]) for stack in stacks]
            return stacks[0] if len(stacks) == 1 else stacks

        return call

    return decorate
