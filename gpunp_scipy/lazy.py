"""Modules whose functions are imported at their first use."""

import importlib
import types


def attach(package, homes):
    """Return what a package needs to import its topics lazily.

    Parameters
    ----------
    package : str
        The ``__name__`` of the package.
    homes : dict of str to tuple of str
        The names of the public functions, by the module of the package that defines them.

    Returns
    -------
    names : list of str
        The package's ``__all__``.
    getattr_ : callable
        Its ``__getattr__``, which imports the module of a function, completes its docstring with SciPy's, and
        keeps the function in the package. Other names of SciPy's module are borrowed.
    dir_ : callable
        Its ``__dir__``.
    """
    topic = package.removeprefix("gpunp_scipy.")
    home_of = {name: module for module, names in homes.items() for name in names}
    names = sorted(home_of)

    def getattr_(name):
        if name not in home_of:
            value = importlib.import_module("gpunp_scipy.borrowed").find(package, name)
            setattr(importlib.import_module(package), name, value)
            return value
        module = importlib.import_module(f"{package}.{home_of[name]}")
        value = getattr(module, name)
        if isinstance(value, types.FunctionType | type) and value.__module__.startswith("gpunp_scipy."):
            # Here, as SciPy may have to be imported.
            compose = importlib.import_module("gpunp.docstrings.compose")
            compose.document(value, f"{topic}.{name}", f"scipy.{topic}.{name}")
        setattr(importlib.import_module(package), name, value)
        return value

    def dir_():
        return names

    return names, getattr_, dir_
