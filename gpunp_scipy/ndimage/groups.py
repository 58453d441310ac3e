"""The elements of an image by label: which labels are asked for, and where their elements are."""

import functools

import numpy
from gpunp.array.ndarray import ndarray

import gpunp
from gpunp.statistics import binning


def is_scalar(index):
    """Whether ``index`` is one label, so that results are scalars."""
    return index._is_scalar if isinstance(index, ndarray) else numpy.isscalar(index)


def operands(input, labels):
    """The image and its labels on one device and in one shape."""
    device = labels.device if isinstance(labels, ndarray) and not isinstance(input, ndarray) else None
    input = gpunp.asarray(input, device=device)
    return numpy.broadcast_arrays(input, gpunp.asarray(labels, device=input.device))


def selected(labels, index):
    """The elements of one label, or of all positive ones if ``index`` is None, as a mask."""
    return labels > 0 if index is None else labels == index


class Groups:
    """Groups of elements by label.

    Parameters
    ----------
    labels : ndarray
    index : array_like
        The labels that are asked for.

    Attributes
    ----------
    slots : ndarray of int
        The group of each element in C order; groups outside of ``range(bins)`` are not asked for.
    bins : int
    index : ndarray
        The labels that are asked for, as integers if all labels are.
    rows : ndarray of int
        The group of each label of ``index``, in its shape.
    """

    def __init__(self, labels, index):
        if labels.size == 0:
            raise ValueError(
                "zero-size array to reduction operation minimum which has no identity: no labels"
            )
        self.slots = gpunp.ascontiguousarray(labels.ravel())
        if not isinstance(index, ndarray):
            index = numpy.asarray(index)
        if labels.dtype.kind == "i" or (labels.dtype.kind == "u" and labels.dtype.itemsize < 8):
            index = index.astype(numpy.int64)
            if not isinstance(index, ndarray) and index.size:
                most = int(index.max())
                if index.min() >= 0 and most < max(4 * labels.size, 1 << 16):
                    self.bins = most + 1
                    self.index = self.rows = gpunp.asarray(index, device=labels.device)
                    return
        self.index = gpunp.asarray(index, device=labels.device)
        self._search(self.index)

    def _search(self, index):
        """Number the groups in the order of the labels that are asked for."""
        self.bins = index.size
        if self.bins == 0:
            self.rows = gpunp.zeros(index.shape, numpy.int64, device=index.device)
            return
        known = numpy.sort(index.ravel())
        found = numpy.searchsorted(known, self.slots)
        same = known[numpy.minimum(found, self.bins - 1)] == self.slots
        self.slots = numpy.where(same, found, -1)
        self.rows = numpy.searchsorted(known, index)

    @functools.cached_property
    def bounded(self):
        """Like `slots`, but ``bins`` for all elements that are not asked for."""
        slots = self.slots
        return numpy.where((slots >= 0) & (slots < self.bins), slots, self.bins).astype(numpy.int64)

    @functools.cached_property
    def counts(self):
        """The number of elements in each group."""
        return binning.count_values(self.slots, self.bins)

    def sums(self, values):
        """The sum of the values in each group, with the same bits in every run."""
        if values.dtype.kind == "c":
            raise TypeError(
                f"Cannot cast array data from {values.dtype!r} to dtype('float64') according to the rule "
                "'safe': sums by label are real; take the real and the imaginary part one after the other"
            )
        return binning.weighted(self.slots, values.ravel(), self.bins)

    def spread(self, of_groups):
        """The value of its group for each element; any value for those that are not asked for."""
        return numpy.take(of_groups, self.slots, mode="clip") if self.bins else self.slots

    def pick(self, of_groups, default=None):
        """The values of the labels that are asked for; ``default`` for those that do not occur."""
        if default is not None:
            of_groups = numpy.where(self.counts > 0, of_groups, of_groups.dtype.type(default))
        return of_groups[self.rows]
