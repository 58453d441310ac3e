"""Functions whose module is imported when they are first called."""

import importlib


def first_use(module, name):
    """A function that imports ``module`` and from then on calls its function ``name``.

    For what the array class and the engines are given before the chapters behind it are needed.
    """
    function = None

    def call(*args, **kwargs):
        nonlocal function
        if function is None:
            function = getattr(importlib.import_module(module), name)
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call
