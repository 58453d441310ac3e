"""Hooks on the functions of SciPy's modules."""

import importlib
import importlib.util
import sys
import types

from gpunp.dispatch import hooks
from gpunp_scipy.routing import switch
from gpunp_scipy.routing.handlers import Route

# Device arrays are found in the arguments, and in tuples and lists among them: (b, a), (lu, piv), [x, y].
DEPTH = 1


def native(module):
    """The names that this package implements for a module of SciPy, by the module that has the functions.

    Parameters
    ----------
    module : str
        Such as ``"scipy.ndimage"``.

    Returns
    -------
    module : str
        Such as ``"gpunp_scipy.ndimage"``.
    names : sequence of str
        Empty if there is no such module.
    """
    ours = f"gpunp_{module}"
    try:
        if importlib.util.find_spec(ours) is None:
            return ours, ()
    except ModuleNotFoundError:
        return ours, ()
    return ours, getattr(importlib.import_module(ours), "__all__", ())


def objects(function):
    """The function objects behind a public function that can be hooked.

    SciPy's array API mode wraps the functions of some modules, and calls what is wrapped itself.
    """
    while isinstance(function, types.FunctionType) and function.__module__.startswith("scipy."):
        yield function
        if not function.__globals__["__name__"].endswith("._support_alternative_backends"):
            return
        function = getattr(function, "__wrapped__", None)


class _Hooks:
    """The hooks of one module of SciPy."""

    def __init__(self, module):
        self.handlers = {}
        ours, names = native(module)
        for name in names:
            for function in objects(getattr(sys.modules[module], name, None)):
                self.handlers[function] = Route(function, f"{module}.{name}", ours, name)

    def install(self):
        for function, handler in self.handlers.items():
            hooks.hook(function, handler, DEPTH)

    def remove(self):
        for function in self.handlers:
            hooks.unhook(function)


def route(module):
    """Hook the functions of an imported module of SciPy."""
    if module == "scipy.fft":
        from gpunp_scipy.fft import backend

        # Its functions are multimethods, which have a protocol.
        backend.register()
    made = _Hooks(module)
    switch.on_change(made.install, made.remove)
