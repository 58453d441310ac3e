"""Copies whose source index is a function of the result's index, axis by axis, in one pass."""

from gpunp.manipulation import moves

STRAIGHT = (moves.RULES["straight"], 0)


def cycle(offset):
    """Index ``(i + offset) mod length``."""
    return moves.RULES["cycle"], offset


def nearest(before):
    """The ends repeated, ``before`` times in front."""
    return moves.RULES["nearest"], before


def mirrored(before, length, ends_twice):
    """Back and forth over the source, the first time from ``before`` places in front."""
    period = 2 * length if ends_twice else 2 * (length - 1)
    return moves.RULES["mirror_edges" if ends_twice else "mirror"], -before % period


def divide(times):
    """Every index ``times`` times."""
    return moves.RULES["divide"], times


def outside(before):
    """The source after ``before`` constants, and constants after it."""
    return moves.RULES["outside"], before


def map_axes(source, shape, rules, constants=None):
    """A new C-ordered array that reads ``source`` by one rule for each axis.

    Parameters
    ----------
    source : ndarray
    shape : tuple of int
        Extents of the result.
    rules : list of (rule, offset)
        What the functions of this module return, one for each axis.
    constants : numpy.ndarray, optional
        Elements of the source's dtype, shape (ndim, 2): what stands outside, before and after.
    """
    values = None if constants is None else constants.tobytes()
    out = moves.mapped(source, shape, rules, values)
    if out is not None:
        return out
    # More axes than a launch takes: one at a time, and all others straight, which merge with each other.
    for axis, rule in enumerate(rules):
        if rule != STRAIGHT:
            step = tuple(shape[d] if d <= axis else extent for d, extent in enumerate(source.shape))
            alone = [rule if d == axis else STRAIGHT for d in range(source.ndim)]
            source = moves.mapped(source.copy() if source.base is not None else source, step, alone, values)
    return source


def in_memory_order(source):
    """(axes, inverse): the axes of an array from the largest stride to the smallest, and the way back."""
    strides = source.strides
    axes = sorted(range(source.ndim), key=lambda axis: -abs(strides[axis]))
    return axes, sorted(range(source.ndim), key=axes.__getitem__)
