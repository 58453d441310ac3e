"""Functions whose module is imported at their first call."""

import importlib


def first_use(module, name):
    """Return a function that imports ``module`` at its first call and passes calls to its function ``name``.

    The array class and the engines are given such functions, so that chapters are imported only when needed.
    """
    function = None

    def call(*args, **kwargs):
        nonlocal function
        if function is None:
            function = getattr(importlib.import_module(module), name)
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call
