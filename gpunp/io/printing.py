"""Text of arrays: the elements are copied to the host, and NumPy formats them."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements


def _summarised(a, threshold, edgeitems):
    """The host array to print and the threshold for it; of a large array only the edges are copied."""
    if not isinstance(a, ndarray) or a.size <= 4096:
        return asnumpy(a), None
    options = numpy.get_printoptions()
    threshold = options["threshold"] if threshold is None else threshold
    edgeitems = options["edgeitems"] if edgeitems is None else edgeitems
    if a.size <= threshold:
        return asnumpy(a), None
    # NumPy shows `edgeitems` elements at both ends of an axis, and never what lies between.
    keep = 2 * edgeitems + 2
    short = a
    for axis, extent in enumerate(a.shape):
        if extent > keep:
            head = (slice(None),) * axis
            rows = (*head, slice(None, edgeitems + 1)), (*head, slice(-edgeitems - 1, None))
            short = _joined(short[rows[0]], short[rows[1]], axis)
    return asnumpy(short), min(threshold, short.size - 1)


def _joined(first, second, axis):
    shape = list(first.shape)
    shape[axis] += second.shape[axis]
    out = layout.empty(shape, first.dtype, "C", first.device)
    head = (slice(None),) * axis
    out[(*head, slice(None, first.shape[axis]))] = first
    out[(*head, slice(first.shape[axis], None))] = second
    return out


@implements(numpy.array2string)
def array2string(
    a,
    max_line_width=None,
    precision=None,
    suppress_small=None,
    separator=" ",
    prefix="",
    *,
    formatter=None,
    threshold=None,
    edgeitems=None,
    sign=None,
    floatmode=None,
    suffix="",
    legacy=None,
):
    """The text of an array, with all of NumPy's printing options; see `numpy.array2string`."""
    host, short_threshold = _summarised(a, threshold, edgeitems)
    return numpy.array2string(
        host,
        max_line_width,
        precision,
        suppress_small,
        separator,
        prefix,
        formatter=formatter,
        threshold=threshold if short_threshold is None else short_threshold,
        edgeitems=edgeitems,
        sign=sign,
        floatmode=floatmode,
        suffix=suffix,
        legacy=legacy,
    )


@implements(numpy.array_repr)
def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The text that `repr` returns for an array; see `numpy.array_repr`."""
    host, threshold = _summarised(arr, threshold=None, edgeitems=None)
    if threshold is None:
        return numpy.array_repr(host, max_line_width, precision, suppress_small)
    with numpy.printoptions(threshold=threshold):
        text = numpy.array_repr(host, max_line_width, precision, suppress_small)
    # NumPy appends the shape of a summarized array, on a new line if the last one is full.
    body, found, rest = text.rpartition(f"shape={host.shape}")
    if not found:
        return text
    body, extras = body.rstrip(), f"shape={arr.shape}{rest}"
    width = numpy.get_printoptions()["linewidth"] if max_line_width is None else max_line_width
    last_line = len(body) - (body.rfind("\n") + 1)
    return body + (" " if last_line + len(extras) + 1 <= width else "\n      ") + extras


@implements(numpy.array_str)
def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The text that `str` returns for an array; see `numpy.array_str`.

    Returns
    -------
    str
    """
    host, threshold = _summarised(a, threshold=None, edgeitems=None)
    if threshold is None:
        return numpy.array_str(host, max_line_width, precision, suppress_small)
    with numpy.printoptions(threshold=threshold):
        return numpy.array_str(host, max_line_width, precision, suppress_small)


def format_array(a, spec):
    """Implement ``format(a, spec)``: as in NumPy, arrays that are not 0-d accept only an empty spec."""
    if a.ndim == 0:
        return format(a.item(), spec)
    if spec:
        raise TypeError(
            f"format: an array of shape {a.shape} takes no format specification, got {spec!r}; format its "
            "elements, or print with numpy.printoptions"
        )
    return array_str(a)
