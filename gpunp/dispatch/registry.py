"""The one table of what gpunp handles: NumPy function to handler, and name to handler.

The modules of the handlers are imported when a function of theirs is first asked for; `HOMES`, which the
build writes, knows them by the functions' names.
"""

import importlib
import sys

try:
    from gpunp.dispatch.homes import HOMES
except ModuleNotFoundError:
    # Sources that the build has not been over.
    from gpunp.dispatch.find_homes import find_homes

    HOMES = find_homes()


class _Namespace(dict):
    """Handlers by name; one that is not there yet is imported."""

    def __missing__(self, name):
        import_home(name)
        if name not in self:
            raise KeyError(name)
        return self[name]


# NumPy's function object to our handler: np.max and np.amax are two keys.
HANDLERS = {}
# Public name ("sum", "linalg.norm") to handler: what the gpunp namespace is made of.
NAMESPACE = _Namespace()
# The functions among the keys of HANDLERS that take ``like=``; NumPy passes them on without it.
LIKE = set()
# "numpy.fft.fft" to handler, for functions whose module NumPy itself imports lazily.
_BY_PATH = {}
# Public name to Registration, so far. As REGISTRATIONS it is whole.
_registrations = {}


class Registration:
    """What the registry knows about one public function.

    Attributes
    ----------
    name : str
        The public name relative to ``numpy``, such as ``"sum"`` or ``"linalg.norm"``.
    handler : callable
        The function that does the work; its signature is NumPy's.
    chapter : str
        The chapter of NumPy's reference, which is also the folder.
    module : str
        The module of the handler, ``gpunp.<chapter>.<topic>``.
    kernels : tuple of str
        The kernel sources it runs, relative to ``kernels/``.
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
        The NumPy functions handled. A dotted path such as ``"numpy.fft.fft"`` serves for a module that
        ``import numpy`` does not load, and for functions that older versions of NumPy lack.
    chapter : str, optional
        The chapter; by default the folder of the handler's module.
    name : str, optional
        The public name when there is no NumPy function, or when it is to be another one.
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
    """The dotted path a NumPy function is known by, such as ``numpy.linalg.norm``."""
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
    # For `python -m gpunp where`, the documentation and the tests: whoever asks wants all of them.
    if name == "REGISTRATIONS":
        import_all()
        return _registrations
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def find_by_name(name):
    """The handler of a public name such as ``"linalg.norm"``, or None."""
    try:
        return NAMESPACE[name]
    except KeyError:
        return None


def find_handler(function):
    """The handler of a NumPy function, or None.

    A function enters the table of function objects here, once its module is imported or, where it is
    registered by its path, once it is seen and is the very object that NumPy has under that path.
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
