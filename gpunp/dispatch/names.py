"""Functions by their public names, and the modules that have the names of NumPy's folders, such as linalg."""

import importlib
import sys
import types

from gpunp.dispatch.registry import HOMES, find_by_name

# Set by `install`.
_find_standard = _document = None


def install(find_standard, document):
    """Set what this module needs of those above it.

    Parameters
    ----------
    find_standard : callable
        Gives the function of a name whose signature in the namespace is not NumPy's, else None.
    document : callable
        Completes the docstring of a function or class, which is given with its name.
    """
    global _find_standard, _document
    _find_standard, _document = find_standard, document


def find_function(name):
    """What the namespace has under a name such as ``"sum"`` or ``"linalg.norm"``, or None."""
    return documented(_find_standard(name) or find_by_name(name), name)


def documented(found, name):
    """The function itself, its docstring completed: from here users get it."""
    if isinstance(found, types.FunctionType | type):
        _document(found, name)
    return found


def folder(path):
    """``__getattr__`` and ``__dir__`` for the module of a folder of NumPy's namespace, such as linalg."""
    module = sys.modules[f"gpunp.{path}"]

    def find_member(name):
        found = None
        if not name.startswith("__"):
            found = find_function(f"{path}.{name}")
            if found is None and name in list_members():
                found = importlib.import_module(f"gpunp.{path}.{name}")
        if found is None:
            raise AttributeError(f"module 'gpunp.{path}' has no attribute {name!r}")
        setattr(module, name, found)
        return found

    def list_members():
        start = path + "."
        members = {name.removeprefix(start).partition(".")[0] for name in HOMES if name.startswith(start)}
        return sorted(members | vars(module).keys())

    return find_member, list_members
