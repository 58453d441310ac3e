"""``nan_policy`` of statistics over axes: SciPy 1.18 drops the argument for arrays that are not NumPy's.

SciPy's decorator has one code object for all functions. Here it runs with other globals, in which device
arrays of several dimensions take the way of NumPy's: one call for each slice if there is a NaN, else one for
all of them.
"""

import functools
import importlib
import inspect
import sys
import types
import warnings

import numpy

import gpunp
from gpunp.dispatch import hooks
from gpunp_scipy.routing import switch
from gpunp_scipy.routing.handlers import Route

_MODULE = "scipy.stats._axis_nan_policy"
_DECORATED = "axis_nan_policy_wrapper"
# Functions that sort or select, in which NaN is a value like others or left out unless it is looked for.
_CHECKED = """ansari chatterjeexi cramervonmises cramervonmises_2samp
friedmanchisquare kruskal ks_2samp kstest mannwhitneyu moment mood siegelslopes
theilslopes trim_mean tsem tstd tvar wilcoxon"""


class _Namespace:
    """NumPy, with functions for results on the device."""

    def __getattr__(self, name):
        return getattr(numpy, name)

    @staticmethod
    def full(count, value):
        return gpunp.full(count, value)

    @staticmethod
    def apply_along_axis(function, axis, arr):
        """The results of a function of slices: one array for each, of the dtype of the first slice's."""
        batch = arr.shape[1:]
        rows = [[gpunp.asarray(each) for each in function(arr[:, *place])] for place in numpy.ndindex(batch)]
        dtype = numpy.result_type(*(each.dtype for each in rows[0]))
        columns = zip(*rows, strict=True)
        return [
            numpy.stack([each.reshape(()) for each in column]).astype(dtype).reshape(batch)
            for column in columns
        ]


def mode_result(mode, count):
    """The result of `scipy.stats.mode`, whose counts are integers, and 0 where there are no values."""
    found = hooks.original(_stats()._mode_result)(mode, count)
    if found.count.ndim and found.count.dtype.kind == "f":
        found = found._replace(count=found.count.astype(int))
    return found


def describe(a, axis=0, ddof=1, bias=True, nan_policy="propagate"):
    """`scipy.stats.describe`; of arrays with NaNs that are left out, SciPy's gives masked arrays."""
    stats, x = _stats(), gpunp.asarray(a)
    if axis is None:
        x, axis = x.ravel(), 0
    if nan_policy != "omit" or x.dtype.kind not in "fc" or not bool(numpy.isnan(x).any()):
        return hooks.original(stats.describe)(x, axis, ddof, bias, nan_policy)
    count = x.shape[axis] - numpy.isnan(x).sum(axis=axis)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return stats.DescribeResult(
            count[()],
            (numpy.nanmin(x, axis=axis), numpy.nanmax(x, axis=axis)),
            numpy.nanmean(x, axis=axis),
            numpy.nanvar(x, axis=axis, ddof=ddof),
            stats.skew(x, axis, bias=bias, nan_policy="omit"),
            stats.kurtosis(x, axis, bias=bias, nan_policy="omit"),
        )


def _stats():
    return importlib.import_module("scipy.stats._stats_py")


@functools.cache
def _globals():
    return vars(importlib.import_module(_MODULE)) | {"np": _Namespace(), "is_numpy": lambda xp: True}


def _decorated(function):
    """The function that SciPy's decorator made, below others that deprecate arguments; or None."""
    while function is not None and getattr(function, "__code__", None) is not None:
        if function.__code__.co_name == _DECORATED:
            return function
        function = getattr(function, "__wrapped__", None)
    return None


class _Policy:
    """Calls of a decorated function: those with a policy run SciPy's decorator as for NumPy's arrays."""

    __slots__ = ("checked", "function", "place", "twin")

    def __init__(self, function):
        self.function, self.checked = function, function.__name__ in _CHECKED.split()
        self.twin = self.place = None

    def __call__(self, *args, **kwargs):
        if switch.is_suspended() or not self._has_policy(args, kwargs):
            return hooks.original(self.function)(*args, **kwargs)
        if self.twin is None:
            # Python 3.11 has hooks in the code of a function.
            function = hooks.original(self.function)
            twin = types.FunctionType(
                function.__code__, _globals(), function.__name__, function.__defaults__, function.__closure__
            )
            twin.__kwdefaults__ = function.__kwdefaults__
            self.twin = twin
        return self.twin(*args, **kwargs)

    def _has_policy(self, args, kwargs):
        if self.checked or "nan_policy" in kwargs:
            return self.checked or kwargs["nan_policy"] != "propagate"
        if self.place is None:
            kinds = inspect.signature(self.function).parameters.values()
            names = [each.name for each in kinds if each.kind is each.POSITIONAL_OR_KEYWORD]
            self.place = names.index("nan_policy") if "nan_policy" in names else sys.maxsize
        return len(args) > self.place and args[self.place] != "propagate"


def policies(functions):
    """Yield decorated functions and their handlers.

    Parameters
    ----------
    functions : iterable
        Public names of `scipy.stats`, of which some are functions.
    """
    for function in functions:
        decorated = _decorated(function)
        if decorated is not None:
            yield decorated, _Policy(decorated)
    scipys = _stats().describe
    yield scipys, Route(scipys, "scipy.stats.describe", __name__, "describe")
