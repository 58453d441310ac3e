"""Distances of two vectors, and square and condensed matrices of distances."""

import warnings

import numpy as np
import pytest
from scipy.spatial import distance

import gpunp

RANDOM = np.random.default_rng(5)
REAL = RANDOM.normal(size=(2, 9))
TRUTHS = RANDOM.random((2, 9)) < 0.5
WEIGHTS = RANDOM.random(9)
# Functions of two vectors, and further arguments.
OF_NUMBERS = {
    "braycurtis": {},
    "canberra": {},
    "chebyshev": {},
    "cityblock": {},
    "correlation": {},
    "cosine": {},
    "euclidean": {},
    "hamming": {},
    "mahalanobis": {"VI": np.diag(WEIGHTS) + 0.25},
    "minkowski": {"p": 3},
    "seuclidean": {"V": WEIGHTS + 0.5},
    "sqeuclidean": {},
}
OF_TRUTHS = ("dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")


def on_device(value):
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


def check(name, u, v, keywords):
    function = getattr(distance, name)
    expected = function(u, v, **keywords)
    actual = function(
        on_device(u), on_device(v), **{key: on_device(value) for key, value in keywords.items()}
    )
    np.testing.assert_allclose(np.asarray(gpunp.asnumpy(actual)), expected, rtol=1e-13, atol=1e-15)
    assert np.shape(actual) == np.shape(expected)
    assert isinstance(actual, gpunp.ndarray | float)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_numbers(name):
    check(name, *REAL, OF_NUMBERS[name])
    check(name, *np.round(REAL * 4).astype(int), OF_NUMBERS[name])
    if name not in ("mahalanobis", "seuclidean"):
        check(name, *REAL, {**OF_NUMBERS[name], "w": WEIGHTS})


@pytest.mark.parametrize("name", OF_TRUTHS)
def test_truths(name):
    check(name, *TRUTHS, {})
    check(name, *TRUTHS, {"w": WEIGHTS})
    check(name, *TRUTHS.astype(int), {})


def test_jensenshannon():
    p, q = np.abs(REAL)
    for keywords in ({}, {"base": 2.0}):
        check("jensenshannon", p, q, keywords)
    check("jensenshannon", np.stack([p, q]), np.stack([q, p * p]), {"axis": 1, "keepdims": True})


@pytest.mark.parametrize("name", [name for name in OF_NUMBERS if name not in ("euclidean", "minkowski")])
def test_bad_vectors(name):
    x = np.ones((2, 2))
    if name != "sqeuclidean":
        with pytest.raises(ValueError, match="1-D"):
            getattr(distance, name)(on_device(x), on_device(x), **OF_NUMBERS[name])
    if name not in ("mahalanobis", "seuclidean"):
        with pytest.raises(ValueError, match="negative"):
            getattr(distance, name)(*map(on_device, REAL), w=on_device(-WEIGHTS))


def test_bad_powers():
    with pytest.raises(ValueError, match="p must be"):
        distance.minkowski(*map(on_device, REAL), p=0)


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 9, 2), (200, 300, 3), (130, 70, 20)])
def test_hausdorff(shape):
    m, k, n = shape
    u, v = RANDOM.normal(size=(m, n)), RANDOM.normal(size=(k, n))
    expected = distance.directed_hausdorff(u, v)
    actual = distance.directed_hausdorff(on_device(u), on_device(v), rng=3)
    assert actual[0] == pytest.approx(expected[0], rel=1e-14)
    assert actual[1:] == expected[1:]
    assert [type(each) for each in actual] == [float, int, int]


def test_bad_hausdorff():
    x = on_device(np.ones((3, 2)))
    with pytest.raises(ValueError, match="columns"):
        distance.directed_hausdorff(x, x[:, :1])
    with pytest.raises(IndexError):
        distance.directed_hausdorff(x[0], x[0])
    with pytest.raises(ValueError, match="points"):
        distance.directed_hausdorff(x, x[:0])
    for u, v in ((x[None], x[None]), (x, x[:, :, None]), (x[:, :, None], x)):
        with pytest.raises(ValueError, match="two dimensions"):
            distance.directed_hausdorff(u, v)


@pytest.mark.parametrize("n", [1, 2, 3, 17, 300])
def test_squareform(n):
    for char in "fdi":
        y = RANDOM.integers(1, 100, n * (n - 1) // 2).astype(char)
        expected = distance.squareform(y)
        actual = distance.squareform(on_device(y))
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(gpunp.asnumpy(actual), expected)
        back = distance.squareform(actual)
        assert back.dtype == char
        np.testing.assert_array_equal(gpunp.asnumpy(back), y)
        np.testing.assert_array_equal(gpunp.asnumpy(distance.squareform(actual, checks=False)), y)


def test_bad_matrices():
    y, square = on_device(np.ones(6)), on_device(np.ones((4, 4)))
    for bad, force in (
        (y, "tovector"),
        (square, "tomatrix"),
        (y[:5], "no"),
        (square[:3], "no"),
        (square, "no"),
    ):
        with pytest.raises(ValueError) as error:  # noqa: PT011
            distance.squareform(gpunp.asnumpy(bad), force)
        with pytest.raises(ValueError, match=error.value.args[0][:20].replace("(", ".")):
            distance.squareform(bad, force)
    with pytest.raises(ValueError, match="one or two"):
        distance.squareform(square[None])


def test_validity():
    square = distance.squareform(RANDOM.random(10))
    uneven = square.copy()
    uneven[1, 2] += 1e-3
    full = square + 0.5
    for matrix in (square, uneven, full, square[:3], square[0]):
        for keywords in ({}, {"tol": 1e-2}):
            expected = distance.is_valid_dm(matrix, **keywords)
            assert bool(distance.is_valid_dm(on_device(matrix), **keywords)) == expected
    with pytest.raises(ValueError, match="'D' must be symmetric"):
        distance.is_valid_dm(on_device(uneven), throw=True)
    with pytest.warns(UserWarning, match="symmetric"):
        distance.is_valid_dm(on_device(uneven), warning=True)
    assert distance.num_obs_dm(on_device(square)) == 5
    assert distance.num_obs_y(on_device(np.ones(10))) == 5
    assert distance.is_valid_y(on_device(np.ones(10)))
    assert not distance.is_valid_y(on_device(np.ones(11)))
    with pytest.raises(ValueError, match="binomial"):
        distance.num_obs_y(on_device(np.ones(11)))


def test_distances_of_distributions(device):
    """Functions that SciPy does not have."""
    from gpunp_scipy.spatial import distance as ours

    u, v = np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.9, 0.0])
    on_device = gpunp.asarray(u)
    expected = np.sqrt(((np.sqrt(u) - np.sqrt(v)) ** 2).sum() / 2)
    np.testing.assert_allclose(ours.hellinger(on_device, v).get(), expected, rtol=1e-14)
    expected = 0.1 * np.log(0.5) + 0.9 * np.log(3)
    np.testing.assert_allclose(ours.kl_divergence(v, on_device).get(), expected, rtol=1e-14)
    assert float(ours.kl_divergence(on_device, v)) == np.inf
    x = np.arange(6.0).reshape(2, 3)
    with warnings.catch_warnings():
        # SciPy 1.18 deprecates it.
        warnings.simplefilter("ignore", DeprecationWarning)
        found = ours.distance_matrix(gpunp.asarray(x), x[:1])
    np.testing.assert_allclose(found.get(), [[0], [np.sqrt(27)]])
