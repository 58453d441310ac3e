"""Sections Parameters, Returns and Raises of the docstrings of array methods, composed by parameter name."""

from gpunp.array.signatures import parameters

_AXES = "int or tuple of ints, optional\n    The axes that are reduced; by default all of them."
_AXIS = "int, optional\n    The axis; by default the last one."
_FLAT = "int, optional\n    The axis; by default the elements are taken in one dimension, in C order."
_STREAM = "gpunp.cuda.Stream, object with ``__cuda_stream__`` or int, optional\n    "
_PLANE = "int, optional\n    The axes of the planes whose diagonal is taken, by default the first two."
_BOUNDS = "{'raise', 'wrap', 'clip'}, optional\n    How indices out of bounds are treated."

# Descriptions by parameter name, for every method without an entry in _OF_METHODS.
_PARAMETERS = {
    "arr": "numpy.ndarray\n    A host array of the same shape, which is converted to the dtype.",
    "axis": _AXES,
    "axis1": _PLANE,
    "axis2": _PLANE,
    "b": "array_like\n    The right operand.",
    "blocking": "bool, optional\n    False returns before the copy to `out` is complete.",
    "casting": "{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional\n    Which conversions are allowed.",
    "condition": "array_like of bool, one-dimensional\n    Which slices are taken.",
    "copy": "bool or None, optional\n    False raises where a copy is needed, None copies if needed.",
    "correction": "int or float, optional\n    The array API standard's name of `ddof`.",
    "ddof": "int or float, optional\n    Subtracted from the number of elements in the divisor.",
    "decimals": "int, optional\n    Decimal places; negative numbers round left of the point.",
    "descending": "bool, optional\n    Whether the greatest element comes first.",
    "dtype": "data-type, optional\n    The dtype of the result and of the arithmetic.",
    "fid": "file or str\n    An open binary file, or the name of one.",
    "file": "file or str\n    An open binary file, or the name of one.",
    "format": "str, optional\n    The format of an element in a text file.",
    "indices": "array_like of ints\n    Which elements, counted from 0.",
    "initial": "scalar, optional\n    The value the reduction begins with.",
    "inplace": "bool, optional\n    Change this array instead of a copy.",
    "keepdims": "bool, optional\n    Keep the axes that are reduced, with length one.",
    "kind": "str, optional\n    Validated, but without effect: there is one algorithm, which is stable.",
    "kth": "int or sequence of ints\n    The ranks whose elements are put in place.",
    "max": "array_like, optional\n    The upper bound; by default there is none.",
    "mean": "array_like, optional\n    The mean, if it is already known.",
    "min": "array_like, optional\n    The lower bound; by default there is none.",
    "mode": _BOUNDS,
    "offset": "int, optional\n    The diagonal, counted from the main one.",
    "order": "{'C', 'F', 'A', 'K'}, optional\n    The order of the elements in memory.",
    "protocol": "int, optional\n    The version of the pickle.",
    "out": "gpunp.ndarray, optional\n    Where the result is stored; it is returned.",
    "repeats": "int or array_like of ints\n    How often each element is repeated.",
    "sep": "str, optional\n    Between the elements of a text file; the empty string writes a binary file.",
    "side": "{'left', 'right'}, optional\n    Before or after elements that are equal.",
    "sorter": "array_like of ints, optional\n    The indices that sort this array.",
    "stable": "bool, optional\n    Validated, but without effect: every sort is stable.",
    "stream": _STREAM + "The CUDA stream of the copy; by default the current one.",
    "v": "array_like\n    The values to find places for.",
    "where": "array_like of bool, optional\n    Which elements take part.",
}
# The order= of sorts, which names fields of records.
_FIELDS = "None\n    NumPy's order of record fields; gpunp has no records."
# Descriptions that differ in one method.
_OF_METHODS = {
    ("argmax", "axis"): _FLAT,
    ("argmin", "axis"): _FLAT,
    ("argpartition", "axis"): _AXIS,
    ("argpartition", "order"): _FIELDS,
    ("argsort", "axis"): _AXIS,
    ("argsort", "order"): _FIELDS,
    ("astype", "copy"): "bool, optional\n    False returns the array itself if nothing has to change.",
    ("astype", "dtype"): "data-type\n    The new dtype.",
    ("astype", "subok"): "bool, optional\n    Validated, but without effect: there are no subclasses.",
    (
        "choose",
        "choices",
    ): "array_like\n    The arrays to choose from, as one sequence or one by one.",
    ("clip", "kwargs"): "keywords of a ufunc\n    `dtype`, `casting` and `where`, as in `numpy.clip`.",
    ("compress", "axis"): _FLAT,
    ("cumprod", "axis"): _FLAT,
    ("cumsum", "axis"): _FLAT,
    ("fill", "value"): "scalar\n    A number or an array without dimensions, on the host or the device.",
    ("get", "out"): "numpy.ndarray, optional\n    A host array of the same shape and dtype to copy into.",
    ("getfield", "dtype"): "data-type\n    The dtype of the part, no longer than that of the array.",
    ("getfield", "offset"): "int, optional\n    Where the part begins, in bytes: a multiple of its size.",
    ("item", "args"): "int\n    The index of the element, one number in C order or one for each axis.",
    ("partition", "axis"): _AXIS,
    ("partition", "order"): _FIELDS,
    ("put", "values"): "array_like\n    The values, repeated where there are fewer than indices.",
    ("repeat", "axis"): _FLAT,
    (
        "reshape",
        "shape",
    ): "int or tuple of ints\n    The new lengths; one may be -1, which is inferred.",
    ("resize", "new_shape"): "int or tuple of ints\n    The new lengths.",
    ("resize", "refcheck"): "bool, optional\n    Ignored: references are not counted.",
    ("setfield", "dtype"): "data-type\n    The dtype of the part that is written.",
    ("setfield", "offset"): "int, optional\n    Where the part begins, in bytes: a multiple of its size.",
    ("setfield", "val"): "array_like\n    The values, broadcast to the shape of the array.",
    ("setflags", "align"): "bool, optional\n    Ignored: every array is aligned.",
    ("setflags", "uic"): "bool, optional\n    True raises a ValueError.",
    ("setflags", "write"): "bool, optional\n    Whether the elements may be changed.",
    ("sort", "axis"): _AXIS,
    ("sort", "order"): _FIELDS,
    ("squeeze", "axis"): "int or tuple of ints, optional\n    Axes of length one; by default all of them.",
    ("swapaxes", "axis1"): "int\n    The first axis.",
    ("swapaxes", "axis2"): "int\n    The second axis.",
    ("take", "axis"): _FLAT,
    ("transpose", "axes"): "int or tuple of ints\n    The axes in their new order; reversed by default.",
    (
        "view",
        "dtype",
    ): "data-type, optional\n    The dtype to read the memory as.",
    ("view", "type"): "type, optional\n    gpunp.ndarray; there is no other type.",
}
_ARRAY = "gpunp.ndarray"
_REDUCED = "gpunp.ndarray\n    Without the reduced axes; a scalar if no axes are left."
_INDICES = "gpunp.ndarray of int64"
_RESULTS = {
    **dict.fromkeys(("all", "any"), _REDUCED.replace("ndarray", "ndarray of bool", 1)),
    **dict.fromkeys(("max", "mean", "min", "prod", "std", "sum", "trace", "var"), _REDUCED),
    **dict.fromkeys(("argmax", "argmin", "argpartition", "argsort", "searchsorted"), _INDICES),
    **dict.fromkeys(("get", "to_numpy"), "numpy.ndarray\n    The complete copy on the host."),
    "dumps": "bytes",
    "item": "bool, int, float or complex\n    The call waits for the device.",
    "nonzero": "tuple of gpunp.ndarray\n    One array of int64 for each axis; the call waits for the device.",
    "diagonal": "gpunp.ndarray\n    A view that is read-only.",
    "getfield": "gpunp.ndarray\n    A view.",
    "reshape": "gpunp.ndarray\n    A view where that is possible.",
    "ravel": "gpunp.ndarray\n    A view where that is possible.",
    "squeeze": "gpunp.ndarray\n    A view.",
    "swapaxes": "gpunp.ndarray\n    A view.",
    "tobytes": "bytes\n    The call waits for the device.",
    "tolist": "list, or a Python scalar\n    The call waits for the device.",
    "transpose": "gpunp.ndarray\n    A view.",
    "view": "gpunp.ndarray\n    A view.",
}
_NOTHING = (
    "dump",
    "fill",
    "partition",
    "put",
    "resize",
    "set",
    "setfield",
    "setflags",
    "sort",
    "tofile",
)
_ERRORS = {
    "fill": "ValueError\n    If the array is read-only, or the value has dimensions.",
    "getfield": "ValueError\n    If the part is outside the element or not aligned to its size.",
    "item": "ValueError\n    If there is no index and more than one element.",
    "reshape": "ValueError\n    If the numbers of elements differ, or `copy` is False and a copy is needed.",
    "set": "ValueError\n    If the shapes differ.",
    "squeeze": "ValueError\n    If an axis is not of length one.",
    "view": "ValueError\n    If the length of the last axis does not fit the new dtype.",
}
_STARS = {
    ("choose", "choices"): "*",
    ("clip", "kwargs"): "**",
    ("item", "args"): "*",
    ("reshape", "shape"): "*",
    ("resize", "new_shape"): "*",
    ("transpose", "axes"): "*",
}


def complete(methods, delegates):
    """Add the sections to the docstrings of methods.

    Parameters
    ----------
    methods : dict of str to function
        The methods by name; the docstring of each is a summary.
    delegates : dict of str to str
        The parameters of methods that delegate to a function, separated by spaces.
    """
    for name, method in methods.items():
        # Under python -OO there are no docstrings; the parameters of a delegate are not in its signature.
        if __doc__ is not None:
            names = delegates[name].split() if name in delegates else parameters(method)[1:]
            method.__doc__ = _described(name, method.__doc__, names)


def _described(name, summary, names):
    lines = [summary]
    if names:
        lines.append("\nParameters\n----------")
        for each in names:
            text = _OF_METHODS.get((name, each)) or _PARAMETERS[each]
            lines.append(f"{_STARS.get((name, each), '')}{each} : {text}")
    if name not in _NOTHING:
        lines.append(f"\nReturns\n-------\n{_RESULTS.get(name, _ARRAY)}")
    if name in _ERRORS:
        lines.append(f"\nRaises\n------\n{_ERRORS[name]}")
    return "\n".join(lines) + "\n"
