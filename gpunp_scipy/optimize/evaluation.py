"""Functions of the user, as SciPy's solvers on the host and ours on the device call them."""

import numpy

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp.array.operands import device_of

_FLOATS = "fd"


def numbers(*values):
    """Numbers of the host for numbers and scalars of the device, which are copied together.

    They are NumPy's, whose arithmetic does not raise.
    """
    found = list(values)
    places = [i for i, value in enumerate(values) if isinstance(value, gpunp.ndarray)]
    if places:
        parts = [values[i].reshape(()).astype(numpy.float64, copy=False) for i in places]
        for i, number in zip(places, asnumpy(numpy.stack(parts)), strict=True):
            found[i] = number
    return found


def fetched_together(values):
    """Host arrays for device arrays, real ones of one dtype in one copy; other values stay as they are."""
    arrays = [value for value in values if isinstance(value, gpunp.ndarray)]
    dtypes = {a.dtype for a in arrays}
    if len(arrays) < 2 or len(dtypes) > 1:
        return [asnumpy(value) if isinstance(value, gpunp.ndarray) else value for value in values]
    flat = asnumpy(numpy.concatenate([a.reshape(-1) for a in arrays]))
    found, start = [], 0
    for value in values:
        if isinstance(value, gpunp.ndarray):
            found.append(flat[start : start + value.size].reshape(value.shape))
            start += value.size
        else:
            found.append(value)
    return found


def to_host(value):
    """A result of the user's function on the host; waits once."""
    if isinstance(value, gpunp.ndarray):
        # A scalar is one of NumPy, as the user's function returns it on the host.
        return asnumpy(value)[()]
    if isinstance(value, tuple):
        return tuple(fetched_together(value))
    if isinstance(value, list) and device_of(value, nested=True) is not None:
        return asnumpy(gpunp.asarray(value))
    # A sparse Jacobian of a constraint.
    return value.get() if hasattr(value, "tocsc") and hasattr(value, "get") else value


def host_options(options):
    """Options of a solver that steps on the host, with arrays there."""
    options = {} if options is None else options
    return {
        name: value if device_of(value, nested=True) is None else fetched(value)
        for name, value in options.items()
    }


def to_device(value):
    """Arrays of a result on the device, also in tuples, lists and results of solvers."""
    if isinstance(value, numpy.ndarray) and value.ndim and value.dtype.kind != "O":
        return gpunp.asarray(value)
    if isinstance(value, dict):
        for name in value:
            value[name] = to_device(value[name])
        return value
    if type(value) in (tuple, list):
        return type(value)(map(to_device, value))
    return value


class OnDevice:
    """A function of the user for a solver on the host: arrays come from the host and go back there.

    Parameters
    ----------
    function : callable
        It gets device arrays and returns arrays or scalars of the device, or of the host.
    first : bool, optional
        Whether only the first argument is one of the solver's; the others are the user's.
    """

    def __init__(self, function, first=False):
        self.function, self.first = function, first

    def __call__(self, *args, **kwargs):
        count = 1 if self.first else len(args)
        mine = (to_device(each) for each in args[:count])
        kwargs = {name: to_device(each) for name, each in kwargs.items()}
        return to_host(self.function(*mine, *args[count:], **kwargs))


class Numbers:
    """A function of the user for a solver that compares numbers; a scalar of the device is fetched once."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        value = self.function(*args)
        if type(value) is tuple:
            return tuple(numbers(*value))
        return asnumpy(value)[()] if isinstance(value, gpunp.ndarray) else value


def wrapped(function):
    """`OnDevice`, for what may be no function."""
    return OnDevice(function) if callable(function) and not isinstance(function, type) else function


class Together:
    """A function of the user that returns the value and the derivative; both are kept for the last point."""

    def __init__(self, fun):
        self.fun, self.x, self.found = fun, None, None

    def _evaluate(self, x, *args):
        if self.x is not x:
            value, derivative = self.fun(x, *args)[:2]
            self.x, self.found = x, (value, derivative)
        return self.found

    def __call__(self, x, *args):
        return self._evaluate(x, *args)[0]

    def derivative(self, x, *args):
        return self._evaluate(x, *args)[1]
