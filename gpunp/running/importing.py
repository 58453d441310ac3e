"""The imports of a program: its modules are transformed, and get a NumPy of their own."""

import builtins
import importlib
import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader

from gpunp.running import calls
from gpunp.running.counting import MARK
from gpunp.running.transform import HELPERS, transformed

_NEVER = frozenset({"gpunp", "gpunp_scipy", "numpy", "scipy"})
_INSTALLED = ("site-packages", "dist-packages")


class Loader(SourceFileLoader):
    """Loads a module of the program from its source."""

    def source_to_code(self, data, path, *, _optimize=-1):
        """Compile the source, with calls added."""
        return transformed(data, path)

    def get_code(self, fullname):
        """Compile the source; the byte code that Python has cached is that of the original."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def exec_module(self, module):
        """Run the module."""
        vars(module).update(HELPERS)
        super().exec_module(module)


class Importer:
    """Finds the modules of the program, and answers imports of NumPy in them.

    Parameters
    ----------
    folders : sequence of str
        Where the modules of the program are, except installed packages below.
    names : sequence of str
        Modules and packages that belong to it, too, wherever they are.
    modules : gpunp.running.numpy_of_programs.Modules
        The modules of `numpy` for the program.
    """

    def __init__(self, folders, names, modules):
        self._folders = [os.path.join(os.path.realpath(folder), "") for folder in folders]
        self._names, self._modules = frozenset(names), modules
        self._library = os.path.join(os.path.realpath(os.path.dirname(os.__file__)), "")
        self._import, self._import_module = builtins.__import__, importlib.import_module

    def belongs(self, name, path):
        """Whether a module of this name in this file is one of the program."""
        parts = name.split(".")
        if any(".".join(parts[: i + 1]) in self._names for i in range(len(parts))):
            return True
        if parts[0] in _NEVER:
            return False
        path = os.path.realpath(path)
        if path.startswith(self._library) or any(part in _INSTALLED for part in path.split(os.sep)):
            return False
        return any(path.startswith(folder) for folder in self._folders)

    def find_spec(self, name, path=None, target=None):
        """The spec of a module of the program, else None."""
        if path is None and name in sys.builtin_module_names:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or not self.belongs(name, spec.origin):
            return None
        spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec

    def _imported_module(self, name, package=None):
        """Python's `importlib.import_module`."""
        found = self._import_module(name, package)
        if MARK in sys._getframe(1).f_globals:
            return self._modules.find(getattr(found, "__name__", None)) or found
        return found

    def install(self):
        """Begin."""
        sys.meta_path.insert(0, self)
        builtins.__import__ = calls.Import(self._import, self._modules)
        importlib.import_module = self._imported_module

    def remove(self):
        """End, and forget the modules of the program that were imported."""
        sys.meta_path.remove(self)
        builtins.__import__, importlib.import_module = self._import, self._import_module
        for name, module in [*sys.modules.items()]:
            if isinstance(getattr(getattr(module, "__spec__", None), "loader", None), Loader):
                del sys.modules[name]
