"""SciPy's solvers that step on the host: functions get device arrays, and results are on the device.

These solvers move few variables, by rules that compare a value at a time. Each evaluation waits once, for its
result.
"""

import inspect

import scipy.optimize

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.optimize.evaluation import Numbers, OnDevice, numbers, to_device
from gpunp_scipy.optimize.minimization import callback_on_device, host_bounds, host_constraints
from gpunp_scipy.rebinding import public

# Passed on to the user's functions.
_USERS = ("args", "kwargs")


def _functions(value):
    """Functions of the user, also in lists, for a solver on the host."""
    if isinstance(value, list | tuple):
        return type(value)(map(_functions, value))
    return OnDevice(value, first=True) if callable(value) else value


def _options_of_minimizer(options):
    """The arguments of the local minimizer that a global one calls."""
    if not isinstance(options, dict):
        return options
    found = {}
    for name, value in options.items():
        if name in ("jac", "hess", "hessp"):
            value = _functions(value)
        elif name == "callback":
            value = callback_on_device(value)
        elif name == "constraints":
            value = host_constraints(value)
        elif name == "bounds":
            value = host_bounds(value)
        found[name] = value
    return found


def _prepared(name, value, functions):
    if name in functions:
        return _functions(value)
    if name == "callback":
        return callback_on_device(value)
    if name == "constraints":
        return host_constraints(value)
    if name == "bounds":
        return host_bounds(value)
    if name == "minimizer_kwargs":
        return _options_of_minimizer(value)
    if isinstance(value, gpunp.ndarray) and name not in _USERS:
        return fetched(value)
    return value


def _stepped(name, functions):
    scipys = getattr(scipy.optimize, name)
    signature = inspect.signature(scipys)

    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        for key, value in bound.arguments.items():
            bound.arguments[key] = _prepared(key, value, functions)
        return to_device(hooks.original(scipys)(*bound.args, **bound.kwargs))

    return public(
        call,
        scipys,
        __name__,
        "SciPy's solver steps on the host and waits once for each evaluation. Functions get points on the\n"
        "device.",
    )


basinhopping = _stepped("basinhopping", ("func", "take_step", "accept_test"))
differential_evolution = _stepped("differential_evolution", ("func",))
direct = _stepped("direct", ("func",))
dual_annealing = _stepped("dual_annealing", ("func",))
fmin = _stepped("fmin", ("func",))
fmin_cobyla = _stepped("fmin_cobyla", ("func", "cons"))
fmin_powell = _stepped("fmin_powell", ("func",))
fmin_slsqp = _stepped(
    "fmin_slsqp",
    (
        *("func", "eqcons", "f_eqcons", "ieqcons", "f_ieqcons"),
        *("fprime", "fprime_eqcons", "fprime_ieqcons"),
    ),
)
fmin_tnc = _stepped("fmin_tnc", ("func", "fprime"))
fsolve = _stepped("fsolve", ("func", "fprime"))
shgo = _stepped("shgo", ("func",))


_SUMMARY = (
    "SciPy's solver steps with numbers. The function may return a scalar on the device, which waits once."
)


def _of_numbers(name, functions, arguments):
    """SciPy's solver for one variable, with numbers for device arrays among the arguments."""
    scipys = getattr(scipy.optimize, name)
    signature = inspect.signature(scipys)

    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        given = bound.arguments
        for key in arguments:
            if device_of(given.get(key), nested=True) is not None:
                given[key] = fetched(given[key]).tolist()
        for key in functions:
            if callable(given.get(key)):
                given[key] = Numbers(given[key])
        return hooks.original(scipys)(*bound.args, **bound.kwargs)

    return public(call, scipys, __name__, _SUMMARY)


def _bracketed(name):
    """`_of_numbers` for root finders, of which SciPy makes many short calls itself: none is bound."""
    scipys = getattr(scipy.optimize, name)

    def call(f, a, b, *args, **kwargs):
        if isinstance(a, gpunp.ndarray) or isinstance(b, gpunp.ndarray):
            a, b = numbers(a, b)
        return hooks.original(scipys)(Numbers(f) if callable(f) else f, a, b, *args, **kwargs)

    return public(call, scipys, __name__, _SUMMARY)


bisect = _bracketed("bisect")
bracket = _of_numbers("bracket", ("func",), ("xa", "xb"))
brent = _of_numbers("brent", ("func",), ("brack",))
brenth = _bracketed("brenth")
brentq = _bracketed("brentq")
brute = _of_numbers("brute", (), ("ranges",))
fminbound = _of_numbers("fminbound", ("func",), ("x1", "x2"))
golden = _of_numbers("golden", ("func",), ("brack",))
minimize_scalar = _of_numbers("minimize_scalar", ("fun",), ("bracket", "bounds"))
ridder = _bracketed("ridder")
root_scalar = _of_numbers("root_scalar", ("f", "fprime", "fprime2"), ("bracket", "x0", "x1"))
toms748 = _bracketed("toms748")
