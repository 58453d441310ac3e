"""Elementwise choices between functions, without a wait.

SciPy's helpers evaluate a function at the places where a condition holds, whose number the device would have
to report. Here each function is evaluated everywhere.
"""

import sys

import numpy

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp.dispatch.function_protocol import to_device


def apply_where(cond, args, f1, f2=None, /, *, fill_value=None, kwargs=None, xp=None):
    """Return ``f1(*args)`` where a condition holds, elsewhere ``f2(*args)`` or ``fill_value``.

    Parameters
    ----------
    cond : array_like of bool
    args : array_like or tuple of array_like
    f1, f2 : callable
        Elementwise functions of ``args``.
    fill_value : array_like, optional
        Instead of ``f2``.
    kwargs : dict, optional
        Keyword arguments of the functions.
    xp : module, optional
        Without effect.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        Unless exactly one of ``f2`` and ``fill_value`` is given.
    """
    if (f2 is None) == (fill_value is None):
        raise TypeError("Exactly one of `fill_value` or `f2` must be given.")
    args, kwargs = args if isinstance(args, tuple) else (args,), kwargs or {}
    with numpy.errstate(all="ignore"):
        here = f1(*args, **kwargs)
        there = fill_value if f2 is None else f2(*args, **kwargs)
    if not isinstance(cond, gpunp.ndarray):
        cond = numpy.asarray(cond)
    shape = numpy.broadcast_shapes(*(numpy.shape(each) for each in (cond, *args, *kwargs.values())))
    chosen = numpy.where(cond, here, there)
    return chosen if chosen.shape == shape else numpy.broadcast_to(chosen, shape)


def lazyselect(condlist, choicelist, arrays, default=0):
    """Return, at each place, the value of the last function whose condition holds there.

    Parameters
    ----------
    condlist : sequence of array_like of bool
    choicelist : sequence of callable
        Elementwise functions of ``arrays``.
    arrays : sequence of array_like
    default : scalar, optional
        Where no condition holds.

    Returns
    -------
    ndarray
    """
    shape = numpy.broadcast_shapes(*(numpy.shape(each) for each in arrays))
    result = default
    with numpy.errstate(all="ignore"):
        for cond, function in zip(condlist, choicelist, strict=False):
            if cond is not False:
                result = numpy.where(cond, function(*arrays), result)
    return result if numpy.shape(result) == shape else numpy.broadcast_to(result, shape)


# Functions within SciPy's that look numbers up in tables on the host, without saying so.
_OF_THE_HOST = ("get_ansari_pvalue",)


def lazy_apply(func, *args, shape=None, dtype=None, as_numpy=False, xp=None, **kwargs):
    """Apply a function to arrays: ufuncs run on the device, others on the host or as SciPy's helper does.

    Parameters
    ----------
    func : callable
    args : array_like
    shape, dtype, as_numpy, xp, kwargs
        As in SciPy's helper, without effect for ufuncs and functions of the host.
    """
    if isinstance(func, numpy.ufunc):
        return func(*args)
    device = device_of(*args)
    as_numpy = as_numpy or getattr(func, "__name__", "") in _OF_THE_HOST
    if as_numpy and device is not None:
        found = func(*(fetched(each) if isinstance(each, gpunp.ndarray) else each for each in args), **kwargs)
        return to_device(found, device)
    return hooks.original(_scipys_lazy_apply())(
        func, *args, shape=shape, dtype=dtype, as_numpy=as_numpy, xp=xp, **kwargs
    )


def _scipys_lazy_apply():
    for name in ("scipy._external.array_api_extra", "scipy._lib.array_api_extra"):
        if name in sys.modules:
            return sys.modules[name].lazy_apply
    raise ImportError("this SciPy has no array_api_extra")
