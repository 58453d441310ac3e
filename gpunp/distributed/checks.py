"""Checks of the arguments of collective calls, and the flat arrays that are sent."""

import numpy

from gpunp.array.ndarray import ndarray

OPERATIONS = ("sum", "prod", "max", "min")
# What NCCL reduces; other elements are sent as bytes, complex ones as pairs of real ones.
REDUCED = frozenset(map(numpy.dtype, ("i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8")))
_BYTE = numpy.dtype("u1")


def checked_array(call, name, array, device, *, written=False):
    """Raise unless an argument is an array that can be sent from its memory, or received into it."""
    if not isinstance(array, ndarray):
        raise TypeError(
            f"{call}: {name} must be a gpunp array (or a sparse one), not {type(array).__name__}; "
            "convert it with gpunp.asarray"
        )
    if array.device is not device:
        raise ValueError(
            f"{call}: {name} is on {array.device}, but the group was made on {device}; move it with "
            f"{name}.to_device"
        )
    if not array.flags.c_contiguous:
        raise ValueError(
            f"{call}: {name} must be C-contiguous, as its memory is sent as it is; pass "
            f"gpunp.ascontiguousarray({name})"
        )
    if written and not array.flags.writeable:
        raise ValueError(f"{call}: {name} is read-only; pass a copy")
    return array


def checked_pair(call, source, target, device):
    """Check an input and an output, whose dtypes must be equal."""
    checked_array(call, "in_array", source, device)
    checked_array(call, "out_array", target, device, written=True)
    if source.dtype != target.dtype:
        raise TypeError(
            f"{call}: in_array has dtype {source.dtype}, out_array {target.dtype}; they must be equal"
        )


def checked_operation(call, op, dtype):
    """Raise unless elements of a dtype can be reduced by an operation."""
    if op not in OPERATIONS:
        raise ValueError(f"{call}: op must be one of {', '.join(OPERATIONS)}, not {op!r}")
    if dtype.kind == "c":
        if op != "sum":
            raise TypeError(f"{call}: complex elements can be summed only, op={op!r} is not defined for them")
    elif dtype not in REDUCED:
        raise TypeError(
            f"{call}: elements of dtype {dtype} cannot be reduced; convert them to one of "
            f"{', '.join(sorted(map(str, REDUCED)))} or complex"
        )


def checked_rank(call, name, number, size):
    """Raise unless a root or peer is a rank of the group."""
    if isinstance(number, bool) or not isinstance(number, (int, numpy.integer)):
        raise TypeError(f"{call}: {name} must be an integer, not {type(number).__name__}")
    if not 0 <= number < size:
        raise ValueError(f"{call}: {name} must be a rank, 0 to {size - 1}, not {number}")
    return int(number)


def checked_size(call, name, array, needed, *, exact=False):
    """Raise unless an array has the elements that the call reads or writes."""
    if array.size < needed or (exact and array.size != needed):
        least = "" if exact else "at least "
        raise ValueError(f"{call}: {name} has {array.size} elements, {least}{needed} are needed")


def checked_count(call, count):
    """Raise unless the number of elements is one."""
    if isinstance(count, bool) or not isinstance(count, (int, numpy.integer)):
        raise TypeError(f"{call}: count must be an integer, not {type(count).__name__}")
    if count < 0:
        raise ValueError(f"{call}: count must not be negative, it is {count}")
    return int(count)


def checked_rows(call, name, array, size):
    """Raise unless the first axis of an array has a row for every rank."""
    if array.ndim == 0 or array.shape[0] != size:
        raise ValueError(
            f"{call}: the first axis of {name} must have a row for each of the {size} ranks; its shape is "
            f"{array.shape}"
        )


def flat(array):
    """The elements of a contiguous array in one dimension, in a dtype that every transport has."""
    line = array.reshape(-1)
    dtype = line.dtype
    if dtype in REDUCED:
        return line
    return line.view(numpy.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else _BYTE)
