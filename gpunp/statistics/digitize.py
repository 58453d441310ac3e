"""The bin of each element."""

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

    Bins on a device are checked for monotonicity there; a later call raises the `ValueError`.
    """
    bins = joined(bins)
    if not isinstance(bins, ndarray):
        if isinstance(x, ndarray) and x.dtype.kind == "c":
            raise TypeError("x may not be complex")
        # NumPy itself checks bins on the host, at once.
        numpy.digitize(numpy.empty(0), bins)
    x, bins = on_one_device(x, bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.dtype.kind == "c":
        raise TypeError(
            f"Cannot cast array data from {bins.dtype!r} to dtype('float64') according to the rule 'safe'"
        )
    require_one_dimension(bins)
    # Descending bins are searched from their end, where the kernel swaps the sides.
    return find_places(bins, x, search.BINS, not right)._mark_scalar()
