"""Distances to the nearest background."""

import math

import numpy
from gpunp.array.ndarray import ndarray

import gpunp
from gpunp_scipy.ndimage import distances as engine
from gpunp_scipy.ndimage.arguments import on_host, sequence
from gpunp_scipy.ndimage.structures import neighborhood

_INT32 = numpy.dtype(numpy.int32)
_FLOAT64 = numpy.dtype(numpy.float64)
_TAXICAB = ("taxicab", "cityblock", "manhattan")


def _check_wanted(name, distances, indices, return_distances, return_indices):
    """Raise RuntimeError for outputs that are not asked for, or if none is."""
    problems = []
    if not return_distances and not return_indices:
        problems.append("at least one of return_distances/return_indices must be True")
    for wanted, out, what in (
        (return_distances, distances, "distances"),
        (return_indices, indices, "indices"),
    ):
        if out is not None and not isinstance(out, ndarray):
            raise TypeError(f"{name}: {what} must be a device array, not a {type(out).__name__}")
        if out is not None and not wanted:
            problems.append(f"return_{what} must be True if {what} is supplied")
    if problems:
        raise RuntimeError(f"{name}: {', '.join(problems)}")


def _check_out(name, what, out, shape, dtype, error):
    if out is not None and out.shape != shape:
        raise error(f"{name}: {what} array has wrong shape: {out.shape} instead of {shape}")
    if out is not None and out.dtype != dtype:
        raise error(f"{name}: {what} array must be {dtype}, not {out.dtype}")


def _image(input):
    """The image as contiguous bytes, of one dimension or more."""
    input = gpunp.asarray(input)
    mask = input if input.dtype.itemsize == 1 else input != 0
    return gpunp.ascontiguousarray(mask).view(numpy.uint8).reshape(input.shape or (1,))


def _transform(image, metric, scales, *, distances, places, none=0.0):
    """Distances or costs, or None, and the place of the nearest background by axis, or None.

    Parameters
    ----------
    image : ndarray of uint8
    metric : {"squares", "sum", "greatest"}
    scales : list of float or None
        The distances of neighbors by axis, by default 1.
    distances, places : bool
        What is wanted.
    none : float, optional
        As for `gpunp_scipy.ndimage.distances.rows`.
    """
    ndim = image.ndim
    if ndim > engine.MOST_AXES:
        raise ValueError(f"distance transforms: {ndim} dimensions; at most {engine.MOST_AXES} are supported")
    # Squares of distances are integers if they are small.
    small = scales is None and sum((n + 1) ** 2 for n in image.shape) < 1 << 30
    wide = metric == "squares" and not small
    scales = [1.0] * ndim if scales is None else scales
    # One axis is a column of lines of one pixel each.
    image = image.reshape(-1, 1) if ndim == 1 else image
    scales = [*scales, 1.0] if ndim == 1 else scales
    root = distances and metric == "squares"
    cost, first = engine.columns(image, metric, scales[0], wide=wide, places=places)
    found = [first] if places else None
    last = image.ndim - 1
    for axis in range(1, last + 1):
        order = [*scales[:axis], *scales[axis + 1 :], scales[axis]]
        lines = gpunp.ascontiguousarray(numpy.moveaxis(cost, axis, -1))
        cost, nearest = engine.rows(
            lines,
            metric,
            order,
            last=axis == last,
            distances=root and axis == last,
            places=places,
            none=none,
        )
        cost = numpy.moveaxis(cost, -1, axis)
        if places:
            nearest = numpy.moveaxis(nearest, -1, axis)
            found = [numpy.take_along_axis(each, nearest, axis) for each in found] + [nearest]
    if ndim == 1:
        cost, found = cost.reshape(-1), found and [found[0].reshape(-1)]
    return cost, found


def _last_nearest(image, metric, scales, *, none):
    """As `_transform` with places: of several nearest background pixels, the last in memory.

    Of equally near places along an axis the kernels take the first, and the axis that comes last decides
    before the others. So axes are taken backwards, in reverse order.
    """
    backwards = (slice(None, None, -1),) * image.ndim
    scales = scales and scales[::-1]
    turned = gpunp.ascontiguousarray(image.T[backwards])
    cost, found = _transform(turned, metric, scales, distances=True, places=True, none=none)
    missing = found[0] < 0
    found = [numpy.where(missing, -1, n - 1 - each) for n, each in zip(turned.shape, found, strict=True)]
    return gpunp.ascontiguousarray(cost[backwards].T), [each[backwards].T for each in reversed(found)]


def _delivered(values, indices, distances_out, indices_out):
    """The result of a transform: what was asked for and has no array to be written to."""
    results = []
    for value, out in ((values, distances_out), (indices, indices_out)):
        if value is None:
            continue
        if out is None:
            results.append(value)
        else:
            out[...] = value
    return tuple(results) if len(results) == 2 else results[0] if results else None


def _stacked(found, none, shape):
    """The places by axis as one array; ``none(axis)`` where there is no background."""
    missing = found[0] < 0
    indices = gpunp.empty((len(found), *shape), _INT32, device=found[0].device)
    for axis, places in enumerate(found):
        indices[axis] = numpy.where(missing, none(axis), places).reshape(shape)
    return indices


def distance_transform_edt(
    input, sampling=None, return_distances=True, return_indices=False, distances=None, indices=None
):
    """Exact Euclidean distances; see `scipy.ndimage.distance_transform_edt`."""
    name = "distance_transform_edt"
    _check_wanted(name, distances, indices, return_distances, return_indices)
    image = _image(input)
    if sampling is not None:
        sampling = [float(scale) for scale in sequence(sampling, image.ndim)]
    _check_out(name, "indices", indices, (image.ndim, *image.shape), _INT32, RuntimeError)
    _check_out(name, "distances", distances, image.shape, _FLOAT64, RuntimeError)
    if image.size == 0:
        found = gpunp.empty((image.ndim, *image.shape), _INT32, device=image.device)
        values = gpunp.empty(image.shape, device=image.device)
    else:
        values, found = _transform(image, "squares", sampling, distances=True, places=return_indices)
        if return_indices:
            # What SciPy gives without background.
            found = _stacked(found, lambda axis: -1 if axis == 0 else 0, image.shape)
    return _delivered(
        values if return_distances else None, found if return_indices else None, distances, indices
    )


def _own_place(image):
    """The coordinate of each pixel along an axis."""

    def place(axis):
        n, rest = image.shape[axis], image.ndim - 1 - axis
        return gpunp.arange(n, dtype=_INT32, device=image.device).reshape((n,) + (1,) * rest)

    return place


def _chamfer(image, structure):
    """Steps to the background and its position, by the neighbors in the first half of a structure.

    As in SciPy, steps to later neighbors come first, then those to earlier ones.
    """
    size = image.size
    position = gpunp.arange(size, device=image.device).reshape(image.shape)
    # Steps in the high half and the position in the low half.
    far = 1 << 62
    keys = numpy.where(image != 0, far, position)
    half = structure.ravel()[: structure.size // 2].nonzero()[0]
    offsets = [tuple(c - 1 for c in numpy.unravel_index(k, structure.shape)) for k in half.tolist()]
    for sign in (1, -1):
        moves = [_overlap(image.shape, [sign * step for step in offset]) for offset in offsets]
        changed = bool(moves)
        while changed:
            before = keys.copy()
            for here, there in moves:
                keys[here] = numpy.minimum(keys[here], keys[there] + (1 << 32))
            changed = bool((keys != before).any())
    missing = keys >= far
    steps = numpy.where(missing, -1, keys >> 32).astype(_INT32)
    return steps, numpy.where(missing, position, keys & 0xFFFFFFFF)


def _overlap(shape, offset):
    """Slices of the pixels that have a neighbor at an offset, and of these neighbors."""
    here = tuple(slice(max(-step, 0), n - max(step, 0)) for step, n in zip(offset, shape, strict=True))
    there = tuple(slice(max(step, 0), n - max(-step, 0)) for step, n in zip(offset, shape, strict=True))
    return here, there


def _chamfer_metric(metric, ndim):
    """The engine's metric of a name, or a structure."""
    if isinstance(metric, str):
        if metric in _TAXICAB:
            return "sum"
        if metric == "chessboard":
            return "greatest"
        raise ValueError(
            f"distance_transform_cdt: invalid metric provided: {metric!r}; use 'chessboard' or 'taxicab'"
        )
    structure = on_host(metric, bool)
    if any(n != 3 for n in structure.shape):
        raise ValueError(f"distance_transform_cdt: metric sizes must be equal to 3, not {structure.shape}")
    if structure.ndim != ndim:
        raise ValueError(
            f"distance_transform_cdt: the metric has {structure.ndim} dimensions, but the input {ndim}"
        )
    for name, connectivity in (("sum", 1), ("greatest", ndim)):
        if numpy.array_equal(structure, neighborhood(ndim, connectivity)):
            return name
    return structure


def distance_transform_cdt(
    input, metric="chessboard", return_distances=True, return_indices=False, distances=None, indices=None
):
    """Chamfer distances; see `scipy.ndimage.distance_transform_cdt`.

    Of several nearest background pixels, another one than in SciPy may be found.
    """
    name = "distance_transform_cdt"
    _check_wanted(name, distances, indices, return_distances, return_indices)
    image = _image(input)
    metric = _chamfer_metric(metric, image.ndim)
    _check_out(name, "distances", distances, image.shape, _INT32, ValueError)
    _check_out(name, "indices", indices, (image.ndim, *image.shape), _INT32, ValueError)
    found = None
    if image.size == 0:
        values = gpunp.empty(image.shape, _INT32, device=image.device)
        found = gpunp.empty((image.ndim, *image.shape), _INT32, device=image.device)
    elif isinstance(metric, str):
        values, found = _transform(image, metric, None, distances=True, places=return_indices)
        values = values.astype(_INT32, copy=False)
        if return_indices:
            found = _stacked(found, _own_place(image), image.shape)
    else:
        values, position = _chamfer(image, metric)
        if return_indices:
            found = numpy.stack(numpy.unravel_index(position, image.shape)).astype(_INT32)
    return _delivered(
        values if return_distances else None, found if return_indices else None, distances, indices
    )


def distance_transform_bf(
    input,
    metric="euclidean",
    sampling=None,
    return_distances=True,
    return_indices=False,
    distances=None,
    indices=None,
):
    """Distances in any of three metrics; see `scipy.ndimage.distance_transform_bf`.

    The algorithm is that of the other transforms. Of several nearest background pixels, the last in memory is
    found, as in SciPy; with ``metric="chessboard"`` it may be another one.
    """
    name = "distance_transform_bf"
    _check_wanted(name, distances, indices, return_distances, return_indices)
    input = gpunp.asarray(input)
    image = _image(input)
    metrics = {"euclidean": "squares", "chessboard": "greatest", **dict.fromkeys(_TAXICAB, "sum")}
    if metric.lower() not in metrics:
        raise RuntimeError(
            f"{name}: distance metric not supported: {metric!r}; use one of {', '.join(metrics)}"
        )
    metric = metrics[metric.lower()]
    if sampling is not None:
        sampling = [float(scale) for scale in sequence(sampling, input.ndim)]
    dtype = _FLOAT64 if metric == "squares" else numpy.dtype(numpy.uint32)
    _check_out(name, "distances", distances, input.shape, dtype, RuntimeError)
    _check_out(name, "indices", indices, (input.ndim, *input.shape), _INT32, RuntimeError)
    if image.size == 0:
        values = gpunp.empty(image.shape, dtype, device=image.device)
        found = gpunp.empty((input.ndim, *image.shape), _INT32, device=image.device)
    else:
        # Like SciPy, the metrics other than Euclid's ignore the sampling.
        scales = sampling if metric == "squares" else None
        if input.ndim == 0:
            scales = None
        # The distance that SciPy gives without background.
        none = math.sqrt(numpy.finfo(numpy.float64).max)
        if return_indices and metric != "greatest":
            values, found = _last_nearest(image, metric, scales, none=none)
        else:
            values, found = _transform(
                image, metric, scales, distances=True, places=return_indices, none=none
            )
        values = values.astype(_INT32, copy=False).view(dtype) if metric != "squares" else values
        if return_indices:
            found = _stacked(found, lambda axis: 0, image.shape)[: input.ndim]
            found = found.reshape(input.ndim, *input.shape)
    values = values.reshape(input.shape)
    return _delivered(
        values if return_distances else None, found if return_indices else None, distances, indices
    )
