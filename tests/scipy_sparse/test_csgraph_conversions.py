"""Laplacians of graphs on the device, conversions, and paths from predecessors, against SciPy's."""

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import assert_same, both, host, upload, weights
from scipy.sparse import csgraph
from scipy_forms import NEWEST

import gpunp
import gpunp_scipy

LAPLACIANS = (
    {},
    {"normed": True},
    {"return_diag": True},
    {"use_out_degree": True},
    {"symmetrized": True, "normed": True, "return_diag": True},
    {"dtype": "f4"},
    {"copy": False},
)


@pytest.mark.parametrize("options", LAPLACIANS, ids=lambda options: " ".join(options) or "plain")
@pytest.mark.parametrize("kind", ["grid", "medium"])
def test_laplacians(device, kind, options):
    graph = weights(kind)
    for cast in ("f8", "i8"):
        for form in (np.array, sp.csr_array, sp.coo_array, sp.csc_array, sp.dia_array):
            expected = csgraph.laplacian(form(graph.astype(cast)), **options)
            given = form(graph.astype(cast))
            given = getattr(gpunp_scipy.sparse, type(given).__name__)(given) if sp.issparse(given) else given
            given = gpunp.asarray(given) if isinstance(given, np.ndarray) else given
            assert_same(csgraph.laplacian(given, **options), expected)


@pytest.mark.parametrize("form", ["function", "lo"])
def test_laplacians_as_functions(device, form):
    if form == "lo" and not NEWEST:
        pytest.skip("operators of SciPy before 1.18 take host arrays only")
    graph, x = weights("medium"), np.random.default_rng(1).random((60, 2))
    for options in ({}, {"normed": True}, {"symmetrized": True}):
        expected = csgraph.laplacian(sp.csr_array(graph), form=form, **options)
        for given in (upload(graph), gpunp.asarray(graph)):
            found = csgraph.laplacian(given, form=form, **options)
            applied = [
                f(v) if form == "function" else f @ v for f, v in ((found, gpunp.asarray(x)), (expected, x))
            ]
            np.testing.assert_allclose(host(applied[0]), applied[1], 1e-12)


def test_conversions(device):
    graph = weights("medium", nodes=12)
    graph[2, 3], graph[4, 4], graph[5, 1] = np.inf, np.nan, 7.0
    for options in ({}, {"null_value": 7.0}, {"nan_null": False}, {"infinity_null": False}):
        expected = csgraph.csgraph_from_dense(graph, **options)
        for function in both("csgraph_from_dense"):
            found = function(gpunp.asarray(graph), **options)
            assert isinstance(found, type(expected))
            for part in ("data", "indices", "indptr"):
                np.testing.assert_array_equal(host(getattr(found, part)), getattr(expected, part))
    doubled = sp.csr_array((np.array([3.0, 2, 0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    for null in (0, np.inf, -1):
        expected = csgraph.csgraph_to_dense(doubled, null)
        for function in both("csgraph_to_dense"):
            assert_same(function(gpunp_scipy.sparse.csr_array(doubled), null), expected)
    with pytest.raises(ValueError, match="square"):
        csgraph.csgraph_from_dense(gpunp.ones((2, 3)))
    with pytest.raises(ValueError, match="format"):
        csgraph.csgraph_to_dense(gpunp_scipy.sparse.coo_array(doubled))


@pytest.mark.parametrize("directed", [True, False])
def test_paths_from_predecessors(device, directed):
    graph = weights("medium")
    _, previous = csgraph.dijkstra(sp.csr_array(graph), directed=directed, return_predecessors=True)
    previous[:, 7] = -9999
    for null in (np.inf, 0.0):
        options = {"directed": directed, "null_value": null}
        expected = csgraph.construct_dist_matrix(graph, previous, **options)
        for function in both("construct_dist_matrix"):
            found = function(gpunp.asarray(graph), gpunp.asarray(previous), **options)
            np.testing.assert_allclose(host(found), expected, 1e-12)
    for row in (0, 5):
        expected = csgraph.reconstruct_path(sp.csr_array(graph), previous[row], directed=directed)
        for function in both("reconstruct_path"):
            found = function(upload(graph), gpunp.asarray(previous[row]), directed=directed)
            assert_same(found, expected)
