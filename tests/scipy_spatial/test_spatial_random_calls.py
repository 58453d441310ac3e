"""Random calls of ``scipy.spatial`` and its distances, trees and rotations: sizes, dtypes, and bad input."""

import numpy as np
import pytest
import scipy
from random_calls import compare_drawn_calls
from scipy import spatial
from scipy.spatial import distance
from scipy.spatial.transform import RigidTransform, Rotation, Slerp

CHARS = "dddfeilhB?"
YES_NO = (True, False)
BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
OF_NUMBERS = (
    *("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "hamming"),
    *("jensenshannon", "mahalanobis", "minkowski", "seuclidean", "sqeuclidean"),
)
UNWEIGHTED = ("mahalanobis", "seuclidean")
ROTATIONS = {"quat": (4,), "rotvec": (3,), "matrix": (3, 3), "mrp": (3,), "euler": (3,)}
if scipy.__version__ == "1.17.0":
    # `apply` of several such rotations raises AttributeError there, for host arrays.
    del ROTATIONS["mrp"]


def metric(draw, ndim):
    """A metric, and keyword arguments that it takes."""
    name = draw.pick(*OF_NUMBERS, *BOOLEAN, "x")
    options = {}
    if name == "minkowski":
        options = draw.some(p=lambda: draw.pick(0.5, 1, 1.5, 2, 3, np.inf, 0, -1))
    if name not in (*UNWEIGHTED, "jensenshannon"):
        options |= {} if draw.rng.random() < 0.7 else {"w": draw.rng.uniform(0.1, 2, ndim)}
    if name == "seuclidean":
        options = draw.some(V=lambda: draw.rng.uniform(0.5, 2, ndim))
    if name == "mahalanobis":
        options = draw.some(VI=lambda: np.eye(ndim) + 0.1)
    return name, options


def coordinates(draw, n, ndim, name):
    """Points for a metric; now and then one is not a number."""
    if name in BOOLEAN:
        return draw.rng.random((n, ndim)) < 0.5
    x = draw.array((n, ndim), CHARS)
    if name == "jensenshannon":
        # SciPy's roots of rounding errors of equal distributions are not numbers.
        x = np.abs(draw.rng.normal(size=(n, max(ndim, 2))))
    if x.dtype.kind == "f" and x.size and draw.rng.random() < 0.06:
        x = x.copy()
        x.flat[draw.whole(0, x.size - 1)] = draw.pick(np.nan, np.inf)
    return x


def sizes(draw):
    return draw.pick(0, 1, 2, 3, 5, 9), draw.pick(0, 1, 1, 2, 3, 4, 7)


def cdist(a, b, name, options):
    return distance.cdist(a, b, name, **options)


def of_cdist(draw):
    n, ndim = sizes(draw)
    name, options = metric(draw, ndim)
    a = coordinates(draw, n, ndim, name)
    b = coordinates(draw, draw.pick(0, 1, 3, 6), ndim + (draw.rng.random() < 0.04), name)
    return (a, b, name, options), {}


def pdist(a, name, options):
    return distance.pdist(a, name, **options)


def of_pdist(draw):
    n, ndim = sizes(draw)
    name, options = metric(draw, ndim)
    return (coordinates(draw, n, ndim, name), name, options), {}


def of_vectors(a, b, name, options):
    return float(getattr(distance, name)(a, b, **options))


def vectors(draw):
    ndim = draw.pick(1, 2, 5)
    name, options = metric(draw, ndim)
    if name == "x":
        name, options = "jensenshannon", draw.some(base=2.0)
    needed = {"mahalanobis": {"VI": np.eye(ndim)}, "seuclidean": {"V": np.ones(ndim)}}
    a, b = (coordinates(draw, 1, ndim, name)[0] for _ in range(2))
    return (a, b, name, options or needed.get(name, {})), {}


def squareform(x, options):
    return distance.squareform(x, **options)


def of_squareform(draw):
    n = draw.pick(0, 1, 2, 4, 5)
    x = draw.array(n * (n - 1) // 2 + (draw.rng.random() < 0.1), CHARS)
    if draw.rng.random() < 0.5 and n > 1:
        x = np.abs(draw.array((n, n), "ddfil"))
        x = x + x.T if draw.rng.random() < 0.9 else x
        x[np.diag_indices(n)] = 0 if draw.rng.random() < 0.9 else 1
    options = draw.some(
        force=lambda: draw.pick("no", "tovector", "tomatrix"), checks=lambda: draw.pick(*YES_NO)
    )
    return (x, options), {}


def validity(x, options):
    return tuple(getattr(distance, name)(x, **options) for name in ("is_valid_dm", "is_valid_y"))


def of_validity(draw):
    (x, _), _ = of_squareform(draw)
    return (x, draw.some(throw=lambda: draw.pick(*YES_NO), warning=False)), {}


def hausdorff(a, b):
    return distance.directed_hausdorff(a, b)[0]


def of_hausdorff(draw):
    n, ndim = draw.pick(1, 2, 7), draw.pick(1, 2, 3)
    a = draw.array((n, ndim), "ddfil")
    return (a, draw.array((draw.pick(1, 4, 9), ndim + (draw.rng.random() < 0.05)), "ddfil")), {}


def points(draw, ndim, sizes=(1, 2, 3, 8, 30)):
    x = draw.rng.normal(size=(draw.pick(*sizes), ndim))
    return x if draw.rng.random() < 0.8 else np.asarray(x.astype(draw.pick(*"fil")))


def norms(draw):
    return draw.pick(1, 2, 2, 3, np.inf, 1.5)


def query(data, x, k, options):
    found = spatial.KDTree(data).query(x, k, **options)
    # Any of several points at the same distance may be returned.
    return found[0]


def of_query(draw):
    ndim = draw.pick(1, 2, 3, 5)
    data = points(draw, ndim, (0, 1, 2, 8, 30))
    x = draw.rng.normal(size=(*draw.pick((), (4,), (2, 3), (0,)), ndim + (draw.rng.random() < 0.04)))
    if x.size and draw.rng.random() < 0.05:
        x.flat[0] = draw.pick(np.nan, np.inf)
    options = draw.some(
        p=lambda: draw.pick(1, 2, 3, np.inf, 0.5), distance_upper_bound=lambda: draw.pick(0.5, 2, np.inf, 0)
    )
    k = draw.pick(1, 1, 2, 5, 40, [1], [2, 4], [3], 0)
    return (data, x, k, options), {}


def ball(data, x, r, options):
    return spatial.KDTree(data).query_ball_point(x, r, **options)


def of_ball(draw):
    ndim = draw.pick(1, 2, 3)
    lead = draw.pick((), (4,), (2, 3), (0,))
    x = draw.rng.normal(size=(*lead, ndim))
    r = draw.pick(0.5, 1.0, 0, np.inf, draw.rng.uniform(0.2, 2, lead))
    return (points(draw, ndim), x, r, draw.some(p=lambda: norms(draw)) | {"return_length": True}), {}


def pairs(data, r, options):
    found = spatial.KDTree(data).query_pairs(r, output_type="ndarray", **options)
    return (found.shape, (found[:, 0] < found[:, 1]).all(), found.sum())


def of_pairs(draw):
    return (
        points(draw, draw.pick(1, 2, 3)),
        draw.pick(0.3, 1.0, 0, np.inf),
        draw.some(p=lambda: norms(draw)),
    ), {}


def neighbors(data, other, r, options):
    found = spatial.KDTree(data).count_neighbors(spatial.KDTree(other), r, **options)
    return found if np.ndim(r) else float(found)


def of_neighbors(draw):
    ndim = draw.pick(1, 2, 3)
    a, b = points(draw, ndim), points(draw, ndim)
    r = draw.pick(0.5, 2.0, np.array([0.1, 1.0, 2.0]), [0.5, 1.0], np.array([]))
    options = draw.some(p=lambda: norms(draw), cumulative=lambda: draw.pick(*YES_NO))
    if draw.rng.random() < 0.3:
        options["weights"] = draw.pick(
            np.ones(len(a)),
            (np.arange(len(a)) * 0.5, None),
            (None, np.ones(len(b) + (draw.rng.random() < 0.1))),
        )
    return (a, b, r, options), {}


def sparse_distances(data, other, limit, options):
    found = spatial.KDTree(data).sparse_distance_matrix(
        spatial.KDTree(other), limit, output_type="coo_matrix", **options
    )
    return found.toarray().tolist()


def of_sparse_distances(draw):
    ndim = draw.pick(1, 2, 3)
    limit = draw.pick(0.5, 2.0, 0, 50)
    return (points(draw, ndim), points(draw, ndim), limit, draw.some(p=lambda: norms(draw))), {}


def matrix(a, b, p):
    return spatial.distance_matrix(a, b, p)


def minkowski(a, b, p):
    return spatial.minkowski_distance(a, b, p), spatial.minkowski_distance_p(a, b, p)


def of_matrix(draw):
    n, ndim = sizes(draw)
    a = draw.array((n, ndim), CHARS + "D")
    b = draw.array((draw.pick(n, n, 1, 3), ndim + (draw.rng.random() < 0.04)), CHARS + "D")
    # SciPy refuses the maximum of no coordinates.
    return (a, b, draw.pick(1, 2, 3, np.inf if a.shape[1] else 1, 1.5)), {}


def procrustes(a, b):
    return spatial.procrustes(a, b)


def of_procrustes(draw):
    n, ndim = draw.pick(1, 3, 8), draw.pick(1, 2, 3)
    a = draw.array((n, ndim), "ddfil")
    return (a, draw.array((n + (draw.rng.random() < 0.05), draw.pick(ndim, ndim, 1)), "ddfil")), {}


def slerp_of_points(start, end, t):
    return spatial.geometric_slerp(start, end, t)


def of_slerp_of_points(draw):
    ndim = draw.pick(1, 2, 3, 4)
    start, end = draw.rng.normal(size=(2, ndim))
    if draw.rng.random() < 0.95:
        start, end = start / np.linalg.norm(start), end / np.linalg.norm(end)
    if draw.rng.random() < 0.1:
        end = draw.pick(start, -start)
    t = draw.pick(0.3, np.linspace(0, 1, 4), np.array([]), 1.5, np.array([0.0, 1.0]))
    return (start, end, t), {}


def _angles(r):
    return (r.as_quat(canonical=True), r.as_matrix(), r.magnitude())


def rotation(kind, given, step):
    r = getattr(Rotation, f"from_{kind}")(*given[0], **given[1])
    name, *arguments = step
    if name == "angles":
        return _angles(r)
    found = getattr(r, name)(*arguments)
    return _angles(found) if isinstance(found, Rotation) else found


def of_rotation(draw):
    lead = draw.pick((), (1,), (4,), (0,), (2, 3))
    kind = draw.pick(*ROTATIONS, "quat")
    values = ROTATIONS[kind]
    # SciPy's code for other arrays keeps single precision, and unknown numbers.
    a = draw.rng.normal(size=(*lead, *values))
    if draw.rng.random() < 0.04:
        a = a[..., :-1]
    if draw.rng.random() < 0.04:
        a = a * 0
    if kind == "euler":
        order = draw.pick("xyz", "ZYX", "zxz", "ZXZ", "xyy", "xYz")
        given = (order, a), draw.some(degrees=lambda: draw.pick(*YES_NO))
    else:
        options = {"quat": "scalar_first", "rotvec": "degrees"}.get(kind)
        given = (a,), draw.some(**{options: lambda: draw.pick(*YES_NO)}) if options else {}
    vectors = draw.rng.normal(size=(*draw.pick((), lead, (1,)), 3))
    step = draw.pick(
        ("angles",),
        ("apply", vectors),
        ("apply", vectors, True),
        ("inv",),
        ("as_rotvec",),
        ("as_mrp",),
        ("as_euler", draw.pick("xyz", "ZYZ", "xyx")),
        ("__pow__", draw.pick(0, 1, -1, 2, 0.5)),
        ("mean",),
        ("mean", draw.rng.uniform(0.1, 1, lead or 1)),
    )
    return (kind, given, step), {}


def between(times, quaternions, at):
    return _angles(Slerp(times, Rotation.from_quat(quaternions))(at))


def of_between(draw):
    n = draw.pick(1, 2, 3, 5)
    times = np.cumsum(draw.rng.uniform(0.2, 1, n))
    times = times[::-1] if draw.rng.random() < 0.05 else times
    ends = times.min() - (draw.rng.random() < 0.1), times.max()
    at = draw.rng.uniform(*ends, draw.pick((), (4,), (0,)))
    return (times, draw.rng.normal(size=(n, 4)), at), {}


def rigid(translation, quaternion, vectors, step):
    made = RigidTransform.from_components(translation, Rotation.from_quat(quaternion))
    name, *arguments = step
    if name == "apply":
        return made.apply(vectors, *arguments)
    found = getattr(made, name)(*arguments)
    return found.as_matrix() if isinstance(found, RigidTransform) else found


def of_rigid(draw):
    lead = draw.pick((), (1,), (4,))
    vectors = draw.rng.normal(size=(*draw.pick((), lead), 3))
    step = draw.pick(
        ("apply",),
        ("apply", True),
        ("inv",),
        ("as_exp_coords",),
        ("__pow__", 2),
        ("as_dual_quat",),
        ("as_matrix",),
    )
    others = draw.rng.normal(size=(*lead, 3)), draw.rng.normal(size=(*lead, 4))
    return (*others, vectors, step), {}


CALLS = (
    (cdist, of_cdist),
    (pdist, of_pdist),
    (of_vectors, vectors),
    (squareform, of_squareform),
    (validity, of_validity),
    (hausdorff, of_hausdorff),
    (query, of_query),
    (ball, of_ball),
    (pairs, of_pairs),
    (neighbors, of_neighbors),
    (sparse_distances, of_sparse_distances),
    (matrix, of_matrix),
    (minkowski, of_matrix),
    (procrustes, of_procrustes),
    (slerp_of_points, of_slerp_of_points),
    (rotation, of_rotation),
    (between, of_between),
    (rigid, of_rigid),
)
IDS = [function.__name__ for function, _ in CALLS]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "draws"), CALLS, ids=IDS)
def test_agrees_with_the_host(function, draws, device):
    compare_drawn_calls("spatial", function, draws)
