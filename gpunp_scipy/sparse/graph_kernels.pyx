"""Launches of the kernels that search graphs; all arrays are contiguous and on one device."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport F8, I4, I8, U1, U8

cdef extern from "gpunp/sparse/graph_params.h" namespace "gpunp":
    enum:
        GRAPH_BLOCK "gpunp::GRAPH_BLOCK"
        FLOYD_SIDE "gpunp::FLOYD_SIDE"
    cdef struct UniteParams:
        const int32_t* source
        const int32_t* target
        int32_t* parents
        int64_t edges, nodes
    cdef struct RelaxParams:
        const int32_t* source
        const int32_t* target
        const double* weight
        double* distance
        const uint8_t* now
        uint8_t* next
        int32_t* changed
        int64_t edges, nodes, searches
        double limit
    cdef struct TightParams:
        const int32_t* source
        const int32_t* target
        const double* weight
        const double* distance
        int32_t* previous
        int32_t* depth
        int32_t* changed
        int64_t edges, nodes, searches
        int32_t round
    cdef struct LevelParams:
        const int32_t* source
        const int32_t* target
        const int64_t* begin
        const int32_t* place
        int64_t* key
        int64_t edges
        int32_t first, last
    cdef struct BoruvkaParams:
        const int32_t* source
        const int32_t* target
        const double* weight
        const int32_t* parents
        int32_t* joined
        uint64_t* lightest
        int64_t* first
        uint8_t* chosen
        int32_t* changed
        int64_t edges, nodes
    cdef struct SpreadParams:
        const int32_t* source
        const int32_t* target
        const int32_t* group
        int32_t* color
        uint8_t* mark
        int32_t* changed
        int64_t edges
    cdef struct FloydParams:
        double* distance
        int32_t* previous
        int64_t n, tile

cdef enum:
    MOST_BLOCKS = 1 << 20   # which loop over more edges


cdef int _launch(Device device, str name, int64_t count, void* params, size_t nbytes) except -1:
    check_status(device)
    if count:
        device.launch(device.kernel("sparse_graph", "graph_" + name),
                      <unsigned int>min((count + GRAPH_BLOCK - 1) // GRAPH_BLOCK, <int64_t>MOST_BLOCKS), 1, 1,
                      GRAPH_BLOCK, 0, params, nbytes)
    return 0


cdef int _check(ndarray array, int code, int64_t size) except -1:
    """Kernels trust sizes and dtypes."""
    if array.code != code or array.size_ < size or not array.c_contiguous:
        raise ValueError(f"a kernel of graphs got an array of {array.dtype} and shape {array.shape}")
    return 0


cdef class Edges:
    """The edges of a graph; for `level`, they are ordered by source.

    Parameters
    ----------
    source, target : ndarray of int32
        Nodes below ``nodes``.
    weight : ndarray of float64, optional
        Without, all edges have weight 1.
    nodes : int
    """

    cdef readonly ndarray source, target, weight
    cdef readonly int64_t nodes, count

    def __init__(self, ndarray source not None, ndarray target not None, ndarray weight, int64_t nodes):
        self.source, self.target, self.weight, self.nodes = source, target, weight, nodes
        self.count = source.size_
        _check(source, I4, self.count)
        _check(target, I4, self.count)
        if weight is not None:
            _check(weight, F8, self.count)

    cdef const int32_t* sources(self) except? NULL:
        return <const int32_t*>self.source.data_ptr()

    cdef const int32_t* targets(self) except? NULL:
        return <const int32_t*>self.target.data_ptr()

    cdef const double* weights(self) except? NULL:
        if self.weight is None:
            return NULL
        return <const double*>self.weight.data_ptr()

    def unite(self, ndarray parents not None):
        """Let nodes point to the first node of their component; ``parents`` has each node itself."""
        cdef UniteParams p
        memset(&p, 0, sizeof(p))
        _check(parents, I4, self.nodes)
        p.source, p.target, p.edges, p.nodes = self.sources(), self.targets(), self.count, self.nodes
        p.parents = <int32_t*>parents.data_ptr()
        _launch(parents.device_, "unite_edge", self.count, &p, sizeof(p))
        flatten(parents)

    def relax(self, ndarray distance not None, ndarray now not None, ndarray next not None,
              ndarray changed not None, double limit):
        """Shorten the paths by one edge that starts at the nodes of ``now``; note the nodes in ``next``."""
        cdef RelaxParams p
        memset(&p, 0, sizeof(p))
        _check(distance, F8, self.nodes)
        _check(now, U1, distance.size_)
        _check(next, U1, distance.size_)
        _check(changed, I4, 1)
        p.source, p.target, p.weight, p.edges = self.sources(), self.targets(), self.weights(), self.count
        p.nodes, p.searches = self.nodes, distance.size_ // max(self.nodes, 1)
        p.distance, p.now, p.next = <double*>distance.data_ptr(), <uint8_t*>now.data_ptr(), <uint8_t*>next.data_ptr()
        p.changed, p.limit = <int32_t*>changed.data_ptr(), limit
        _launch(distance.device_, "relax_edge", p.edges * p.searches, &p, sizeof(p))

    def tighten(self, ndarray distance not None, ndarray previous not None, ndarray depth not None,
                ndarray changed not None, int32_t round):
        """Find nodes before others on shortest paths, as graph_params.h says."""
        cdef TightParams p
        memset(&p, 0, sizeof(p))
        _check(distance, F8, self.nodes)
        _check(previous, I4, distance.size_)
        _check(depth, I4, distance.size_)
        _check(changed, I4, 1)
        p.source, p.target, p.weight, p.edges = self.sources(), self.targets(), self.weights(), self.count
        p.nodes, p.searches, p.round = self.nodes, distance.size_ // max(self.nodes, 1), round
        p.distance, p.previous = <double*>distance.data_ptr(), <int32_t*>previous.data_ptr()
        p.depth, p.changed = <int32_t*>depth.data_ptr(), <int32_t*>changed.data_ptr()
        _launch(distance.device_, "tight_edge", p.edges * p.searches, &p, sizeof(p))

    def level(self, ndarray begin not None, ndarray place not None, ndarray key not None, int32_t first,
              int32_t last):
        """Give keys to the nodes that are reached from places ``first`` to ``last`` of a search."""
        cdef LevelParams p
        memset(&p, 0, sizeof(p))
        _check(begin, I8, self.nodes)
        _check(place, I4, self.nodes)
        _check(key, I8, self.nodes)
        p.source, p.target, p.edges = self.sources(), self.targets(), self.count
        p.begin, p.place, p.key = <int64_t*>begin.data_ptr(), <int32_t*>place.data_ptr(), <int64_t*>key.data_ptr()
        p.first, p.last = first, last
        _launch(place.device_, "level_edge", self.count, &p, sizeof(p))

    def join(self, ndarray parents not None, ndarray joined not None, ndarray lightest not None,
             ndarray first not None, ndarray chosen not None, ndarray changed not None):
        """Join each component by its lightest edge to another one: a round of Boruvka's algorithm."""
        cdef BoruvkaParams p
        memset(&p, 0, sizeof(p))
        _check(parents, I4, self.nodes)
        _check(joined, I4, self.nodes)
        _check(lightest, U8, self.nodes)
        _check(first, I8, self.nodes)
        _check(chosen, U1, self.count)
        _check(changed, I4, 1)
        p.source, p.target, p.weight = self.sources(), self.targets(), self.weights()
        p.edges, p.nodes = self.count, self.nodes
        p.parents, p.joined = <int32_t*>parents.data_ptr(), <int32_t*>joined.data_ptr()
        p.lightest, p.first = <uint64_t*>lightest.data_ptr(), <int64_t*>first.data_ptr()
        p.chosen, p.changed = <uint8_t*>chosen.data_ptr(), <int32_t*>changed.data_ptr()
        _launch(parents.device_, "lightest_edge", self.count, &p, sizeof(p))
        _launch(parents.device_, "first_edge", self.count, &p, sizeof(p))
        _launch(parents.device_, "join_node", self.nodes, &p, sizeof(p))
        flatten(joined)

    def spread(self, ndarray group not None, ndarray color not None, ndarray mark, ndarray changed not None):
        """Spread the least color along the edges within groups; with ``mark``, marks against them."""
        cdef SpreadParams p
        memset(&p, 0, sizeof(p))
        _check(group, I4, self.nodes)
        _check(color, I4, self.nodes)
        _check(changed, I4, 1)
        p.source, p.target, p.edges = self.sources(), self.targets(), self.count
        p.group, p.color = <int32_t*>group.data_ptr(), <int32_t*>color.data_ptr()
        p.changed = <int32_t*>changed.data_ptr()
        if mark is not None:
            _check(mark, U1, self.nodes)
            p.mark = <uint8_t*>mark.data_ptr()
        _launch(group.device_, "color_edge" if mark is None else "mark_edge", self.count, &p, sizeof(p))


def flatten(ndarray parents not None):
    """Let nodes point to the root of their tree."""
    cdef UniteParams p
    memset(&p, 0, sizeof(p))
    _check(parents, I4, parents.size_)
    p.parents, p.nodes = <int32_t*>parents.data_ptr(), parents.size_
    _launch(parents.device_, "flatten_node", p.nodes, &p, sizeof(p))


def floyd(ndarray distance not None, ndarray previous):
    """Shorten all paths of a square matrix of distances, in place; and note the nodes before the last ones."""
    cdef FloydParams p
    cdef Device device = distance.device_
    cdef int64_t tiles
    memset(&p, 0, sizeof(p))
    p.n = distance.shape_[0]
    _check(distance, F8, p.n * p.n)
    if previous is not None:
        _check(previous, I4, p.n * p.n)
        p.previous = <int32_t*>previous.data_ptr()
    p.distance = <double*>distance.data_ptr()
    check_status(device)
    tiles = (p.n + FLOYD_SIDE - 1) // FLOYD_SIDE
    for tile in range(tiles):
        p.tile = tile
        for name, blocks in (("diagonal", 1), ("lines", 2 * tiles), ("rest", tiles * tiles)):
            device.launch(device.kernel("sparse_graph", "graph_floyd_" + name), <unsigned int>blocks, 1, 1, GRAPH_BLOCK,
                          0, &p, sizeof(p))
