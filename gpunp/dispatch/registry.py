"""The table of handlers, by NumPy function and by public name.

The module of a handler is imported when one of its functions is first looked up; `HOMES`, which the build
writes, maps public names to these modules.
"""

import importlib
import sys

try:
    from gpunp.dispatch.homes import HOMES
except ModuleNotFoundError:
    # Not written yet: the sources are used before they are built.
    from gpunp.dispatch.find_homes import find_homes

    HOMES = find_homes()


class _Namespace(dict):
    """Handlers by name; a missing one is imported."""

    def __missing__(self, name):
        import_home(name)
        if name not in self:
            raise KeyError(name)
        return self[name]


# NumPy's function objects to our handlers: np.max and np.amax are two keys.
HANDLERS = {}
# NumPy's function objects to functions with a short way for few elements, which methods call, too.
SHORT_FUNCTIONS = {}
# Public name ("sum", "linalg.norm") to handler: the functions of the gpunp namespace.
NAMESPACE = _Namespace()
# The keys of HANDLERS that take ``like=``; NumPy removes it from the call.
LIKE = set()
# "numpy.fft.fft" to handler, for functions whose module NumPy itself imports lazily.
_BY_PATH = {}
# Public name to Registration, for the modules imported so far; complete as REGISTRATIONS.
_registrations = {}


class Registration:
    """The entry of one public function.

    Attributes
    ----------
    name : str
        The public name relative to ``numpy``, such as ``"sum"`` or ``"linalg.norm"``.
    handler : callable
        The function that implements it; its signature is NumPy's.
    chapter : str
        The chapter of NumPy's reference, which is also the name of the folder.
    module : str
        The module of the handler, ``gpunp.<chapter>.<topic>``.
    kernels : tuple of str
        The kernel sources that it uses, relative to ``kernels/``.
    numpy_path : str or None
        Dotted path of the NumPy function, or None for a function that NumPy does not dispatch.
    like : bool
        True for creation functions that take ``like=``.
    """

    __slots__ = ("chapter", "handler", "kernels", "like", "module", "name", "numpy_path")

    def __init__(self, name, handler, chapter, module, kernels, numpy_path, like):
        self.name = name
        self.handler = handler
        self.chapter = chapter
        self.module = module
        self.kernels = kernels
        self.numpy_path = numpy_path
        self.like = like


def implements(*functions, chapter=None, name=None, kernels=(), like=False):
    """Register the decorated function as the handler of NumPy functions.

    Parameters
    ----------
    *functions : function or str
        The NumPy functions handled. Give a dotted path such as ``"numpy.fft.fft"`` for a module that
        ``import numpy`` does not load, and for functions that older versions of NumPy lack.
    chapter : str, optional
        The chapter; by default the folder of the handler's module.
    name : str, optional
        The public name if there is no NumPy function, or if it differs from NumPy's.
    kernels : tuple of str, optional
        The kernel sources behind it, relative to ``kernels/``.
    like : bool, optional
        The function takes ``like=``: it creates on the device of the reference array.

    Returns
    -------
    decorator
        Returns the handler itself.

    Examples
    --------
    >>> import numpy as np
    >>> @implements(np.trace, chapter="linalg")          # doctest: +SKIP
    ... def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    ...     ...
    """

    def register(handler):
        module = handler.__module__
        folder = chapter or module.split(".")[1]
        for function in functions:
            path = function if isinstance(function, str) else public_path(function)
            public = name if name and len(functions) == 1 else path.removeprefix("numpy.")
            if isinstance(function, str):
                _BY_PATH[path] = handler
            else:
                HANDLERS[function] = handler
                if like:
                    LIKE.add(function)
            NAMESPACE[public] = handler
            _registrations[public] = Registration(public, handler, folder, module, tuple(kernels), path, like)
        if not functions:
            public = name or handler.__name__
            NAMESPACE[public] = handler
            _registrations[public] = Registration(public, handler, folder, module, tuple(kernels), None, like)
        return handler

    return register


def public_path(function):
    """Return the dotted path of a NumPy function, such as ``numpy.linalg.norm``."""
    return f"{function.__module__}.{function.__name__}"


def import_home(name):
    """Import the module that registers a public name, if there is one."""
    home = HOMES.get(name)
    if home is not None:
        importlib.import_module(f"gpunp.{home}")


def import_all():
    """Import every module that registers handlers."""
    for home in sorted(set(HOMES.values())):
        importlib.import_module(f"gpunp.{home}")


def __getattr__(name):
    # For `python -m gpunp where`, the documentation and the tests, which need all registrations.
    if name == "REGISTRATIONS":
        import_all()
        return _registrations
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def find_by_name(name):
    """Return the handler of a public name such as ``"linalg.norm"``, or None."""
    try:
        return NAMESPACE[name]
    except KeyError:
        return None


def find_handler(function):
    """Return the handler of a NumPy function, or None.

    Imports the module of the handler if necessary. A handler that is registered by its path applies to the
    function object that NumPy has under that path, and to no other function of that name.
    """
    handler = HANDLERS.get(function)
    if handler is not None:
        return handler
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    path = f"{module}.{name}"
    import_home(path.removeprefix("numpy."))
    handler = HANDLERS.get(function)
    if handler is None:
        handler = _BY_PATH.get(path)
        if handler is not None:
            if getattr(sys.modules.get(module), name, None) is not function:
                return None
            HANDLERS[function] = handler
    return handler
