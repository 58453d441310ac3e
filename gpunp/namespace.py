"""The ``gpunp`` namespace: NumPy's own objects, our functions, and the reasons why some names are absent.

Names are looked up at their first use, so that a program imports only the chapters that it needs.
"""

import importlib
import sys
import types

import numpy

from gpunp.dispatch.names import documented, find_function, folder
from gpunp.dispatch.registry import HOMES, find_handler, public_path
from gpunp.dispatch.ufunc_protocol import find_ufunc
from gpunp.ufunc.engine import UFUNCS, Ufunc

# NumPy's own objects: dtypes, constants, and functions of dtypes and shapes or without arrays.
FROM_NUMPY = (
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
    "isdtype",
    "issubdtype",
    "promote_types",
    "typename",
    "sctypeDict",
    "typecodes",
    "ScalarType",
    "True_",
    "False_",
    "little_endian",
    "exceptions",
    "isscalar",
    "iterable",
    "isfortran",
    "errstate",
    "geterr",
    "seterr",
    "geterrcall",
    "seterrcall",
    "get_printoptions",
    "set_printoptions",
    "printoptions",
    "ndindex",
    "s_",
    "index_exp",
    "pi",
    "e",
    "euler_gamma",
    "inf",
    "nan",
    "newaxis",
)

_DTYPES = "the elements of a gpunp array are booleans, integers, float16 to float64, complex64 or complex128"
_DATES = "gpunp has no dates: convert them to integers on the host"
_TEXT = "gpunp has no text: convert it to numbers on the host"
_RECORDS = "gpunp has no records: use one array for each field"
_SUBCLASS = "gpunp has one array type: use gpunp.ndarray, with two dimensions and @ for matrices"
_HOST_LOOP = "it visits elements one by one on the host: use whole-array functions, or gpunp.asnumpy"
_HOST = "it concerns NumPy itself: use numpy's"

# Names of NumPy that are left out on purpose, with the reason.
ABSENT = {
    **dict.fromkeys(("object_", "void", "flexible"), _DTYPES),
    **dict.fromkeys(
        ("longdouble", "clongdouble", "float96", "float128", "complex192", "complex256"), _DTYPES
    ),
    **dict.fromkeys(("str_", "bytes_", "character", "char", "strings"), _TEXT),
    **dict.fromkeys(("datetime64", "timedelta64", "datetime_data", "datetime_as_string", "isnat"), _DATES),
    **dict.fromkeys(("busday_count", "busday_offset", "busdaycalendar", "is_busday"), _DATES),
    **dict.fromkeys(("rec", "recarray", "record"), _RECORDS),
    **dict.fromkeys(("matrix", "asmatrix", "bmat"), _SUBCLASS),
    "ma": "gpunp has no masked arrays: use a boolean array beside the values, or NaN and the nan functions",
    "memmap": "device memory cannot be a file: give a numpy.memmap to gpunp.asarray",
    **dict.fromkeys(("nditer", "nested_iters", "ndenumerate"), _HOST_LOOP),
    "make_aligned_dtype": (
        "gpunp has no records, whose fields it would align; kernels take structs of "
        "numpy.dtype(fields, align=True)"
    ),
    **dict.fromkeys(("getbufsize", "setbufsize", "get_include", "show_runtime", "info", "test"), _HOST),
    "prof": "ranges for profilers are in gpunp.profiler: time_range",
    "time": "times of functions are in gpunp.profiler: benchmark",
    **dict.fromkeys(("core", "ctypeslib", "f2py", "typing"), _HOST),
}


def explain_absence(name):
    """Return the message of the AttributeError for a name that the namespace lacks."""
    reason = ABSENT.get(name)
    if reason is None and name in numpy.__all__:
        reason = f"gpunp has no counterpart of numpy.{name}"
    return f"module 'gpunp' has no attribute {name!r}" + (f": {reason}" if reason else "")


# Submodules of NumPy that are packages here, and those that are created by `assemble`.
PACKAGES = ("fft", "linalg", "polynomial", "random")
_FOLDERS = ("lib", "lib.scimath", "lib.stride_tricks")
# Names without a NumPy function, to their module and attribute.
_OTHERS = {
    "ElementwiseKernel": ("custom.elementwise", "ElementwiseKernel"),
    "GeneralizedUFunc": ("custom.gufunc", "GeneralizedUFunc"),
    "RawKernel": ("custom.raw", "RawKernel"),
    "RawModule": ("custom.raw_module", "RawModule"),
    "ReductionKernel": ("custom.reduction", "ReductionKernel"),
    "DeviceSynchronized": ("synchronization", "DeviceSynchronized"),
    "allow_synchronize": ("synchronization", "allow_synchronize"),
    "__array_api_version__": ("interop.array_api", "VERSION"),
    "__array_namespace_info__": ("interop.array_api", "namespace_info"),
    "clear_memo": ("custom.memo", "clear_memo"),
    "from_dlpack": ("interop.exchange", "from_dlpack"),
    "fuse": ("fusion.decorator", "fuse"),
    "get_array_module": ("interop.exchange", "get_array_module"),
    "get_default_memory_pool": ("memory_pools", "get_default_memory_pool"),
    "get_default_pinned_memory_pool": ("memory_pools", "get_default_pinned_memory_pool"),
    "memoize": ("custom.memo", "memoize"),
    "show_config": ("information", "show_config"),
    # Names of NumPy's past and of other libraries.
    "asfarray": ("interop.older_names", "asfarray"),
    "byte_bounds": ("interop.older_names", "byte_bounds"),
    "empty_like_pinned": ("interop.older_names", "empty_like_pinned"),
    "empty_pinned": ("interop.older_names", "empty_pinned"),
    "fromDlpack": ("interop.older_names", "fromDlpack"),
    "in1d": ("interop.older_names", "in1d"),
    "is_available": ("interop.older_names", "is_available"),
    "msort": ("interop.older_names", "msort"),
    "round_": ("interop.older_names", "round_"),
    "row_stack": ("interop.older_names", "row_stack"),
    "rsqrt": ("interop.older_names", "rsqrt"),
    "scatter_add": ("interop.older_names", "scatter_add"),
    "scatter_max": ("interop.older_names", "scatter_max"),
    "scatter_min": ("interop.older_names", "scatter_min"),
    "trapz": ("interop.older_names", "trapz"),
    "who": ("interop.older_names", "who"),
    "zeros_like_pinned": ("interop.older_names", "zeros_like_pinned"),
    "zeros_pinned": ("interop.older_names", "zeros_pinned"),
}
_MODULES = (
    *("cuda", "demo", "distributed", "fusion", "jit", "optimizing", "profiler", "signal", "special"),
    "testing",
    *PACKAGES,
)
_array_function = type(numpy.sum)


def find(name):
    """Return the object of a public name of gpunp, importing its module if necessary.

    Where the array API standard and NumPy define a function differently, the namespace follows the standard.

    Raises
    ------
    AttributeError
        With the reason if the name is left out on purpose.
    """
    if name in _MODULES:
        return importlib.import_module(f"gpunp.{name}")
    if name in _OTHERS:
        module, attribute = _OTHERS[name]
        return getattr(importlib.import_module(f"gpunp.{module}"), attribute)
    if name == "emath":
        return sys.modules["gpunp.lib.scimath"]
    found = UFUNCS.get(("array_api", name))
    if found is None:
        found = find_function(name)
    if found is None:
        # Covers second names of NumPy's functions: concat, permute_dims.
        value = vars(numpy).get(name)
        if isinstance(value, numpy.ufunc):
            found = find_ufunc(value)
        elif type(value) is _array_function:
            found = documented(find_handler(value), name)
    if found is None:
        raise AttributeError(explain_absence(name))
    return found


def names():
    """Return every public name of gpunp, without importing the objects."""
    found = {name.partition(".")[0] for name in HOMES}
    found.update(FROM_NUMPY, (name for name in _MODULES if name != "demo"))
    found.update(name for name in _OTHERS if not name.startswith("_"))
    found.update(name for module, name in UFUNCS if module == "array_api")
    # Other libraries may put names of their own into NumPy's namespace.
    for name in numpy.__all__:
        value = vars(numpy).get(name)
        if isinstance(value, numpy.ufunc):
            known = find_ufunc(value) is not None
        else:
            known = type(value) is _array_function and public_path(value).removeprefix("numpy.") in HOMES
        if known:
            found.add(name)
    return found | {"emath"}


def home(name):
    """Return the module of a public name that is not registered, such as ``"RawKernel"``, or None."""
    return f"gpunp.{_OTHERS[name][0]}" if name in _OTHERS else None


def kernel_names():
    """Return the public names for kernels of users, without importing the objects."""
    return sorted(name for name, (module, _) in _OTHERS.items() if module.startswith("custom."))


def assemble(namespace):
    """Add to a module's namespace NumPy's own objects, and modules for submodules of NumPy.

    Parameters
    ----------
    namespace : dict
        The ``globals()`` of gpunp.
    """
    for name in FROM_NUMPY:
        namespace[name] = getattr(numpy, name)
    for path in _FOLDERS:
        module = types.ModuleType(f"gpunp.{path}", f"The functions of `numpy.{path}`.")
        module.__path__ = []
        sys.modules[module.__name__] = module
        module.__getattr__, module.__dir__ = folder(path)
        parent, _, name = path.rpartition(".")
        if parent:
            setattr(sys.modules[f"gpunp.{parent}"], name, module)
        else:
            namespace[name] = module
    # Helpers for versions and axes, which take no device arrays.
    sys.modules["gpunp.lib"].NumpyVersion = numpy.lib.NumpyVersion
    sys.modules["gpunp.lib"].array_utils = numpy.lib.array_utils
    # The packages gpunp.array and gpunp.ufunc share their names with a public function and a class.
    del namespace["array"]
    namespace["ufunc"] = Ufunc
