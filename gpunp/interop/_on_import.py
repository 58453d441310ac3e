"""Adapters for other libraries, each imported only if its library is.

The order of imports does not matter: for a library imported before, ``import gpunp`` runs the adapter, and a
finder in ``sys.meta_path`` does so for libraries imported later. The finder finds no modules itself and costs
one dictionary look-up per imported module. `AdapterFinder.add` registers further adapters.
"""

import importlib
import sys
import warnings

# The modules of SciPy with public functions.
SCIPY = tuple(
    f"scipy.{name}"
    for name in (
        *("cluster.hierarchy", "cluster.vq", "constants", "differentiate", "fft", "fftpack", "integrate"),
        *("interpolate", "linalg", "linalg.interpolative", "ndimage", "optimize", "optimize.elementwise"),
        *("signal", "signal.windows", "sparse", "sparse.csgraph", "sparse.linalg", "spatial"),
        *("spatial.distance", "spatial.transform", "special", "stats", "stats.contingency", "stats.mstats"),
        *("stats.qmc", "stats.sampling"),
    )
)
# Maps a module of another library to the adapter: a module that is imported after it, or
# "module:function", called with the name of the library's module.
ADAPTERS = {
    "autoray": "gpunp.interop.autoray",
    "dask": "gpunp.interop.dask_objects",
    "dask.array": "gpunp.interop.dask",
    "distributed.protocol": "gpunp.interop.distributed",
    "einops": "gpunp.interop.einops",
    "numpy.random": "gpunp.interop.numpy_random",
    "numpy.testing": "gpunp.interop.numpy_testing",
    **dict.fromkeys(SCIPY, "gpunp_scipy.routing.functions:route"),
    "threadpoolctl": "gpunp.interop.threadpoolctl",
    "scipy._lib._array_api": "gpunp_scipy.routing.namespaces:route",
    "scipy._lib._elementwise_iterative_method": "gpunp_scipy.routing.loops:route",
    "scipy.signal.windows._windows": "gpunp_scipy.signal.windows",
    "xarray": "gpunp.interop.xarray",
}


def _adapt(name, adapter):
    """Import or call an adapter. Its errors become warnings, so that the other library's import succeeds."""
    try:
        if callable(adapter):
            adapter()
        else:
            adapter, _, function = adapter.partition(":")
            made = importlib.import_module(adapter)
            if function:
                getattr(made, function)(name)
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
        Modules that are not imported yet, and their adapters.
    late : dict of str to list
        The same for modules whose import began before that of gpunp and may not be complete, so that their
        loader can no longer be wrapped.
    """

    def __init__(self):
        self.waiting = {name: [adapter] for name, adapter in ADAPTERS.items()}
        self.late = {}

    def find_spec(self, name, path=None, target=None):
        """The spec that the other finders return for a module with an adapter, else None."""
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
            # One loader may serve several modules, as that of zip files does.
            if module.__spec__.name == name and name in self.waiting:
                for adapter in self.waiting.pop(name):
                    _adapt(name, adapter)

        # The loader object is kept and not replaced: tools read sources and resources through it.
        spec.loader.exec_module = exec_module
        return spec

    def install(self):
        """Run the adapters of modules already imported, and watch for imports of the others."""
        for name in sorted(self.waiting.keys() & sys.modules.keys()):
            self.late[name] = self.waiting.pop(name)
        sys.meta_path.insert(0, self)
        self._adapt_late()

    def add(self, name, adapter):
        """Add an adapter to run after the import of a module, or at once if that is imported.

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
            # An adapter's own imports re-enter this method and may already have removed the entry.
            for adapter in self.late.pop(name, ()):
                _adapt(name, adapter)


finder = AdapterFinder()
