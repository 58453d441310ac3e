"""Arithmetic and geometric progressions."""

import functools
import math
import operator

import numpy

from gpunp.array.convert import asnumpy, joined
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of
from gpunp.creation.fill import fill_range
from gpunp.creation.filled import place
from gpunp.device import get_device
from gpunp.dispatch.registry import implements

_KERNELS = ("include/gpunp/creation/ranges.h",)
_INT64 = numpy.dtype(numpy.int64)
_FLOAT64 = numpy.dtype(numpy.float64)
# Lengths of integers up to this magnitude are the same in float64, in which NumPy computes them.
_MOST_EXACT = 1 << 52


def _scalar(value):
    """A host scalar; device scalars are copied, since the length of the result depends on them."""
    if isinstance(value, ndarray):
        return asnumpy(value)[()]
    return value


def _length(start, stop, step):
    """The number of elements of arange, computed as NumPy does."""
    delta = stop - start
    try:
        count = delta / step
    except ZeroDivisionError:
        raise ZeroDivisionError("division by zero") from None
    if count == 0 and delta != 0:  # underflow: one element unless the step points away
        return 0 if math.copysign(1.0, count) < 0 else 1
    parts = (count.real, count.imag) if isinstance(count, complex | numpy.complexfloating) else (count,)
    if any(math.isnan(part) for part in parts):
        raise ValueError("arange: cannot compute length")
    if any(math.isinf(part) or part > 2**63 - 1 for part in parts):
        raise ValueError("Maximum allowed size exceeded")
    return max(0, min(math.ceil(part) for part in parts))


def _real_range(start, stop, step, device):
    """`arange` of real numbers of usual size; None for others."""
    count = (stop - start) / step if step else 0.0
    # A range that begins with -0.0 needs another look, as does one whose numbers are not finite.
    is_negative_zero = start == 0 and math.copysign(1.0, start) < 0
    if not 0 < count < _MOST_EXACT or not start + step - start or is_negative_zero:
        return None
    # Like NumPy, round the second element, then take the difference: the result shows this rounding.
    delta = start + step - start if count > 1 else start
    return fill_range(math.ceil(count), start, delta, _FLOAT64, device)


def _start_by_name(function):
    """Accept ``start=`` for the positional-only first argument, or ``stop=`` alone, as NumPy does."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        if args:
            return function(*args, **kwargs)
        if "stop" not in kwargs or (kwargs["stop"] is None and "start" not in kwargs):
            raise TypeError("arange() requires stop to be specified.")
        return function(kwargs.pop("start", 0), **kwargs)

    return call


@implements(numpy.arange, like=True, kernels=_KERNELS)
@_start_by_name
def arange(start_or_stop, /, stop=None, step=1, dtype=None, *, device=None, like=None):
    """Evenly spaced values in a half-open interval; see `numpy.arange`.

    Parameters
    ----------
    start_or_stop : int or real
        The first value; if `stop` is not given, the end, with 0 as the first value.
    """
    if device is None and like is None:
        device = device_of(start_or_stop, stop, step)
    start, step = _scalar(start_or_stop), _scalar(1 if step is None else step)
    if stop is None:
        start, stop = 0, start
    stop = _scalar(stop)
    if (dtype is None or dtype is int) and type(start) is type(stop) is type(step) is int and step:
        length = max(0, -((start - stop) // step))
        if max(abs(start), abs(stop), abs(step)) < _MOST_EXACT:
            return fill_range(length, start, step, _INT64, place(device, like))
    elif dtype is None or dtype is float:
        ends = _real_number(start), _real_number(stop), _real_number(step)
        if None not in ends and (dtype is float or float in (type(start), type(stop), type(step))):
            found = _real_range(*ends, place(device, like))
            if found is not None:
                return found
    if dtype is None:
        dtypes = [numpy.asarray(value).dtype for value in (start, stop, step)]
        dtype = numpy.result_type(numpy.int_, *dtypes)
    dtype = as_dtype(dtype)
    with numpy.errstate(all="ignore"):
        length = _length(start, stop, step)
        if dtype == numpy.bool_:
            # NumPy allows at most two booleans: they have no difference to continue with.
            if length > 2:
                raise TypeError(
                    "no fill-function for data-type bool: arange of booleans has at most two elements"
                )
            return _uploaded(numpy.arange(start, stop, step, dtype=dtype), place(device, like))
        if dtype.kind != "c" and any(
            isinstance(v, complex | numpy.complexfloating) for v in (start, stop, step)
        ):
            raise TypeError("must be real number, not complex")
        if length > 0:
            first = _cast(start, dtype)
            # Like NumPy, round the second element, then take the difference: the result shows this rounding.
            delta = (_cast(start + step, dtype) - first) if length > 1 else first
        else:
            first = delta = dtype.type(0)
    out = fill_range(length, first, delta, dtype, place(device, like))
    if length > 1 and dtype.kind in "fc" and not numpy.isfinite(delta):
        # As in NumPy, the first two elements are exact even if their difference is not finite.
        out[0], out[1] = first, _cast(start + step, dtype)
    elif length > 0 and dtype.kind == "f" and first == 0 and numpy.signbit(first):
        # The kernel adds 0 to the start, which turns -0.0 into 0.0.
        out[0] = first
    return out


def _cast(value, dtype):
    cell = numpy.empty((), dtype)
    cell[()] = value
    return cell[()]


def _uploaded(host, device):
    from gpunp.array.convert import asarray

    return asarray(host, device=device)


def _operand(value):
    """A device array unchanged; anything else as a NumPy array, for host arithmetic on the end points."""
    return value if isinstance(value, ndarray) else numpy.asarray(value)


def _end_point(value, computed):
    """An end of an interval in an inexact dtype; Python numbers in the dtype to compute in."""
    if type(value) in (int, float, complex):
        return numpy.asarray(value, computed)
    value = _operand(value)
    # The product would make NaN of a part beside an infinite one.
    return value if value.dtype.kind == "c" else value * 1.0


@implements(numpy.linspace, kernels=_KERNELS)
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """Evenly spaced values in an interval; see `numpy.linspace`."""
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    if dtype is None and not retstep and axis == 0:
        ends = _real_number(start), _real_number(stop)
        if None not in ends:
            target = get_device(device if device is not None else device_of(start, stop))
            return _between(*ends, num, endpoint, target)
    start, stop = joined(start), joined(stop)
    div = num - 1 if endpoint else num
    target = get_device(device if device is not None else device_of(start, stop))
    # Python numbers are weakly typed: they take the dtype of the other end.
    ends = [end if type(end) in (int, float, complex) else _operand(end).dtype for end in (start, stop)]
    computed = numpy.result_type(*ends, float(num))
    start, stop = (_end_point(end, computed) for end in (start, stop))
    if dtype is None:
        dtype, is_integer = computed, False
    else:
        dtype = as_dtype(dtype)
        is_integer = numpy.issubdtype(dtype, numpy.integer)
    computed = as_dtype(computed)
    with numpy.errstate(all="ignore"):
        delta = numpy.subtract(stop, start, dtype=computed)
        step = delta / div if div > 0 else numpy.float64("nan")
    scalar = numpy.ndim(delta) == 0 and not isinstance(delta, ndarray)
    if scalar and div > 0 and step != 0:
        # A zero of this sign + i * step equals NumPy's arange * step.
        zero = computed.type(0 if computed.kind == "c" else math.copysign(0.0, step))
        y = fill_range(num, zero, computed.type(step), computed, target)
    else:
        y = fill_range(num, computed.type(0), computed.type(1), computed, target)
        y = y.reshape((num,) + (1,) * numpy.ndim(delta))
        y = y * _on_device(delta, target) if div <= 0 else _scaled(y, step, delta, div)
    if numpy.ndim(start):
        start = _on_device(start, target)
    y = y + start if y.ndim < numpy.ndim(start) + 1 else _add_into(y, start)
    if endpoint and num > 1:
        y[-1, ...] = stop
    if axis != 0:
        y = numpy.moveaxis(y, 0, axis)
    if is_integer:
        numpy.floor(y, out=y)
    y = y.astype(dtype, copy=False)
    return (y, _on_device(step, target)._mark_scalar()) if retstep else y


def _real_number(value):
    """A real number of double precision that the host has, as Python's; None for anything else."""
    if type(value) is float or type(value) is numpy.float64:
        return float(value)
    if type(value) is int and abs(value) < _MOST_EXACT:
        return float(value)
    if type(value) is ndarray and value.ndim == 0 and value.dtype is _FLOAT64 and value.device.is_cpu:
        return value.item()
    return None


def _between(start, stop, num, endpoint, device):
    """`linspace` between two real numbers, without operations on arrays of the host."""
    div = num - 1 if endpoint else num
    delta = stop - start
    step = delta / div if div > 0 else math.nan
    if div > 0 and step != 0:
        # The first of NumPy's products is 0 * step, which has the sign of the step.
        y = fill_range(num, math.copysign(0.0, step), step, _FLOAT64, device)
    else:
        # The difference of all elements is 0, or less than a step can be.
        y = fill_range(num, 0.0, 1.0, _FLOAT64, device)
        y = y * delta if div <= 0 else y / div * delta
    y += start
    if endpoint and num > 1:
        y[-1] = stop
    return y


def _scaled(y, step, delta, div):
    """``y * step``, or ``(y / div) * delta`` for all elements if any step has underflowed to zero."""
    vanished = (step == 0).any()
    step, delta = _on_device(step, y.device), _on_device(delta, y.device)
    if isinstance(vanished, ndarray):
        # Known only on the device: select there instead of waiting.
        return numpy.where(vanished, (y / div) * delta, y * step)
    return (y / div) * delta if vanished else y * step


def _add_into(y, start):
    y += start
    return y


def _on_device(value, device):
    from gpunp.array.convert import moved

    return moved(value, device=device)


@implements(numpy.logspace, kernels=_KERNELS)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Values evenly spaced on a logarithmic scale; see `numpy.logspace`."""
    start, stop, base = joined(start), joined(stop), joined(base)
    if not isinstance(base, float | int) and numpy.ndim(base) > 0:
        ndmax = numpy.broadcast(*(_shape_stand_in(v) for v in (start, stop, base))).ndim
        start, stop, base = (
            _operand(v).reshape((1,) * (ndmax - numpy.ndim(v)) + numpy.shape(v)) for v in (start, stop, base)
        )
        base = numpy.expand_dims(base, axis=axis)
    device = device_of(start, stop, base)
    y = linspace(start, stop, num=num, endpoint=endpoint, axis=axis, device=device)
    result = numpy.power(base, y)
    return result if dtype is None else result.astype(as_dtype(dtype), copy=False)


def _shape_stand_in(value):
    """A host array of the same shape without memory, for NumPy's shape functions."""
    return numpy.broadcast_to(numpy.empty(()), numpy.shape(value))


@implements(numpy.geomspace, kernels=_KERNELS)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Values in a geometric progression; see `numpy.geomspace`."""
    start, stop = joined(start), joined(stop)
    device = device_of(start, stop)
    start, stop = _operand(start), _operand(stop)
    # End points on the device are not checked, to avoid a wait: a zero there gives NaN.
    if any(not isinstance(end, ndarray) and (end == 0).any() for end in (start, stop)):
        raise ValueError("Geometric sequence cannot include zero")
    computed = numpy.result_type(start.dtype, stop.dtype, float(num), numpy.zeros((), dtype))
    dtype = computed if dtype is None else as_dtype(dtype)
    start = start.astype(computed, copy=True)
    stop = stop.astype(computed, copy=True)
    # Rotating the start to the positive real axis keeps real results real and exact at the ends.
    out_sign = numpy.sign(start)
    start, stop = start / out_sign, stop / out_sign
    with get_device(device):
        result = logspace(
            numpy.log10(start), numpy.log10(stop), num=num, endpoint=endpoint, base=10.0, dtype=computed
        )
        if num > 0:
            result[0, ...] = start
            if num > 1 and endpoint:
                result[-1, ...] = stop
        result = result * out_sign
    if axis != 0:
        result = numpy.moveaxis(result, 0, axis)
    return result.astype(dtype, copy=False)
