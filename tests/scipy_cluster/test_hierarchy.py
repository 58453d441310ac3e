"""``scipy.cluster.hierarchy``: distances on the device, merges on the host."""

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial import distance

import gpunp

X = np.random.default_rng(0).normal(size=(30, 3))
Y = distance.pdist(X)
Z = hierarchy.linkage(Y, "average")
R = hierarchy.inconsistent(Z)
T = hierarchy.fcluster(Z, 4, "maxclust")
METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")


def on_device(value):
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


def same(actual, expected):
    if isinstance(expected, tuple):
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            same(one, other)
        return
    assert type(actual) is gpunp.ndarray
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_linkage(method):
    for y in (X, Y):
        same(hierarchy.linkage(on_device(y), method), hierarchy.linkage(y, method))
        same(getattr(hierarchy, method)(on_device(y)), getattr(hierarchy, method)(y))
    expected = hierarchy.linkage(X, method, optimal_ordering=True)
    same(hierarchy.linkage(on_device(X), method, optimal_ordering=True), expected)


def test_metrics_of_linkage():
    for metric in ("cityblock", "cosine"):
        same(hierarchy.linkage(on_device(X), "average", metric), hierarchy.linkage(X, "average", metric))
    expected = hierarchy.optimal_leaf_ordering(Z, X)
    same(hierarchy.optimal_leaf_ordering(on_device(Z), on_device(X)), expected)
    same(hierarchy.optimal_leaf_ordering(on_device(Z), on_device(Y)), expected)


@pytest.mark.parametrize("criterion", ["distance", "maxclust", "inconsistent"])
def test_flat_clusters(criterion):
    t = 3 if criterion == "maxclust" else 1.1
    same(hierarchy.fcluster(on_device(Z), t, criterion), hierarchy.fcluster(Z, t, criterion))
    expected = hierarchy.fclusterdata(X, t, criterion, method="average")
    same(hierarchy.fclusterdata(on_device(X), t, criterion, method="average"), expected)


CALLS = (
    ("cophenet", Z),
    ("cophenet", Z, Y),
    ("cut_tree", Z, 3),
    ("cut_tree", Z, None, 1.0),
    ("from_mlab_linkage", hierarchy.to_mlab_linkage(Z)),
    ("inconsistent", Z, 3),
    ("leaders", Z, T),
    ("leaves_list", Z),
    ("maxdists", Z),
    ("maxinconsts", Z, R),
    ("maxRstat", Z, R, 1),
    ("correspond", Z, Y),
    ("is_isomorphic", T, T),
    ("is_monotonic", Z),
    ("is_valid_im", R),
    ("is_valid_linkage", Z),
    ("num_obs_linkage", Z),
    ("to_mlab_linkage", Z),
)


@pytest.mark.parametrize("call", CALLS, ids=[f"{i}-{call[0]}" for i, call in enumerate(CALLS)])
def test_functions_of_trees(call):
    name, *arguments = call
    expected = getattr(hierarchy, name)(*arguments)
    actual = getattr(hierarchy, name)(*map(on_device, arguments))
    if isinstance(expected, bool | int | np.bool_):
        assert bool(actual) == bool(expected)
        assert int(actual) == int(expected)
    else:
        same(actual, expected)


def test_objects():
    tree = hierarchy.to_tree(on_device(Z))
    expected = hierarchy.to_tree(Z)
    assert isinstance(tree, hierarchy.ClusterNode)
    assert tree.pre_order() == expected.pre_order()
    assert hierarchy.dendrogram(on_device(Z), no_plot=True) == hierarchy.dendrogram(Z, no_plot=True)


def test_bad_arguments():
    x = on_device(X)
    square = on_device(distance.squareform(Y))
    with pytest.raises(ValueError, match="Invalid method"):
        hierarchy.linkage(x, "nearest")
    with pytest.raises(ValueError, match="Euclidean"):
        hierarchy.linkage(x, "ward", "cityblock")
    with pytest.raises(ValueError, match="finite"):
        hierarchy.linkage(x * np.nan)
    with pytest.raises(ValueError, match="1 or 2"):
        hierarchy.linkage(x[None])
    with pytest.raises(ValueError, match="binomial"):
        hierarchy.linkage(on_device(Y[:-1]))
    with pytest.raises(TypeError, match="n by m"):
        hierarchy.fclusterdata(on_device(Y), 1.0)
    with pytest.raises(ValueError, match="columns"):
        hierarchy.fcluster(on_device(Z[:, :3]), 1.0)
    with pytest.warns(hierarchy.ClusterWarning, match="suspiciously"):
        hierarchy.linkage(square)
