"""Linear algebra behind roots and fits."""

import numpy

from gpunp.array.convert import asarray, asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import NAMESPACE


def _solve(name, *arguments):
    """`numpy.linalg.<name>` by its handler, or by LAPACK for arrays of the CPU device."""
    handler = NAMESPACE.get(f"linalg.{name}")
    if handler is not None:
        return handler(*arguments)
    device = arguments[0].device
    if not device.is_cpu:
        raise NotImplementedError(
            f"gpunp.linalg.{name} is not available on {device}: use gpunp.asnumpy and NumPy, or arrays of "
            "the CPU device"
        )
    host = [asnumpy(a) if isinstance(a, ndarray) else a for a in arguments]
    found = getattr(numpy.linalg, name)(*host)
    if isinstance(found, tuple):
        return tuple(asarray(part, device=device) for part in found)
    return asarray(found, device=device)


def eigvals(a):
    """Eigenvalues; real ones of a real matrix whose eigenvalues are all real (that takes a look at them)."""
    values = _solve("eigvals", a)
    if values.dtype.kind == "c" and a.dtype.kind != "c" and not bool(numpy.any(values.imag)):
        return values.real.copy()
    return values


def lstsq(a, b, rcond):
    """`numpy.linalg.lstsq`: the solution, residuals, rank and singular values."""
    return _solve("lstsq", a, b, rcond)


def inv(a):
    """`numpy.linalg.inv`."""
    return _solve("inv", a)
