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

import numpy

try:
    from gpunp._version import __version__
except ModuleNotFoundError as error:
    raise ImportError(
        "gpunp is being imported from its source folder, which is not built: run `pip install .` and start "
        "Python in another folder, or with `python -P`"
    ) from error
from gpunp.array.convert import asarray as _convert
from gpunp.array.convert import asnumpy
from gpunp.array.ndarray import install as _install_array
from gpunp.array.ndarray import ndarray
from gpunp.device import Device, get_device
from gpunp.dispatch import policy as _policy
from gpunp.dispatch import ufunc_protocol as _ufunc_protocol
from gpunp.dispatch.policy import FallbackWarning, TransferWarning, config
from gpunp.dispatch.registry import HANDLERS as _HANDLERS
from gpunp.dispatch.registry import NAMESPACE as _NAMESPACE

# Modules whose import registers handlers, by chapter of NumPy's reference.
_CHAPTERS = {
    "creation": ("filled", "data", "ranges", "matrices"),
    "manipulation": ("shape", "axes", "broadcasting", "joining", "splitting", "copying", "sharing"),
    "math": ("sums", "rounding", "complex", "cumulative"),
    "logic": ("truth", "comparison", "kinds"),
    "dtypes": ("promotion",),
    "indexing": ("where",),
    "sorting": ("searching",),
    "statistics": ("averages", "order"),
    "linalg": ("products", "norms"),
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
_basic.install(_advanced.advanced_get, _advanced.advanced_set, _convert)
_operands.install(_convert, _policy.check_host_operand)
_operators.install_matmul(_products.matmul_operator)

# What the namespace takes from NumPy as it is: dtypes, constants and what concerns no array.
_FROM_NUMPY = (
    "bool",
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "byte",
    "ubyte",
    "short",
    "ushort",
    "intc",
    "uintc",
    "int_",
    "uint",
    "intp",
    "uintp",
    "longlong",
    "ulonglong",
    "half",
    "single",
    "double",
    "csingle",
    "cdouble",
    "long",
    "ulong",
    "number",
    "integer",
    "signedinteger",
    "unsignedinteger",
    "inexact",
    "floating",
    "complexfloating",
    "generic",
    "dtype",
    "finfo",
    "iinfo",
    "isdtype",
    "issubdtype",
    "promote_types",
    "isscalar",
    "errstate",
    "pi",
    "e",
    "euler_gamma",
    "inf",
    "nan",
    "newaxis",
)


def _assemble():
    """Fill the namespace: NumPy's names, the ufuncs under all of NumPy's names for them, the handlers."""
    namespace = globals()
    for name in _FROM_NUMPY:
        namespace[name] = getattr(numpy, name)
    for (module, name), ufunc in _engine.UFUNCS.items():
        if module in ("numpy", "scipy.special"):
            _ufunc_protocol.register_ufunc(name, ufunc, module)
    for name, product in _products.PRODUCTS.items():
        _ufunc_protocol.register_ufunc(name, product)
    for name, value in vars(numpy).items():
        if isinstance(value, numpy.ufunc) and value in _ufunc_protocol.UFUNCS:
            namespace[name] = _ufunc_protocol.UFUNCS[value]
        elif type(value) is type(numpy.sum) and value in _HANDLERS:
            # Also what NumPy has two names for: concat, permute_dims.
            namespace[name] = _HANDLERS[value]
    for name, handler in _NAMESPACE.items():
        folder, _, function = name.rpartition(".")
        if not folder:
            namespace[name] = handler
        elif folder in _CHAPTERS:
            setattr(namespace[folder], function, handler)


_assemble()


def __getattr__(name):
    # CUDA and what needs a device at hand are imported at first use.
    if name in ("cuda", "demo"):
        return importlib.import_module(f"gpunp.{name}")
    if name == "show_config":
        return importlib.import_module("gpunp.information").show_config
    raise AttributeError(f"module 'gpunp' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), "cuda", "show_config"})


__all__ = sorted(
    {name for name in globals() if not name.startswith("_")}
    - {"importlib", "numpy", "array_", "device", "dispatch"}
)
