"""What a hook on a function of SciPy calls instead of the function."""

import importlib

from gpunp.dispatch import hooks
from gpunp.dispatch.function_protocol import call_handler
from gpunp_scipy.routing import switch


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
