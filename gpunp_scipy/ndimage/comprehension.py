"""Any function of the elements of each label."""

import numpy
from gpunp.array.ndarray import ndarray

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp_scipy.ndimage.groups import is_scalar, operands


def label_indices(index, labels):
    """Labels that are asked for, as a host array of one dimension or more in the dtype of the labels."""
    index = numpy.atleast_1d(fetched(index) if isinstance(index, ndarray) else numpy.asarray(index))
    with numpy.errstate(invalid="ignore"):
        converted = index.astype(labels.dtype)
    if numpy.any(converted.astype(index.dtype) != index):
        raise ValueError(
            f"Cannot convert index values from <{index.dtype}> to <{labels.dtype}> (labels' type) without "
            "loss of precision"
        )
    return converted


def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False):
    """Results of a function of the elements of each label; see `scipy.ndimage.labeled_comprehension`.

    The function gets device arrays, in C order. The host waits for where they begin and end. With an object
    dtype, the result is a host array of what the function returns.
    """
    if labels is None:
        if index is not None:
            raise ValueError("labeled_comprehension: index without defined labels; give labels, or no index")
        input = gpunp.asarray(input).ravel()
        return func(*_with_positions(input, input.shape, pass_positions))
    try:
        input, labels = operands(input, labels)
    except ValueError as error:
        raise ValueError(
            "labeled_comprehension: input and labels must have the same shape (excepting dimensions with "
            "width 1)"
        ) from error
    if index is None:
        chosen = labels > 0
        return func(*(each[chosen] for each in _with_positions(input, input.shape, pass_positions)))
    scalar = is_scalar(index)
    index = label_indices(index, labels)
    labels = labels.ravel()
    order = numpy.argsort(labels, kind="stable")
    places = gpunp.asarray(index, device=input.device)
    bounds = numpy.stack([numpy.searchsorted(labels[order], places, side=side) for side in ("left", "right")])
    starts, ends = asnumpy(bounds)
    arrays = [each.ravel()[order] for each in _with_positions(input, input.shape, pass_positions)]
    dtype = numpy.dtype(out_dtype)
    if dtype.kind == "O":
        results = numpy.empty(index.shape, dtype)
    else:
        results = gpunp.empty(index.shape, dtype, device=input.device)
    results[...] = default
    for place in numpy.ndindex(index.shape):
        if starts[place] < ends[place]:
            results[place] = func(*(each[starts[place] : ends[place]] for each in arrays))
    return results[0] if scalar else results


def _with_positions(input, shape, wanted):
    """The image, and the position of each element in C order if wanted."""
    return (input, gpunp.arange(input.size, device=input.device).reshape(shape)) if wanted else (input,)
