"""scipy.sparse.csgraph with graphs on the device, and our own searches on any device, against SciPy's."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import KINDS, assert_same, both, check, host, upload, weights
from scipy.sparse import csgraph
from scipy_forms import NEWEST

import gpunp
import gpunp_scipy


@pytest.mark.parametrize("kind", KINDS)
def test_components(device, kind):
    graph = weights(kind)
    check("connected_components", graph)
    check("connected_components", graph, directed=False)
    check("connected_components", graph, return_labels=False)
    expected = csgraph.connected_components(sp.csr_array(graph), connection="strong")
    for function in both("connected_components"):
        count, labels = function(upload(graph), connection="strong")
        assert count == expected[0]
        assert labels.dtype == np.int32
        same = np.unique(np.stack((expected[1], host(labels))), axis=1)
        assert same.shape[1] == count
    assert function(upload(graph), connection="strong", return_labels=False) == count


def test_strong_components_are_numbered_by_first_nodes(device):
    rng = np.random.default_rng(3)
    graph = rng.random((80, 80)) < 0.02
    _, function = both("connected_components")
    count, labels = host(function(upload(graph), connection="strong"))
    first = np.array([np.flatnonzero(labels == k)[0] for k in range(count)])
    assert (np.diff(first) > 0).all()


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_breadth_first(device, kind, directed):
    graph = weights(kind)
    for start in (0, len(graph) - 1):
        check("breadth_first_order", graph, start, directed=directed)
        check("breadth_first_order", graph, start, directed=directed, return_predecessors=False)
        check("breadth_first_tree", graph, start, directed=directed)


def paths_are_shortest(graph, distance, previous, sources):
    """Whether predecessors lead back to the sources, along edges that make up the distances."""
    for row, source in enumerate(sources):
        for node in range(len(graph)):
            if not np.isfinite(distance[row, node]) or node == source:
                assert previous[row, node] == -9999
                continue
            at, length, steps = node, 0.0, 0
            while at != source:
                length += graph[previous[row, at], at]
                at, steps = previous[row, at], steps + 1
                assert steps <= len(graph)
            np.testing.assert_allclose(length, distance[row, node])


def undirected(graph):
    both = np.where(graph == 0, np.inf, graph)
    both = np.minimum(both, both.T)
    return np.where(np.isinf(both), 0, both)


SEARCHES = ("dijkstra", "bellman_ford", "johnson", "floyd_warshall", "shortest_path")


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("kind", KINDS)
def test_shortest_paths(device, kind, name):
    graph = weights(kind)
    check(name, graph)
    check(name, undirected(graph), directed=False)
    check(name, graph, unweighted=True)
    if name in ("dijkstra", "bellman_ford", "johnson"):
        for indices in (0, -1, [3, 1, 3], [[0, 1], [2, 4]]):
            check(name, graph, indices=indices)
    for form, directed in ((graph, True), (undirected(graph), False)):
        for function in both(name):
            distance, previous = host(function(upload(form), directed=directed, return_predecessors=True))
            assert previous.dtype == np.int32
            paths_are_shortest(form, distance, previous, range(len(form)))


@pytest.mark.parametrize("name", ["floyd_warshall", "dijkstra"])
def test_distances_of_many_tiles(device, name):
    check(name, weights("sparse", nodes=131))


@pytest.mark.parametrize("name", ["bellman_ford", "johnson", "floyd_warshall", "shortest_path"])
def test_negative_weights(device, name):
    rng = np.random.default_rng(7)
    # Differences of potentials make weights negative, but no cycle.
    potential = rng.integers(0, 40, 50)
    graph = rng.integers(1, 20, (50, 50)) * (rng.random((50, 50)) < 0.1)
    graph = np.where(graph > 0, graph + potential[:, None] - potential, 0).astype(float)
    check(name, graph)
    for function in both(name):
        distance, previous = host(function(upload(graph), return_predecessors=True))
        paths_are_shortest(graph, distance, previous, range(50))
    graph[3, 4], graph[4, 3] = 2.0, -3.0
    for function in both(name):
        with pytest.raises(csgraph.NegativeCycleError, match="Negative cycle"):
            function(upload(graph))


def test_edges_of_weight_zero(device):
    rng = np.random.default_rng(9)
    row, column = rng.integers(0, 30, 90), rng.integers(0, 30, 90)
    graph = sp.csr_array((rng.integers(0, 2, 90).astype(float), (row, column)), shape=(30, 30))
    expected = csgraph.dijkstra(graph)
    edges = np.where(np.isinf(dense := csgraph.csgraph_to_dense(graph, np.inf)), np.nan, dense)
    for function in both("dijkstra"):
        distance, previous = host(function(gpunp_scipy.sparse.csr_array(graph), return_predecessors=True))
        np.testing.assert_array_equal(distance, expected)
        paths_are_shortest(edges, distance, previous, range(30))


def test_limits_and_several_sources(device):
    graph = weights("medium")
    for limit in (0, 500.0, 3000.0):
        check("dijkstra", graph, indices=[0, 5], limit=limit)
        check("dijkstra", graph, indices=[0, 5, 9], limit=limit, min_only=True)
        check("dijkstra", graph, indices=[0, 5, 9], limit=limit, min_only=True, return_predecessors=True)
    check("dijkstra", graph, min_only=True)


def test_methods(device):
    graph = weights("medium")
    for method in ("auto", "FW", "D", "BF", "J"):
        check("shortest_path", graph, method=method)
    with pytest.raises(ValueError, match="unrecognized method"):
        csgraph.shortest_path(upload(graph), method="X")
    with pytest.raises(ValueError, match="indices"):
        csgraph.shortest_path(upload(graph), method="FW", indices=[0])


@pytest.mark.parametrize("kind", KINDS)
def test_spanning_trees(device, kind):
    graph = weights(kind)
    expected = csgraph.minimum_spanning_tree(sp.csr_array(graph))
    for function in both("minimum_spanning_tree"):
        for form in (upload(graph), gpunp.asarray(graph)):
            found = function(form)
            assert isinstance(found, type(expected))
            found = host(found)
            if kind not in ("ties", "grid"):
                np.testing.assert_array_equal(found.toarray(), expected.toarray())
            assert found.nnz == expected.nnz
            np.testing.assert_allclose(found.sum(), expected.sum())
            a, b = (csgraph.connected_components(each)[1] for each in (found, sp.csr_array(graph)))
            np.testing.assert_array_equal(a, b)


def test_negative_weights_of_trees(device):
    graph = weights("medium") - 1800 * (weights("medium") != 0)
    check("minimum_spanning_tree", graph)


def cuthill_mckee(graph):
    """The reverse order of Cuthill and McKee, with stable sorts; SciPy's are not."""
    degree = (graph != 0).sum(axis=1) + (graph.diagonal() != 0)
    order, seen = [], set()
    for seed in np.argsort(degree, kind="stable"):
        if seed in seen:
            continue
        seen.add(seed)
        queue = [seed]
        for node in queue:
            fresh = [k for k in np.flatnonzero(graph[node]) if k not in seen]
            seen.update(fresh)
            queue += sorted(fresh, key=lambda k: degree[k])
        order += queue
    return np.array(order[::-1])


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_reverse_cuthill_mckee(device, kind, symmetric):
    graph = weights(kind)
    whole = graph + graph.T
    if symmetric:
        graph = whole = whole + 3 * np.eye(len(graph)) * (np.arange(len(graph)) % 3 == 0)
    scipys, ours = both("reverse_cuthill_mckee")
    found = host(ours(upload(graph), symmetric_mode=symmetric))
    np.testing.assert_array_equal(found, cuthill_mckee(whole))
    expected = scipys(sp.csr_array(graph), symmetric_mode=symmetric)
    found = host(scipys(upload(graph), symmetric_mode=symmetric))
    assert found.dtype == expected.dtype
    if device.is_cpu:
        np.testing.assert_array_equal(found, expected)
    for function in scipys, ours:
        with pytest.raises(TypeError, match="CSC or CSR"):
            function(upload(graph).tocoo())


def test_index_dtype(device):
    graph = upload(weights("medium"))
    wide = gpunp_scipy.sparse.csr_array(graph)
    wide.indices, wide.indptr = wide.indices.astype("i8"), wide.indptr.astype("i8")
    for name, args in (("connected_components", ()), ("breadth_first_order", (0,)), ("dijkstra", ())):
        _, function = both(name)
        assert_same(function(wide, *args), host(function(graph, *args)))
    assert_same(both("minimum_spanning_tree")[1](wide), host(both("minimum_spanning_tree")[1](graph)))


HOST = {
    "depth_first_order": lambda f, a: f(a, 0),
    "depth_first_tree": lambda f, a: f(a, 0),
    "maximum_bipartite_matching": lambda f, a: f(a),
    "maximum_flow": lambda f, a: f(a.astype("i4"), 0, 5).flow,
    "min_weight_full_bipartite_matching": lambda f, a: f(a),
    "structural_rank": lambda f, a: f(a),
    "yen": lambda f, a: f(a, 0, 5, 3),
}


@pytest.mark.parametrize("name", HOST)
def test_host_by_decision(device, name):
    graph = weights("dense", nodes=20)
    expected = HOST[name](getattr(csgraph, name), sp.csr_array(graph))
    if device.is_cpu:
        assert_same(HOST[name](getattr(csgraph, name), upload(graph)), expected)
        return
    message = rf"{name} does not search graphs on a GPU: .*{name}\(graph.get\(\)\)"
    with pytest.raises(TypeError, match=message):
        HOST[name](getattr(csgraph, name), upload(graph))
    with gpunp.config.using(fallback="numpy"):
        assert_same(HOST[name](getattr(csgraph, name), upload(graph)), expected)


def test_masked_graphs_are_on_the_host(device):
    graph = upload(weights("medium"))
    if not device.is_cpu:
        with pytest.raises(TypeError, match="masked arrays are on the host"):
            csgraph.csgraph_to_masked(graph)


def test_bad_graphs(device):
    for name, args in (("connected_components", ()), ("breadth_first_order", (0,)), ("dijkstra", ())):
        _, function = both(name)
        with pytest.raises(ValueError, match="shape"):
            function(upload(np.ones((2, 3))), *args)
        parts = gpunp.ones(2), gpunp.asarray([0, 5]), gpunp.asarray([0, 1, 2])
        with pytest.raises(ValueError, match=r"outside of 0\.\.\.1"):
            function(sp.csr_array(parts, shape=(2, 2)), *args)
    with pytest.raises(ValueError, match="i_start"):
        both("breadth_first_order")[1](upload(np.eye(3)), 3)
    with pytest.raises(ValueError, match="connection"):
        csgraph.connected_components(upload(np.eye(3)), connection="loose")
    with pytest.raises(ValueError, match="indices out of range"):
        csgraph.dijkstra(upload(np.eye(3)), indices=[3])
    with pytest.raises(ValueError, match="limit"):
        csgraph.dijkstra(upload(np.eye(3)), limit=-1)
    negative = upload(np.array([[0, -1.0], [0, 0]]))
    for function in both("dijkstra"):
        with pytest.warns(UserWarning, match="negative weights"):
            function(negative)


def test_bad_predecessors(device):
    graph = upload(weights("medium"))
    for function in both("construct_dist_matrix"):
        with pytest.raises(TypeError):
            function(graph, gpunp.zeros((60, 60), "i8"))
        with pytest.raises(ValueError, match="same shape"):
            function(graph, gpunp.zeros((60, 5), "i4"))
    for function in both("reconstruct_path"):
        if NEWEST:
            with pytest.raises(ValueError, match="integral"):
                function(graph, gpunp.zeros(60))
        for wrong in (gpunp.full(60, 60), gpunp.zeros(61, int)):
            with pytest.raises(IndexError):
                function(graph, wrong)


def test_results_are_on_the_device(device):
    graph = upload(weights("medium"))
    for function in both("dijkstra"):
        assert function(graph).device == device
    for function in both("minimum_spanning_tree"):
        assert function(graph).device == device
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(csgraph.connected_components(graph)[0], int)
