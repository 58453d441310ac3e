"""gpunp_scipy: SciPy on the GPU, on top of gpunp.

SciPy's own functions take device arrays: gpunp hooks them when a program imports SciPy, before or after
gpunp. The functions that run then are also attributes of the modules of this package, which are named as
SciPy's. `disable` and `disabled` turn the hooks off.
"""

import importlib

from gpunp_scipy.routing.switch import disable, disabled, enable

_MODULES = (
    "cluster",
    "fft",
    "fftpack",
    "integrate",
    "interpolate",
    "linalg",
    "ndimage",
    "optimize",
    "signal",
    "sparse",
    "spatial",
    "special",
    "stats",
)

__all__ = ["disable", "disabled", "enable", "get_array_module", *_MODULES]


def __getattr__(name):
    if name == "get_array_module":
        from gpunp import get_array_module

        return get_array_module
    if name not in _MODULES:
        raise AttributeError(f"module 'gpunp_scipy' has no attribute {name!r}")
    return importlib.import_module(f"gpunp_scipy.{name}")


def __dir__():
    return __all__
