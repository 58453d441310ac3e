"""Random calls of ``scipy.cluster``: sizes, dtypes, methods, random numbers, and bad input."""

import numpy as np
import pytest
from random_calls import compare_drawn_calls
from scipy.cluster import hierarchy, vq

YES_NO = (True, False)


def observations(draw, sizes=(0, 1, 2, 3, 6, 12, 30)):
    """Points, now and then of one coordinate only, of other dtypes, or not finite."""
    shape = (draw.pick(*sizes), draw.pick(1, 2, 3, 5))
    x = draw.array(shape if draw.rng.random() < 0.85 else shape[:1], "dddffil")
    if x.dtype.kind == "f" and x.size and draw.rng.random() < 0.06:
        x = x.copy()
        x.flat[draw.whole(0, x.size - 1)] = draw.pick(np.nan, np.inf)
    return x


def codes(x, book, options):
    return vq.vq(x, book, **options)


def of_codes(draw):
    x = observations(draw)
    shape = (draw.pick(1, 2, 4), *(n + (draw.rng.random() < 0.05) for n in x.shape[1:]))
    book = draw.array(shape, [x.dtype.char] if draw.rng.random() < 0.7 else "dfil")
    # Unknown numbers have no nearest centroid.
    finite = all(np.isfinite(each).all() for each in (x, book))
    return (x, book, draw.some(check_finite=lambda: draw.pick(True, not finite))), {}


def scaled(x, options):
    return vq.whiten(x, **options)


def of_scaled(draw):
    return (observations(draw), draw.some(check_finite=lambda: draw.pick(*YES_NO))), {}


def means(x, k, options):
    return vq.kmeans2(x, k, **options)


def of_means(draw):
    x = observations(draw)
    k = draw.pick(1, 2, 3, 0, x[:2].copy(), x[:1].copy())
    options = {"rng": draw.whole(0, 99), "minit": draw.pick("random", "points", "++", "matrix", "x")}
    options |= draw.some(iter=lambda: draw.pick(1, 5, 0), missing=lambda: draw.pick("warn", "raise", "x"))
    if isinstance(k, np.ndarray):
        options["minit"] = "matrix"
    return (x, k, options), {}


def searched_means(x, k, options):
    return vq.kmeans(x, k, **options)


def of_searched_means(draw):
    # In single precision another start may be the best one.
    x = observations(draw).astype("d")
    k = draw.pick(1, 2, 3, 0, x[:2].copy())
    return (x, k, {"rng": draw.whole(0, 99)} | draw.some(iter=lambda: draw.pick(1, 5, 0), thresh=1e-3)), {}


METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward", "x")
METRICS = ("euclidean", "cityblock", "cosine", "chebyshev", "x")


def tree(x, options):
    return hierarchy.linkage(x, **options)


def of_tree(draw):
    x = observations(draw)
    options = draw.some(
        method=lambda: draw.pick(*METHODS),
        metric=lambda: draw.pick(*METRICS),
        optimal_ordering=lambda: draw.pick(*YES_NO),
    )
    return (x, options), {}


def of_linkage(name, z, *arguments):
    return getattr(hierarchy, name)(z, *arguments)


def linkages(draw):
    """A linkage matrix, or something near it, and a function of it."""
    x = draw.rng.normal(size=(draw.pick(2, 3, 5, 9), 2))
    z = hierarchy.linkage(x, draw.pick(*METHODS[:-1]))
    if draw.rng.random() < 0.05:
        z = draw.pick(z[:, :3], z[:0], z[0], z.astype("f"))
    n = len(z) + 1
    name, *arguments = draw.pick(
        ("fcluster", draw.pick(0.5, 1.0, 2), draw.pick("distance", "inconsistent", "x")),
        ("fcluster", draw.pick(1, 2, 3), "maxclust"),
        ("fcluster", 0.5, "monocrit", 2, None, draw.rng.uniform(0, 1, max(n - 1, 0))),
        ("fcluster", 2, "maxclust_monocrit", 2, None, draw.rng.uniform(0, 1, max(n - 1, 0))),
        ("cophenet",),
        ("cophenet", draw.rng.uniform(0, 1, n * (n - 1) // 2)),
        ("inconsistent", draw.pick(1, 2, 3)),
        ("maxdists",),
        ("leaves_list",),
        ("cut_tree",),
        ("cut_tree", draw.pick([1], [1, 2], 2, np.array([2, 1]), [99])),
        ("optimal_leaf_ordering", x),
        ("is_valid_linkage",),
        ("is_monotonic",),
        ("num_obs_linkage",),
        ("to_mlab_linkage",),
        ("from_mlab_linkage",),
        ("correspond", draw.rng.uniform(0, 1, n * (n - 1) // 2)),
        ("leaders", draw.rng.integers(1, 3, n).astype("i")),
    )
    return (name, z, *arguments), {}


def of_inconsistency(name, z, r, i):
    arguments = (z, r, i) if name == "maxRstat" else (z, r)
    if name == "is_valid_im":
        arguments = (r,)
    return getattr(hierarchy, name)(*arguments)


def inconsistencies(draw):
    x = draw.rng.normal(size=(draw.pick(2, 3, 5, 9), 2))
    z = hierarchy.linkage(x, "average")
    r = hierarchy.inconsistent(z)
    r = draw.pick(r, r, r, r[:-1], r[:, :3], -r - 1, r.astype("f"))
    return (draw.pick("maxinconsts", "maxRstat", "is_valid_im"), z, r, draw.pick(0, 1, 2, 3, -1, 4)), {}


def clusters(x, t, options):
    return hierarchy.fclusterdata(x, t, **options)


def of_clusters(draw):
    options = draw.some(
        criterion=lambda: draw.pick("inconsistent", "distance", "maxclust", "x"),
        metric=lambda: draw.pick(*METRICS),
        method=lambda: draw.pick(*METHODS),
        depth=3,
    )
    return (observations(draw), draw.pick(0.5, 1, 2, 3.0), options), {}


def isomorphic(a, b):
    return hierarchy.is_isomorphic(a, b)


def of_isomorphic(draw):
    a = draw.rng.integers(0, 3, draw.pick(0, 1, 3, 6)).astype(draw.pick(*"ilhd"))
    b = draw.rng.integers(0, 3, a.size + (draw.rng.random() < 0.1))
    b = (a + 1) % 3 if draw.rng.random() < 0.5 else b
    return (a, b), {}


CALLS = (
    (codes, of_codes),
    (scaled, of_scaled),
    (means, of_means),
    (searched_means, of_searched_means),
    (tree, of_tree),
    (of_linkage, linkages),
    (of_inconsistency, inconsistencies),
    (clusters, of_clusters),
    (isomorphic, of_isomorphic),
)
IDS = [function.__name__ for function, _ in CALLS]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "draws"), CALLS, ids=IDS)
def test_agrees_with_the_host(function, draws, device):
    compare_drawn_calls("cluster", function, draws)
