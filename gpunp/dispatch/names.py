"""Functions by their public names, and modules named like NumPy's submodules, such as linalg."""

import importlib
import sys
import types

from gpunp.dispatch.registry import HOMES, find_by_name

# Set by `install`.
_find_standard = _document = None


def install(find_standard, document):
    """Set the functions that this module needs of modules of a higher rank.

    Parameters
    ----------
    find_standard : callable
        Returns the function of a name whose signature in the namespace differs from NumPy's, else None.
    document : callable
        Completes the docstring of a function or class, given that object and its name.
    """
    global _find_standard, _document
    _find_standard, _document = find_standard, document


def find_function(name):
    """Return the object of a name of the namespace, such as ``"sum"`` or ``"linalg.norm"``, or None."""
    return documented(_find_standard(name) or find_by_name(name), name)


def documented(found, name):
    """Return the function itself, with its docstring completed."""
    if isinstance(found, types.FunctionType | type):
        _document(found, name)
    return found


def folder(path):
    """Return ``__getattr__`` and ``__dir__`` for a module named like a submodule of NumPy."""
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
