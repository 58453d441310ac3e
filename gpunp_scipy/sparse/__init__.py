"""``scipy.sparse`` on device arrays: its classes are SciPy's, whose objects hold device arrays."""

import importlib
import importlib.metadata

from gpunp_scipy.lazy import attach

# Without an import of SciPy's module, which imports this one to hook its functions.
_RELEASE = tuple(int(part) for part in importlib.metadata.version("scipy").split(".")[:2])
HOMES = {
    "functions": (
        "block_array",
        "block_diag",
        "bmat",
        "diags",
        "diags_array",
        "expand_dims",
        "eye",
        "eye_array",
        "find",
        "get_index_dtype",
        "hstack",
        "identity",
        "kron",
        "kronsum",
        *(("matrix_transpose",) if _RELEASE >= (1, 18) else ()),
        "permute_dims",
        "rand",
        "random",
        "random_array",
        "safely_cast_index_arrays",
        "spdiags",
        "swapaxes",
        "tril",
        "triu",
        "vstack",
    ),
    "interchange": ("load_npz", "save_npz"),
}
# Functions that SciPy does not have.
_OURS = ("from_torch", "to_torch")
_CLASSES = tuple(
    f"{name}_{kind}" for name in ("bsr", "coo", "csc", "csr", "dia") for kind in ("array", "matrix")
)
# Methods of SciPy's classes, and our functions for device arrays.
METHODS = {f"{name}.__init__": "classes.construct" for name in _CLASSES}
# Dictionaries of keys would take the entries of an array on the device one by one.
HELPERS = {"scipy.sparse._dok:_dok_base.__add__": "methods.add_to_dok"}

__all__, _attribute, _dir = attach(__name__, HOMES)


def __getattr__(name):
    if name in ("csgraph", "linalg"):
        return importlib.import_module(f"{__name__}.{name}")
    if name in _OURS:
        return getattr(importlib.import_module(f"{__name__}.interchange"), name)
    if name in _CLASSES:
        from gpunp_scipy.sparse import classes

        return classes.device_class(name)
    return _attribute(name)


def __dir__():
    return sorted({*_dir(), *_CLASSES, *_OURS})
