"""The loop of SciPy's elementwise solvers, which runs ours for device arrays."""

import importlib
import sys

from gpunp.dispatch import hooks
from gpunp.interop.device_namespace import is_gpunp
from gpunp_scipy.routing import switch

# The place of the namespace among the arguments of the loop.
_NAMESPACE = 13


class Loop:
    """Handles the loop, whose arguments have device arrays within other objects.

    Parameters
    ----------
    function : callable
        SciPy's function.
    """

    __slots__ = ("function",)

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **kwargs):
        xp = args[_NAMESPACE] if len(args) > _NAMESPACE else kwargs.get("xp")
        if not is_gpunp(xp) or switch.is_suspended():
            return hooks.original(self.function)(*args, **kwargs)
        return importlib.import_module("gpunp_scipy.elementwise.loop").loop(*args, **kwargs)


def route(module):
    """Hook the function in its imported module."""
    function = sys.modules[module]._loop
    handler = Loop(function)
    switch.on_change(lambda: hooks.hook(function, handler, hooks.ALWAYS), lambda: hooks.unhook(function))
