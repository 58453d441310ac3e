"""Codes: the nearest centroid of each observation, by one kernel, without a matrix of distances."""

import warnings

import numpy
from gpunp.device import get_device

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp_scipy.spatial import pairs

F8 = numpy.dtype("f8")


def arrays_of(*values, check_finite=False):
    """Arrays on the device of the first device array.

    Raises
    ------
    ValueError
        If they are to be finite and are not; that waits.
    """
    device = device_of(*values) or get_device()
    found = [asarray(value, device=device) for value in values]
    if check_finite:
        finite = [numpy.isfinite(a).all() for a in found if a.dtype.kind in "fc" and a.size]
        if finite and not all(map(bool, finite)):
            raise ValueError("array must not contain infs or NaNs")
    return found


def columns(a):
    """Observations as float64 rows: one number is a row, too."""
    return asarray(a if a.ndim == 2 else a[:, None], dtype=F8, order="C")


def _encoded(obs, code_book):
    if obs.ndim != code_book.ndim:
        raise ValueError("observation and code should have same number of dimensions")
    if obs.ndim not in (1, 2):
        raise ValueError("ndim different than 1 or 2 are not supported")
    if obs.ndim == 2 and obs.shape[1] != code_book.shape[1]:
        raise ValueError("obs and code should have same number of features (columns)")
    return pairs.nearest(columns(obs), columns(code_book))


def nearest(obs, code_book):
    """The codes and distances of `vq`, without checks for infinities and NaN."""
    dtype = numpy.result_type(obs.dtype, code_book.dtype)
    if dtype.kind == "f":
        if dtype.itemsize < 4:
            raise TypeError("type other than float or double not supported")
        code, distance = _encoded(obs, code_book)
        return code, distance.astype(dtype, copy=False)
    return _of_integers(obs, code_book)


def _of_integers(obs, code_book):
    if obs.ndim != code_book.ndim:
        raise ValueError("Observation and code_book should have the same rank")
    if "c" in (obs.dtype.kind, code_book.dtype.kind):
        raise ValueError(f"Unsupported dtype {numpy.result_type(obs.dtype, code_book.dtype)}")
    code, distance = _encoded(obs, code_book)
    return code.astype("i8"), distance


def vq(obs, code_book, check_finite=True):
    """Assign codes of a code book to observations; see `scipy.cluster.vq.vq`.

    Distances come from exact differences in double precision.
    """
    return nearest(*arrays_of(obs, code_book, check_finite=check_finite))


def py_vq(obs, code_book, check_finite=True):
    """Assign codes of a code book to observations; see `scipy.cluster.vq.py_vq`."""
    warnings.warn(
        "`scipy.cluster.vq.py_vq` was unintentionally public, and will be removed in SciPy 1.20.0, use "
        "`scipy.cluster.vq.vq` instead.",
        DeprecationWarning,
        stacklevel=2,
    )
    return _of_integers(*arrays_of(obs, code_book, check_finite=check_finite))
