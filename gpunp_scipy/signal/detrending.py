"""Removal of trends along an axis."""

import numpy
from numpy.lib.array_utils import normalize_axis_index

import gpunp


def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """Remove a mean or a linear trend along an axis; see `scipy.signal.detrend`.

    Lines are fitted by sums over centred positions, not by a least-squares solver.
    """
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError(f"Trend type must be 'linear' or 'constant', not {type!r}.")
    data = gpunp.asarray(data)
    if type in ("constant", "c"):
        return data - numpy.mean(data, axis=axis, keepdims=True)
    axis = normalize_axis_index(axis, data.ndim)
    length = data.shape[axis]
    breaks = numpy.unique(numpy.concatenate([numpy.atleast_1d(bp).ravel(), [0, length]]))
    if (breaks > length).any():
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    dtype = data.dtype if data.dtype.char in "dfDF" else numpy.dtype("d")
    in_place = overwrite_data and data.dtype == dtype
    data = data if in_place else data.astype(dtype)
    rows = numpy.moveaxis(data, axis, -1)
    for begin, end in zip(breaks[:-1].tolist(), breaks[1:].tolist(), strict=True):
        _remove_line(rows[..., begin:end])
    return data


def _remove_line(rows):
    """Remove the line of least squares from each row, in place."""
    length = rows.shape[-1]
    places = gpunp.arange(length, dtype=rows.real.dtype, device=rows.device) - (length - 1) / 2
    rows -= numpy.mean(rows, axis=-1, keepdims=True)
    if length > 1:
        # The sum of the squares of the centred places.
        squares = length * (length * length - 1) / 12
        slope = (rows @ places / squares)[..., numpy.newaxis]
        rows -= slope * places
