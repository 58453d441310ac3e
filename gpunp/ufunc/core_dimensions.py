"""Core dimensions of generalized ufuncs: their signatures, and the axes that hold them."""

import operator
import re

import numpy
from numpy.exceptions import AxisError
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array.arguments import strict_integer

_NoValue = numpy._NoValue
_NAME = r"\w+"


def _pattern(name):
    core = rf"\((?:{name}(?:,{name})*)?\)"
    return core, re.compile(rf"^{core}(?:,{core})*->{core}(?:,{core})*$")


_PLAIN, _OPTIONAL = _pattern(_NAME), _pattern(rf"{_NAME}\??")


def parse_signature(signature, optional=False):
    """Return the names of the core dimensions of inputs and outputs in a signature.

    A signature is a text such as ``(m,n),(n)->(m)``. With ``optional`` a name may end in a question mark:
    operands may lack that dimension.
    """
    text = re.sub(r"\s+", "", signature)
    core, whole = _OPTIONAL if optional else _PLAIN
    if not whole.match(text):
        raise ValueError(f"not a valid gufunc signature: {text}")
    return tuple(
        [tuple(re.findall(r"[\w?]+", each)) for each in re.findall(core, side)] for side in text.split("->")
    )


def core_axes(name, cores, ndims, axes, axis, declared):
    """Return the core axes of every input and output, counted from 0.

    Parameters
    ----------
    name : str
        The ufunc, for messages.
    cores, ndims : sequence of int
        The numbers of core dimensions and of all dimensions, of each input and output.
    axes : list, optional
        An entry for each input and output, as in NumPy; ``_NoValue`` if not given.
    axis : int, optional
        The axis of all operands with one core dimension; ``_NoValue`` if not given.
    declared : sequence of int
        The numbers of core dimensions of the outputs in the signature, without those that ``keepdims`` adds.
    """
    if axes is not _NoValue:
        entries = _entries(name, axes, cores, declared)
    elif axis is not _NoValue:
        entries = [(strict_integer(axis),) * core for core in cores]
    else:
        entries = [tuple(range(-core, 0)) for core in cores]
    places = []
    for i, (entry, ndim) in enumerate(zip(entries, ndims, strict=True)):
        place = [normalize_axis_index(strict_integer(each), ndim) for each in entry]
        if len(set(place)) != len(place):
            raise ValueError(f"{name}: axes item {i} has a value repeated: {entry}")
        places.append(place)
    return places


def _entries(name, axes, cores, declared):
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    # Entries of outputs are optional if the signature has no core dimension there, even with keepdims.
    inputs = len(cores) - len(declared)
    if len(axes) == inputs and not any(declared):
        axes = [*axes, *(tuple(range(-core, 0)) for core in cores[inputs:])]
    if len(axes) != len(cores):
        raise ValueError(
            f"axes should be a list with an entry for all {len(cores)} inputs and outputs; entries for "
            "outputs can only be omitted if none of them has core axes."
        )
    entries = []
    for i, (entry, core) in enumerate(zip(axes, cores, strict=True)):
        if isinstance(entry, tuple):
            if len(entry) != core:
                raise AxisError(
                    f"{name}: operand {i} has {core} core dimensions, but {len(entry)} dimensions "
                    "are specified by axes tuple."
                )
        elif core == 1:
            entry = (entry,)
        else:
            try:
                operator.index(entry)
            except TypeError:
                raise TypeError(f"{name}: axes item {i} should be a tuple.") from None
            raise AxisError(
                f"{name}: operand {i} has {core} core dimensions, but the axes item is a single integer."
            )
        entries.append(entry)
    return entries
