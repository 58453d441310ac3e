"""Trees of points on a device: the engine behind `KDTree`.

A balanced k-d tree: every node is split at the median of the coordinate in which it is widest, down to leaves
of a few points. All nodes of a level are split by one radix sort. The tree is complete, so that it needs no
pointers, and has bounding boxes in place of planes, which are computed level by level from the leaves.
Queries are sorted along Morton's curve, so that the threads of a warp go through the same boxes. With many
coordinates a tree is of no use: neighbors are selected from the distances of all pairs.
"""

import functools
import math

import numpy
from gpunp.device import get_device

import gpunp
from gpunp.array.convert import asarray, asnumpy
from gpunp.array.operands import device_of
from gpunp_scipy.spatial import pairs, tree_kernels

F8 = numpy.dtype("f8")
INT8 = numpy.dtype("i8")
# Of the points of trees whose boxes are searched for neighbors: with more coordinates, most boxes would be.
_MOST_DIMENSIONS = 15
# Distances that neighbors are selected from at a time.
_DISTANCES = 1 << 26
# The kernel of the distances of all pairs, by Minkowski's p.
_KERNELS = {
    1: ("absolutes", pairs.SUM),
    2: ("squares", pairs.ROOT),
    numpy.inf: ("greatest", pairs.SUM),
}
# Elements of the counts of neighbors, by radius and query, that are computed at a time.
_COUNTS = 1 << 25


def points_of(x, name, device=None):
    """Real points as a contiguous float64 array on a device.

    Raises
    ------
    TypeError
        For complex numbers.
    """
    x = asarray(x, device=device)
    if x.dtype.kind == "c":
        raise TypeError(f"{name} does not work with complex data")
    return asarray(x, dtype=F8, order="C")


def in_powers(length, p):
    """What the kernels compare in place of a length: its square for p = 2, for example."""
    return length if p in (1, numpy.inf) else length * length if p == 2 else length**p


def checked_norm(p):
    """Minkowski's p as a number."""
    p = float(p)
    if not p >= 1:
        raise ValueError("Only p-norms with 1<=p<=infinity permitted")
    return p


class PointTree:
    """Points that can be searched.

    Parameters
    ----------
    data : ndarray
        Of shape (n, dimensions), contiguous and float64; not changed as long as the tree is used.
    period : numpy.ndarray, optional
        Of each coordinate, on the host; 0 for none.

    Attributes
    ----------
    low, high : ndarray
        The corners of the box of all points.
    """

    def __init__(self, data, period=None):
        self.data, self.device = data, data.device
        self.n, self.dimensions = data.shape
        self._leaves = 1 << max(math.ceil(self.n / tree_kernels.LEAF) - 1, 0).bit_length()
        with self.device:
            self._period = None if period is None else asarray(period)
            if self.n:
                self.low, self.high = data.min(axis=0), data.max(axis=0)
            else:
                self.low = self.high = gpunp.zeros(self.dimensions)
            # One size of cells for all coordinates.
            widest = numpy.max(self.high - self.low) if self.dimensions else gpunp.zeros(())
            cells = 2.0 ** tree_kernels.bits_of(self.dimensions)
            self._scale = numpy.where(widest > 0, cells / numpy.where(widest > 0, widest, 1), 1)

    @functools.cached_property
    def _tree(self):
        """Built when it is first needed: neighbors in many coordinates need none."""
        with self.device:
            points, order = self._sorted(self.data)
            boxes = tree_kernels.boxes(points, self._leaves)
            return tree_kernels.Tree(points, order, boxes, self._leaves, self._period)

    @property
    def order(self):
        """The places in `data` of the points as the leaves have them."""
        return self._tree.order

    def _sorted(self, data):
        """The points in the order of the leaves, and their places in the data."""
        order = gpunp.arange(self.n)
        if self._leaves == 1 or not self.dimensions:
            return data, order
        size, nodes = self._leaves * tree_kernels.LEAF, 1
        # Places beyond the last point have copies of a point: they change what is the widest coordinate of a
        # few nodes, and nothing else.
        points = gpunp.empty((size, self.dimensions))
        points[: self.n] = data
        points[self.n :] = data[:1]
        while size > tree_kernels.LEAF:
            extents = points.reshape(nodes, size, self.dimensions)
            keys = tree_kernels.split_keys(points, self.n, extents.min(axis=1), extents.max(axis=1), size)
            moves = numpy.argsort(keys, kind="stable")
            order = order[moves]
            points[: self.n] = data[order]
            size, nodes = size // 2, nodes * 2
        return points[: self.n], order

    def _along_the_curve(self, x):
        if not self.dimensions:
            return gpunp.arange(x.shape[0], device=self.device)
        return numpy.argsort(tree_kernels.codes(x, self.low, self._scale), kind="stable")

    def queries(self, x):
        """Points to search for, of any shape (..., dimensions), as an array (m, dimensions).

        Waits for the device, unless there is no query.

        Raises
        ------
        ValueError
            For a wrong number of coordinates, or coordinates that are not finite.
        """
        x = points_of(x, "KDTree", self.device)
        if x.ndim == 0 or x.shape[-1] != self.dimensions:
            raise ValueError(f"x must consist of vectors of length {self.dimensions} but has shape {x.shape}")
        if not numpy.isfinite(x).all():
            raise ValueError("'x' must be finite, check for nan or inf values")
        x = x.reshape((math.prod(x.shape[:-1]), self.dimensions))
        if self._period is None:
            return x
        period = numpy.where(self._period > 0, self._period, 1)
        return numpy.where(self._period > 0, x - numpy.floor(x / period) * period, x)

    def neighbors(self, x, k, p=2.0, eps=0.0, bound=numpy.inf):
        """The k nearest points of each query: distances and places of shape (m, k); see `KDTree.query`."""
        with self.device:
            if self.dimensions > _MOST_DIMENSIONS and self._period is None:
                return self._compared(x, k, p, bound)
            order = self._along_the_curve(x)
            factor = in_powers(1.0 + eps, p)
            return self._tree.neighbors(x, order, k, p, in_powers(bound, p), factor)

    def _compared(self, x, k, p, bound):
        """The same from the distances of all pairs, for some queries at a time."""
        kernel, form = _KERNELS.get(p, ("powers", pairs.SUM))
        count = min(k, self.n)
        distance = gpunp.full((x.shape[0], k), numpy.inf)
        place = gpunp.full((x.shape[0], k), self.n)
        step = max(_DISTANCES // max(self.n, 1), 1)
        for i in range(0, x.shape[0] if count else 0, step):
            part = x[i : i + step]
            found = gpunp.empty((part.shape[0], self.n))
            pairs.distances(kernel, part, self.data, found, form, power=p)
            nearest = numpy.argpartition(found, count - 1, axis=1)[:, :count]
            lengths = numpy.take_along_axis(found, nearest, axis=1)
            ascending = numpy.argsort(lengths, axis=1, kind="stable")
            lengths = numpy.take_along_axis(lengths, ascending, axis=1)
            near = lengths < bound
            distance[i : i + step, :count] = numpy.where(near, lengths, numpy.inf)
            nearest = numpy.take_along_axis(nearest, ascending, axis=1)
            place[i : i + step, :count] = numpy.where(near, nearest, self.n)
        return distance, place

    def within(self, x, radius, p=2.0, own=None, distances=False):
        """The points within radii of queries; waits for their number.

        Parameters
        ----------
        x : ndarray
            Of shape (m, dimensions).
        radius : ndarray
            Of each query.
        p : float, optional
        own : ndarray, optional
            The place of each query among the points, of which only later ones count.
        distances : bool, optional

        Returns
        -------
        count : ndarray
            Of the points of each query.
        place : ndarray
            The points of all queries, one query after the other.
        distance : ndarray or None
        """
        with self.device:
            order, radius = self._along_the_curve(x), in_powers(radius, p)
            count = self._tree.balls(x, order, radius, p, own)
            end = numpy.cumsum(count)
            total = int(end[-1]) if x.shape[0] else 0
            place = gpunp.empty(total, INT8)
            distance = gpunp.empty(total) if distances else None
            if total:
                self._tree.balls(x, order, radius, p, own, end - count, place, distance)
            return count, place, distance

    def count_within(self, x, radius, p=2.0):
        """The number of points within the radius of each query."""
        with self.device:
            return self._tree.balls(x, self._along_the_curve(x), in_powers(radius, p), p)

    def weights_within(self, x, of_queries, radii, weights=None, p=2.0):
        """The sum over pairs of a query and a point within each radius, of the products of their weights.

        Parameters
        ----------
        x : ndarray
            Queries.
        of_queries : ndarray or None
            Their weights; None is one.
        radii : numpy.ndarray
            On the host.
        weights : ndarray, optional
            Of the points in `data`.
        p : float, optional

        Returns
        -------
        ndarray
            float64, of the radii.
        """
        with self.device:
            order = self._along_the_curve(x)
            weights = gpunp.ones(self.n) if weights is None else weights[self.order]
            sums = self._sums(weights)
            radii = asarray(in_powers(radii, p))
            step = max(_COUNTS // max(x.shape[0], 1), 1)
            found = []
            for i in range(0, radii.shape[0], step):
                part = self._tree.weights(x, order, radii[i : i + step], p, weights, sums)
                found.append(part.sum(axis=1) if of_queries is None else part @ of_queries)
            return numpy.concatenate(found) if found else gpunp.empty(0)

    def _sums(self, weights):
        """The weights of the points in each box."""
        padded = gpunp.zeros(self._leaves * tree_kernels.LEAF)
        padded[: self.n] = weights
        levels = [padded.reshape(self._leaves, tree_kernels.LEAF).sum(axis=1)]
        while levels[-1].shape[0] > 1:
            levels.append(levels[-1].reshape(-1, 2).sum(axis=1))
        return numpy.concatenate([gpunp.zeros(1), *reversed(levels)])


def chosen_device(*values):
    """The device of the first device array, else the current one."""
    return device_of(*values, nested=True) or get_device()


def lists_of(count, place):
    """Split places into a list of Python's integers for each query, on the host."""
    place = asnumpy(place).tolist()
    ends = numpy.cumsum(asnumpy(count)).tolist()
    return [place[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
