"""`scipy.spatial.KDTree` of points on a device, and trees on the host that are searched for such points.

The objects are of a subclass of SciPy's class that has `OnDevice` before it, so that they are trees of SciPy
for ``isinstance``. Their part in C is that of a tree without points.
"""

import weakref

import numpy
import scipy.sparse
from scipy.spatial import KDTree, cKDTree

import gpunp
from gpunp.array.convert import asarray, asnumpy
from gpunp.dispatch import hooks
from gpunp_scipy.routing import switch
from gpunp_scipy.spatial.point_tree import (
    F8,
    INT8,
    PointTree,
    checked_norm,
    chosen_device,
    lists_of,
    points_of,
)

# Trees on a device, by the tree of SciPy that has their points.
_uploaded = weakref.WeakKeyDictionary()
_SPARSE = {
    "dok_matrix": "todok",
    "coo_matrix": "tocoo",
    "dok_array": "todok",
    "coo_array": "tocoo",
}


def _tree_of(tree, device):
    """The tree on a device for a tree of SciPy on the host, whose points are uploaded once."""
    # Objects of SciPy's class in C cannot be keys.
    kept = isinstance(tree, KDTree)
    found = _uploaded.get(tree) if kept else None
    if found is None or found.device != device:
        period = None if tree.boxsize is None else numpy.asarray(tree.boxsize)
        found = PointTree(asarray(numpy.asarray(tree.data), device=device), period)
        if kept:
            _uploaded[tree] = found
    return found


def _engines(tree, other=None):
    """The engines of one or two trees, on the device of one of them."""
    device = next(each._engine.device for each in (tree, other) if isinstance(each, OnDevice))
    return [each._engine if isinstance(each, OnDevice) else _tree_of(each, device) for each in (tree, other)]


def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=numpy.inf, workers=1):
    """The nearest points of each query; see `scipy.spatial.KDTree.query`.

    Waits to check that ``x`` is finite.

    Parameters
    ----------
    workers : int, optional
        Has no effect.
    """
    engine = self._engine if isinstance(self, OnDevice) else _tree_of(self, chosen_device(x))
    p = checked_norm(p)
    if k is None:
        raise ValueError("k must be an integer or a sequence of integers")
    if workers != -1 and workers < 1:
        raise ValueError(f"Invalid number of workers {workers}, must be -1 or > 0")
    ranks = numpy.asarray(asnumpy(k) if isinstance(k, gpunp.ndarray) else k)
    if ranks.ndim > 1 or ranks.dtype.kind not in "iu":
        raise ValueError("k must be an integer or a sequence of integers")
    if ranks.size == 0 or ranks.min() < 1:
        raise ValueError("k must be at least 1")
    x = asarray(x, device=engine.device)
    batch = x.shape[:-1]
    most = int(ranks.max())
    distance, place = engine.neighbors(engine.queries(x), most, p, eps, distance_upper_bound)
    if ranks.ndim:
        if ranks.size != most or (ranks != numpy.arange(1, most + 1)).any():
            columns = asarray(ranks - 1, device=engine.device)
            distance, place = distance[:, columns], place[:, columns]
        shape = (*batch, ranks.size)
    else:
        shape = batch if most == 1 else (*batch, most)
    return _shaped(distance, shape), _shaped(place, shape)


def _shaped(a, shape):
    """The array in a shape; one number is a scalar, as SciPy's."""
    return a.reshape(shape) if shape else a.reshape(())[()]


def query_ball_point(self, x, r, p=2.0, eps=0.0, workers=1, return_sorted=None, return_length=False):
    """The points within a radius; see `scipy.spatial.KDTree.query_ball_point`.

    Lists of Python's integers on the host, as SciPy's; numbers of points stay on the device. ``eps`` and
    ``workers`` have no effect. Waits for the device.
    """
    engine = self._engine if isinstance(self, OnDevice) else _tree_of(self, chosen_device(x, r))
    p = checked_norm(p)
    x = asarray(x, device=engine.device)
    batch = x.shape[:-1]
    queries = engine.queries(x)
    radius = asarray(r, dtype=F8, device=engine.device)
    if numpy.broadcast_shapes(radius.shape, batch) != batch:
        raise ValueError(f"could not broadcast radii of shape {radius.shape} into shape {batch}")
    radius = asarray(numpy.broadcast_to(radius, batch).reshape(queries.shape[0]), order="C")
    if return_length:
        return _shaped(engine.count_within(queries, radius, p), batch)
    count, place, _ = engine.within(queries, radius, p)
    if return_sorted or (return_sorted is None and batch):
        # By query and then by place; queries are in order already.
        query = numpy.repeat(gpunp.arange(queries.shape[0], device=engine.device), count)
        place = place[numpy.lexsort((place, query))]
    lists = lists_of(count, place)
    if not batch:
        return lists[0]
    found = numpy.empty(len(lists), object)
    found[:] = lists
    return found.reshape(batch)


def _all_within(tree, other, r, p, **options):
    """The engine of `other`, and its points within r of those of `tree`."""
    own, engine = _engines(tree, other)
    radius = gpunp.full(own.n, float(r), device=own.device)
    return engine.within(own.data, radius, checked_norm(p), **options)


def _same_dimensions(tree, other, name):
    if tree.m != other.m:
        raise ValueError(f"Trees passed to {name} have different dimensionality")


def query_ball_tree(self, other, r, p=2.0, eps=0.0):
    """The points of another tree within a radius; see `scipy.spatial.KDTree.query_ball_tree`.

    Lists of Python's integers on the host, as SciPy's. ``eps`` has no effect.
    """
    _same_dimensions(self, other, "query_ball_tree")
    count, place, _ = _all_within(self, other, r, p)
    return lists_of(count, place)


def query_pairs(self, r, p=2.0, eps=0.0, output_type="set"):
    """Pairs of points within a radius; see `scipy.spatial.KDTree.query_pairs`.

    A set on the host, or with ``output_type="ndarray"`` a device array. With ``eps`` all pairs within
    ``r * (1 + eps)``.
    """
    if output_type not in ("set", "ndarray"):
        raise ValueError("Invalid output type")
    engine = self._engine
    own = gpunp.arange(engine.n, device=engine.device)
    count, place, _ = _all_within(self, self, r * (1 + eps), p, own=own)
    pairs = numpy.stack([numpy.repeat(own, count), place], axis=1)
    return pairs if output_type == "ndarray" else set(map(tuple, asnumpy(pairs).tolist()))


def _weights_of(weights, engine):
    if weights is None:
        return None
    weights = asarray(weights, dtype=F8, device=engine.device, order="C")
    if weights.shape != (engine.n,):
        raise ValueError("Number of weights differ from the number of data points")
    return weights


def count_neighbors(self, other, r, p=2.0, weights=None, cumulative=True):
    """The number of pairs within radii; see `scipy.spatial.KDTree.count_neighbors`.

    Returns
    -------
    int, float or ndarray
        A device array for an array of radii.
    """
    _same_dimensions(self, other, "count_neighbors")
    radii = numpy.asarray(asnumpy(r) if isinstance(r, gpunp.ndarray) else r, F8)
    if radii.ndim > 1:
        raise ValueError("r must be either a single value or a one-dimensional array of values")
    each = radii.reshape(radii.size)
    if not cumulative and (each[:-1] > each[1:]).any():
        raise ValueError("r must be non-decreasing for non-cumulative counting.")
    own, engine = _engines(self, other)
    if weights is not None and not isinstance(weights, tuple) and self is not other:
        raise ValueError("Two different trees are used. Specify weights for both in a tuple.")
    of_own, of_other = weights if isinstance(weights, tuple) else (weights, weights)
    of_own, of_other = _weights_of(of_own, own), _weights_of(of_other, engine)
    found = engine.weights_within(own.data, of_own, each, of_other, checked_norm(p))
    if not cumulative:
        found = numpy.diff(found, prepend=numpy.zeros(1, like=found))
    if of_own is None and of_other is None:
        found = found.astype(INT8)
    return found if radii.ndim else found[0].item()


def sparse_distance_matrix(self, other, max_distance, p=2.0, output_type="dok_matrix"):
    """Distances up to a greatest one; see `scipy.spatial.KDTree.sparse_distance_matrix`.

    The distances are computed on the device. The sparse array, dictionary or array of records is on the host.
    """
    _same_dimensions(self, other, "sparse_distance_matrix")
    if output_type not in ("dict", "ndarray", *_SPARSE):
        raise ValueError("Invalid output type")
    count, place, distance = _all_within(self, other, max_distance, p, distances=True)
    row = numpy.repeat(numpy.arange(self.n), asnumpy(count))
    column, value = asnumpy(place), asnumpy(distance)
    if output_type == "dict":
        pairs = zip(row.tolist(), column.tolist(), strict=True)
        return dict(zip(pairs, value.tolist(), strict=True))
    if output_type == "ndarray":
        found = numpy.empty(row.size, numpy.dtype([("i", INT8), ("j", INT8), ("v", F8)], align=True))
        found["i"], found["j"], found["v"] = row, column, value
        return found
    made = getattr(scipy.sparse, f"coo_{output_type.partition('_')[2]}")
    return getattr(made((value, (row, column)), shape=(self.n, other.n)), _SPARSE[output_type])()


class OnDevice:
    """What a tree of points on a device has in place of the methods of SciPy's class.

    Attributes
    ----------
    data : ndarray
        The points, float64.
    n, m, size, leafsize : int
        As SciPy's; `leafsize` has no effect, and `size` is the number of boxes.
    maxes, mins, indices : ndarray
        On the device.
    boxsize : numpy.ndarray or None
    """

    __slots__ = ()

    query = query
    query_ball_point = query_ball_point
    query_ball_tree = query_ball_tree
    query_pairs = query_pairs
    count_neighbors = count_neighbors
    sparse_distance_matrix = sparse_distance_matrix

    data = property(lambda self: self._engine.data)
    n = property(lambda self: self._engine.n)
    m = property(lambda self: self._engine.dimensions)
    size = property(lambda self: 2 * self._engine._leaves - 1)
    leafsize = property(lambda self: self._leafsize)
    mins = property(lambda self: self._engine.low)
    maxes = property(lambda self: self._engine.high)
    indices = property(lambda self: self._engine.order)
    boxsize = property(lambda self: self._boxsize)

    @property
    def tree(self):
        """Refused: there are no nodes as SciPy's."""
        raise AttributeError(
            "a KDTree of a device array has no nodes: build it of a host array, "
            "KDTree(gpunp.asnumpy(data)).tree"
        )

    def __reduce__(self):
        added = {name: value for name, value in vars(self).items() if name not in _OWN}
        arguments = self.data, self.leafsize, True, False, True, self.boxsize
        return type(self).__bases__[1], arguments, added

    def __setstate__(self, state):
        vars(self).update(state)


# The attributes that `construct` sets.
_OWN = ("_engine", "_leafsize", "_boxsize")
_classes = {}


def _class_on_device(cls):
    """The subclass of a tree's class for points on a device."""
    found = _classes.get(cls)
    if found is None:
        found = type(cls)(
            cls.__name__, (OnDevice, cls), {"__module__": cls.__module__, "__doc__": cls.__doc__}
        )
        _classes[cls] = found
    return found


def _period_of(boxsize, points):
    """The period of each coordinate, on the host, or None."""
    if boxsize is None:
        return None
    boxsize = asnumpy(boxsize) if isinstance(boxsize, gpunp.ndarray) else boxsize
    period = numpy.array(numpy.broadcast_to(numpy.asarray(boxsize, F8), (points.shape[1],)))
    periodic = asarray(period > 0, device=points.device)
    if (periodic & (points >= asarray(period, device=points.device))).any():
        raise ValueError("Some input data are greater than the size of the periodic box.")
    if (periodic & (points < 0)).any():
        raise ValueError("Negative input data are outside of the periodic box.")
    return period


def construct(self, data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
    """Make a tree of points on a device; see `scipy.spatial.KDTree`.

    Waits to check that the points are finite. The options for the nodes of SciPy's trees have no effect.
    """
    points = points_of(data, "KDTree", chosen_device(data, boxsize))
    if points.ndim != 2:
        raise ValueError("data must be of shape (n, m), where there are n points of dimension m")
    if leafsize < 1:
        raise ValueError("leafsize must be at least 1")
    if not numpy.isfinite(points).all():
        raise ValueError("data must be finite, check for nan or inf values")
    period = _period_of(boxsize, points)
    if copy_data and points is data:
        points = points.copy()
    if not isinstance(self, OnDevice):
        # The part in C, of which SciPy's functions may ask.
        hooks.original(KDTree.__init__)(self, numpy.empty((0, points.shape[1])))
        self.__class__ = _class_on_device(type(self))
    self._engine = PointTree(points, period)
    self._leafsize, self._boxsize = int(leafsize), period


def _of_trees(function, ours):
    """A handler of a method of SciPy's trees, which is ours if one of two trees is on a device."""

    def call(self, other, *args, **kwargs):
        of_device = isinstance(self, OnDevice) or isinstance(other, OnDevice)
        return (ours if of_device else hooks.original(function))(self, other, *args, **kwargs)

    return call


# Trees on a device are no device arrays, with which alone other hooks call their handlers.
_OF_TREES = {
    getattr(cls, ours.__name__): ours
    for cls in (cKDTree, KDTree)
    for ours in (query_ball_tree, count_neighbors, sparse_distance_matrix)
}


def _install():
    for function, ours in _OF_TREES.items():
        hooks.hook(function, _of_trees(function, ours), hooks.ALWAYS)


def _remove():
    for function in _OF_TREES:
        hooks.unhook(function)


switch.on_change(_install, _remove)
