"""Products of matrices that are cut over devices: products of chunks, while others are copied."""

import numpy

import gpunp
from gpunp.distributed.array.chunks import Chunk, Copies, device_of
from gpunp.distributed.array.core import DistributedArray
from gpunp.distributed.array.index_maps import inside, meet
from gpunp.distributed.array.modes import REPLICA, SUM
from gpunp.distributed.array.product_plans import planned


def matmul(a, b, out=None, **kwargs):
    """Multiply distributed matrices; also ``a @ b`` and ``np.matmul``.

    The operands are converted into replica mode, and the result is in mode ``"sum"``: a chunk of it is the
    product of a chunk of ``a`` and one of ``b`` that a device has. Where no device has both, one is copied
    to the other, while other products run.

    Parameters
    ----------
    a, b : DistributedArray
        With two dimensions. Chunks of an operand may be equal, but may not overlap in part.
    out : None
    **kwargs
        ``dtype`` only.

    Returns
    -------
    DistributedArray

    Raises
    ------
    TypeError
        If an operand is not distributed, or for other keywords than ``dtype``.
    ValueError
        If shapes do not match, chunks of an operand overlap in part, or the operands are on different kinds
        of devices.

    Examples
    --------
    >>> import numpy as np
    >>> from gpunp.distributed.array import distributed_array
    >>> a = distributed_array(np.arange(6.0).reshape(2, 3), {0: slice(1), 1: slice(1, 2)})
    >>> b = distributed_array(np.ones((3, 2)), {0: slice(None), 1: slice(None)})
    >>> (a @ b).get()
    array([[ 3.,  3.],
           [12., 12.]])
    """
    for name, each in (("a", a), ("b", b)):
        if not isinstance(each, DistributedArray):
            raise TypeError(
                f"matmul: {name} must be a DistributedArray, not {type(each).__name__}; make one with "
                "distributed_array"
            )
        if each.ndim != 2:
            raise ValueError(f"matmul: {name} must have two dimensions, it has {each.ndim}")
    if out is not None or set(kwargs) - {"dtype"}:
        raise TypeError("matmul: only dtype is supported for a DistributedArray")
    if a.shape[1] != b.shape[0]:
        raise ValueError(
            f"matmul: a of shape {a.shape} has {a.shape[1]} columns, b of shape {b.shape} has {b.shape[0]} "
            "rows"
        )
    if a._on_cpu != b._on_cpu:
        raise ValueError("matmul: one operand is on the CPU device, the other is not")
    dtype = kwargs.get("dtype") or numpy.matmul.resolve_dtypes((a.dtype, b.dtype, None))[2]
    a, b = a.change_mode(REPLICA), b.change_mode(REPLICA)
    return _multiply(a, b, numpy.dtype(dtype), planned(a, b))


def _multiply(a, b, dtype, products):
    """Queue the copies, and the products in an order in which the first need none."""
    on_cpu = a._on_cpu
    numbers = dict.fromkeys((*a.devices, *b.devices))
    sums = {}
    # What was fetched stays alive until all is queued.
    parts = {}
    with Copies(numbers, on_cpu) as copies:
        for each in products:
            for array, part in zip((a, b), each.needs(), strict=True):
                _fetch(parts, array, part, each.number, copies)
        waited = {}
        for each in products:
            left, right = (
                parts[id(array), part, each.number] for array, part in zip((a, b), each.needs(), strict=True)
            )
            for ready in (left[1], right[1]):
                if ready is not None and id(ready) not in waited:
                    waited[id(ready)] = ready
                    copies.current[each.number].wait_event(ready)
            with device_of(each.number, on_cpu):
                product = numpy.matmul(left[0], right[0], dtype=dtype)
                key = each.number, (each.rows, each.columns)
                if key in sums:
                    sums[key] += product
                else:
                    sums[key] = product
    chunks = {number: [] for number in numbers}
    if not products and a.shape[0] and b.shape[1]:
        # Sums of nothing.
        number = next(iter(numbers), 0)
        with device_of(number, on_cpu):
            zeros = gpunp.zeros((a.shape[0], b.shape[1]), dtype)
        chunks[number] = [Chunk(zeros, number, (range(a.shape[0]), range(b.shape[1])))]
    for (number, index), array in sums.items():
        chunks[number].append(Chunk(array, number, index))
    return DistributedArray((a.shape[0], b.shape[1]), dtype, chunks, SUM, on_cpu=on_cpu)


def _fetch(parts, array, part, number, copies):
    """Have a part of an operand on a device; remember it and the event after which it is there."""
    key = id(array), part, number
    if key in parts:
        return
    for chunk in array._chunks.get(number, ()):
        if meet(chunk.index, part) == part:
            parts[key] = chunk.array[inside(part, chunk.index)], None
            return
    found = copies.fetch("matmul", array._flat(), part, number, array.dtype)
    parts[key] = found, copies.event(number)
