"""Modules of SciPy executed a second time, for device arrays: solvers in Python, with classes of their own.

The code is SciPy's. ``numpy`` is a namespace whose creation functions place arrays on the device, and some
functions are replaced, such as those that call compiled code or wait for the device too often. What a twin
imports from another module of the same group is that module's twin.
"""

import builtins
import importlib
import importlib.util
import sys
import types

# What the twin of a module takes from the module itself: types that programs test for.
_SHARED = (BaseException, dict)


class Twins:
    """A group of modules.

    Parameters
    ----------
    modules : dict of str to Numpy
        The namespace that replaces NumPy in each module, by the module's name.
    replaced : dict of str to dict, optional
        For some modules, globals that take the place of the module's own, by name. They are set before the
        twins of other modules import them.
    """

    def __init__(self, modules, replaced=None):
        self._namespaces, self._replaced = modules, replaced or {}
        self._made = {}

    def __getitem__(self, name):
        """The twin of a module."""
        if name not in self._made:
            self._execute(name)
        return self._made[name]

    def _execute(self, name):
        source = importlib.import_module(name)
        twin = types.ModuleType(name)
        twin.__package__, twin.__file__ = source.__package__, source.__file__
        twin.__builtins__ = {**vars(builtins), "__import__": self._importer(name)}
        self._made[name] = twin
        exec(source.__spec__.loader.get_code(name), vars(twin))
        for key, value in vars(source).items():
            if isinstance(value, type) and issubclass(value, _SHARED) and key in vars(twin):
                setattr(twin, key, value)
        vars(twin).update(self._replaced.get(name, {}))

    def _importer(self, name):
        namespace, package = self._namespaces[name], importlib.import_module(name).__package__

        def import_(wanted, variables=None, local=None, names=(), level=0):
            if wanted == "numpy" and level == 0:
                return namespace
            path = importlib.util.resolve_name("." * level + wanted, package)
            if names and path in self._namespaces:
                return self[path]
            found = importlib.import_module(path)
            if not names:
                return found if level else sys.modules[path.partition(".")[0]]
            parts = {each: self[f"{path}.{each}"] for each in names if f"{path}.{each}" in self._namespaces}
            if not parts:
                # Submodules are imported, as the statement does.
                return builtins.__import__(path, variables, local, names, 0)
            return types.SimpleNamespace(**{each: getattr(found, each, None) for each in names} | parts)

        return import_
