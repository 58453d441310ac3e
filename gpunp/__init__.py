"""gpunp: NumPy on the GPU.

Arrays made here live on a device (a CUDA GPU, or the CPU device where there is none), and NumPy's own
functions work on them::

    import numpy as np, gpunp
    x = gpunp.asarray(np.random.rand(1_000_000))
    np.sqrt(np.mean((x - x.mean()) ** 2))

The same functions are attributes of this module, where they also take ``device=``.
"""

# ruff: noqa: E402, F401 - the order of imports is the order of assembly, and all names are public.
import importlib

try:
    from gpunp._version import __version__
except ModuleNotFoundError as error:
    raise ImportError(
        "gpunp is being imported from its source folder, which is not built: run `pip install .` and start "
        "Python in another folder, or with `python -P`"
    ) from error
from gpunp.array.convert import asarray as _convert
from gpunp.array.convert import asnumpy
from gpunp.array.convert import moved as _moved
from gpunp.array.ndarray import install as _install_array
from gpunp.array.ndarray import ndarray
from gpunp.device import Device, get_device
from gpunp.dispatch import policy as _policy
from gpunp.dispatch import ufunc_protocol as _ufunc_protocol
from gpunp.dispatch.policy import FallbackWarning, TransferWarning, config
from gpunp.interop._on_import import finder as _adapters
from gpunp.interop.array_api import VERSION as __array_api_version__
from gpunp.interop.array_api import namespace_info as __array_namespace_info__
from gpunp.interop.exchange import from_dlpack
from gpunp.namespace import assemble as _assemble
from gpunp.namespace import explain_absence as _explain_absence

# Modules whose import registers handlers, by chapter of NumPy's reference.
_CHAPTERS = {
    "creation": ("filled", "data", "ranges", "matrices", "grids", "vandermonde"),
    "manipulation": (
        "shape",
        "axes",
        "broadcasting",
        "joining",
        "splitting",
        "copying",
        "sharing",
        "tiling",
        "rearranging",
        "padding",
        "elements",
        "striding",
    ),
    "math": (
        "sums",
        "rounding",
        "complex",
        "cumulative",
        "interpolation",
        "differences",
        "gradient",
        "convolution",
        "packing",
        "other_special",
        "scimath",
        "windows",
    ),
    "logic": ("truth", "comparison", "kinds"),
    "dtypes": ("promotion", "names"),
    "indexing": ("where", "taking", "putting", "diagonal", "coordinates", "flat"),
    "sorting": ("searching", "sort", "lexsort", "partition", "searchsorted"),
    "sets": ("unique", "membership", "combinations"),
    "statistics": (
        "averages",
        "order",
        "median",
        "quantile",
        "weighted",
        "correlation",
        "digitize",
        "counting",
        "histogram",
        "histogramdd",
    ),
    "linalg": (
        "products",
        "norms",
        "contraction",
        "einsum",
        "vectors",
        "kronecker",
        "diagonals",
        "eigenvalues",
        "decompositions",
        "solving",
        "ranks",
        "chains",
    ),
    "functional": ("slices", "vectorized"),
    "io": ("npy", "text", "numbers"),
    "polynomial": ("coefficients", "roots", "fitting", "poly1d", "polynomial"),
    "fft": ("helper", "transforms", "multidimensional", "plans"),
}
for _chapter, _topics in _CHAPTERS.items():
    for _topic in _topics:
        importlib.import_module(f"gpunp.{_chapter}.{_topic}")

from gpunp.array import methods as _methods
from gpunp.indexing import advanced as _advanced
from gpunp.indexing import basic as _basic
from gpunp.linalg import products as _products
from gpunp.ufunc import engine as _engine
from gpunp.ufunc import operands as _operands
from gpunp.ufunc import operators as _operators

_install_array(_methods.METHODS, _methods.PROPERTIES, _methods.BEHAVIOUR)
_basic.install(_advanced.advanced_get, _advanced.advanced_set, _moved)
_operands.install(_convert, _policy.check_host_operand)
_operators.install_matmul(_products.matmul_operator)

for (_module, _name), _ufunc in _engine.UFUNCS.items():
    if _module in ("numpy", "scipy.special"):
        _ufunc_protocol.register_ufunc(_name, _ufunc, _module)
for _name, _product in _products.PRODUCTS.items():
    _ufunc_protocol.register_ufunc(_name, _product)
_assemble(globals())
_adapters.install()


def __getattr__(name):
    # CUDA and what needs a device at hand are imported at first use.
    if name in ("cuda", "demo", "random"):
        return importlib.import_module(f"gpunp.{name}")
    if name == "show_config":
        return importlib.import_module("gpunp.information").show_config
    raise AttributeError(_explain_absence(name))


def __dir__():
    return sorted({*globals(), "cuda", "random", "show_config"})


__all__ = sorted(
    {name for name in globals() if not name.startswith("_")}
    - {"importlib", "device", "dispatch", "namespace"}
)
