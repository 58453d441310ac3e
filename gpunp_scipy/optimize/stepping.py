"""SciPy's solvers that step on the host: functions get device arrays, and results are on the device.

These solvers move few variables, by rules that compare a value at a time. Each evaluation waits once, for its
result.
"""

import inspect

import scipy.optimize

import gpunp
from gpunp.array.convert import fetched
from gpunp.dispatch import hooks
from gpunp_scipy.optimize.evaluation import OnDevice, to_device
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
