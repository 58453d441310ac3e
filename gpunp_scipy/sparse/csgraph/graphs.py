"""Graphs as lists of edges on the device, from sparse or dense arrays."""

import numpy
import scipy.sparse

import gpunp
from gpunp_scipy.sparse import classes
from gpunp_scipy.sparse.csgraph.conversions import csgraph_from_dense
from gpunp_scipy.sparse.graph_kernels import Edges
from gpunp_scipy.sparse.segments import rows_of

NULL = -9999  # no node, as in SciPy
NO_NODE = 0x7FFFFFFF
NO_EDGE = 0x7FFFFFFFFFFFFFFF


def on_device(csgraph):
    """A graph on the device: a sparse or a dense array."""
    if scipy.sparse.issparse(csgraph):
        if isinstance(csgraph, classes.methods.DeviceSparse):
            return csgraph
        if csgraph.format in ("lil", "dok"):
            csgraph = csgraph.tocsr()
        return classes.device_class(f"{csgraph.format}_array")(csgraph)
    return gpunp.asarray(csgraph)


def compressed(csgraph, *, directed=True):
    """A graph in compressed rows, as SciPy's functions of graphs validate it."""
    csgraph = on_device(csgraph)
    if not scipy.sparse.issparse(csgraph):
        csgraph = csgraph_from_dense.__wrapped__(csgraph)
    elif csgraph.format == "csc" and not directed:
        csgraph = csgraph.T
    elif csgraph.format == "bsr":
        csgraph = csgraph.tocsr()
        csgraph.eliminate_zeros()
    csgraph = csgraph.tocsr()
    if csgraph.ndim != 2:
        raise ValueError("compressed-sparse graph must be 2-D")
    if csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    return csgraph


def nodes_in_range(csr):
    """The targets of the edges, int32; waits for the device to see that the nodes exist."""
    target = csr.indices
    if len(target) and bool(((target < 0) | (target >= csr.shape[0])).any()):
        raise ValueError(f"the graph has edges to nodes outside of 0...{csr.shape[0] - 1}")
    return target.astype("i4", copy=False)


def edges_of(csr, *, directed=True, weighted=True, ordered=False):
    """The edges of a graph in compressed rows; of one without directions, each of them both ways.

    If they are wanted in order, edges of a node come one after another: those of the transposed graph after
    those of the graph, as SciPy's searches take them.
    """
    target = nodes_in_range(csr)
    source = rows_of(csr.indptr, len(target)).astype("i4")
    weight = csr.data.astype("f8", copy=False) if weighted else None
    if not directed:
        source, target = numpy.concatenate((source, target)), numpy.concatenate((target, source))
        if weighted:
            weight = numpy.concatenate((weight, weight))
        if ordered:
            order = numpy.argsort(source, kind="stable")
            source, target = source[order], target[order]
            weight = weight[order] if weighted else None
    return Edges(
        source,
        gpunp.ascontiguousarray(target),
        None if weight is None else gpunp.ascontiguousarray(weight),
        csr.shape[0],
    )
