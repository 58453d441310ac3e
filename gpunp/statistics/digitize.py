"""Which bin an element falls into."""

import numpy

from gpunp.array.convert import joined
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import on_one_device
from gpunp.dispatch.registry import implements
from gpunp.sorting import search
from gpunp.sorting.searchsorted import KERNELS, find_places, require_one_dimension


@implements(numpy.digitize, kernels=KERNELS)
def digitize(x, bins, right=False):
    """Indices of the bins to which elements belong; see `numpy.digitize`.

    The order of bins that are on the device is checked there: the `ValueError` comes with a later call.
    """
    bins = joined(bins)
    if not isinstance(bins, ndarray):
        if isinstance(x, ndarray) and x.dtype.kind == "c":
            raise TypeError("x may not be complex")
        # Bins on the host are checked there, at once.
        numpy.digitize(numpy.empty(0), bins)
    x, bins = on_one_device(x, bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.dtype.kind == "c":
        raise TypeError(
            f"Cannot cast array data from {bins.dtype!r} to dtype('float64') according to the rule 'safe'"
        )
    require_one_dimension(bins)
    # Descending bins are searched from their end, where the other side is meant.
    return find_places(bins, x, search.BINS, not right)._mark_scalar()
