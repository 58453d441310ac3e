"""Choosing elements by a condition, and finding nonzero elements."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of
from gpunp.dispatch.registry import implements
from gpunp.indexing import select as engine
from gpunp.indexing.masks import Bits

_MASK = ("include/gpunp/indexing/mask.h",)
_NUMBERS = (int, float, complex)


@implements(numpy.where)
def where(condition, x=None, y=None, /):
    """Elements of ``x`` where the condition holds, of ``y`` elsewhere.

    Parameters
    ----------
    condition : array_like
    x, y : array_like, optional
        Both or neither. Python numbers are weakly typed in the promotion of the dtype.

    Returns
    -------
    ndarray or tuple of ndarray
        Without ``x`` and ``y`` the same as `nonzero`.
    """
    if x is not None and y is not None:
        return engine.where(condition, x, y)
    if x is not None or y is not None:
        raise ValueError("either both or neither of x and y should be given")
    return nonzero(asarray(condition))


@implements(numpy.nonzero, kernels=_MASK)
def nonzero(a):
    """Coordinates of nonzero elements, as one int64 array per axis; waits for the device.

    Parameters
    ----------
    a : array_like
        An array of one or more dimensions.

    Returns
    -------
    tuple of ndarray
    """
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead."
        )
    return tuple(Bits(a).positions())


@implements(numpy.argwhere, kernels=_MASK)
def argwhere(a):
    """Coordinates of nonzero elements, one row per element; waits for the device.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray
        The coordinates, of shape (number of nonzero elements, a.ndim).
    """
    a = asarray(a)
    return Bits(a).positions(by_axis=False)


@implements(numpy.flatnonzero, kernels=_MASK)
def flatnonzero(a):
    """Flat indices in C order of nonzero elements; waits for the device.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray
    """
    return Bits(asarray(a)).positions(flat=True)[0]


@implements(numpy.select)
def select(condlist, choicelist, default=0):
    """Elements of the first choice whose condition holds.

    Parameters
    ----------
    condlist : list of bool ndarray
    choicelist : list of array_like
        One per condition.
    default : array_like, optional
        The value where no condition holds.

    Returns
    -------
    ndarray
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    device = device_of(*condlist, *choicelist, default)
    choices = [v if type(v) in _NUMBERS else asarray(v, device=device) for v in (*choicelist, default)]
    dtype = as_dtype(numpy.result_type(*(getattr(v, "dtype", v) for v in choices)))
    conditions = [asarray(v, device=device) for v in condlist]
    for i, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    shape = numpy.broadcast_shapes(*(v.shape for v in (*conditions, *choices) if isinstance(v, ndarray)))
    *choices, default = choices
    result = layout.empty(shape, dtype, device=conditions[0].device)
    # A number outside the dtype's range wraps around, as in NumPy.
    result[...] = numpy.asarray(default).astype(dtype) if type(default) in _NUMBERS else default
    for condition, choice in zip(conditions[::-1], choices[::-1], strict=True):
        if type(choice) in _NUMBERS:
            # Cast as an array, so that a number outside the dtype's range wraps around; its kind must fit.
            choice = numpy.asarray(choice)
            if not numpy.can_cast(choice.dtype, dtype, "same_kind"):
                raise TypeError(
                    f"Cannot cast array data from {choice.dtype!r} to {dtype!r} according to the rule "
                    "'same_kind'; select: a choice has a different kind than the result"
                )
            choice = choice.astype(dtype)[()]
        engine.write_masked(result, choice, condition)
    return result


def write_where(target, mask, value):
    """``target[mask] = value``, with the mask and the scalar or array value broadcast to the target."""
    mask = asarray(mask, device=target.device)
    if isinstance(value, ndarray):
        while value.ndim > target.ndim and value.shape[0] == 1:
            value = value[0]
        _check_broadcast(value, target, "input array")
    _check_broadcast(mask, target, "where mask")
    engine.write_masked(target, value, mask)


def _check_broadcast(array, target, what):
    lead = target.ndim - array.ndim
    if lead < 0 or any(n not in (1, m) for n, m in zip(array.shape, target.shape[lead:], strict=True)):
        raise ValueError(f"could not broadcast {what} from shape {array.shape} into shape {target.shape}")
