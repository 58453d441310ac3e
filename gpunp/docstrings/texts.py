"""Entries of docstrings that are the same in every function, where NumPy's words do not hold for gpunp."""

# Parameters by name: they replace NumPy's entry, whose text is about subclasses or the host.
ALWAYS = {
    "device": "device : Device or str, optional\n    The device of the result, by default the current one.",
    "keepdims": (
        "keepdims : bool, optional\n"
        "    Keep the axes that are reduced, with length one: the result broadcasts against the input."
    ),
    "like": "like : gpunp.ndarray, optional\n    The result is made on the device of this array.",
    "overwrite_input": (
        "overwrite_input : bool, optional\n    Accepted for compatibility: the input is never changed."
    ),
    "subok": (
        "subok : bool, optional\n"
        "    Accepted for compatibility: gpunp.ndarray has no subclasses, so it has no effect."
    ),
}

SEE_ALSO = "numpy.{name} : NumPy's function, with its notes and examples."

# The parameters that every ufunc has after its operands.
UFUNC = """\
out : gpunp.ndarray, None, or tuple of gpunp.ndarray and None, optional
    Where the result is stored: an array of the broadcast shape, or a tuple with one entry per output. A new
    array is made by default.
where : array_like of bool, optional
    Broadcast with the operands. Where it is False an `out` that was given keeps its value, and a new array is
    uninitialized.
casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
    Which conversions of operands are allowed, 'same_kind' by default.
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
    The one core dimension of all operands of `vecdot`.
keepdims : bool, optional
    Of `vecdot`: keep the axis that is summed over, with length one."""
