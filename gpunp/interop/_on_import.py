"""Adapters for other libraries, each imported only when its library is.

Neither order of imports may matter: a library that is there already gets its adapter with ``import gpunp``,
and a finder in ``sys.meta_path`` waits for the others. It finds nothing itself; it has one dictionary to look
into for each module that Python imports.
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
    "xarray": "gpunp.interop.xarray",
}


def _adapt(name):
    """Import the adapter of a module. What fails there must not fail the import of the other library."""
    try:
        importlib.import_module(ADAPTERS[name])
    except Exception as error:
        warnings.warn(
            f"gpunp has not registered its arrays with {name}: {type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=2,
        )


def _is_complete(name):
    """Whether a module is imported, and not just being imported."""
    module = sys.modules.get(name)
    return module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False)


class AdapterFinder:
    """A finder that leaves finding to the others, and adds the adapter to what the loader executes.

    Attributes
    ----------
    waiting : set of str
        Modules that are not imported so far.
    late : set of str
        Modules whose import began before that of gpunp and goes on: too late to add anything to it.
    """

    def __init__(self):
        self.waiting = set(ADAPTERS)
        self.late = set()

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
                self.waiting.discard(name)
                _adapt(name)

        # The loader itself stays: tools ask it for sources and resources.
        spec.loader.exec_module = exec_module
        return spec

    def install(self):
        """Import the adapters of what is imported, and wait for the rest."""
        for name in sorted(self.waiting & sys.modules.keys()):
            self.waiting.discard(name)
            self.late.add(name)
        sys.meta_path.insert(0, self)
        self._adapt_late()

    def _adapt_late(self):
        for name in sorted(filter(_is_complete, self.late)):
            self.late.discard(name)
            _adapt(name)


finder = AdapterFinder()
