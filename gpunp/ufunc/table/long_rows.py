"""Rows of ufuncs with long functions, which compute in double for all dtypes (see ``row.LONG``).

A row calls the C++ function of its own name, without a leading underscore, in the namespace ``gpunp::math``.
It takes double (or ``c16``, for complex operands), up to five inputs, and returns one value or a struct of up
to four. Each topic has a header ``kernels/include/gpunp/math/special_TOPIC.h`` and a unit of its own; add it
to ``row.LONG``.
"""

from gpunp.dtype_codes import NAME_OF

from .row import Loop, Row

REAL = "fd"
COMPLEX = "FD"
BOTH = "fdFD"
_MEMBERS = ("first", "second", "third", "fourth")


def argument(char, letter):
    """Return the C++ of an input of a dtype in double precision."""
    return {"F": f"math::widen({letter})", "f": f"(double){letter}"}.get(char, letter)


def result(char, text):
    """Return the C++ of a result in double precision as an output of a dtype."""
    return f"math::narrow({text})" if char == "F" else text


def loop(function, inputs, outputs):
    """Return a typed loop that calls a function of ``gpunp::math``.

    Parameters
    ----------
    function : str
        With several outputs it returns a struct with members ``first``, ``second``, ``third``, ``fourth``.
    inputs, outputs : str
        dtype characters.

    Returns
    -------
    Loop
    """
    arguments = ", ".join(argument(char, letter) for char, letter in zip(inputs, "abcde", strict=False))
    call = f"math::{function}({arguments})"
    if len(outputs) == 1:
        return Loop(inputs, outputs, result(outputs, call))
    text = f"const auto found = {call}"
    for char, letter, member in zip(outputs, "xyzw", _MEMBERS, strict=False):
        text += f"; {letter} = ({NAME_OF[char]})({result(char, f'found.{member}')})"
    return Loop(inputs, outputs, text)


def row(name, topic, *signatures, namespace="scipy.special"):
    """Return the row of a ufunc.

    Parameters
    ----------
    name : str
    topic : str
        The rest of the family's name after ``special_``.
    *signatures : str
        The typed loops as NumPy writes them, such as ``"qd->d"``, in SciPy's order.
    namespace : str, default "scipy.special"

    Returns
    -------
    Row
    """
    loops = tuple(loop(name.removeprefix("_"), *signature.split("->")) for signature in signatures)
    return Row(name, f"special_{topic}", loops, namespace=namespace)


def same(name, topic, chars=REAL, nin=1, nout=1):
    """Return the row of a ufunc with one loop per dtype in ``chars``, which all its operands have."""
    return row(name, topic, *(f"{c * nin}->{c * nout}" for c in chars))
