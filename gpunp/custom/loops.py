"""The dtypes of a generalized ufunc's call."""

import numpy

from gpunp.array.dtype import as_dtype


def parse_loop(ufunc, text):
    """Return the dtypes of inputs and outputs in a loop such as ``"dd->d"``."""
    if not isinstance(text, str):
        raise TypeError(f"GeneralizedUFunc: signatures consist of str, not {type(text).__name__}")
    inputs, arrow, outputs = text.replace(" ", "").partition("->")
    if not arrow or len(inputs) != ufunc.nin or len(outputs) != ufunc.nout:
        raise ValueError(
            f"a type-string for {ufunc.name}, {ufunc.nin} typecode(s) before and {ufunc.nout} after the "
            "-> sign"
        )
    return tuple(as_dtype(char) for char in inputs + outputs)


def choose_loop(ufunc, loops, args, inputs, casting, fixed, dtype):
    """Return the dtypes to convert inputs and outputs to, each None to leave an array as it is.

    Parameters
    ----------
    ufunc : GeneralizedUFunc
        The object called.
    loops : list of tuple of dtype
        The loops of the object; none if its function takes any dtype.
    args, inputs : sequence
        The inputs as given, and as arrays; Python's numbers take the dtype of the loop if it can hold them.
    casting : str
        The rule for conversions that the user asks for.
    fixed : str, tuple or None
        The types that ``dtype=`` or ``signature=`` fix.
    dtype : dtype or None
        The argument ``dtype=``.
    """
    wanted = _wanted(ufunc, fixed)
    if not loops:
        if dtype is not None:
            wanted = (as_dtype(dtype),) * ufunc.nargs
        for i, (x, to) in enumerate(zip(inputs, wanted, strict=False)):
            if to is not None and not numpy.can_cast(x.dtype, to, casting):
                raise TypeError(
                    f"Cannot cast ufunc {ufunc.name!r} input {i} from {x.dtype!r} to {to!r} with casting "
                    f"rule {casting!r}"
                )
        return wanted
    # NumPy looks for loops with safe casts, unless the user fixes the loop.
    rule = casting if fixed is not None or casting in ("no", "equiv") else "safe"
    for loop in loops:
        agrees = all(to in (None, has) for to, has in zip(wanted, loop, strict=True))
        if agrees and all(
            _fits(x, array, to, rule) for x, array, to in zip(args, inputs, loop, strict=False)
        ):
            return loop
    if fixed is not None:
        raise TypeError(
            f"No loop matching the specified signature and casting was found for ufunc {ufunc.name}"
        )
    raise TypeError(
        f"ufunc {ufunc.name!r} not supported for the input types, and the inputs could not be safely coerced "
        f"to any supported types according to the casting rule ''{rule}''"
    )


def _fits(x, array, to, rule):
    if type(x) in (int, float, complex):
        return numpy.result_type(x, to) == to
    return numpy.can_cast(array.dtype, to, rule)


def _wanted(ufunc, fixed):
    """The types of ``dtype=`` and ``signature=`` as a tuple of dtypes and None."""
    if fixed is None:
        return (None,) * ufunc.nargs
    if isinstance(fixed, (str, bytes)):
        text = fixed.decode() if isinstance(fixed, bytes) else fixed
        if "->" in text:
            return parse_loop(ufunc, text)
        # A single type is that of all outputs.
        return (None,) * ufunc.nin + (as_dtype(text),) * ufunc.nout
    if len(fixed) != ufunc.nargs:
        raise ValueError(f"a type-tuple must be specified of length {ufunc.nargs} for ufunc {ufunc.name!r}")
    return tuple(None if each is None else as_dtype(each) for each in fixed)
