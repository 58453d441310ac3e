"""Launches of the kernels of trees of points; all arrays are contiguous."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

import numpy

from gpunp.array.layout import empty
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status

cdef extern from "gpunp/spatial/tree_params.h" namespace "gpunp":
    enum:
        TREE_BLOCK "gpunp::TREE_BLOCK"
        TREE_LEAF "gpunp::TREE_LEAF"
        TREE_CODE_BITS "gpunp::TREE_CODE_BITS"
        NORM_SUM "gpunp::NORM_SUM"
        NORM_SQUARES "gpunp::NORM_SQUARES"
        NORM_GREATEST "gpunp::NORM_GREATEST"
        NORM_POWERS "gpunp::NORM_POWERS"
    cdef struct CTree "gpunp::Tree":
        const double* points
        const int64_t* order
        const double* boxes
        const double* period
        int64_t n, leaves
        int32_t dimensions, norm
        double power
    cdef struct CurveParams:
        const double* points
        const double* low
        const double* scale
        int64_t* code
        int64_t n
        int32_t dimensions, bits
    cdef struct SplitsParams:
        const double* points
        const double* low
        const double* high
        char* key
        int64_t n, size
        int32_t dimensions, bits, narrow
    cdef struct BoxesParams:
        const double* points
        double* boxes
        int64_t n, leaves, first, count
        int32_t dimensions
    cdef struct NeighborsParams:
        CTree tree
        const double* x
        const int64_t* order
        double* distance
        int64_t* place
        int64_t m, k
        double bound, factor
    cdef struct BallsParams:
        CTree tree
        const double* x
        const int64_t* order
        const double* radius
        const int64_t* own
        int64_t* count
        const int64_t* begin
        int64_t* place
        double* distance
        int64_t m
    cdef struct WeightsParams:
        CTree tree
        const double* x
        const int64_t* order
        const double* radius
        const double* weights
        const double* sums
        double* out
        int64_t m, radii

cdef enum:
    MOST_BLOCKS = 1 << 20   # which loop over more queries
    FEWEST_BITS = 10        # of the place within a node, with narrow keys

LEAF = TREE_LEAF
INT4 = numpy.dtype("i4")
INT8 = numpy.dtype("i8")
F8 = numpy.dtype("f8")
cdef double INFINITY = float("inf")


cdef int _launch(Device device, str name, int64_t count, void* params, size_t nbytes) except -1:
    check_status(device)
    if count:
        device.launch(device.kernel("tree", "tree_" + name),
                      <unsigned int>min((count + TREE_BLOCK - 1) // TREE_BLOCK, <int64_t>MOST_BLOCKS), 1, 1,
                      TREE_BLOCK, 0, params, nbytes)
    return 0


def bits_of(int64_t dimensions):
    """How many bits a coordinate has in the codes of points."""
    return max(TREE_CODE_BITS // max(dimensions, 1), 1)


def codes(ndarray points not None, ndarray low not None, ndarray scale not None):
    """The places of points on Morton's curve, for cells of ``1 / scale`` from ``low`` on."""
    cdef ndarray code = empty((points.shape_[0],), INT8, device=points.device)
    cdef CurveParams p
    memset(&p, 0, sizeof(p))
    p.points, p.low, p.scale = <double*>points.data_ptr(), <double*>low.data_ptr(), <double*>scale.data_ptr()
    p.code, p.n, p.dimensions = <int64_t*>code.data_ptr(), points.shape_[0], <int32_t>points.shape_[1]
    p.bits = bits_of(points.shape_[1])
    _launch(points.device_, "codes", p.n, &p, sizeof(p))
    return code


def split_keys(ndarray points not None, int64_t n, ndarray low not None, ndarray high not None, int64_t size):
    """Keys that sort the first n points within nodes of `size`, by the coordinate in which the node is widest.

    Parameters
    ----------
    points : ndarray
        In the order of the nodes.
    n : int
    low, high : ndarray
        The extent of each node: of shape (nodes, dimensions).
    size : int
    """
    cdef SplitsParams p
    # A sum of a share and a node is below 2^31 or 2^63, and shares have no more bits than a double.
    cdef int bits = 30 - int(low.shape_[0]).bit_length()
    cdef bint narrow = bits >= FEWEST_BITS
    cdef ndarray key = empty((n,), INT4 if narrow else INT8, device=points.device)
    memset(&p, 0, sizeof(p))
    p.points, p.low, p.high = <double*>points.data_ptr(), <double*>low.data_ptr(), <double*>high.data_ptr()
    p.key, p.n, p.size, p.dimensions = key.data_ptr(), n, size, <int32_t>points.shape_[1]
    p.narrow, p.bits = narrow, bits if narrow else min(bits + 32, 52)
    _launch(points.device_, "splits", n, &p, sizeof(p))
    return key


def boxes(ndarray points not None, int64_t leaves):
    """The boxes of the tree over sorted points: of shape (2 * leaves, 2, dimensions)."""
    cdef ndarray out = empty((2 * leaves, 2, points.shape_[1]), F8, device=points.device)
    cdef BoxesParams p
    memset(&p, 0, sizeof(p))
    p.points, p.boxes = <double*>points.data_ptr(), <double*>out.data_ptr()
    p.n, p.leaves, p.dimensions = points.shape_[0], leaves, <int32_t>points.shape_[1]
    p.first = p.count = leaves
    while p.first:
        _launch(points.device_, "boxes", p.count, &p, sizeof(p))
        p.first //= 2
        p.count = p.first
    return out


cdef class Tree:
    """Sorted points and the boxes over them, which the launches keep alive.

    Parameters
    ----------
    points, order, boxes : ndarray
        As kernels/include/gpunp/spatial/tree_params.h describes them.
    leaves : int
        A power of two.
    period : ndarray, optional
        Of each coordinate, 0 for none.
    """

    cdef readonly ndarray points, order, boxes, period
    cdef readonly int64_t leaves

    def __init__(self, ndarray points not None, ndarray order not None, ndarray boxes not None, int64_t leaves,
                 ndarray period=None):
        self.points, self.order, self.boxes, self.leaves, self.period = points, order, boxes, leaves, period

    cdef int fill(self, CTree* t, double p) except -1:
        t.points, t.order = <double*>self.points.data_ptr(), <int64_t*>self.order.data_ptr()
        t.boxes = <double*>self.boxes.data_ptr()
        if self.period is not None:
            t.period = <double*>self.period.data_ptr()
        t.n, t.leaves, t.dimensions = self.points.shape_[0], self.leaves, <int32_t>self.points.shape_[1]
        t.power = p
        t.norm = NORM_SUM if p == 1 else NORM_SQUARES if p == 2 else NORM_GREATEST if p == INFINITY else NORM_POWERS
        return 0

    cdef str form(self, double p):
        """Which form of a search: for Euclidean distances of 2, 3 or any number of coordinates, or for all norms."""
        if p != 2 or self.period is not None:
            return "any"
        return {2: "2", 3: "3"}.get(self.points.shape_[1], "0")

    def neighbors(self, ndarray x not None, ndarray order not None, int64_t k, double p, double bound,
                  double factor):
        """The k nearest points of each query: float64 distances and int64 places of shape (m, k).

        Parameters
        ----------
        x : ndarray
            Queries of shape (m, dimensions).
        order : ndarray
            The order in which the queries are taken.
        k : int
        p : float
            Minkowski's.
        bound : float
            Neighbors are nearer; in powers of `p`.
        factor : float
            Of the distances of boxes that are compared with those of neighbors.
        """
        cdef ndarray distance = empty((x.shape_[0], k), F8, device=x.device)
        cdef ndarray place = empty((x.shape_[0], k), INT8, device=x.device)
        cdef NeighborsParams q
        memset(&q, 0, sizeof(q))
        if k == 0:
            return distance, place
        self.fill(&q.tree, p)
        q.x, q.order = <double*>x.data_ptr(), <int64_t*>order.data_ptr()
        q.distance, q.place = <double*>distance.data_ptr(), <int64_t*>place.data_ptr()
        q.m, q.k, q.bound, q.factor = x.shape_[0], k, bound, factor
        name = self.form(p)
        if name != "any":
            name += "_1" if k == 1 else "_8" if k <= 8 else "_16" if k <= 16 else "_0"
        _launch(x.device_, "neighbors_" + name, q.m, &q, sizeof(q))
        return distance, place

    def balls(self, ndarray x not None, ndarray order not None, ndarray radius not None, double p,
              ndarray own=None, ndarray begin=None, ndarray place=None, ndarray distance=None):
        """Count the points within a radius of each query, or write their places to ``place`` from ``begin`` on."""
        cdef ndarray count = None
        cdef BallsParams q
        memset(&q, 0, sizeof(q))
        self.fill(&q.tree, p)
        q.x, q.order, q.radius = <double*>x.data_ptr(), <int64_t*>order.data_ptr(), <double*>radius.data_ptr()
        q.m = x.shape_[0]
        if own is not None:
            q.own = <int64_t*>own.data_ptr()
        if place is None:
            count = empty((x.shape_[0],), INT8, device=x.device)
            q.count = <int64_t*>count.data_ptr()
        else:
            q.begin, q.place = <int64_t*>begin.data_ptr(), <int64_t*>place.data_ptr()
            if distance is not None:
                q.distance = <double*>distance.data_ptr()
        _launch(x.device_, "balls_" + self.form(p), q.m, &q, sizeof(q))
        return count

    def weights(self, ndarray x not None, ndarray order not None, ndarray radii not None, double p,
                ndarray weights not None, ndarray sums not None):
        """The weights of the points within radii: of shape (radii, queries).

        Parameters
        ----------
        x, order : ndarray
            As in `neighbors`.
        radii : ndarray
            In powers of `p`.
        weights : ndarray
            Of the sorted points.
        sums : ndarray
            Of the boxes.
        """
        cdef ndarray out = empty((radii.shape_[0], x.shape_[0]), F8, device=x.device)
        cdef WeightsParams q
        memset(&q, 0, sizeof(q))
        self.fill(&q.tree, p)
        q.x, q.order, q.radius = <double*>x.data_ptr(), <int64_t*>order.data_ptr(), <double*>radii.data_ptr()
        q.weights, q.sums = <double*>weights.data_ptr(), <double*>sums.data_ptr()
        q.out, q.m, q.radii = <double*>out.data_ptr(), x.shape_[0], radii.shape_[0]
        _launch(x.device_, "weights_" + self.form(p), q.m * q.radii, &q, sizeof(q))
        return out
