"""``scipy.cluster.vq``: codes of observations and k-means."""

import warnings

import numpy as np
import pytest
from scipy.cluster import vq

import gpunp

KINDS = ("random", "points", "++")


def observations(count=500, n=3, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(count, n)) + 5 * random.integers(0, 3, (count, 1))


def same(actual, expected, rtol=1e-10):
    for one, other in zip(actual, expected, strict=True):
        assert type(one) is gpunp.ndarray
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(gpunp.asnumpy(one), other, rtol=rtol, atol=rtol)


@pytest.mark.parametrize(
    "shape",
    [
        (1, 1, 1),
        (5, 3, 2),
        (260, 16, 33),
        (129, 17, 4),
        (300, 64, 5),
        (64, 128, 16),
        (65, 129, 17),
        (1000, 300, 3),
        (300, 7, 70),
    ],
)
@pytest.mark.parametrize("char", "fd")
def test_codes(shape, char):
    m, k, n = shape
    obs, book = observations(m, n, 1).astype(char), observations(k, n, 2).astype(char)
    # SciPy expands squares for five coordinates and more, in the precision of the observations.
    same(vq.vq(gpunp.asarray(obs), gpunp.asarray(book)), vq.vq(obs, book), 1e-3 if char == "f" else 1e-10)


def test_equal_distances():
    obs = np.array([[0.0, 0], [1, 1], [0, 1]])
    book = np.array([[0.0, 1], [1, 0], [0, 1], [1, 0], [5, 5]])
    code, distance = vq.vq(gpunp.asarray(obs), gpunp.asarray(np.tile(book, (60, 1))))
    np.testing.assert_array_equal(code.get(), [0, 0, 0])
    np.testing.assert_array_equal(distance.get(), [1, 1, 0])


def test_forms_of_observations():
    obs, book = observations(), observations(4, seed=2)
    for first, second in (
        (obs[:, 0], book[:, 0]),
        ((obs * 9).astype(int), (book * 9).astype(int)),
        (obs[::2, ::-1], book),
    ):
        same(vq.vq(gpunp.asarray(first), second), vq.vq(first, second))
    same(vq.vq(gpunp.asarray(obs.astype("f")), book), vq.vq(obs.astype("f"), book), 1e-6)
    same(vq.vq(gpunp.asarray(obs[:0]), book), vq.vq(obs[:0], book))
    if "py_vq" not in vq.__all__:
        # SciPy before 1.18: it is not public.
        return
    with pytest.warns(DeprecationWarning, match="py_vq"):
        code, distance = vq.py_vq(gpunp.asarray(obs), gpunp.asarray(book))
    expected = vq.vq(obs, book)
    assert code.dtype == np.int64
    np.testing.assert_array_equal(code.get(), expected[0])
    np.testing.assert_allclose(distance.get(), expected[1])


def test_bad_observations():
    x = gpunp.asarray(observations())
    for bad, error, match in (
        ((x[:, 0], x), ValueError, "number of dimensions"),
        ((x, x[:3, :1]), ValueError, "number of features"),
        ((x[None], x[None]), ValueError, "ndim"),
        ((x, x[:3] * np.nan), ValueError, "infs or NaNs"),
        ((x.astype("e"), x[:3].astype("e")), TypeError, "float or double"),
        ((x * 1j, x[:3]), ValueError, "dtype"),
    ):
        with pytest.raises(error):
            vq.vq(*map(gpunp.asnumpy, bad))
        with pytest.raises(error, match=match):
            vq.vq(*bad)
    code, distance = vq.vq(x[:2], x[:1] * np.nan, check_finite=False)
    assert np.isinf(distance).all()
    assert (code == 0).all()


@pytest.mark.parametrize("minit", KINDS)
@pytest.mark.parametrize("source", ["rng", "seed", "Generator", "RandomState", "global"])
def test_kmeans2(minit, source):
    # The signs of singular vectors, from which "random" begins with few observations, are arbitrary.
    wide = [] if minit == "random" else [observations(20, 30)]
    for obs in (observations(), observations()[:, 0], *wide):
        results = []
        for data in (gpunp.asarray(obs), obs):
            keywords = {
                "rng": {"rng": 7},
                "seed": {"seed": 7},
                "Generator": {"rng": np.random.default_rng(7)},
                "RandomState": {"seed": np.random.RandomState(7)},
                "global": {},
            }[source]
            if source == "global":
                np.random.seed(7)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results.append(vq.kmeans2(data, 3, minit=minit, **keywords))
        same(*results)


@pytest.mark.parametrize("minit", KINDS)
def test_kmeans2_of_single_precision(minit):
    obs = observations().astype("f")
    actual = vq.kmeans2(gpunp.asarray(obs), 3, minit=minit, rng=3)
    expected = vq.kmeans2(obs, 3, minit=minit, rng=3)
    assert actual[0].dtype == np.float32
    same(actual, expected, 1e-4)


def test_kmeans2_from_centroids():
    obs = observations()
    for minit in ("matrix", "points"):
        same(vq.kmeans2(gpunp.asarray(obs), obs[:4], minit=minit), vq.kmeans2(obs, obs[:4], minit=minit))
        same(vq.kmeans2(gpunp.asarray(obs), gpunp.asarray(obs[:4]), 3), vq.kmeans2(obs, obs[:4], 3))
    same(vq.kmeans2(gpunp.asarray(obs), obs[:1], minit="matrix"), vq.kmeans2(obs, obs[:1], minit="matrix"))


@pytest.mark.parametrize(
    "shape", [(5000, 1, 2), (3000, 3, 16), (2000, 40, 30), (600, 33, 500), (900, 300, 60), (7000, 2, 6500)]
)
def test_means(shape):
    m, n, k = shape
    obs = observations(m, n)
    book = obs[:k]
    same(vq.kmeans2(gpunp.asarray(obs), book, 2, minit="matrix"), vq.kmeans2(obs, book, 2, minit="matrix"))


def test_empty_clusters():
    obs = observations()
    book = np.array([[0, 0, 0], [1e3, 1e3, 1e3], [5, 5, 5.0]])
    with pytest.warns(UserWarning, match="empty"):
        expected = vq.kmeans2(obs, book)
    with pytest.warns(UserWarning, match="empty"):
        same(vq.kmeans2(gpunp.asarray(obs), book), expected)
    with pytest.raises(vq.ClusterError, match="empty"):
        vq.kmeans2(gpunp.asarray(obs), book, missing="raise")
    # They are left out by kmeans.
    expected = vq.kmeans(obs, book)
    actual = vq.kmeans(gpunp.asarray(obs), book)
    assert actual[0].shape == (2, 3)
    same(actual, expected)


def ordered(found):
    """Centroids in ascending order: of runs with the same centroids, rounding decides which is the best."""
    book, distortion = map(gpunp.asnumpy, found)
    return book[np.lexsort(book.reshape(len(book), -1).T)], distortion


@pytest.mark.parametrize("keywords", [{"rng": 5}, {"seed": 5}, {"rng": 1, "iter": 2, "thresh": 0.1}])
def test_kmeans(keywords):
    for obs in (observations(), observations()[:, 0]):
        actual, expected = vq.kmeans(gpunp.asarray(obs), 3, **keywords), vq.kmeans(obs, 3, **keywords)
        assert all(type(each) is gpunp.ndarray for each in actual)
        for one, other in zip(ordered(actual), ordered(expected), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10)
    obs = observations()
    same(vq.kmeans(gpunp.asarray(obs), gpunp.asarray(obs[:3])), vq.kmeans(obs, obs[:3]))
    obs = obs.astype("f")
    actual, expected = vq.kmeans(gpunp.asarray(obs), 3, rng=1), vq.kmeans(obs, 3, rng=1)
    assert [each.dtype for each in actual] == [each.dtype for each in expected]
    for one, other in zip(ordered(actual), ordered(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4)


BAD_KMEANS = (
    ({"k_or_guess": 0}, ValueError),
    ({"k_or_guess": -1}, ValueError),
    ({"k_or_guess": 2.5}, ValueError),
    ({"k_or_guess": np.empty((0, 3))}, ValueError),
    ({"k_or_guess": 3, "iter": 0}, ValueError),
    ({"k_or_guess": 3, "rng": 1, "seed": 2}, TypeError),
    ({"k_or_guess": 3, "seed": "a"}, ValueError),
    ({"k_or_guess": 1000}, ValueError),
)


@pytest.mark.parametrize(("keywords", "error"), BAD_KMEANS)
def test_bad_kmeans(keywords, error):
    with pytest.raises(error) as expected:
        vq.kmeans(observations(), **keywords)
    with pytest.raises(error) as found:
        vq.kmeans(gpunp.asarray(observations()), **keywords)
    assert str(found.value)[:20] == str(expected.value)[:20]


BAD_KMEANS2 = (
    ({"k": 0}, ValueError),
    ({"k": 3, "iter": 0}, ValueError),
    ({"k": np.empty((0, 3))}, ValueError),
    ({"k": 3, "minit": "q"}, ValueError),
    ({"k": 3, "missing": "q"}, ValueError),
    ({"k": np.ones(3)}, ValueError),
    ({"k": np.ones((3, 2))}, ValueError),
    ({"k": 3, "minit": "matrix"}, ValueError),
)


@pytest.mark.parametrize(("keywords", "error"), BAD_KMEANS2)
def test_bad_kmeans2(keywords, error):
    with pytest.raises(error) as expected:
        vq.kmeans2(observations(), **keywords)
    with pytest.raises(error) as found:
        vq.kmeans2(gpunp.asarray(observations()), **keywords)
    assert str(found.value)[:20] == str(expected.value)[:20]


def test_bad_data():
    x = gpunp.asarray(observations())
    with pytest.raises(ValueError, match="rank > 2"):
        vq.kmeans2(x[None], 3)
    with pytest.raises(ValueError, match="Empty"):
        vq.kmeans2(x[:0], 3)
    for function in (vq.kmeans, vq.kmeans2):
        with pytest.raises(ValueError, match="infs or NaNs"):
            function(x * np.inf, 3)
        with pytest.raises(TypeError, match="float or double"):
            function((x * 9).astype(int), x[:3].astype(int))
    with pytest.warns(UserWarning, match="not an integer"):
        assert vq.kmeans2(x, 2.5, minit="points", rng=1)[0].shape == (2, 3)


def test_codes_take_no_matrix(device):
    obs, book = gpunp.asarray(observations(3000)), gpunp.asarray(observations(500, seed=1))
    first = vq.vq(obs, book)
    assert first[0].device == device
    np.testing.assert_array_equal(first[0].get(), vq.vq(obs.get(), book.get())[0])
