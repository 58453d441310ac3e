"""The element types of gpunp, in the order of the kernels' dtype codes."""

import numpy as np

from gpunp.dtype_codes import CHARS

# 'l' and 'q' are both 64-bit integers on Linux: DTYPES has the one that NumPy calls int64, and dtype
# arguments are matched by kind and size, not by character.
DTYPES = tuple(np.dtype({"q": "int64", "Q": "uint64"}.get(c, c)) for c in CHARS)
CODE_OF_KIND = {(d.kind, d.itemsize): code for code, d in enumerate(DTYPES)}
# Common dtype= arguments: dtypes, their scalar types, Python's types and None; names are added when used.
_known = {
    **{d: d for d in DTYPES},
    **{d.type: d for d in DTYPES},
    **{kind: np.dtype(kind) for kind in (bool, int, float, complex, None)},
}

_REFUSED = {
    "O": "object",
    "S": "byte string",
    "U": "string",
    "T": "string",
    "M": "datetime",
    "m": "timedelta",
    "V": "structured",
}


def dtype_code(dtype):
    """Return the kernels' code of a NumPy dtype of any byte order.

    Raises
    ------
    TypeError
        For a dtype whose elements are not bool, integer, float16-64 or complex64-128.
    """
    code = CODE_OF_KIND.get((dtype.kind, dtype.itemsize))
    if code is None:
        kind = _REFUSED.get(dtype.kind, "extended precision")
        raise TypeError(
            f"gpunp has no {kind} arrays (dtype {dtype}): it handles bool, integers, float16 to float64, "
            "complex64 and complex128; convert with astype first, or keep the array in NumPy"
        )
    return code


def as_dtype(value):
    """Return the native-endian dtype of a ``dtype=`` argument.

    Raises
    ------
    TypeError
        As for `dtype_code`, and for values that NumPy does not accept as a dtype.
    """
    try:
        found = _known.get(value)
    except TypeError:
        # Some values that NumPy accepts as a dtype are not hashable.
        found = None
    if found is not None:
        return found
    if not isinstance(value, (str, type, np.dtype)) and hasattr(value, "__dlpack__"):
        # NumPy reads the dtype attribute of unknown objects, but refuses its own arrays; so do we.
        raise TypeError(f"Cannot construct a dtype from an array ({type(value).__name__})")
    found = DTYPES[dtype_code(np.dtype(value))]
    if type(value) is str:
        _known[value] = found
    return found
