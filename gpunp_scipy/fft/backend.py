"""The uarray protocol of ``scipy.fft``, and the registration of this backend."""

import importlib.abc
import importlib.util
import sys

import gpunp

__ua_domain__ = "numpy.scipy.fft"


def __ua_convert__(dispatchables, coerce):
    """Take a call that a device array is in; with ``coerce``, every call."""
    values = [each.value for each in dispatchables]
    if coerce:
        return [value if isinstance(value, gpunp.ndarray) else gpunp.asarray(value) for value in values]
    if any(isinstance(value, gpunp.ndarray) for value in values):
        return values
    return NotImplemented


def __ua_function__(method, args, kwargs):
    """Call the function of the same name."""
    from gpunp_scipy import fft

    function = getattr(fft, method.__name__, None)
    return NotImplemented if function is None else function(*args, **kwargs)


class _RegisterAfterImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Registers the backend once the program imports ``scipy.fft``, which costs it nothing before."""

    def find_spec(self, name, path=None, target=None):
        if name != "scipy.fft" or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec):
        """As the module's own loader does."""
        return self._loader.create_module(spec)

    def exec_module(self, module):
        """Run the module, then register."""
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _register(module)


def _register(module):
    from gpunp_scipy import fft

    module.register_backend(fft)


def register():
    """Register with ``scipy.fft``: now if it is imported, else when it is."""
    module = sys.modules.get("scipy.fft")
    if module is not None:
        _register(module)
    else:
        sys.meta_path.insert(0, _RegisterAfterImport())
