"""What a hook on a function of SciPy calls instead of the function."""

import importlib
import inspect

import gpunp
from gpunp.array.implicit import on_host
from gpunp.dispatch import hooks
from gpunp.dispatch.function_protocol import call_handler, run_on_host, unhandled
from gpunp_scipy.routing import switch

# Errors that device arrays cause in code that was not written for them.
_CAUSED = (TypeError, AttributeError, NotImplementedError)


class Route:
    """Passes calls to one of our functions, which is imported at the first call.

    Parameters
    ----------
    function : callable
        SciPy's function.
    path : str
        Its public path, such as ``"scipy.ndimage.sobel"``.
    module, name : str
        Where our function is.
    """

    __slots__ = ("found", "function", "module", "name", "path")

    def __init__(self, function, path, module, name):
        self.function, self.path, self.module, self.name = function, path, module, name
        self.found = None

    def __call__(self, *args, **kwargs):
        if switch.is_suspended():
            return hooks.original(self.function)(*args, **kwargs)
        if self.found is None:
            self.found = getattr(importlib.import_module(self.module), self.name)
        return call_handler(self.found, self.path, args, kwargs)

    def __repr__(self):
        return f"<{self.path} runs {self.module}.{self.name}>"


class Unhandled:
    """Refuses calls, or runs SciPy's code with the device arrays and names the function where that fails.

    With ``gpunp.config.fallback`` SciPy's code runs on host copies.

    Parameters
    ----------
    function : callable
        SciPy's function.
    path : str
        Its public path. Of a method, ``self`` says the class.
    reason : str, optional
        Why the function stays on the host; without a reason SciPy's code is tried.
    """

    __slots__ = ("function", "path", "reason")

    def __init__(self, function, path, reason=None):
        self.function, self.path, self.reason = function, path, reason

    def __call__(self, *args, **kwargs):
        original = hooks.original(self.function)
        if switch.is_suspended():
            return original(*args, **kwargs)
        if gpunp.config.fallback != "error":
            return run_on_host(original, args, kwargs, _device((*args, *kwargs.values())), self._named(args))
        if self.reason is not None:
            # Scalars of the device are numbers for functions of the host.
            return on_host(original, str(unhandled(self._named(args), self.reason)), args, kwargs)
        try:
            return original(*args, **kwargs)
        except _CAUSED as error:
            if not _is_call_of(self.function, args, kwargs):
                raise
            raise unhandled(self._named(args)) from error

    def _named(self, args):
        """The public path, with the class of ``self``: distributions share the methods of a base class."""
        module, separator, method = self.path.partition(":")
        if not separator:
            return self.path
        owner = type(args[0]).__name__.removesuffix("_gen") if args else ""
        return f"{module}.{owner}" if method == "__init__" else f"{module}.{owner}.{method}"

    def __repr__(self):
        return f"<{self.path} is {'tried' if self.reason is None else 'refused'}>"


class OfObjects:
    """Handles the ``__call__`` of a class whose objects are public functions.

    Parameters
    ----------
    function : callable
        The method of SciPy's class.
    """

    __slots__ = ("function", "known")

    def __init__(self, function):
        self.function = function
        # By identity: the object, which is kept, and the handler of its calls.
        self.known = {}

    def add(self, value, handler):
        """Have calls of an object run a handler."""
        self.known[id(value)] = value, handler

    def __call__(self, value, *args, **kwargs):
        _, handler = self.known.get(id(value), (None, None))
        if handler is None or switch.is_suspended():
            return hooks.original(self.function)(value, *args, **kwargs)
        return handler(*args, **kwargs)


def _device(values):
    """The device of the first device array, also in containers."""
    for value in values:
        if isinstance(value, gpunp.ndarray):
            return value.device
        if isinstance(value, list | tuple):
            found = _device(value)
            if found is not None:
                return found
    return None


def _is_call_of(function, args, kwargs):
    """Whether a function can be called with the arguments."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    except ValueError:
        # The signature is not known.
        return True
    return True
