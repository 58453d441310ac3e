"""Breadth-first searches of graphs, and orders that come from them."""

import operator

import numpy
import scipy.sparse

import gpunp
from gpunp_scipy.sparse.csgraph.components import roots
from gpunp_scipy.sparse.csgraph.conversions import reconstruct_path
from gpunp_scipy.sparse.csgraph.graphs import (
    NO_EDGE,
    NO_NODE,
    NULL,
    compressed,
    edges_of,
    nodes_in_range,
    on_device,
)
from gpunp_scipy.sparse.csgraph.sharing import on_cpu
from gpunp_scipy.sparse.graph_kernels import Edges
from gpunp_scipy.sparse.segments import pointers, rows_of


def search(edges, seeds):
    """A breadth-first search from several nodes, in the order of a queue.

    Waits for the device once for each level.

    Parameters
    ----------
    edges : Edges
    seeds : ndarray of int32

    Returns
    -------
    order : ndarray of int32
        The nodes that were reached.
    parents : ndarray of int32
        The node from which each node was reached, or -9999.
    """
    begin = pointers(edges.source, edges.nodes)
    place, key = gpunp.full(edges.nodes, NO_NODE, "i4"), gpunp.full(edges.nodes, NO_EDGE)
    order = gpunp.empty(edges.nodes, "i4")
    first, last = 0, len(seeds)
    order[:last], place[seeds], key[seeds] = seeds, gpunp.arange(last, dtype="i4"), -1
    while first < last:
        edges.level(begin, place, key, first, last)
        # Nodes of earlier levels have lower keys.
        fresh = numpy.flatnonzero((key >= first << 32) & (key < NO_EDGE))
        fresh = fresh[numpy.argsort(key[fresh])]
        first, last = last, last + len(fresh)
        order[first:last] = fresh
        place[fresh] = gpunp.arange(first, last, dtype="i4")
    inside = (key >= 0) & (key < NO_EDGE)
    parents = numpy.where(inside, order[numpy.where(inside, key >> 32, 0)], numpy.int32(NULL))
    return order[:last], parents


@on_cpu
def breadth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """Order nodes by a breadth-first search; see `scipy.sparse.csgraph.breadth_first_order`."""
    csr = compressed(csgraph, directed=directed)
    start = operator.index(i_start)
    if not 0 <= start < csr.shape[0]:
        raise ValueError(f"breadth_first_order: i_start is {start}, and the graph has {csr.shape[0]} nodes")
    edges = edges_of(csr, directed=directed, weighted=False, ordered=True)
    order, parents = search(edges, gpunp.full(1, start, "i4"))
    return (order, parents) if return_predecessors else order


@on_cpu
def breadth_first_tree(csgraph, i_start, directed=True):
    """Make the tree of a breadth-first search; see `scipy.sparse.csgraph.breadth_first_tree`."""
    _, parents = breadth_first_order.__wrapped__(csgraph, i_start, directed=directed)
    return reconstruct_path.__wrapped__(csgraph, parents, directed=directed)


@on_cpu
def reverse_cuthill_mckee(graph, symmetric_mode=False):
    """Find the reverse Cuthill-McKee order; see `scipy.sparse.csgraph.reverse_cuthill_mckee`.

    Of nodes with the same degree in different components, the search starts at the first.
    """
    if not scipy.sparse.issparse(graph) or graph.format not in ("csr", "csc"):
        raise TypeError("Input must be in CSC or CSR sparse format.")
    graph = on_device(graph)
    if not symmetric_mode:
        graph = graph + graph.T
    nodes = graph.shape[0]
    target = nodes_in_range(graph)
    source = rows_of(graph.indptr, len(target)).astype("i4")
    degree = numpy.diff(graph.indptr).astype("i8")
    loops = gpunp.zeros(nodes, "i8")
    loops[source[source == target]] = 1
    degree = degree + loops
    # The neighbors of a node in the order of their degrees.
    width = int(degree.max()) + 1 if nodes else 1
    target = target[numpy.argsort(source.astype("i8") * width + degree[target], kind="stable")]
    edges = Edges(source, gpunp.ascontiguousarray(target), None, nodes)
    # The search starts at the node of the least degree of each component.
    by_degree = numpy.argsort(degree, kind="stable")
    rank = gpunp.empty(nodes, "i8")
    rank[by_degree] = gpunp.arange(nodes)
    component = roots(edges)
    least = gpunp.full(nodes, nodes)
    numpy.minimum.at(least, component, rank)
    seeds = by_degree[numpy.sort(least[least < nodes])].astype("i4")
    order, _ = search(edges, seeds)
    # One component after another.
    order = order[numpy.argsort(least[component[order]], kind="stable")]
    return order[::-1].astype(graph.indices.dtype)
