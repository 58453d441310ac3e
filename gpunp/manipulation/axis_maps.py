"""Copies in one pass, where a rule per axis maps the result's index to the source's."""

from gpunp.manipulation import moves

STRAIGHT = (moves.RULES["straight"], 0)


def cycle(offset):
    """Read index ``(i + offset) mod length``."""
    return moves.RULES["cycle"], offset


def nearest(before):
    """Repeat the end elements, the first one ``before`` times in front."""
    return moves.RULES["nearest"], before


def mirrored(before, length, ends_twice):
    """Run back and forth over the source, starting ``before`` positions in front of it."""
    period = 2 * length if ends_twice else 2 * (length - 1)
    return moves.RULES["mirror_edges" if ends_twice else "mirror"], -before % period


def divide(times):
    """Read each index ``times`` times."""
    return moves.RULES["divide"], times


def outside(before):
    """Put ``before`` constants in front of the source and fill the rest with constants."""
    return moves.RULES["outside"], before


def map_axes(source, shape, rules, constants=None):
    """A new C-ordered array that reads ``source`` by one rule per axis.

    Parameters
    ----------
    source : ndarray
    shape : tuple of int
        Extents of the result.
    rules : list of (rule, offset)
        One per axis, as returned by the functions of this module.
    constants : numpy.ndarray, optional
        Elements of the source's dtype, of shape (ndim, 2), for rule `outside`: before and after the source.
    """
    values = None if constants is None else constants.tobytes()
    out = moves.mapped(source, shape, rules, values)
    if out is not None:
        return out
    # Too many axes for one launch: map one axis at a time; the others are straight and merge.
    for axis, rule in enumerate(rules):
        if rule != STRAIGHT:
            step = tuple(shape[d] if d <= axis else extent for d, extent in enumerate(source.shape))
            alone = [rule if d == axis else STRAIGHT for d in range(source.ndim)]
            source = moves.mapped(source.copy() if source.base is not None else source, step, alone, values)
    return source


def in_memory_order(source):
    """(axes, inverse): the axes from the largest stride to the smallest, and the inverse permutation."""
    strides = source.strides
    axes = sorted(range(source.ndim), key=lambda axis: -abs(strides[axis]))
    return axes, sorted(range(source.ndim), key=axes.__getitem__)
