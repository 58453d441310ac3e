"""The choice among typed loops of functions that are ufuncs of ours only."""

import numpy

# Python's numbers adapt to the other operands: the kinds of dtypes that take them.
_KINDS_FOR = {bool: "iufc", int: "iufc", float: "fc", complex: "c"}


def _takes(char, given):
    """Whether an operand of a loop takes a dtype, or a type of Python's numbers, without loss."""
    if given in _KINDS_FOR:
        return numpy.dtype(char).kind in _KINDS_FOR[given]
    return numpy.can_cast(given, char, "safe")


class TypedLoops:
    """Stands in for the ufunc of NumPy or SciPy whose promotion rules a `Ufunc` follows.

    Parameters
    ----------
    path : str
        The function's name in errors.
    types : sequence of str
        The typed loops in NumPy's notation; the first one that takes the operands is chosen.
    """

    def __init__(self, path, types):
        self.path = path
        self.types = types

    def resolve_dtypes(self, dtypes, *, signature=None, casting="same_kind", reduction=False):
        """Return the dtypes of the loop for operands; see ``numpy.ufunc.resolve_dtypes``."""
        if signature is not None or reduction:
            raise TypeError(f"{self.path} takes no dtype or signature, and does not reduce")
        for text in self.types:
            inputs, _, outputs = text.partition("->")
            if all(map(_takes, inputs, dtypes)):
                break
        else:
            given = dtypes[: len(inputs)]
            names = ", ".join(x.__name__ if isinstance(x, type) else x.name for x in given)
            raise TypeError(f"{self.path} does not take operands of the types ({names})")
        for char, out in zip(outputs, dtypes[len(inputs) :], strict=True):
            if out is not None and not numpy.can_cast(char, out, casting):
                raise TypeError(f"{self.path}: cannot cast the result from {numpy.dtype(char)} to {out}")
        return tuple(numpy.dtype(char) for char in inputs + outputs)
