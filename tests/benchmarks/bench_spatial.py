"""Distances, searches in trees and k-means of scipy.spatial and scipy.cluster, float64."""

import importlib

import numpy as np
from rows import Above, row

CHAPTER = "scipy.spatial and scipy.cluster, float64"
NAMES = {"gpunp": "scipy", "CuPy": "cupyx.scipy", "NumPy": "scipy"}


def functions(lib, module):
    """The library's module of functions, such as that of ``"spatial"``."""
    if lib.dialect == "torch":
        raise NotImplementedError("it has no such functions")
    try:
        return importlib.import_module(f"{NAMES[lib.name]}.{module}")
    except ImportError as error:
        raise NotImplementedError("it has no such module") from error


def register(name, title, seconds, build):
    @row(name, title, CHAPTER, Above(seconds), "wall")
    def make(lib, size):
        return build(lib, size)


def uniform(lib, count, dimensions, seed):
    return lib.upload(np.random.default_rng(seed).random((max(count, 16), dimensions)))


def all_pairs(metric, dimensions):
    def build(lib, size):
        distance = functions(lib, "spatial.distance")
        x, y = (uniform(lib, size.side >> 1, dimensions, seed) for seed in (1, 2))
        return lambda: distance.cdist(x, y, metric)

    return build


def condensed(lib, size):
    distance = functions(lib, "spatial.distance")
    x = uniform(lib, size.side >> 1, 3, 1)
    return lambda: distance.pdist(x)


def tree(lib, size):
    spatial = functions(lib, "spatial")
    x = uniform(lib, size.elements >> 8, 3, 1)
    return lambda: spatial.KDTree(x)


def neighbors(k):
    def build(lib, size):
        spatial = functions(lib, "spatial")
        found = spatial.KDTree(uniform(lib, size.elements >> 8, 3, 1))
        x = uniform(lib, size.elements >> 8, 3, 2)
        return lambda: found.query(x, k=k)

    return build


def within(lib, size):
    if lib.name == "CuPy":
        raise NotImplementedError("its trees do not count")
    spatial = functions(lib, "spatial")
    found = spatial.KDTree(uniform(lib, size.elements >> 8, 3, 1))
    return lambda: found.count_neighbors(found, [0.01, 0.02])


def codes(lib, size):
    vq = functions(lib, "cluster.vq")
    x, book = uniform(lib, size.elements >> 8, 16, 1), uniform(lib, 256, 16, 2)
    return lambda: vq.vq(x, book)


def means(lib, size):
    vq = functions(lib, "cluster.vq")
    x, book = uniform(lib, size.elements >> 8, 3, 1), uniform(lib, 16, 3, 2)
    return lambda: vq.kmeans2(x, book, iter=10, minit="matrix")


register(
    "spatial_cdist", "`cdist(x, y)`, 8192 x 8192 points, 64 coordinates", 0.7e-3, all_pairs("euclidean", 64)
)
register("spatial_cdist_3", "`cdist(x, y)`, 3 coordinates", 0.3e-3, all_pairs("euclidean", 3))
register(
    "spatial_cdist_cityblock",
    "`cdist(x, y, 'cityblock')`, 64 coordinates",
    0.9e-3,
    all_pairs("cityblock", 64),
)
register("spatial_cdist_cosine", "`cdist(x, y, 'cosine')`, 64 coordinates", 0.6e-3, all_pairs("cosine", 64))
register("spatial_pdist", "`pdist(x)`, 8192 points, 3 coordinates", 0.2e-3, condensed)
register("spatial_tree", "`KDTree(x)`, 2^20 points in space", 15e-3, tree)
register("spatial_query_1", "`tree.query(x)`, 2^20 in 2^20", 4e-3, neighbors(1))
register("spatial_query", "`tree.query(x, k=8)`, 2^20 in 2^20", 8e-3, neighbors(8))
register("spatial_count", "`tree.count_neighbors(tree, [r, s])`, 2^20", 8e-3, within)
register("cluster_vq", "`vq(x, book)`, 2^20 x 16, 256 codes", 1e-3, codes)
register("cluster_kmeans2", "`kmeans2(x, book)`, 2^20 x 3, 16 clusters, 10 iterations", 10e-3, means)
