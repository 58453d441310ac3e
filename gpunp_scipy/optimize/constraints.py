"""Bounds and constraints: their numbers stay on the host, where solvers compare with them."""

import scipy.optimize

from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks


def _constructor(cls):
    scipys = cls.__init__

    def construct(self, *args, **kwargs):
        def on_host(value):
            return value if device_of(value, nested=True) is None else fetched(value)

        kwargs = {name: on_host(value) for name, value in kwargs.items()}
        return hooks.original(scipys)(self, *map(on_host, args), **kwargs)

    construct.__doc__ = f"Call `scipy.optimize.{cls.__name__}` with numbers on the host."
    return construct


bounds = _constructor(scipy.optimize.Bounds)
linear_constraint = _constructor(scipy.optimize.LinearConstraint)
nonlinear_constraint = _constructor(scipy.optimize.NonlinearConstraint)
