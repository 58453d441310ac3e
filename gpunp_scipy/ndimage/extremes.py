"""Extremes, their positions, and medians of images, by label."""

import numpy

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.ndimage.groups import Groups, is_scalar, operands, selected


def _reduce(input, labels, index, alone, grouped):
    """Call ``alone(values, positions)`` for one group or ``grouped(groups, values)`` for several."""
    if labels is None:
        values = gpunp.asarray(input)
        return alone(values.ravel(), None)
    input, labels = operands(input, labels)
    if index is not None and not is_scalar(index):
        return grouped(Groups(labels, index), input.ravel())
    places = numpy.flatnonzero(selected(labels, index))
    return alone(input.ravel()[places], places)


def _extreme_of_groups(groups, values, find_least):
    """The least or the greatest value of each group; NaN is greater than all numbers."""
    dtype, ufunc = values.dtype, numpy.minimum if find_least else numpy.maximum
    if dtype.kind == "b":
        start = find_least
    elif dtype.kind in "iu":
        start = numpy.iinfo(dtype).max if find_least else numpy.iinfo(dtype).min
    else:
        start = numpy.nan if find_least else -numpy.inf
        ufunc = numpy.fmin if find_least else ufunc
        start = complex(start, start) if dtype.kind == "c" else start
    best = gpunp.full(groups.bins + 1, start, dtype, device=values.device)
    ufunc.at(best, groups.bounded, values)
    return best


def _places_of_groups(groups, values, best, find_first):
    """The first or the last position of the best value of each group."""
    n = values.size
    best = best[groups.bounded]
    same = (values == best) | ((values != values) & (best != best))
    place = numpy.where(same, gpunp.arange(n, device=values.device), n if find_first else -1)
    found = gpunp.full(groups.bins + 1, n if find_first else -1, numpy.int64, device=values.device)
    (numpy.minimum if find_first else numpy.maximum).at(found, groups.bounded, place)
    return found


def _picked(groups, of_groups):
    return groups.pick(of_groups[:-1], default=0)


def minimum(input, labels=None, index=None):
    """Least value by label; see `scipy.ndimage.minimum`."""
    return _reduce(
        input,
        labels,
        index,
        lambda values, _: values.min(),
        lambda groups, values: _picked(groups, _extreme_of_groups(groups, values, find_least=True)),
    )


def maximum(input, labels=None, index=None):
    """Greatest value by label; see `scipy.ndimage.maximum`."""
    return _reduce(
        input,
        labels,
        index,
        lambda values, _: values.max(),
        lambda groups, values: _picked(groups, _extreme_of_groups(groups, values, find_least=False)),
    )


def median(input, labels=None, index=None):
    """Median of the values by label; see `scipy.ndimage.median`."""
    if labels is not None and index is not None and not is_scalar(index):
        return _medians(*operands(input, labels), index)
    return _reduce(input, labels, index, lambda values, _: numpy.median(values), None)


def _medians(input, labels, index):
    index = Groups(labels, index).index
    values, labels = input.ravel(), labels.ravel()
    order = numpy.lexsort((values, labels))
    ordered, labels = values[order], labels[order]
    first = numpy.searchsorted(labels, index)
    last = numpy.searchsorted(labels, index, side="right") - 1
    # As in SciPy, labels that do not occur have the value that is sorted first.
    step = numpy.where(last < first, 0, (last - first) // 2)
    low, high = (numpy.where(last < first, 0, place) for place in (first + step, last - step))
    if ordered.dtype.kind in "biu":
        ordered = ordered.astype(numpy.float64)
    return (ordered[low] + ordered[high]) / 2.0


def _position(values, places, find_least):
    at = numpy.argmin(values) if find_least else numpy.argmax(values)
    return at if places is None else places[at]


def _coordinates(position, shape):
    """A position as a tuple of scalars, or positions as a list of tuples on the host."""
    found = numpy.unravel_index(position, shape) if shape else ()
    if position.ndim == 0:
        return tuple(each._mark_scalar() for each in found)
    if not found:
        return [()] * position.size
    return [tuple(place) for place in asnumpy(numpy.stack([each.ravel() for each in found])).T]


def _with_positions(input, labels):
    """The image, which must not be broadcast to the shape of the labels."""
    if labels is None:
        return gpunp.asarray(input)
    values, _ = operands(input, labels)
    if values.shape != numpy.shape(input):
        raise IndexError(
            f"positions: the input of shape {numpy.shape(input)} would be broadcast to {values.shape}, "
            "the shape of the labels; broadcast it first"
        )
    return values


def _positions(input, labels, index, find_least):
    input = _with_positions(input, labels)

    def grouped(groups, values):
        best = _extreme_of_groups(groups, values, find_least)
        return _picked(groups, _places_of_groups(groups, values, best, find_first=find_least))

    found = _reduce(
        input, labels, index, lambda values, places: _position(values, places, find_least), grouped
    )
    return _coordinates(found, input.shape)


def minimum_position(input, labels=None, index=None):
    """Position of the least value by label; see `scipy.ndimage.minimum_position`.

    Of equal values, the first counts. For a sequence of labels, the list has NumPy scalars on the host, which
    waits for them.
    """
    return _positions(input, labels, index, find_least=True)


def maximum_position(input, labels=None, index=None):
    """Position of the greatest value by label; see `scipy.ndimage.maximum_position`.

    Of equal values, the first counts, but for a sequence of labels the last. The list that they give has
    NumPy scalars on the host, which waits for them.
    """
    return _positions(input, labels, index, find_least=False)


def extrema(input, labels=None, index=None):
    """Least and greatest values and their positions by label; see `scipy.ndimage.extrema`.

    Positions are as in `minimum_position` and `maximum_position`.
    """
    input = _with_positions(input, labels)

    def alone(values, places):
        low, high = (_position(values, places, find_least) for find_least in (True, False))
        return values.min(), low, values.max(), high

    def grouped(groups, values):
        found = []
        for find_least in (True, False):
            best = _extreme_of_groups(groups, values, find_least)
            place = _places_of_groups(groups, values, best, find_first=find_least)
            found += [_picked(groups, best), _picked(groups, place)]
        return found

    least, low, greatest, high = _reduce(input, labels, index, alone, grouped)
    return least, greatest, _coordinates(low, input.shape), _coordinates(high, input.shape)
