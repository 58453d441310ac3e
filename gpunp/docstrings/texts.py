"""Docstring entries common to all functions, where NumPy's text does not hold for gpunp."""

# Entries of parameters by name, which replace NumPy's text about subclasses or the host.
ALWAYS = {
    "device": "device : Device or str, optional\n    The device of the result, by default the current one.",
    "keepdims": (
        "keepdims : bool, optional\n"
        "    Keep the reduced axes with length one, so that the result broadcasts against the input."
    ),
    "like": "like : gpunp.ndarray, optional\n    The result is created on the device of this array.",
    "overwrite_input": (
        "overwrite_input : bool, optional\n    Accepted for compatibility: the input is never changed."
    ),
    "subok": (
        "subok : bool, optional\n"
        "    Accepted for compatibility: gpunp.ndarray has no subclasses, so it has no effect."
    ),
}

SEE_ALSO = {
    "numpy": "numpy.{name} : NumPy's function, with its notes and examples.",
    "scipy": "scipy.{name} : SciPy's function, with its notes and examples.",
}

# Parameters of all ufuncs after the operands.
UFUNC = """\
out : gpunp.ndarray, None, or tuple of gpunp.ndarray and None, optional
    Where to store the result: an array of the broadcast shape, or a tuple with one entry per output. By
    default a new array is created.
where : array_like of bool, optional
    Broadcast against the operands. Where it is False, `out` keeps its value, and a new array is
    uninitialized.
casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
    The conversions of operands that are allowed, 'same_kind' by default.
order : {'K', 'A', 'C', 'F'}, optional
    Memory layout of a new result; 'K', the default, follows the operands.
dtype : data-type, optional
    The dtype of the loop and of the result.
subok : bool, optional
    Accepted for compatibility: gpunp.ndarray has no subclasses, so it has no effect.
signature : str or tuple of data-type, optional
    The dtypes of one loop, such as ``'dd->d'``."""
PRODUCT = """\
axes : list of tuples of int, optional
    For each operand and the result, the axes that hold its core dimensions; by default the last ones.
axis : int, optional
    For `vecdot`: the axis of the core dimension in all operands.
keepdims : bool, optional
    For `vecdot`: keep the summed axis with length one."""
