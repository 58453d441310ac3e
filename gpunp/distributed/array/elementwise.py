"""NumPy's elementwise ufuncs on distributed arrays."""

import numpy

import gpunp
from gpunp.array.ndarray import ndarray
from gpunp.distributed.array.chunks import Chunk, Copies, device_of
from gpunp.distributed.array.core import DistributedArray
from gpunp.distributed.array.index_maps import slices_of
from gpunp.distributed.array.modes import MAX, MIN, PROD, REPLICA, SUM

_NUMBERS = (int, float, complex, numpy.generic)
# Ufuncs whose reductions are methods.
REDUCTIONS = {
    numpy.add: "sum",
    numpy.multiply: "prod",
    numpy.maximum: "max",
    numpy.minimum: "min",
    numpy.logical_or: "any",
    numpy.logical_and: "all",
}
# Ufuncs that may be applied to the parts of sums, products, ... : with one operand, with two distributed
# ones, and with a number.
_KEPT = {
    SUM: ((numpy.negative, numpy.positive), (numpy.add, numpy.subtract), (numpy.multiply, numpy.true_divide)),
    PROD: ((numpy.positive,), (numpy.multiply,), ()),
    MAX: ((numpy.positive,), (numpy.maximum,), ()),
    MIN: ((numpy.positive,), (numpy.minimum,), ()),
}


def call_ufunc(ufunc, method, inputs, kwargs):
    """The ``__array_ufunc__`` of distributed arrays."""
    if method == "reduce" and ufunc in REDUCTIONS:
        return getattr(inputs[0], REDUCTIONS[ufunc])(**_of_reduce(kwargs))
    if method != "__call__":
        raise TypeError(f"np.{ufunc.__name__}.{method} is not supported for a DistributedArray; use get()")
    if ufunc is numpy.matmul:
        from gpunp.distributed.array.products import matmul

        return matmul(*inputs, **kwargs)
    if ufunc.signature is not None:
        raise TypeError(f"np.{ufunc.__name__} is not supported for a DistributedArray; use get()")
    out = kwargs.pop("out", None)
    if "where" in kwargs and kwargs["where"] is not True:
        raise TypeError(f"np.{ufunc.__name__}: where is not supported for a DistributedArray")
    for each in inputs:
        if not isinstance(each, (DistributedArray, ndarray, numpy.ndarray, *_NUMBERS)):
            return NotImplemented
    results = _apply(ufunc, inputs, kwargs)
    if out is not None:
        results = tuple(_into(ufunc, target, each) for target, each in zip(out, results, strict=True))
    return results[0] if ufunc.nout == 1 else results


def _of_reduce(kwargs):
    known = {"axis": 0, "dtype": None, "out": None, "keepdims": False}
    for name, value in kwargs.items():
        if name not in known and value not in (None, numpy._NoValue, True):
            raise TypeError(f"a reduction of a DistributedArray does not support {name}; use get()")
    found = {name: kwargs.get(name, default) for name, default in known.items()}
    return {name: value for name, value in found.items() if name == "axis" or value not in (None, False)}


def _leader(ufunc, inputs):
    """The operand whose chunks the result has."""
    arrays = [each for each in inputs if isinstance(each, DistributedArray)]
    shapes = {numpy.shape(each) for each in inputs if not isinstance(each, _NUMBERS)}
    # Most operands have one shape, or are numbers.
    shape = shapes.pop() if len(shapes) == 1 else numpy.broadcast_shapes(*shapes)
    for each in arrays:
        if each.shape == shape:
            return each
    raise ValueError(
        f"np.{ufunc.__name__}: the result has shape {shape}, but no DistributedArray operand; reshard one "
        "of that shape"
    )


def _kept_mode(ufunc, inputs, leader):
    """The mode of the operands if the ufunc can be applied to it, else None."""
    mode = leader.mode
    if mode is REPLICA or leader.dtype.kind == "b":
        return None
    one, two, scaled = _KEPT[mode]
    if len(inputs) == 1:
        return mode if ufunc in one else None
    arrays = [each for each in inputs if isinstance(each, DistributedArray)]
    if len(arrays) == 2:
        alike = all(each.mode is mode and each._ranges() == leader._ranges() for each in arrays)
        return mode if ufunc in two and alike else None
    numbers = [each for each in inputs if not isinstance(each, DistributedArray)]
    right = ufunc is not numpy.true_divide or isinstance(inputs[0], DistributedArray)
    return mode if ufunc in scaled and right and all(numpy.ndim(each) == 0 for each in numbers) else None


def _apply(ufunc, inputs, kwargs):
    leader = _leader(ufunc, inputs)
    mode = _kept_mode(ufunc, inputs, leader)
    if mode is None:
        mode = REPLICA
        place = next(i for i, each in enumerate(inputs) if each is leader)
        inputs = [
            each.change_mode(REPLICA) if isinstance(each, DistributedArray) else each for each in inputs
        ]
        leader = inputs[place]
    chunks = leader._flat()
    operands = _operands(ufunc, inputs, leader, chunks)
    found = [[] for _ in range(ufunc.nout)]
    for chunk, *parts in zip(chunks, *operands, strict=True):
        with chunk.array.device:
            results = ufunc(*parts, **kwargs)
        for chunks_of_one, result in zip(found, results if ufunc.nout > 1 else (results,), strict=True):
            chunks_of_one.append(Chunk(result, chunk.number, chunk.index))
    dtypes = [each[0].array.dtype for each in found] if chunks else [leader.dtype] * ufunc.nout
    made = tuple(
        leader._with(each, dtype=dtype, mode=mode) for each, dtype in zip(found, dtypes, strict=True)
    )
    for each in made:
        each._overlap, each._indices = leader._overlap, leader._ranges()
    return made


def _operands(ufunc, inputs, leader, chunks):
    """For each operand its parts for the leader's chunks."""
    found = [_in_place(each, leader) for each in inputs]
    missing = [i for i, parts in enumerate(found) if parts is None]
    if missing:
        numbers = {*leader.devices}
        for i in missing:
            each = inputs[i]
            if isinstance(each, DistributedArray):
                numbers.update(each.devices)
            elif isinstance(each, ndarray):
                numbers.add(each.device.index)
        with Copies(numbers, leader._on_cpu) as copies:
            for i in missing:
                found[i] = [
                    _part(f"np.{ufunc.__name__}", inputs[i], leader, chunk, copies) for chunk in chunks
                ]
    return found


def _in_place(operand, leader):
    """The parts of an operand that has the leader's chunks, or is a number; else None."""
    if isinstance(operand, _NUMBERS):
        return [operand] * len(leader._flat())
    if (
        isinstance(operand, DistributedArray)
        and operand.shape == leader.shape
        and operand._ranges() == leader._ranges()
    ):
        return [chunk.array for chunk in operand._flat()]
    return None


def _part(name, operand, leader, chunk, copies):
    """The part of an operand that broadcasts to a chunk, on the chunk's device."""
    shape = numpy.shape(operand)
    # Along axes of length one, the one element serves all.
    index = tuple(
        part if length != 1 else range(1)
        for part, length in zip(chunk.index[leader.ndim - len(shape) :], shape, strict=True)
    )
    if isinstance(operand, DistributedArray):
        return copies.fetch(name, operand._flat(), index, chunk.number, operand.dtype)
    if isinstance(operand, ndarray):
        if operand.device.is_cpu != leader._on_cpu:
            raise ValueError(f"{name}: an operand is on {operand.device}, the DistributedArray is not")
        return copies.move(
            operand[slices_of(index)] if shape else operand, operand.device.index, chunk.number
        )
    if shape:
        with copies.receiving(chunk.number):
            return gpunp.asarray(numpy.ascontiguousarray(operand[slices_of(index)]))
    return operand


def _into(ufunc, target, result):
    """Write a result into an output."""
    if not isinstance(target, DistributedArray):
        raise TypeError(f"np.{ufunc.__name__}: out must be a DistributedArray, not {type(target).__name__}")
    if target.shape != result.shape:
        raise ValueError(f"np.{ufunc.__name__}: out has shape {target.shape}, {result.shape} is needed")
    if not numpy.can_cast(result.dtype, target.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast ufunc '{ufunc.__name__}' output from dtype('{result.dtype}') to "
            f"dtype('{target.dtype}') "
            "with casting rule 'same_kind'"
        )
    if result._ranges() != target._ranges():
        result = result.reshard(target.index_map)
    for old, new in zip(target._flat(), result._flat(), strict=True):
        with device_of(old.number, target._on_cpu):
            old.array[...] = new.array
    target._mode = result.mode
    return target
