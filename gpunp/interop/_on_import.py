"""Adapters for other libraries, each imported only when its library is.

Neither order of imports may matter: a library that is there already gets its adapter with ``import gpunp``,
and a finder in ``sys.meta_path`` waits for the others. It finds nothing itself; it has one dictionary to look
into for each module that Python imports. `AdapterFinder.add` takes what other packages want to do after an
import.
"""

import importlib
import sys
import warnings

# Module of another library to the adapter that is imported after it.
ADAPTERS = {
    "dask": "gpunp.interop.dask_objects",
    "dask.array": "gpunp.interop.dask",
    "distributed.protocol": "gpunp.interop.distributed",
    "einops": "gpunp.interop.einops",
    "numpy.random": "gpunp.interop.numpy_random",
    "numpy.testing": "gpunp.interop.numpy_testing",
    "scipy.signal.windows._windows": "gpunp_scipy.signal.windows",
    "xarray": "gpunp.interop.xarray",
}


def _adapt(name, adapter):
    """Import an adapter, or call it. An error in it must not fail the import of the other library."""
    try:
        if callable(adapter):
            adapter()
        else:
            importlib.import_module(adapter)
    except Exception as error:
        warnings.warn(
            f"gpunp has not registered its arrays with {name}: {type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=2,
        )


def _is_complete(name):
    """Whether the import of a module is complete."""
    module = sys.modules.get(name)
    return module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False)


class AdapterFinder:
    """A finder that delegates to the other finders, and runs the adapter after the loader.

    Attributes
    ----------
    waiting : dict of str to list
        Modules that are not imported so far, and their adapters.
    late : dict of str to list
        The same for modules whose import began before that of gpunp and goes on: too late to add anything
        to it.
    """

    def __init__(self):
        self.waiting = {name: [adapter] for name, adapter in ADAPTERS.items()}
        self.late = {}

    def find_spec(self, name, path=None, target=None):
        """The spec that the other finders give for a module with an adapter, else None."""
        if self.late:
            self._adapt_late()
        if name not in self.waiting:
            return None
        spec = None
        for other in [other for other in sys.meta_path if other is not self]:
            find = getattr(other, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                break
        execute = getattr(getattr(spec, "loader", None), "exec_module", None)
        if execute is None:
            return spec

        def exec_module(module):
            execute(module)
            # One loader may serve all modules of a file, as that of zip files does.
            if module.__spec__.name == name and name in self.waiting:
                for adapter in self.waiting.pop(name):
                    _adapt(name, adapter)

        # The loader itself stays: tools ask it for sources and resources.
        spec.loader.exec_module = exec_module
        return spec

    def install(self):
        """Run the adapters of modules that are imported, and wait for the others."""
        for name in sorted(self.waiting.keys() & sys.modules.keys()):
            self.late[name] = self.waiting.pop(name)
        sys.meta_path.insert(0, self)
        self._adapt_late()

    def add(self, name, adapter):
        """Run one more adapter after a module: at once if that is imported.

        Parameters
        ----------
        name : str
            The module.
        adapter : str or callable
            A module to import, or a function without parameters to call.
        """
        (self.late if name in sys.modules else self.waiting).setdefault(name, []).append(adapter)
        self._adapt_late()

    def _adapt_late(self):
        for name in sorted(filter(_is_complete, self.late)):
            # What an adapter imports comes here as well, and is ahead then.
            for adapter in self.late.pop(name, ()):
                _adapt(name, adapter)


finder = AdapterFinder()
