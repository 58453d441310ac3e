"""Shortest paths in graphs."""

import warnings

import numpy
import scipy.sparse
from scipy.sparse.csgraph import NegativeCycleError

import gpunp
from gpunp.array.convert import fetched
from gpunp_scipy.sparse.csgraph.conversions import dense_of
from gpunp_scipy.sparse.csgraph.graphs import NO_NODE, NULL, compressed, edges_of, on_device
from gpunp_scipy.sparse.csgraph.sharing import on_cpu
from gpunp_scipy.sparse.graph_kernels import flatten, floyd

# Sweeps over the edges between two looks at whether they changed something: at first, and at most.
_SWEEPS = 2
_MOST_SWEEPS = 16
# What SciPy takes for a rounding error of a path.
_ERROR = 1e-15


def _sources(indices, nodes):
    """The nodes where searches start, as a flat host array, and the shape of the results."""
    if indices is None:
        return numpy.arange(nodes), (nodes, nodes)
    found = numpy.array(fetched(indices), dtype=numpy.int64)
    flat = numpy.atleast_1d(found).ravel()
    flat[flat < 0] += nodes
    if (flat < 0).any() or (flat >= nodes).any():
        raise ValueError("indices out of range 0...N")
    return flat, (*found.shape, nodes)


def _starts(sources, nodes, *, together):
    """The places where searches start: in one row for all of them, or in a row for each."""
    return gpunp.asarray(sources if together else numpy.arange(len(sources)) * nodes + sources)


def relaxed(edges, distance, started, *, limit=numpy.inf, sweeps=None):
    """Shorten paths until they are shortest, in place; return whether that was reached.

    Waits for the device after 2, 4, 8, and then every 16 sweeps over the edges.

    Parameters
    ----------
    edges : Edges
    distance : ndarray of float64
        A row for each search.
    started : ndarray of uint8
        The same shape: the nodes from which paths go on.
    limit : float
        Longer paths are left out.
    sweeps : int, optional
        Most sweeps.
    """
    now, next_ = started, numpy.zeros_like(started)
    changed = gpunp.zeros(1, "i4")
    batch, done = _SWEEPS, 0
    while sweeps is None or done < sweeps:
        changed[...] = 0
        for _ in range(batch):
            edges.relax(distance, now, next_, changed, limit)
            now, next_ = next_, now
            next_[...] = 0
        done += batch
        if not int(changed[0]):
            return True
        batch = min(2 * batch, _MOST_SWEEPS)
    return False


def shortest(edges, starts, searches, *, limit=numpy.inf, sweeps=None):
    """The lengths of shortest paths from some places, and whether they are shortest."""
    distance = gpunp.full(searches * edges.nodes, numpy.inf)
    distance[starts] = 0
    started = gpunp.zeros(searches * edges.nodes, "u1")
    started[starts] = 1
    return distance, relaxed(edges, distance, started, limit=limit, sweeps=sweeps)


def before(edges, distance, starts, *, negative):
    """The node before the last one on each shortest path, or -9999; of several, the first one.

    Edges that make a path longer come first, as they lead to no cycles. Nodes that are reached by others
    only, such as edges of weight 0, follow level by level.
    """
    previous, depth = gpunp.full(len(distance), NO_NODE, "i4"), gpunp.full(len(distance), NO_NODE, "i4")
    depth[starts] = -1
    changed = gpunp.zeros(1, "i4")
    if not negative:
        edges.tighten(distance, previous, depth, changed, 0)
    level, wanted = 0, bool(((depth == NO_NODE) & numpy.isfinite(distance)).any())
    while wanted:
        level += 1
        changed[...] = 0
        edges.tighten(distance, previous, depth, changed, level)
        wanted = bool(int(changed[0]))
    return numpy.where(previous == NO_NODE, numpy.int32(NULL), previous)


def _is_negative(csr):
    return bool((csr.data < 0).any())


@on_cpu
def dijkstra(
    csgraph,
    directed=True,
    indices=None,
    return_predecessors=False,
    unweighted=False,
    limit=numpy.inf,
    min_only=False,
):
    """Find shortest paths of non-negative weights; see `scipy.sparse.csgraph.dijkstra`.

    All paths are shortened by one edge at a time, for all searches at once. Of predecessors that are equally
    near, the first is returned.
    """
    csr = compressed(csgraph, directed=directed)
    negative = _is_negative(csr)
    if negative:
        warnings.warn(
            "Graph has negative weights: dijkstra will give inaccurate results if the graph contains "
            "negative cycles. Consider johnson or bellman_ford.",
            stacklevel=3,
        )
    nodes = csr.shape[0]
    sources, shape = _sources(indices, nodes)
    if limit < 0:
        raise ValueError("limit must be >= 0")
    edges = edges_of(csr, directed=directed, weighted=not unweighted)
    if min_only:
        shape = (nodes,)
    starts = _starts(sources, nodes, together=min_only)
    sweeps = nodes if negative and not unweighted else None
    distance, _ = shortest(edges, starts, 1 if min_only else len(sources), limit=limit, sweeps=sweeps)
    if not return_predecessors:
        return distance.reshape(shape)
    previous = before(edges, distance, starts, negative=negative and not unweighted)
    if not min_only:
        return distance.reshape(shape), previous.reshape(shape)
    roots = numpy.where(previous < 0, gpunp.arange(nodes, dtype="i4"), previous)
    flatten(roots)
    return distance, previous, numpy.where(numpy.isfinite(distance), roots, numpy.int32(NULL))


def _cycles(edges, distance):
    """In which searches a path can be shortened for ever, and by an edge to which node."""
    rows = distance.reshape(-1, edges.nodes)
    weight = 1.0 if edges.weight is None else edges.weight
    shorter = rows[:, edges.source] + weight + _ERROR < rows[:, edges.target]
    return shorter


@on_cpu
def bellman_ford(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False):
    """Find shortest paths, also of negative weights; see `scipy.sparse.csgraph.bellman_ford`."""
    csr = compressed(csgraph, directed=directed)
    nodes = csr.shape[0]
    sources, shape = _sources(indices, nodes)
    edges = edges_of(csr, directed=directed, weighted=not unweighted)
    negative = not unweighted and _is_negative(csr)
    starts = _starts(sources, nodes, together=False)
    distance, stable = shortest(edges, starts, len(sources), sweeps=nodes if negative else None)
    if not stable:
        of_searches = _cycles(edges, distance).any(axis=1)
        if bool(of_searches.any()):
            node = sources[int(numpy.argmax(of_searches))]
            raise NegativeCycleError(f"Negative cycle detected on node {node}")
    if not return_predecessors:
        return distance.reshape(shape)
    previous = before(edges, distance, starts, negative=negative)
    return distance.reshape(shape), previous.reshape(shape)


@on_cpu
def johnson(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False):
    """Find shortest paths, also of negative weights; see `scipy.sparse.csgraph.johnson`.

    The whole graph is searched for negative cycles; the paths are those of `bellman_ford`.
    """
    csr = compressed(csgraph, directed=directed)
    if not unweighted and _is_negative(csr):
        edges = edges_of(csr, directed=directed)
        distance = gpunp.zeros(edges.nodes)
        if not relaxed(edges, distance, gpunp.ones(edges.nodes, "u1"), sweeps=edges.nodes):
            shorter = _cycles(edges, distance)[0]
            if bool(shorter.any()):
                node = int(edges.source[numpy.argmax(shorter)])
                raise NegativeCycleError(f"Negative cycle detected on node {node}")
    return bellman_ford.__wrapped__(
        csr,
        directed=directed,
        indices=indices,
        return_predecessors=return_predecessors,
        unweighted=unweighted,
    )


@on_cpu
def floyd_warshall(csgraph, directed=True, return_predecessors=False, unweighted=False, overwrite=False):
    """Find all shortest paths of a dense graph; see `scipy.sparse.csgraph.floyd_warshall`."""
    distance = dense_of(csgraph)
    nodes = len(distance)
    if unweighted:
        distance = numpy.where(numpy.isinf(distance), distance, 1.0)
    diagonal = gpunp.arange(nodes)
    distance[diagonal, diagonal] = 0
    if not directed:
        distance = gpunp.ascontiguousarray(numpy.minimum(distance, distance.T))
    previous = None
    if return_predecessors:
        edge = ~numpy.isinf(distance) & (diagonal != diagonal[:, None])
        previous = numpy.where(edge, diagonal.astype("i4")[:, None], numpy.int32(NULL))
    floyd(distance, previous)
    on_cycle = numpy.flatnonzero(distance[diagonal, diagonal] < 0)
    if len(on_cycle):
        raise NegativeCycleError(f"Negative cycle in nodes {on_cycle.get()}")
    if overwrite and isinstance(csgraph, gpunp.ndarray) and csgraph.dtype == distance.dtype:
        csgraph[...] = distance
        distance = csgraph
    return (distance, previous) if return_predecessors else distance


def _method(csgraph, indices):
    """The method that SciPy chooses."""
    csgraph = on_device(csgraph)
    if scipy.sparse.issparse(csgraph):
        count, data = csgraph.nnz, csgraph.data
    else:
        data = csgraph[numpy.isfinite(csgraph) & (csgraph != 0)]
        count = len(data)
    if indices is None and count >= csgraph.shape[0] ** 2 / 4:
        return "FW"
    return "J" if bool((data < 0).any()) else "D"


@on_cpu
def shortest_path(
    csgraph,
    method="auto",
    directed=True,
    return_predecessors=False,
    unweighted=False,
    overwrite=False,
    indices=None,
):
    """Find shortest paths by a method; see `scipy.sparse.csgraph.shortest_path`."""
    options = {
        "directed": directed,
        "return_predecessors": return_predecessors,
        "unweighted": unweighted,
    }
    if method == "auto":
        method = _method(csgraph, indices)
    if method == "FW":
        if indices is not None:
            raise ValueError("Cannot specify indices with method == 'FW'.")
        return floyd_warshall.__wrapped__(csgraph, overwrite=overwrite, **options)
    searches = {"D": dijkstra, "BF": bellman_ford, "J": johnson}
    if method not in searches:
        raise ValueError(f"unrecognized method '{method}'")
    return searches[method].__wrapped__(csgraph, indices=indices, **options)
