"""Clusters of clusters: distances of observations on the device, merges one after another on the host.

A merge depends on all merges before it, and each is a pass over a row of distances: SciPy's algorithms
(a minimum spanning tree, chains of nearest neighbors, a heap) run on a host copy of the distances.
"""

import warnings

import numpy
import scipy.cluster.hierarchy
from gpunp.device import get_device

from gpunp.array.convert import asarray, asnumpy
from gpunp.array.operands import device_of
from gpunp_scipy.cluster.hierarchy.trees import fcluster, inconsistent
from gpunp_scipy.spatial.distance.all_pairs import pdist

_METHODS = ("single", "complete", "average", "centroid", "median", "ward", "weighted")
_EUCLIDEAN = ("centroid", "median", "ward")


def _warn_of_distances(y):
    """Warn of observations that look like a square matrix of distances."""
    if y.shape[0] != y.shape[1]:
        return
    hollow = numpy.isclose(numpy.diagonal(y), 0).all()
    if hollow & (y >= 0).all() & numpy.isclose(y, y.T).all():
        warnings.warn(
            "The symmetric non-negative hollow observation matrix looks suspiciously like an uncondensed "
            "distance matrix",
            scipy.cluster.hierarchy.ClusterWarning,
            stacklevel=3,
        )


def _condensed(y, metric):
    """Distances of pairs on the host, from observations or from distances."""
    y = asarray(y, dtype="f8", device=device_of(y) or get_device())
    if y.ndim == 2:
        _warn_of_distances(y)
        y = pdist(y, metric)
    return asnumpy(y), y.device


def linkage(y, method="single", metric="euclidean", optimal_ordering=False):
    """Merge clusters step by step; see `scipy.cluster.hierarchy.linkage`.

    The distances of observations are computed on the device, the merges on the host; waits.
    """
    if method not in _METHODS:
        raise ValueError(f"Invalid method: {method}")
    if method in _EUCLIDEAN and metric != "euclidean" and numpy.ndim(y) == 2:
        raise ValueError(f"`method={method}` requires the distance metric to be Euclidean")
    distances, device = _condensed(y, metric)
    found = scipy.cluster.hierarchy.linkage(distances, method, optimal_ordering=optimal_ordering)
    return asarray(found, device=device)


def single(y):
    """Merge by the least distance; see `scipy.cluster.hierarchy.single`."""
    return linkage(y, "single")


def complete(y):
    """Merge by the greatest distance; see `scipy.cluster.hierarchy.complete`."""
    return linkage(y, "complete")


def average(y):
    """Merge by the mean distance; see `scipy.cluster.hierarchy.average`."""
    return linkage(y, "average")


def weighted(y):
    """Merge by the mean of the distances of both parts; see `scipy.cluster.hierarchy.weighted`."""
    return linkage(y, "weighted")


def centroid(y):
    """Merge by the distance of centroids; see `scipy.cluster.hierarchy.centroid`."""
    return linkage(y, "centroid")


def median(y):
    """Merge by the distance of midpoints; see `scipy.cluster.hierarchy.median`."""
    return linkage(y, "median")


def ward(y):
    """Merge by the growth of variance; see `scipy.cluster.hierarchy.ward`."""
    return linkage(y, "ward")


def optimal_leaf_ordering(Z, y, metric="euclidean"):
    """Order leaves so that neighbors are near; see `scipy.cluster.hierarchy.optimal_leaf_ordering`.

    The distances of observations are computed on the device, the order on the host; waits.
    """
    device = device_of(Z, y) or get_device()
    distances, _ = _condensed(y, metric)
    found = scipy.cluster.hierarchy.optimal_leaf_ordering(asnumpy(asarray(Z, device=device)), distances)
    return asarray(found, device=device)


def fclusterdata(X, t, criterion="inconsistent", metric="euclidean", depth=2, method="single", R=None):
    """Cluster observations; see `scipy.cluster.hierarchy.fclusterdata`. It computes as `linkage` does."""
    X = asarray(X, dtype="f8")
    if X.ndim != 2:
        raise TypeError("The observation matrix X must be an n by m array.")
    Z = linkage(pdist(X, metric), method)
    R = inconsistent(Z, d=depth) if R is None else R
    return fcluster(Z, t, criterion=criterion, depth=depth, R=R)
