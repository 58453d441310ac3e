"""Fourier transforms of distributed arrays: along axes that are whole on each device, then re-sharded."""

import inspect
import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

import gpunp
from gpunp.distributed.array.chunks import Chunk, device_of
from gpunp.distributed.array.modes import REPLICA

ONE_AXIS = (numpy.fft.fft, numpy.fft.ifft, numpy.fft.rfft, numpy.fft.irfft, numpy.fft.hfft, numpy.fft.ihfft)
# The transforms along one axis of those along several: of the last axis, and of the others.
SEVERAL_AXES = {
    numpy.fft.fft2: ("fft", "fft"),
    numpy.fft.ifft2: ("ifft", "ifft"),
    numpy.fft.rfft2: ("rfft", "fft"),
    numpy.fft.irfft2: ("irfft", "ifft"),
    numpy.fft.fftn: ("fft", "fft"),
    numpy.fft.ifftn: ("ifft", "ifft"),
    numpy.fft.rfftn: ("rfft", "fft"),
    numpy.fft.irfftn: ("irfft", "ifft"),
}
_WHOLE = {"fft": numpy.fft.fftn, "ifft": numpy.fft.ifftn}


def transform(function, args, kwargs):
    """Call a function of `numpy.fft` for a distributed array."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    values = bound.arguments
    name = f"np.fft.{function.__name__}"
    if values.get("out") is not None:
        raise TypeError(f"{name}: out is not supported for a DistributedArray; the result is a new array")
    array, norm = values["a"].change_mode(REPLICA), values["norm"]
    if array.ndim == 0:
        raise ValueError(f"{name}: the array has no axis to transform")
    if array.size == 0:
        return _of_nothing(function, array, values)
    if function in SEVERAL_AXES:
        steps = _steps(name, array, SEVERAL_AXES[function], values["s"], values["axes"])
    else:
        axis = normalize_axis_index(operator.index(values["axis"]), array.ndim)
        steps = [(function.__name__, values["n"], axis)]
    return _run(name, array, steps, norm)


def _of_nothing(function, array, values):
    """The transform of an array without elements, which has no chunks; with a length it may have elements."""
    number = next(iter(array.devices), 0)
    with device_of(number, array._on_cpu):
        found = function(**values | {"a": gpunp.empty(array.shape, array.dtype)})
    chunks = [Chunk(found, number, tuple(map(range, found.shape)))] if found.size else []
    return array._with(chunks, shape=found.shape, dtype=found.dtype)


def _steps(name, array, kinds, lengths, axes):
    """The transforms along one axis: kind, length or None, axis."""
    if axes is None:
        axes = range(array.ndim) if lengths is None else range(array.ndim - len(lengths), array.ndim)
    axes = [normalize_axis_index(operator.index(axis), array.ndim) for axis in axes]
    lengths = [None] * len(axes) if lengths is None else [None if n == -1 else n for n in lengths]
    if len(lengths) != len(axes):
        raise ValueError(f"{name}: Shape and axes have different lengths.")
    if len(set(axes)) != len(axes):
        raise ValueError(f"{name}: an axis is transformed once with a DistributedArray, not {axes}")
    last, others = kinds
    steps = [(others, n, axis) for n, axis in zip(lengths[:-1], axes[:-1], strict=True)]
    final = [(last, lengths[-1], axes[-1])] if axes else []
    # Real input comes first, real output last.
    return final + steps if last == "rfft" else steps + final


def _run(name, array, steps, norm):
    while steps:
        ready = _ready(array, steps)
        if not ready:
            array = array.reshard(_cut_elsewhere(name, array, steps))
            continue
        array = _local(array, ready, norm)
        steps = [step for step in steps if step not in ready]
    return array


def _is_whole(array, axis):
    """Whether each chunk has all elements along an axis."""
    return all(len(each.index[axis]) == array.shape[axis] for each in array._flat())


def _ready(array, steps):
    """Steps that need no other chunk: one real one, or several complex ones, which may change places."""
    kind = steps[0][0]
    if kind not in _WHOLE:
        return steps[:1] if _is_whole(array, steps[0][2]) else []
    found = []
    for step in steps:
        if step[0] != kind:
            break
        if _is_whole(array, step[2]):
            found.append(step)
    return found


def _cut_elsewhere(name, array, steps):
    """An index map in which the axis of the next step is whole: another axis is cut."""
    if array.ndim == 1:
        raise ValueError(
            f"{name}: an array with one axis that is cut is not transformed; reshard it to one device: "
            "x.reshard({0: slice(None)})"
        )
    waiting = {axis for _, _, axis in steps}
    axes = [axis for axis in range(array.ndim) if axis != steps[0][2]]
    cut = max(axes, key=lambda axis: (axis not in waiting, array.shape[axis]))
    numbers = list(array.devices)
    ends = [array.shape[cut] * place // len(numbers) for place in range(len(numbers) + 1)]
    before = (slice(None),) * cut
    return {
        number: (*before, slice(low, high))
        for number, low, high in zip(numbers, ends[:-1], ends[1:], strict=True)
    }


def _local(array, steps, norm):
    """Transform the chunks, each on its device."""
    kind = steps[0][0]
    chunks = []
    for each in array._flat():
        with device_of(each.number, array._on_cpu):
            if len(steps) > 1:
                lengths = [each.array.shape[axis] if n is None else n for _, n, axis in steps]
                axes = [axis for _, _, axis in steps]
                result = _WHOLE[kind](each.array, s=lengths, axes=axes, norm=norm)
            else:
                _, n, axis = steps[0]
                result = getattr(numpy.fft, kind)(each.array, n=n, axis=axis, norm=norm)
        index = list(each.index)
        for _, _, axis in steps:
            index[axis] = range(result.shape[axis])
        chunks.append(each._replace(array=result, index=tuple(index)))
    shape = list(array.shape)
    for _, _, axis in steps:
        shape[axis] = chunks[0].array.shape[axis]
    return array._with(chunks, shape=tuple(shape), dtype=chunks[0].array.dtype)
