"""Connected components of graphs."""

import functools

import numpy

import gpunp
from gpunp_scipy.sparse.csgraph.graphs import NO_NODE, compressed, edges_of
from gpunp_scipy.sparse.csgraph.sharing import on_cpu

# Sweeps over the edges between two looks at whether they changed something.
_SWEEPS = 4


def roots(edges):
    """The first node of the component of each node, by edges in both directions."""
    parents = gpunp.arange(edges.nodes, dtype="i4")
    edges.unite(parents)
    return parents


def _shuffled(nodes):
    """A number for each node, no two of them equal: below a power of two, and in no order.

    With numbers in the order of a long path, only one component of the path would be found at a time.
    """
    bits = max(nodes.bit_length(), 2)
    number, mask = gpunp.arange(nodes), (1 << bits) - 1
    for factor in (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35):
        number = (number * (factor & mask | 1)) & mask
        number = number ^ (number >> (bits // 2))
    return number.astype("i4")


def _until_stable(sweep, changed):
    while True:
        changed[...] = 0
        for _ in range(_SWEEPS):
            sweep()
        if not int(changed[0]):
            return


def strong_roots(edges):
    """The first node of the strong component of each node.

    Colors spread along the edges, the least one wins. From the node of which a color comes, those nodes of
    the color that reach it are its component. The others are searched again, within their color.
    """
    priority = _shuffled(edges.nodes)
    group = gpunp.zeros(edges.nodes, "i4")
    found = priority
    changed = gpunp.zeros(1, "i4")
    while True:
        color = priority.copy()
        _until_stable(functools.partial(edges.spread, group, color, None, changed), changed)
        mark = ((color == priority) & (group >= 0)).astype("u1")
        _until_stable(functools.partial(edges.spread, group, color, mark, changed), changed)
        active = group >= 0
        found = numpy.where(active, color, found)
        group = numpy.where(active & (mark == 0), color, numpy.int32(-1))
        if not bool((group >= 0).any()):
            break
    first = gpunp.full(int(priority.max()) + 1 if edges.nodes else 0, NO_NODE, "i4")
    numpy.minimum.at(first, found, gpunp.arange(edges.nodes, dtype="i4"))
    return first[found]


def numbered(first):
    """Number components in the order of their first nodes: the count, and the number for each node."""
    if not len(first):
        return 0, first
    ranks = numpy.cumsum(first == gpunp.arange(len(first), dtype=first.dtype)) - 1
    return int(ranks[-1]) + 1, ranks[first].astype("i4")


@on_cpu
def connected_components(csgraph, directed=True, connection="weak", return_labels=True):
    """Find the connected components of a graph; see `scipy.sparse.csgraph.connected_components`.

    Components are numbered in the order of their first nodes. SciPy numbers strong components in the order
    of its search in depth.
    """
    if connection.lower() not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    strong = directed and connection.lower() == "strong"
    edges = edges_of(compressed(csgraph, directed=strong), weighted=False)
    count, labels = numbered(strong_roots(edges) if strong else roots(edges))
    return (count, labels) if return_labels else count
