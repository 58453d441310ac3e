"""Partitions: elements of given ranks at their sorted positions, smaller ones before, greater ones after."""

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array import layout
from gpunp.array.arguments import strict_integer
from gpunp.array.convert import asarray, fetched
from gpunp.dispatch.registry import implements
from gpunp.sorting import selection

_KERNELS = ("include/gpunp/sorting/selection.h", "codegen/selection.py")
_INTP = numpy.dtype(numpy.intp)


@implements(numpy.partition, kernels=_KERNELS)
def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy with the elements of ranks ``kth`` at their sorted positions; see `numpy.partition`."""
    a = asarray(a)
    if axis is None:
        a, axis = a.flatten(), -1
    return _partitioned(a, kth, axis, kind, order, indices=False)


@implements(numpy.argpartition, kernels=_KERNELS)
def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The indices that partition an array along an axis; see `numpy.argpartition`."""
    a = asarray(a)
    if axis is None or a.ndim == 0:
        # Like NumPy, treat a 0-d array as an array of one element.
        if a.ndim == 0 and axis is not None:
            normalize_axis_index(axis, 1)
        a, axis = a.flatten(), -1
    return _partitioned(a, kth, strict_integer(axis), kind, order, indices=True)


def partition_in_place(a, kth, axis=-1, kind="introselect", order=None):
    """Partition an array in place; see `numpy.ndarray.partition`."""
    if not a.flags.writeable:
        raise ValueError("partition: the array is read-only; use numpy.partition for a partitioned copy")
    layout.copy_into(a, _partitioned(a, kth, axis, kind, order, indices=False))


def _partitioned(a, kth, axis, kind, order, indices):
    _check_kind(kind)
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    axis = normalize_axis_index(axis, a.ndim)
    kth = _check_kth(kth, a.shape[axis], a.size)
    if a.size == 0 or not kth:
        if not indices:
            return layout.converted(a)
        # Like NumPy, leave the order unchanged.
        steps = asarray(numpy.arange(a.shape[axis]), device=a.device)
        steps = steps.reshape((-1,) + (1,) * (a.ndim - 1 - axis))
        return layout.converted(numpy.broadcast_to(steps, a.shape), order="C")
    most = selection.MOST_RANKS if a.device.is_cpu else selection.MOST_CUDA_KTH
    if a.dtype.kind == "c" or len(kth) > most:
        # A full sort satisfies any set of ranks.
        return (numpy.argsort if indices else numpy.sort)(a, axis=axis)
    rows = layout.converted(a, order="C") if not a.flags.c_contiguous else a
    if axis != a.ndim - 1:
        rows = layout.converted(numpy.moveaxis(a, axis, -1), order="C")
    shape = rows.shape
    rows = rows.reshape(-1, shape[-1])
    if indices:
        out = layout.empty(rows.shape, _INTP, "C", a.device)
        selection.argpartition(rows, kth, out)
    else:
        out = layout.empty(rows.shape, a.dtype, "C", a.device)
        selection.partition(rows, kth, out)
    out = out.reshape(shape)
    if axis == a.ndim - 1 and (indices or a.flags.c_contiguous):
        return out
    result = layout.empty_like(a, out.dtype, "C" if indices else "K")
    layout.copy_into(result, numpy.moveaxis(out, -1, axis))
    return result


def _check_kind(kind):
    if isinstance(kind, bytes):
        kind = kind.decode()
    if not isinstance(kind, str):
        raise TypeError(f"select kind must be str, not {type(kind).__name__}")
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")


def _check_kth(kth, length, size):
    """The ranks, non-negative, ascending and unique. A device array is copied to the host."""
    kth = fetched(kth)
    if kth.dtype.kind == "b":
        raise ValueError("Booleans unacceptable as partition index")
    if kth.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    if kth.ndim > 1:
        raise ValueError(f"partition: kth must be an integer or one-dimensional, not of shape {kth.shape}")
    ranks = set()
    for k in kth.ravel().tolist() if size else ():
        rank = k + length if k < 0 else k
        if not 0 <= rank < length:
            raise ValueError(f"kth(={rank}) out of bounds ({length})")
        ranks.add(rank)
    return tuple(sorted(ranks))
