"""Connected regions: labels, and where each label is."""

import operator

import numpy
from gpunp.array.ndarray import ndarray

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp_scipy.ndimage import regions
from gpunp_scipy.ndimage.arguments import on_host
from gpunp_scipy.ndimage.structures import flipped, neighborhood


def _structure(structure, ndim):
    """Check a structure as SciPy does."""
    structure = neighborhood(ndim, 1) if structure is None else on_host(structure, bool)
    if structure.ndim != ndim:
        raise RuntimeError(f"structure and input must have equal rank, not {structure.ndim} and {ndim}")
    if any(n != 3 for n in structure.shape):
        raise ValueError(f"structure dimensions must be equal to 3, not {structure.shape}")
    if not numpy.array_equal(structure, flipped(structure)):
        raise AssertionError("Structuring element is not symmetric: it must not change when it is reversed")
    return structure


def _foreground(x):
    """The pixels that are not zero, as contiguous bytes."""
    if x.dtype.itemsize == 1:
        return gpunp.ascontiguousarray(x).view(numpy.uint8)
    return gpunp.ascontiguousarray(x != 0).view(numpy.uint8)


def _number(image, structure, dtype):
    """Labels of a nonempty image of bytes, and their number on the device."""
    kept = [k for k, n in enumerate(image.shape) if n > 1] or [0]
    shape = image.shape
    image = image.reshape([shape[k] for k in kept])
    # Offsets to the neighbors that come before a pixel. Axes of length 1 have none.
    offsets = [tuple(int(c) - 1 for c in place) for place in numpy.argwhere(structure)]
    offsets = [o for o in offsets if o < (0,) * len(shape)]
    offsets = [tuple(o[k] for k in kept) for o in offsets if not any(numpy.delete(o, kept))]
    if len(kept) == 1:
        first = image != 0
        labels = first.astype(dtype)
        if offsets:
            labels[1:] *= ~first[:-1]
        labels = numpy.cumsum(labels, dtype=dtype)
        count = labels[-1]
        labels *= first
        return labels.reshape(shape), count
    labels = regions.connect(image, offsets, dtype == numpy.int64)
    bits, counts = regions.find_roots(image, labels)
    ends = numpy.cumsum(counts)
    regions.number(image, labels, bits, ends)
    return labels.reshape(shape), ends[-1]


def label(input, structure=None, output=None):
    """Number the connected regions of nonzero elements; see `scipy.ndimage.label`.

    The number of regions is on the device, so that nothing waits for it.
    """
    input = gpunp.asarray(input)
    if input.dtype.kind == "c":
        raise TypeError("label: Complex type not supported; pass the real part or the absolute values")
    structure = _structure(structure, input.ndim)
    wide = numpy.dtype(numpy.int64 if input.size >= 2**31 - 2 else numpy.int32)
    given = isinstance(output, ndarray)
    if given and output.shape != input.shape:
        raise ValueError(f"output shape not correct: {output.shape}, but the input has {input.shape}")
    if input.ndim == 0 or input.size == 0:
        if not given:
            output = gpunp.empty(input.shape, wide if output is None else output, device=input.device)
        if input.ndim == 0:
            output[...] = input != 0
            return int(output != 0) if given else (output, int(output != 0))
        return 0 if given else (output, 0)
    # As in SciPy, lines along the axis of the output with the smallest stride are numbered one after another.
    axis = input.ndim - 1
    if given:
        axis = min(range(input.ndim), key=lambda k: (output.shape[k] < 2, abs(output.strides[k]), k))
    image = _foreground(numpy.moveaxis(input, axis, -1))
    labels, count = _number(image, numpy.moveaxis(structure, axis, -1), wide)
    labels = numpy.moveaxis(labels, -1, axis)
    count = count.astype(numpy.int64)._mark_scalar()
    if not given:
        if output is None or numpy.dtype(output) == wide:
            return labels, count
        output = labels.astype(output)
        _check_range(output, count)
        return output, count
    output[...] = labels
    _check_range(output, count)
    return count


def _check_range(output, count):
    """Raise RuntimeError if an output cannot hold the number of labels; waits only if that may be."""
    dtype = output.dtype
    if dtype.kind in "iu":
        most = numpy.iinfo(dtype).max
    elif dtype.kind == "b":
        most = 255
    else:
        most = 2 ** (numpy.finfo(dtype).nmant + 1)
    if output.size > most and int(count) > most:
        raise RuntimeError(f"insufficient bit-depth in requested output type: {int(count)} labels in {dtype}")


def find_objects(input, max_label=0):
    """Slices around each label; see `scipy.ndimage.find_objects`.

    The slices are on the host, which waits for them.
    """
    input = gpunp.asarray(input)
    if input.dtype.kind == "c":
        raise TypeError("find_objects: Complex type not supported; pass labels, which are integers")
    if isinstance(max_label, ndarray):
        max_label = fetched(max_label)[()]
    if max_label < 1:
        max_label = fetched(input.max())[()]
    max_label = operator.index(max_label)
    if max_label < 1:
        return []
    if input.dtype.char not in "il":
        input = input.astype(numpy.int64)
    found = asnumpy(regions.boxes(gpunp.ascontiguousarray(input).reshape(input.shape or (1,)), max_label))
    found[..., 1] = ~found[..., 1] + 1
    missing = found[:, 0, 0] > found[:, 0, 1]
    ndim = input.ndim
    return [
        None if no else tuple(slice(start, stop) for start, stop in box[:ndim])
        for box, no in zip(found.tolist(), missing.tolist(), strict=True)
    ]


def value_indices(arr, *, ignore_value=None):
    """Indices of each value that occurs; see `scipy.ndimage.value_indices`.

    The keys are on the host, which waits for them; the indices are device arrays.
    """
    arr = gpunp.asarray(arr)
    if arr.dtype.kind not in "iu":
        raise ValueError(f"value_indices: Parameter 'arr' must be an integer array, not one of {arr.dtype}")
    if arr.size == 0:
        return {}
    flat = arr.ravel()
    order = numpy.argsort(flat, kind="stable")
    values, starts = numpy.unique(flat[order], return_index=True)
    values, ends = fetched(values), [*asnumpy(starts).tolist()[1:], arr.size]
    indices = numpy.unravel_index(order, arr.shape) if arr.ndim else ()
    ignored = None if ignore_value is None else arr.dtype.type(ignore_value)
    found, start = {}, 0
    for value, end in zip(values, ends, strict=True):
        if ignored is None or value != ignored:
            found[value] = tuple(index[start:end] for index in indices)
        start = end
    return found
