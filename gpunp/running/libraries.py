"""Libraries that look at arguments before they convert them, or write them: their functions get copies."""

import functools
import importlib
import os
import sys
import types

import numpy

from gpunp.array.host_copies import taken, with_copies
from gpunp.array.ndarray import ndarray
from gpunp.dispatch import hooks
from gpunp.interop._on_import import finder
from gpunp.running import sharing

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "matmul")
_OPERATORS = (
    *(f"__{side}{name}__" for name in _ARITHMETIC for side in ("", "r")),
    *(f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge")),
)
_SERIES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "laguerre": "lag",
    "hermite": "herm",
    "hermite_e": "herme",
}
# By library: modules with functions and classes. All public functions of a class are meant, and those named.
LIBRARIES = {
    # These add axes to coefficients only if the points are instances of NumPy's class.
    "numpy.polynomial": {
        f"numpy.polynomial.{module}": tuple(f"{name}{end}" for end in ("val2d", "val3d", "grid2d", "grid3d"))
        for module, name in _SERIES.items()
    },
    # They tell arrays from sequences of arrays by the class.
    "numpy.lib.recfunctions": {"numpy.lib.recfunctions": ("merge_arrays", "stack_arrays")},
    "numpy.ma.testutils": {
        "numpy.ma.testutils": ("approx", "almost", "assert_equal", "assert_almost_equal", "fail_if_equal")
    },
    # A read-only copy gets the error that says so.
    "numpy.ctypeslib": {"numpy.ctypeslib": ("as_ctypes",)},
    "pandas": {
        "pandas": ("cut", "qcut", "factorize", "unique", "crosstab", "isna", "notna", "concat", "date_range"),
        "pandas.core.frame:DataFrame": ("__init__", "__setitem__", "__getitem__", *_OPERATORS),
        "pandas.core.series:Series": ("__init__", "__setitem__", "__getitem__", *_OPERATORS),
        "pandas.core.indexing:_LocationIndexer": ("__getitem__", "__setitem__"),
        "pandas.core.indexing:_ScalarAccessIndexer": ("__getitem__", "__setitem__"),
        "pandas.core.indexes.base:Index": ("__new__", "__getitem__", *_OPERATORS),
    },
    "matplotlib.axes": {"matplotlib.axes._axes:Axes": (), "matplotlib.axes._base:_AxesBase": ()},
    "matplotlib.lines": {"matplotlib.lines:Line2D": ("__init__",)},
    "matplotlib.collections": {"matplotlib.collections:Collection": ("__init__",)},
    "matplotlib.image": {"matplotlib.image": ("imsave",), "matplotlib.image:_ImageBase": ()},
    "mpl_toolkits.mplot3d.axes3d": {"mpl_toolkits.mplot3d.axes3d:Axes3D": ()},
    # Copies that it makes are then its own, which it may write.
    "sklearn.utils.validation": {
        "sklearn.utils.validation": ("check_array", "check_X_y", "column_or_1d", "as_float_array")
    },
    "PIL.Image": {"PIL.Image": ("fromarray",)},
    # Equal arrays have equal hashes, wherever they are.
    "joblib.hashing": {"joblib.hashing": ("hash",)},
}
# Those that write their arguments.
_WRITING = {
    "h5py._hl.dataset": {"h5py._hl.dataset:Dataset": ("__getitem__", "__setitem__")},
    "unyt.array": {
        "unyt.array:unyt_array": ("__array_ufunc__", "__array_function__"),
        "unyt.array:unyt_quantity": ("__new__",),
    },
    # These keep what they get, and write into it.
    "control.xferfcn": {
        "control.xferfcn": ("tf", "zpk"),
        "control.xferfcn:TransferFunction": ("__init__", *_OPERATORS),
    },
    "control.statesp": {"control.statesp:StateSpace": ("__init__", *_OPERATORS)},
}
# Those that return an argument of NumPy's class itself, or an array over its memory, but copy others.
_RETURNING = {
    "numpy.ma.core": {"numpy.ma.core": ("filled",)},
    "astropy.units.quantity": {"astropy.units.quantity:Quantity": ("__new__",)},
    "unyt.array": {"unyt.array:unyt_array": ("__new__",)},
}
# Parts of scikit-image. Their loops in C want memory that may be written; some write.
_OF_IMAGES = (
    "color draw exposure feature filters filters.rank graph measure metrics morphology registration "
    "restoration segmentation transform util"
)
# Packages whose functions tell arrays by their class: all public functions of these modules get copies.
_OF_CLASSES = {
    "ot": "bregman da gmm lp optim partial sliced smooth solvers unbalanced utils",
    "awkward": "operations",
    "control": "statefbk statesp xferfcn",
    "sparse": "numba_backend",
}
# How many levels of containers may hold device arrays.
_DEPTH = 3
_active = False
_added = False


def _handler(function):
    """The handler of calls of a library's function with device arrays."""

    def call(*args, **kwargs):
        if _active:
            args, kwargs = with_copies(args), with_copies(kwargs)
        return hooks.original(function)(*args, **kwargs)

    return call


def _written_back(function):
    """The same for functions that may write their arguments: what is written comes back."""

    def call(*args, **kwargs):
        if not _active:
            return hooks.original(function)(*args, **kwargs)
        return _on_own_copies(hooks.original(function), args, kwargs)

    return call


def _with_memory(function):
    """The same for functions whose result may be over the memory of an argument."""

    def call(*args, **kwargs):
        if _active:
            args = [sharing.memory_of(value) if type(value) is ndarray else value for value in args]
        return hooks.original(function)(*args, **kwargs)

    return call


def _on_own_copies(function, args, kwargs):
    """Call a function with copies that it may write; what it has written comes back."""
    copies = []
    args, kwargs = _own_copies(args, copies), _own_copies(kwargs, copies)
    result = function(*args, **kwargs)
    for array, before, copy in copies:
        if copy.tobytes() != before.tobytes():
            array[...] = copy
    return next((array for array, _, copy in copies if copy is result), result)


def _own_copies(value, copies):
    """Replace device arrays by copies that may be written, and remember these."""
    if type(value) is ndarray and not value._is_scalar:
        before = taken(value)
        copies.append((value, before, before.copy(order="K")))
        return copies[-1][-1]
    if type(value) in (list, tuple):
        return type(value)(_own_copies(item, copies) for item in value)
    if type(value) is dict:
        return {key: _own_copies(item, copies) for key, item in value.items()}
    return with_copies(value)


def _parts_of_images():
    """Hook the parts of scikit-image as they are imported, which it does when a function is needed."""
    import pkgutil

    package = sys.modules["skimage"]
    for part in _OF_IMAGES.split():
        folders = [os.path.join(folder, *part.split(".")) for folder in package.__path__]
        for found in pkgutil.iter_modules(folders, f"skimage.{part}."):
            finder.add(found.name, lambda name=found.name: _hook_module(sys.modules[name]))


def _hook_module(module):
    """Hook the public functions of a module, and the methods of its classes."""
    for name, found in [*vars(module).items()]:
        if name.startswith("_") or getattr(found, "__module__", None) != module.__name__:
            continue
        spaces = {name: found} if isinstance(found, types.FunctionType) else {}
        if isinstance(found, type):
            spaces = vars(found)
        for each, function in [*spaces.items()]:
            is_public = not each.startswith("_") or each in ("__init__", "__call__")
            if is_public and isinstance(function, types.FunctionType) and not hooks.is_hooked(function):
                hooks.hook(function, _written_back(function), _DEPTH)


def _functions(path, names):
    """The functions of a class or a module."""
    module, _, name = path.partition(":")
    found = vars(importlib.import_module(module))
    if name:
        found = vars(found[name])
        names = {*names, *(each for each in found if not each.startswith("_"))}
    for each in names:
        function = getattr(found.get(each), "__func__", found.get(each))
        if not isinstance(function, types.FunctionType):
            # A function of C around one of Python.
            function = getattr(function, "__wrapped__", None)
        if isinstance(function, types.FunctionType):
            yield function


def _hook(paths, handler):
    for path, names in paths.items():
        for function in _functions(path, names):
            if not hooks.is_hooked(function):
                hooks.hook(function, handler(function), _DEPTH)


def _hook_by_class(package):
    """Hook the public functions of a package's modules, and those of modules below."""
    for part in _OF_CLASSES[package].split():
        for name, found in [*vars(importlib.import_module(f"{package}.{part}")).items()]:
            is_own = str(getattr(found, "__module__", "")).startswith(f"{package}.{part}")
            if name.startswith("_") or not is_own or not isinstance(found, types.FunctionType):
                continue
            if not hooks.is_hooked(found):
                hooks.hook(found, _handler(found), _DEPTH)


def _teach_autograd():
    """Let autograd differentiate by device arrays as by NumPy's."""
    boxes, spaces = (importlib.import_module(f"autograd.{name}") for name in ("tracer", "core"))
    boxes.Box.type_mappings[ndarray] = boxes.Box.type_mappings[numpy.ndarray]
    spaces.VSpace.mappings[ndarray] = spaces.VSpace.mappings[numpy.ndarray]


def _teach_numba():
    """Let functions that Numba has compiled take device arrays: they get copies, which they may write."""
    dispatcher = sys.modules["numba.core.dispatcher"].Dispatcher
    base = dispatcher.__call__

    def call(self, *args, **kwargs):
        if not _active or not any(_holds_arrays(each) for each in (*args, *kwargs.values())):
            return base(self, *args, **kwargs)
        return _on_own_copies(lambda *args, **kwargs: base(self, *args, **kwargs), args, kwargs)

    dispatcher.__call__ = call


def _teach_numexpr():
    """Let `numexpr.evaluate` write into device arrays; it finds its variables in the frame of its caller."""
    function = sys.modules["numexpr.necompiler"].evaluate
    on_copies = _written_back(function)

    def call(*args, _frame_depth=3, **kwargs):
        # The frames of this function, of `on_copies` and of `_on_own_copies`.
        return on_copies(*args, _frame_depth=_frame_depth + (3 if _active else 2), **kwargs)

    hooks.hook(function, call, _DEPTH)


def _teach_sqlite():
    """Let columns take device arrays as they take NumPy's."""
    sys.modules["sqlite3"].register_adapter(ndarray, with_copies)


def _holds_arrays(value):
    return type(value) is ndarray or (type(value) in (tuple, list) and any(map(_holds_arrays, value)))


def start():
    """Give the libraries copies from now on, those imported later too."""
    global _active, _added
    _active = True
    if not _added:
        _added = True
        for tables, handler in (
            (LIBRARIES, _handler),
            (_WRITING, _written_back),
            (_RETURNING, _with_memory),
        ):
            for library, paths in tables.items():
                finder.add(library, functools.partial(_hook, paths, handler))
        for package in _OF_CLASSES:
            finder.add(package, lambda package=package: _hook_by_class(package))
        finder.add("skimage", _parts_of_images)
        finder.add("autograd.numpy", _teach_autograd)
        finder.add("numexpr.necompiler", _teach_numexpr)
        finder.add("sqlite3", _teach_sqlite)
        finder.add("numba.core.dispatcher", _teach_numba)


def stop():
    """Give them device arrays again."""
    global _active
    _active = False
