"""Minimum spanning trees of graphs."""

import gpunp
from gpunp_scipy.sparse import classes
from gpunp_scipy.sparse.csgraph.graphs import NO_EDGE, compressed, edges_of
from gpunp_scipy.sparse.csgraph.sharing import on_cpu


def chosen_edges(edges):
    """Which edges belong to a minimum spanning forest; waits for the device once a round.

    Of edges with the same weight, the first ones are taken.
    """
    parents, joined = gpunp.arange(edges.nodes, dtype="i4"), gpunp.empty(edges.nodes, "i4")
    chosen = gpunp.zeros(edges.count, "u1")
    lightest, first = gpunp.empty(edges.nodes, "u8"), gpunp.empty(edges.nodes, "i8")
    changed = gpunp.zeros(1, "i4")
    while True:
        lightest[...], first[...], changed[...] = 0xFFFFFFFFFFFFFFFF, NO_EDGE, 0
        edges.join(parents, joined, lightest, first, chosen, changed)
        if not int(changed[0]):
            return chosen
        parents, joined = joined, parents


@on_cpu
def minimum_spanning_tree(csgraph, overwrite=False):
    """Find a minimum spanning tree of a graph; see `scipy.sparse.csgraph.minimum_spanning_tree`.

    The edges are those of Kruskal's algorithm with a stable sort. `overwrite` has no effect.
    """
    csr = compressed(csgraph)
    edges = edges_of(csr)
    data = edges.weight * (chosen_edges(edges) != 0) if edges.count else csr.data.astype("f8")
    tree = classes.device_class("csr_array")((data, csr.indices.copy(), csr.indptr.copy()), shape=csr.shape)
    tree.eliminate_zeros()
    return tree
