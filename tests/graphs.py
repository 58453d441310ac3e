"""What tests of graphs share: weights of graphs, and comparisons with SciPy's functions."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gpunp
import gpunp_scipy
from gpunp_scipy.sparse.methods import DeviceSparse


def weights(kind, nodes=60, seed=0):
    """The dense weights of a graph; 0 means no edge."""
    rng = np.random.default_rng(seed)
    if kind == "path":
        return np.diag(np.arange(1.0, nodes), 1)
    if kind == "grid":
        side = 7
        line = np.diag(np.ones(side - 1), 1)
        line = line + line.T
        return np.kron(np.eye(side), line) + np.kron(line, np.eye(side))
    if kind == "star":
        found = np.zeros((nodes, nodes))
        found[5] = rng.permutation(nodes) + 1.0
        return found
    if kind == "empty":
        return np.zeros((5, 5))
    density = {"sparse": 0.01, "medium": 0.05, "dense": 0.4, "ties": 0.05}[kind]
    found = rng.permutation(nodes * nodes).reshape(nodes, nodes) + 1.0
    if kind == "ties":
        found = rng.integers(1, 4, (nodes, nodes)) * 1.0
    return found * (rng.random((nodes, nodes)) < density)


KINDS = ("path", "grid", "star", "empty", "sparse", "medium", "dense", "ties")


def host(value):
    if isinstance(value, DeviceSparse):
        return value.get()
    if isinstance(value, tuple):
        return tuple(map(host, value))
    return gpunp.asnumpy(value) if isinstance(value, gpunp.ndarray) else value


def both(name):
    """SciPy's function, which is routed, and ours, which the CPU device does not need."""
    ours = getattr(gpunp_scipy.sparse.csgraph, name)
    return getattr(csgraph, name), getattr(ours, "__wrapped__", ours)


def upload(graph):
    return gpunp_scipy.sparse.csr_array(sp.csr_array(graph))


def assert_same(found, expected):
    found = host(found)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert_same(a, b)
    elif sp.issparse(expected):
        assert found.format == expected.format
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.toarray(), expected.toarray(), 1e-13)
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, 1e-13)
    else:
        assert found == expected


def check(name, graph, *args, **kwargs):
    """Both functions give what SciPy gives on the host, for sparse and for dense graphs."""
    for form in (sp.csr_array, sp.csc_array, sp.coo_array, np.array):
        given = gpunp.asarray(graph) if form is np.array else upload(graph).asformat(form.__name__[:3])
        try:
            expected = getattr(csgraph, name)(form(graph), *args, **kwargs)
        except ValueError as error:
            # Dense graphs are made of two formats only.
            for function in both(name):
                with pytest.raises(ValueError, match=str(error)):
                    function(given, *args, **kwargs)
            continue
        for function in both(name):
            assert_same(function(given, *args, **kwargs), expected)
