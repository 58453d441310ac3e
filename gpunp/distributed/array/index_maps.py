"""Which elements of an array each chunk holds: a range for every axis."""

import math
import operator
from itertools import pairwise


def make_2d_index_map(i_partitions, j_partitions, devices):
    """An index map that cuts a matrix into blocks.

    Parameters
    ----------
    i_partitions, j_partitions : list of int
        Where rows and columns are cut, from 0 to their number.
    devices : list of list of set of int
        The devices of each block.

    Returns
    -------
    dict
        For each device a list of pairs of slices.

    Raises
    ------
    ValueError
        If a list of cuts does not begin with 0 and rise, or ``devices`` has another number of blocks.

    Examples
    --------
    >>> index_map = make_2d_index_map([0, 2, 4], [0, 3, 5], [[{0}, {1}], [{2}, {0, 1}]])
    >>> index_map[1]
    [(slice(0, 2, None), slice(3, 5, None)), (slice(2, 4, None), slice(3, 5, None))]
    """
    for name, cuts in (("i_partitions", i_partitions), ("j_partitions", j_partitions)):
        if len(cuts) < 2 or cuts[0] != 0 or any(low >= high for low, high in pairwise(cuts)):
            raise ValueError(f"make_2d_index_map: {name} must begin with 0 and rise, not {cuts}")
    rows, columns = list(pairwise(i_partitions)), list(pairwise(j_partitions))
    if len(devices) != len(rows) or any(len(row) != len(columns) for row in devices):
        raise ValueError(
            f"make_2d_index_map: devices must have {len(rows)} rows of {len(columns)} sets, one for each "
            "block"
        )
    index_map = {}
    for i, row in zip(rows, devices, strict=True):
        for j, holders in zip(columns, row, strict=True):
            for device in sorted(holders):
                index_map.setdefault(device, []).append((slice(*i), slice(*j)))
    return index_map


def parse_map(call, shape, index_map):
    """For each device, in ascending order, its indices as tuples of ranges; empty ones are left out."""
    if not isinstance(index_map, dict) or not index_map:
        raise TypeError(f"{call}: index_map must be a dict from numbers of devices to indices")
    found = {}
    for device in sorted(map(operator.index, index_map)):
        indices = index_map[device]
        indices = indices if isinstance(indices, list) else [indices]
        parsed = (parse_index(call, shape, index) for index in indices)
        found[device] = [index for index in parsed if all(map(len, index))]
    return found


def parse_index(call, shape, index):
    """The ranges that an index of slices, integers and an ellipsis selects."""
    parts = index if isinstance(index, tuple) else (index,)
    if parts.count(...) > 1:
        raise IndexError(f"{call}: an index can have one ellipsis only, not {index}")
    if ... in parts:
        place = parts.index(...)
        fill = len(shape) - len(parts) + 1
        parts = (*parts[:place], *(slice(None),) * fill, *parts[place + 1 :])
    if len(parts) > len(shape):
        raise IndexError(f"{call}: the index {index} has {len(parts)} parts for {len(shape)} axes")
    parts += (slice(None),) * (len(shape) - len(parts))
    return tuple(_parse_axis(call, part, length) for part, length in zip(parts, shape, strict=True))


def _parse_axis(call, part, length):
    if isinstance(part, slice):
        found = range(*part.indices(length))
        if found.step < 0:
            raise ValueError(f"{call}: slices must have positive steps, not {part}")
        return found
    try:
        number = operator.index(part)
    except TypeError:
        raise TypeError(f"{call}: an index map has slices and integers, not {type(part).__name__}") from None
    if not -length <= number < length:
        raise IndexError(f"{call}: index {number} is out of bounds for an axis of length {length}")
    return range(number % length, number % length + 1)


def slices_of(index):
    """Ranges as slices of the whole array."""
    return tuple(slice(part.start, part.stop, part.step) for part in index)


def shape_of(index):
    """The shape of the chunk with an index."""
    return tuple(map(len, index))


def size_of(index):
    """The number of elements of an index."""
    return math.prod(map(len, index))


def meet_axis(one, other):
    """The common elements of two ranges, or None."""
    divisor = math.gcd(one.step, other.step)
    if (other.start - one.start) % divisor:
        return None
    step = one.step * other.step // divisor
    # The first number that is in both progressions, by the Chinese remainder theorem.
    turns = (other.start - one.start) // divisor * pow(one.step // divisor, -1, other.step // divisor)
    first = one.start + one.step * (turns % (other.step // divisor))
    low = max(one.start, other.start)
    first += -((first - low) // step) * step
    found = range(first, min(one[-1], other[-1]) + 1, step)
    return found or None


def meet(one, other):
    """The common elements of two indices, or None."""
    found = []
    for axis in zip(one, other, strict=True):
        common = meet_axis(*axis)
        if common is None:
            return None
        found.append(common)
    return tuple(found)


def inside(inner, outer):
    """The slices of the chunk with index ``outer`` at which the elements ``inner`` are."""
    found = []
    for part, whole in zip(inner, outer, strict=True):
        start = (part.start - whole.start) // whole.step
        step = max(part.step // whole.step, 1)
        found.append(slice(start, start + (len(part) - 1) * step + 1, step))
    return tuple(found)


def is_covered(target, pieces):
    """Whether parts of an index together have all of its elements."""
    if any(piece == target for piece in pieces):
        return True
    if sum(map(size_of, pieces)) < size_of(target):
        return False
    # Elements of an axis that are in the same pieces are alike: one of each kind is tried.
    kinds = []
    for axis, whole in enumerate(target):
        seen = {}
        for number in whole:
            seen.setdefault(frozenset(i for i, piece in enumerate(pieces) if number in piece[axis]), None)
        kinds.append(list(seen))
    return _all_kinds(kinds, frozenset(range(len(pieces))))


def _all_kinds(kinds, alive):
    if not alive:
        return False
    return not kinds or all(_all_kinds(kinds[1:], alive & kind) for kind in kinds[0])
