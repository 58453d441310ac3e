"""Graphs from dense arrays and back, and paths from predecessors."""

import numpy
import scipy.sparse

import gpunp
from gpunp_scipy.sparse import classes, compressed_parts
from gpunp_scipy.sparse.csgraph.sharing import on_cpu
from gpunp_scipy.sparse.segments import rows_of, starting


def _is_null(graph, null_value, *, nan_null, infinity_null):
    null = numpy.zeros_like(graph, dtype=bool)
    if null_value is not None and not numpy.isnan(null_value) and not numpy.isinf(null_value):
        null = graph == null_value
    if graph.dtype.kind == "f":
        if nan_null or (null_value is not None and numpy.isnan(null_value)):
            null = null | numpy.isnan(graph)
        if infinity_null or (null_value is not None and numpy.isinf(null_value)):
            null = null | numpy.isinf(graph)
    return null


def _square(graph):
    if graph.ndim != 2:
        raise ValueError("graph should have two dimensions")
    if graph.shape[0] != graph.shape[1]:
        raise ValueError("graph should be a square array")


@on_cpu
def csgraph_from_dense(graph, null_value=0, nan_null=True, infinity_null=True):
    """Make a sparse graph of a dense array; see `scipy.sparse.csgraph.csgraph_from_dense`."""
    graph = gpunp.asarray(graph).astype("f8", copy=False)
    _square(graph)
    edge = ~_is_null(graph, null_value, nan_null=nan_null, infinity_null=infinity_null)
    indptr = starting(edge.sum(axis=1), "i4")
    indices = numpy.nonzero(edge)[1].astype("i4")
    return classes.device_class("csr_array")((graph[edge], indices, indptr), shape=graph.shape)


@on_cpu
def csgraph_to_dense(csgraph, null_value=0):
    """Make a dense array of a sparse graph; see `scipy.sparse.csgraph.csgraph_to_dense`."""
    csr = _rows(csgraph)
    if csr.shape[0] != csr.shape[1]:
        raise ValueError("csgraph should be a square matrix")
    return dense(csr, null_value)


def _rows(csgraph):
    """Compressed rows of a sparse graph; other formats would add up edges between the same nodes."""
    if not scipy.sparse.issparse(csgraph) or csgraph.format not in ("lil", "csc", "csr"):
        raise ValueError("csgraph must be lil, csr, or csc format")
    return csgraph.tocsr()


def dense(csr, null_value):
    """The least weight of the edges between two nodes; and a value where there is none."""
    nodes = csr.shape[0]
    graph, null = gpunp.full(nodes * nodes, numpy.inf), gpunp.ones(nodes * nodes, bool)
    place = rows_of(csr.indptr, len(csr.indices)) * nodes + csr.indices
    numpy.minimum.at(graph, place, csr.data.astype("f8", copy=False))
    null[place] = False
    return numpy.where(null, numpy.float64(null_value), graph).reshape(nodes, nodes)


def dense_of(csgraph):
    """The weights of a graph as a new dense array in C order; they are infinite where there is no edge."""
    from gpunp_scipy.sparse.csgraph.graphs import compressed, on_device

    csgraph = on_device(csgraph)
    if scipy.sparse.issparse(csgraph):
        return dense(compressed(_rows(csgraph)), numpy.inf)
    graph = csgraph.astype("f8", order="C")
    if graph.ndim != 2:
        raise ValueError("compressed-sparse graph must be 2-D")
    if graph.shape[0] != graph.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    return numpy.where(_is_null(graph, 0, nan_null=True, infinity_null=True), numpy.inf, graph)


@on_cpu
def construct_dist_matrix(graph, predecessors, directed=True, null_value=numpy.inf):
    """Sum up the weights of paths; see `scipy.sparse.csgraph.construct_dist_matrix`."""
    weights = dense_of(graph)
    predecessors = gpunp.asarray(predecessors)
    if predecessors.shape != weights.shape:
        raise ValueError("graph and predecessors must have the same shape")
    if predecessors.dtype != numpy.int32:
        raise TypeError(f"Type of predecessors array should be np.int32, not {predecessors.dtype}")
    if not directed:
        weights = numpy.minimum(weights, weights.T)
    nodes = len(weights)
    node = gpunp.arange(nodes)
    before = predecessors.astype("i8")
    onward = (before >= 0) & (node != node[:, None])
    # The sum from each node over 1, 2, 4, ... edges back; paths that have ended stay where they are.
    before = numpy.where(onward, before, node)
    distance = numpy.where(onward, weights[before, node], 0.0)
    reach = 1
    while reach < nodes:
        distance = distance + numpy.take_along_axis(distance, before, 1)
        before = numpy.take_along_axis(before, before, 1)
        reach *= 2
    return numpy.where(onward | (node == node[:, None]), distance, numpy.float64(null_value))


@on_cpu
def reconstruct_path(csgraph, predecessors, directed=True):
    """Make the tree of a list of predecessors; see `scipy.sparse.csgraph.reconstruct_path`."""
    from gpunp_scipy.sparse.csgraph.graphs import compressed

    csr = compressed(csgraph, directed=directed)
    predecessors = gpunp.asarray(predecessors)
    if predecessors.dtype.kind not in "iu":
        raise ValueError(f"`predecessors` must be of an integral dtype, not {predecessors.dtype}")
    nodes = csr.shape[0]
    if len(predecessors) > nodes or (len(predecessors) and int(predecessors.max()) >= nodes):
        raise IndexError(f"reconstruct_path: predecessors name nodes outside of 0...{nodes - 1}")
    node = numpy.flatnonzero(predecessors >= 0)
    node = node[numpy.argsort(predecessors[node], kind="stable")]
    before = predecessors[node].astype("i8")

    def weights(rows, columns):
        found = gpunp.zeros(len(rows), "f8")
        parts = csr.indptr, csr.indices, csr.data.astype("f8", copy=False)
        compressed_parts.csr_sample_values(*csr.shape, *parts, len(rows), rows, columns, found)
        return found

    data = weights(before, node)
    if not directed:
        back = weights(node, before)
        data, back = (numpy.where(each == 0, numpy.inf, each) for each in (data, back))
        data = numpy.minimum(data, back)
    indptr = numpy.searchsorted(before, gpunp.arange(csr.shape[0] + 1)).astype("i4")
    return classes.device_class("csr_array")((data, node.astype("i4"), indptr), shape=csr.shape)
