"""What the ``gpunp`` namespace is made of: NumPy's own names, ours, and why some names are not there."""

import sys
import types

import numpy

from gpunp.dispatch import ufunc_protocol
from gpunp.dispatch.registry import HANDLERS, NAMESPACE
from gpunp.interop import standard_functions

# Taken from NumPy as they are: dtypes, constants, and what concerns no array or only a dtype or a shape.
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
_HOST = "it is about NumPy itself: use numpy's"

# Names of NumPy that are left out on purpose, and why.
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
    "testing": "give gpunp.asnumpy(array) to the functions of numpy.testing",
    **dict.fromkeys(("getbufsize", "setbufsize", "get_include", "show_runtime", "info", "test"), _HOST),
    **dict.fromkeys(("core", "ctypeslib", "f2py", "typing"), _HOST),
}


def explain_absence(name):
    """The message of the AttributeError for a name that the namespace lacks."""
    reason = ABSENT.get(name)
    if reason is None and name in numpy.__all__:
        reason = f"gpunp has no counterpart of numpy.{name}"
    return f"module 'gpunp' has no attribute {name!r}" + (f": {reason}" if reason else "")


def _folder(namespace, path):
    """The module of a dotted path below gpunp; one is made where there is no folder of that name."""
    module = None
    for part in path.split("."):
        found = namespace.get(part) if module is None else getattr(module, part, None)
        if not isinstance(found, types.ModuleType):
            parent = "gpunp" if module is None else module.__name__
            found = types.ModuleType(f"{parent}.{part}", f"The functions of `numpy.{path}`.")
            found.__path__ = []
            sys.modules[found.__name__] = found
            if module is None:
                namespace[part] = found
            else:
                setattr(module, part, found)
        module = found
    return module


def assemble(namespace):
    """Fill a module's namespace: NumPy's names, the ufuncs under all their names, and the handlers.

    Where the array API standard has a function otherwise, the namespace follows the standard.

    Parameters
    ----------
    namespace : dict
        The ``globals()`` of gpunp, with the chapters imported.
    """
    for name in FROM_NUMPY:
        namespace[name] = getattr(numpy, name)
    for name, value in vars(numpy).items():
        if isinstance(value, numpy.ufunc) and value in ufunc_protocol.UFUNCS:
            namespace[name] = ufunc_protocol.UFUNCS[value]
        elif type(value) is type(numpy.sum) and value in HANDLERS:
            # Also what NumPy has two names for: concat, permute_dims.
            namespace[name] = HANDLERS[value]
    for name, handler in (NAMESPACE | standard_functions.FUNCTIONS).items():
        folder, _, function = name.rpartition(".")
        if folder:
            setattr(_folder(namespace, folder), function, handler)
        else:
            namespace[name] = handler
    from gpunp.ufunc.engine import UFUNCS

    namespace.update({name: ufunc for (module, name), ufunc in UFUNCS.items() if module == "array_api"})
    scimath = getattr(namespace.get("lib"), "scimath", None)
    if scimath is not None:
        namespace["emath"] = scimath
