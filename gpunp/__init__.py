"""gpunp: NumPy on the GPU.

Arrays created here live on a device (a CUDA GPU, or the CPU device if there is none), and NumPy's own
functions work on them::

    import numpy as np, gpunp
    x = gpunp.asarray(np.random.rand(1_000_000))
    np.sqrt(np.mean((x - x.mean()) ** 2))

The same functions are attributes of this module, where they also take ``device=``.
"""

# ruff: noqa: F401 - all names are public.
try:
    from gpunp._version import __version__
except ModuleNotFoundError as error:
    raise ImportError(
        "gpunp is being imported from its source folder, which is not built: run `pip install .` and start "
        "Python in another folder, or with `python -P`"
    ) from error
import importlib as _importlib

import numpy as _numpy

from gpunp import array_behaviour as _behaviour
from gpunp import array_methods as _methods
from gpunp import array_shortcuts as _shortcuts
from gpunp import namespace as _namespace
from gpunp.array import foreign as _foreign
from gpunp.array.completion import install as _install_array
from gpunp.array.convert import asarray as _convert
from gpunp.array.convert import asnumpy
from gpunp.array.convert import assigned as _assigned
from gpunp.array.convert import moved as _moved
from gpunp.array.ndarray import ndarray
from gpunp.device import Device, get_device
from gpunp.device import preparations as _preparations
from gpunp.device import set_public_name as _set_public_name
from gpunp.dispatch import hooks as _hooks
from gpunp.dispatch import names as _function_names
from gpunp.dispatch import policy as _policy
from gpunp.dispatch import ufunc_protocol as _ufunc_protocol
from gpunp.dispatch.first_use import first_use as _first_use
from gpunp.dispatch.policy import FallbackWarning, TransferWarning, config
from gpunp.indexing import basic as _basic
from gpunp.interop._on_import import finder as _adapters
from gpunp.manipulation import moves as _moves
from gpunp.ufunc import engine as _engine
from gpunp.ufunc import function_calls as _function_calls
from gpunp.ufunc import operands as _operands
from gpunp.ufunc import operators as _operators

_set_public_name(ndarray, "gpunp.ndarray")
_set_public_name(Device, "gpunp.Device")
_set_public_name(_engine.Ufunc, "gpunp.ufunc")
_install_array(
    {**_methods.METHODS, **_shortcuts.shorten(_methods.METHODS)}, _behaviour.PROPERTIES, _behaviour.BEHAVIOUR
)
_basic.install(
    _first_use("gpunp.indexing.advanced", "advanced_get"),
    _first_use("gpunp.indexing.advanced", "advanced_set"),
    _moved,
    _assigned,
)
# What modules need of others of a higher rank. Importing `_moves` sets the hook of gpunp.ufunc.copying.
_operands.install(_convert, _policy.check_host_operand)
_foreign.install(_first_use("gpunp.interop.exchange", "from_dlpack"))
_function_names.install(
    _first_use("gpunp.interop.standard_functions", "find_standard"),
    _first_use("gpunp.docstrings.compose", "document"),
)
_preparations.append(_first_use("gpunp.reduction.counters", "prepare"))
_engine.install_methods(lambda: _importlib.import_module("gpunp.ufunc.methods"))
_operators.install_matmul(_first_use("gpunp.linalg.products", "matmul_operator"))
_ufunc_protocol.register_home("gpunp.linalg.generalized", "matmul", "matvec", "vecdot", "vecmat")

_operators.install_protocol(_ufunc_protocol.UFUNCS, _ufunc_protocol.array_ufunc)
for (_module, _name), _ufunc in _engine.UFUNCS.items():
    if _module != "array_api":
        _ufunc_protocol.register_ufunc(_name, _ufunc, _module)
_namespace.assemble(globals())
_hooks.install("numpy", {"vectorize.__call__": "gpunp.interop.numpy_vectorize:call"})
# Calls of NumPy's functions with few elements. The module needs the methods of arrays.
_importlib.import_module("gpunp.function_shortcuts")
_importlib.import_module("gpunp.ufunc_shortcuts")
_importlib.import_module("gpunp.einsum_shortcut")
_function_calls.import_late(
    "gpunp.mask_shortcuts",
    (
        _numpy.argpartition,
        _numpy.compress,
        _numpy.copyto,
        _numpy.extract,
        _numpy.partition,
        _numpy.place,
        _numpy.put,
        _numpy.put_along_axis,
        _numpy.putmask,
        _numpy.take_along_axis,
    ),
)
_function_calls.import_late(
    "gpunp.axis_shortcuts",
    (_numpy.atleast_1d, _numpy.atleast_2d, _numpy.atleast_3d, _numpy.concatenate, _numpy.diff),
)


def __getattr__(name):
    found = _namespace.find(name) if name != "__all__" else sorted({*_NAMES, *_namespace.names()})
    if isinstance(found, type) and found.__module__.startswith("gpunp."):
        _set_public_name(found, f"gpunp.{name}")
    globals()[name] = found
    return found


def load_ipython_extension(shell):
    """``%load_ext gpunp``: the cells of a notebook keep large arrays on the device."""
    _importlib.import_module("gpunp.running.notebook").load(shell)


def unload_ipython_extension(shell):
    """``%unload_ext gpunp``."""
    _importlib.import_module("gpunp.running.notebook").unload(shell)


def __dir__():
    return sorted({*globals(), *_namespace.names()})


# Public names that are defined here, not found by `namespace.find`.
_NAMES = (
    "Device",
    "FallbackWarning",
    "TransferWarning",
    "asnumpy",
    "config",
    "get_device",
    "ndarray",
    "ufunc",
)

# For libraries that were imported before. Their adapters import modules that need names of this one.
_adapters.install()
