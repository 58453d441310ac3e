"""Distances of all pairs: `cdist`, `pdist` and their metrics."""

import numpy as np
import pytest
from scipy.spatial import distance

import gpunp
from gpunp_scipy.spatial import pairs

METRICS = sorted(distance._METRICS)
OF_TRUTHS = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
WEIGHTED = [name for name in METRICS if name not in ("jensenshannon", "mahalanobis", "seuclidean")]
# Points beside the tiles of the kernels, 64 by 128 by 16, and the 16 columns of the CPU device.
SHAPES = (
    (1, 1, 1),
    (3, 5, 2),
    (300, 16, 18),
    (129, 17, 5),
    (65, 40, 17),
    (64, 128, 16),
    (130, 257, 3),
    (7, 300, 65),
    (16, 16, 0),
)


def points(count, n, seed=0, kind="real"):
    random = np.random.default_rng(seed)
    if kind == "truths":
        return random.random((count, n)) < 0.5
    x = random.normal(size=(count, n))
    return np.abs(x) if kind == "positive" else x


def kind_of(metric):
    if metric == "jensenshannon":
        return "positive"
    return "truths" if metric in OF_TRUTHS else "real"


def close(actual, expected, metric=None):
    assert type(actual) is gpunp.ndarray
    assert actual.dtype == np.float64
    assert actual.shape == expected.shape
    actual = gpunp.asnumpy(actual)
    if metric == "jensenshannon":
        # Roots of sums whose terms cancel: small ones are rounding errors, or NaN.
        actual, expected = (
            np.nan_to_num(actual, posinf=np.inf) ** 2,
            np.nan_to_num(expected, posinf=np.inf) ** 2,
        )
    # Cosines are one less a quotient: their errors are those of one.
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=4e-15)


def on_device(value):
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


def both(function, *args, **keywords):
    """The result on device arrays, and SciPy's on the host."""
    with np.errstate(all="ignore"):
        expected = function(*args, **keywords)
    keywords = {key: on_device(value) for key, value in keywords.items()}
    return function(*map(on_device, args), **keywords), expected


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("metric", METRICS)
def test_metrics(metric, shape):
    m, k, n = shape
    x, y = points(m, n, 1, kind_of(metric)), points(k, n, 2, kind_of(metric))
    keywords = {}
    if metric == "mahalanobis" and (min(m, k) <= n or n > 40):
        keywords = {"VI": np.eye(n) + 0.1}
    if metric == "seuclidean" and n:
        keywords = {"V": np.linspace(0.5, 2, n)}
    if n == 0 and metric in ("mahalanobis", "seuclidean"):
        return
    close(*both(distance.cdist, x, y, metric, **keywords), metric)
    close(*both(distance.pdist, x, metric, **keywords), metric)
    close(*both(distance.pdist, y, metric, **keywords), metric)


@pytest.mark.parametrize("metric", WEIGHTED)
def test_weights(metric):
    x, y = points(70, 19, 1, kind_of(metric)), points(33, 19, 2, kind_of(metric))
    w = np.random.default_rng(3).random(19)
    w[4] = 0
    close(*both(distance.cdist, x, y, metric, w=w))
    close(*both(distance.pdist, x, metric, w=w))
    on_host = distance.cdist(gpunp.asarray(x), gpunp.asarray(y), metric, w=w.tolist())
    close(on_host, distance.cdist(x, y, metric, w=w))


@pytest.mark.parametrize("p", [0.5, 1, 2, 2.5, 3, np.inf])
@pytest.mark.parametrize("weighted", [False, True])
def test_minkowski(p, weighted):
    x, y = points(20, 5, 1), points(30, 5, 2)
    keywords = {"w": np.array([0.5, 1, 2, 0, 3])} if weighted else {}
    close(*both(distance.cdist, x, y, "minkowski", p=p, **keywords))
    close(*both(distance.pdist, x, "minkowski", p=p, **keywords))


def test_defaults_of_variances():
    x, y = points(40, 5, 1), points(30, 5, 2)
    for metric in ("seuclidean", "mahalanobis"):
        close(*both(distance.cdist, x, y, metric))
        close(*both(distance.pdist, x, metric))
    singular = np.array([[1.0, 2], [3, -1]])
    close(*both(distance.cdist, x[:, :2], y[:, :2], "mahalanobis", VI=singular @ singular.T))


@pytest.mark.parametrize("char", "efdilB?")
def test_dtypes(char):
    x, y = (points(9, 4, seed) * 3 for seed in (1, 2))
    x, y = np.abs(x).astype(char), np.abs(y).astype(char)
    for metric in ("euclidean", "cityblock", "cosine", "hamming", "jaccard"):
        close(*both(distance.cdist, x, y, metric))
        close(*both(distance.pdist, x, metric))


@pytest.mark.parametrize("metric", METRICS)
def test_aliases(metric):
    x = gpunp.asarray(points(7, 4, 1, kind_of(metric)))
    expected = gpunp.asnumpy(distance.cdist(x, x, metric))
    for alias in (*distance._METRICS[metric].aka, metric.upper(), f"test_{metric}"):
        np.testing.assert_array_equal(gpunp.asnumpy(distance.cdist(x, x, alias)), expected)
    function = getattr(distance, metric)
    if metric not in ("mahalanobis", "seuclidean"):
        np.testing.assert_array_equal(gpunp.asnumpy(distance.cdist(x, x, function)), expected)


def test_differences_are_exact():
    x = 1e8 + points(50, 3)
    y = x[::-1] + 1e-7
    for metric in ("euclidean", "sqeuclidean", "cityblock", "chebyshev"):
        close(*both(distance.cdist, x, y, metric))
    assert (np.diagonal(gpunp.asnumpy(distance.cdist(gpunp.asarray(x), gpunp.asarray(x)))) == 0).all()


def test_special_values():
    x = np.array([[0, 0, 0.0], [1, np.nan, 2], [np.inf, 1, 1], [1, 2, 3]])
    y = x[:, ::-1] * 1.5
    for metric in ("braycurtis", "canberra", "chebyshev", "cityblock", "euclidean", "hamming", "sqeuclidean"):
        close(*both(distance.cdist, x, y, metric))
    finite = np.array([[0, 0, 0.0], [1, 2, 0], [0, 0, 3]])
    for metric in METRICS:
        if metric not in ("mahalanobis", "seuclidean", "correlation"):
            close(*both(distance.cdist, finite, finite, metric))
            close(*both(distance.pdist, finite, metric))


def test_a_function_of_the_caller():
    def metric(u, v, scale=1.0):
        return scale * np.abs(u - v).max()

    x, y = points(5, 3, 1), points(4, 3, 2)
    close(*both(distance.cdist, x, y, metric))
    close(*both(distance.cdist, x, y, metric, scale=2.0))
    close(*both(distance.pdist, x, metric, scale=2.0))
    assert distance.pdist(gpunp.zeros((1, 3)), metric).shape == (0,)


def test_out():
    x, y = points(20, 5, 1), points(30, 5, 2)
    a, b = gpunp.asarray(x), gpunp.asarray(y)
    for metric in (*METRICS, lambda u, v: abs(u - v).sum()):
        out, pairs = gpunp.zeros((20, 30)), gpunp.zeros(190)
        with np.errstate(all="ignore"):
            assert distance.cdist(a, b, metric, out=out) is out
            assert distance.pdist(a, metric, out=pairs) is pairs
            if metric != "jensenshannon":
                close(out, distance.cdist(x, y, metric))
                close(pairs, distance.pdist(x, metric))
    read_only = gpunp.zeros((20, 30))
    read_only.flags.writeable = False
    for bad in (read_only, gpunp.zeros((20, 31)), gpunp.zeros((20, 30), "f"), gpunp.zeros((20, 60))[:, ::2]):
        with pytest.raises(ValueError, match=r"[Oo]ut"):
            distance.cdist(a, b, out=bad)
    assert not read_only.any()
    with pytest.raises(TypeError, match="out"):
        distance.cdist(a, b, out=np.zeros((20, 30)))


def test_views_and_host_operands():
    x, y = points(40, 12, 1), points(30, 6, 2)
    view = gpunp.asarray(x)[::2, ::-2]
    expected = distance.cdist(x[::2, ::-2], y)
    close(distance.cdist(view, y), expected)
    close(distance.cdist(y, view), expected.T)
    close(distance.cdist(view, y.tolist()), expected)
    close(distance.pdist(view), distance.pdist(x[::2, ::-2]))


BAD = (
    {"metric": "foo"},
    {"metric": "test_foo"},
    {"metric": 3},
    {"w": np.ones(2)},
    {"w": -np.ones(3)},
    {"metric": "hamming", "w": np.ones(2)},
    {"metric": "minkowski", "w": np.ones((3, 1))},
    {"metric": "seuclidean", "V": np.ones(2)},
    {"metric": "seuclidean", "V": np.ones((3, 1))},
    {"metric": "euclidean", "q": 2},
    {"metric": "cosine", "q": 2},
    {"metric": "jensenshannon", "w": np.ones(3)},
)


@pytest.mark.parametrize("keywords", BAD, ids=range(len(BAD)))
def test_bad_arguments(keywords):
    x = points(5, 3)
    for function, arrays in ((distance.cdist, (x, x)), (distance.pdist, (x,))):
        with pytest.raises((TypeError, ValueError)) as expected:
            function(*arrays, **keywords)
        with pytest.raises(expected.type):
            function(*map(gpunp.asarray, arrays), **keywords)


def test_bad_shapes():
    x = gpunp.asarray(points(5, 3))
    for bad in ((x, x[0]), (x[0], x), (x, x[:, :2])):
        with pytest.raises(ValueError, match="dimension"):
            distance.cdist(*bad)
    with pytest.raises(ValueError, match="2-dimensional"):
        distance.pdist(x[0])
    with pytest.raises(ValueError, match="Unsupported dtype"):
        distance.cdist(x + 1j, x)
    with pytest.raises(ValueError, match="observations"):
        distance.cdist(x[:1], x[:1], "mahalanobis")


def test_empty_sets():
    x = points(5, 3)
    for metric in ("euclidean", "cosine", "yule", "mahalanobis"):
        for m, k in ((0, 5), (5, 0), (0, 0)):
            found = distance.cdist(
                *(gpunp.asarray(x[:count]) for count in (m, k)),
                metric,
                **({"VI": np.eye(3)} if metric == "mahalanobis" else {}),
            )
            assert found.shape == (m, k)
        for m in (0, 1):
            if metric != "mahalanobis":
                assert distance.pdist(gpunp.asarray(x[:m]), metric).shape == (0,)


@pytest.mark.parametrize("metric", ["sqeuclidean", "seuclidean", "minkowski", "canberra"])
def test_weights_of_no_coordinates(metric, monkeypatch, device):
    counts, write = [], pairs.distances

    def distances(name, x, y, out, form, weights=None, **options):
        counts.append((x.shape[1], weights.size))
        write(name, x, y, out, form, weights=weights, **options)

    monkeypatch.setattr(pairs, "distances", distances)
    points = np.zeros((9, 0))
    options = {"V": np.zeros(0)} if metric == "seuclidean" else {"w": np.zeros(0)}
    for found in (
        distance.pdist(gpunp.asarray(points), metric, **options),
        distance.cdist(gpunp.asarray(points), gpunp.asarray(points), metric, **options),
    ):
        assert not gpunp.asnumpy(found).any()
    # The kernel reads a weight for each coordinate.
    assert counts == [(1, 1), (1, 1)]
