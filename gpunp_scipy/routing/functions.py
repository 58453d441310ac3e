"""Hooks on the functions and methods of SciPy's modules."""

import functools
import importlib
import importlib.util
import sys
import types

from gpunp.dispatch import hooks
from gpunp_scipy.routing import switch
from gpunp_scipy.routing.decisions import host_reason, is_generic
from gpunp_scipy.routing.handlers import OfObjects, Route, Unhandled

# Device arrays are found among the arguments, and in tuples and lists there: (b, a), (lu, piv), [x, y].
_DEPTH = 1
# Here lists of rows of blocks, too.
_DEPTHS = {"scipy.sparse": 2}
# Modules whose functions pass a tuple of arguments on to a function of the user: it may have device arrays.
_OF_CALLBACKS = ("scipy.differentiate", "scipy.integrate", "scipy.optimize", "scipy.optimize.elementwise")
# Functions that were given a handler, by function: one object may be public in several modules.
_handlers = {}


def native(module):
    """The names that this package implements for a module of SciPy.

    Parameters
    ----------
    module : str
        Such as ``"scipy.ndimage"``.

    Returns
    -------
    ours : str
        The module that has them, such as ``"gpunp_scipy.ndimage"``.
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


def native_methods(module):
    """The methods of classes that this package implements for a module of SciPy.

    Parameters
    ----------
    module : str
        Such as ``"scipy.signal"``.

    Returns
    -------
    dict of str to str
        Our function below our module, such as ``"short_time.stft"``, by ``"ShortTimeFFT.stft"``.
    """
    ours, _ = native(module)
    return getattr(sys.modules.get(ours), "METHODS", {})


def _object_methods(module):
    """The methods whose handlers get all calls, to look for device arrays in objects among the arguments.

    A package names them in ``OF_OBJECTS``, as `native_methods` does.
    """
    ours, _ = native(module)
    return getattr(sys.modules.get(ours), "OF_OBJECTS", ())


def public(module):
    """Map name to object for the functions and classes of an imported module, without exceptions."""
    found = {}
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name, None)
        if callable(value) and not (isinstance(value, type) and issubclass(value, BaseException)):
            found[name] = value
    return found


def _is_of_scipy(value):
    """Whether a value is a function that is written in SciPy and can be hooked."""
    if not (getattr(value, "__module__", None) or "").startswith("scipy."):
        return False
    return isinstance(value, types.FunctionType) or type(value).__name__ == "cython_function_or_method"


def objects(function):
    """The function objects behind a public function that can be hooked.

    SciPy's array API mode wraps the functions of some modules, and calls what is wrapped itself.
    """
    while _is_of_scipy(function):
        yield function
        if (
            not getattr(function, "__globals__", {})
            .get("__name__", "")
            .endswith("._support_alternative_backends")
        ):
            return
        function = getattr(function, "__wrapped__", None)


def methods(cls):
    """Pairs of a name and a function, for the public methods of a class that can be hooked."""
    for base in cls.__mro__:
        for name, value in vars(base).items():
            if not name.startswith("_") or name in ("__init__", "__call__"):
                value = getattr(value, "__func__", value)
                if _is_of_scipy(value):
                    yield name, value


def _call_of_object(value):
    """The ``__call__`` of an object such as `scipy.special.sph_harm_y`, if it can be hooked, else None."""
    if not type(value).__module__.startswith("scipy.special."):
        return None
    call = vars(type(value)).get("__call__")
    return call if _is_of_scipy(call) else None


def _handlers_of(module):
    """Map functions of an imported module to new handlers."""
    ours, names = native(module)
    our_methods = native_methods(module)
    classes = {path.partition(".")[0] for path in our_methods}
    found = {}
    for name, value in public(sys.modules[module]).items():
        call = _call_of_object(value)
        if call is not None:
            handler = found.setdefault(call, OfObjects(call))
            if name in names:
                handler.add(value, Route(call, f"{module}.{name}", ours, name))
            else:
                handler.add(value, functools.partial(Unhandled(call, f"{module}.{name}"), value))
        elif name in names:
            for function in objects(value):
                found[function] = Route(function, f"{module}.{name}", ours, name)
        elif is_generic(module, name):
            found.update(dict.fromkeys(_hookable(value), None))
        elif name in classes:
            # Methods that are not ours run SciPy's code, which calls those that are.
            own = dict(reversed([*methods(value)]))
            for method, function in methods(value):
                # A method that the class overrides belongs to its base class.
                path = our_methods.get(f"{name}.{method}") if own[method] is function else None
                if path is None:
                    found.setdefault(function, None)
                else:
                    topic, _, our_name = path.rpartition(".")
                    found[function] = Route(
                        function, f"{module}.{name}.{method}", f"{ours}.{topic}", our_name
                    )
        elif isinstance(value, type):
            for method, function in methods(value):
                path = f"{module}:{method}"
                found.setdefault(function, Unhandled(function, path, host_reason(module, name)))
        else:
            for function in objects(value):
                found.setdefault(function, Unhandled(function, f"{module}.{name}", host_reason(module, name)))
    return found


def handler_of(function):
    """What calls of a function of a routed module run: a handler, or None where SciPy's code is generic."""
    return _handlers.get(function, Unhandled(function, function.__name__))


def _hookable(value):
    return [function for _, function in methods(value)] if isinstance(value, type) else objects(value)


def _stand_in(module, name, function):
    """A function of Python that calls one of C, which cannot be hooked."""

    def call(*args, **kwargs):
        return function(*args, **kwargs)

    functools.update_wrapper(call, function)
    call.__module__, call.__qualname__ = module, name
    return call


class _Hooks:
    """The hooks of one module of SciPy.

    Functions of C that we have are replaced in the module by functions of Python.
    """

    def __init__(self, module):
        self.depth = 0 if module in _OF_CALLBACKS else _DEPTHS.get(module, _DEPTH)
        self.always = {hooks.find(module, path) for path in _object_methods(module)}
        self.functions = []
        self.module, self.stand_ins = sys.modules[module], {}
        ours, names = native(module)
        found = _handlers_of(module)
        for name, value in public(self.module).items():
            if name in names and isinstance(value, types.BuiltinFunctionType):
                made = _stand_in(module, name, value)
                self.stand_ins[name] = value, made
                found[made] = Route(made, f"{module}.{name}", ours, name)
        # Classes of C, which have no method that can be hooked, are replaced by classes of ours.
        for name, path in getattr(sys.modules.get(ours), "CLASSES", {}).items():
            topic, _, maker = path.rpartition(".")
            make = getattr(importlib.import_module(f"{ours}.{topic}"), maker)
            self.stand_ins[name] = getattr(self.module, name), make(getattr(self.module, name))
        for path, name in getattr(sys.modules.get(ours), "HELPERS", {}).items():
            place, _, helper = path.partition(":")
            if place in sys.modules:
                topic, _, our_name = name.rpartition(".")
                function = hooks.find(place, helper)
                found[function] = Route(function, f"{place}.{helper}", f"{ours}.{topic}", our_name)
        # Functions without a public name, or of all subclasses, and those whose arguments decide.
        for function, handler in getattr(sys.modules.get(ours), "handlers", tuple)():
            if found.get(function) is None:
                found[function] = handler
        for function, handler in found.items():
            known = _handlers.get(function)
            # What is native or generic in one module is so in all of them.
            if function in _handlers and not (
                isinstance(known, Unhandled) and not isinstance(handler, Unhandled)
            ):
                continue
            _handlers[function] = handler
            self.functions.append(function)

    def install(self):
        for function in self.functions:
            handler = _handlers[function]
            if handler is None:
                hooks.unhook(function)
            else:
                hooks.hook(function, handler, hooks.ALWAYS if function in self.always else self.depth)
        for name, (_, made) in self.stand_ins.items():
            setattr(self.module, name, made)

    def remove(self):
        for function in self.functions:
            hooks.unhook(function)
        for name, (original, _) in self.stand_ins.items():
            setattr(self.module, name, original)


def route(module):
    """Hook the functions of an imported module of SciPy."""
    if module == "scipy.fft":
        from gpunp_scipy.fft import backend

        # Its functions are multimethods, which have a protocol.
        backend.register()
    made = _Hooks(module)
    switch.on_change(made.install, made.remove)
