"""`scipy.spatial.KDTree` of device arrays, and of host arrays that are searched for points on a device."""

import copy
import pickle

import numpy as np
import pytest
import scipy
from scipy.spatial import KDTree, cKDTree

import gpunp
import gpunp_scipy
from gpunp_scipy.spatial import tree_kernels

NEWEST = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
POWERS = (1, 2, 3.5, np.inf)
# Points, queries, coordinates and neighbors: beside the limits of leaves, and of the kernels for few
# neighbors.
SEARCHES = (
    (1, 1, 1, 1),
    (7, 5, 1, 3),
    (8, 5, 2, 1),
    (9, 5, 2, 8),
    (17, 40, 3, 2),
    (1000, 300, 3, 8),
    (1000, 300, 2, 9),
    (700, 200, 3, 16),
    (700, 200, 2, 17),
    (500, 100, 5, 20),
    (300, 20, 3, 300),
    (400, 50, 70, 3),
    (90, 30, 16, 90),
    (1, 3, 16, 2),
)


def random(seed=0):
    return np.random.default_rng(seed)


def both(data, **keywords):
    """SciPy's tree on the host, and one of the same points on the device."""
    made = KDTree(data, **keywords), KDTree(gpunp.asarray(data), **keywords)
    assert isinstance(made[1], KDTree)
    assert type(made[1].data) is gpunp.ndarray
    return made


def same(actual, expected):
    """Distances and places, which are unique."""
    for one, other in zip(actual, expected, strict=True):
        assert type(one) is gpunp.ndarray
        assert one.dtype == np.asarray(other).dtype
        assert one.shape == np.shape(other)
    np.testing.assert_allclose(gpunp.asnumpy(actual[0]), expected[0], rtol=1e-13)
    np.testing.assert_array_equal(gpunp.asnumpy(actual[1]), expected[1])


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("p", POWERS)
def test_query(search, p):
    n, m, dimensions, k = search
    data, x = random(1).normal(size=(n, dimensions)), random(2).normal(size=(m, dimensions))
    host, device = both(data)
    same(device.query(gpunp.asarray(x), k, p=p), host.query(x, k, p=p))
    same(host.query(gpunp.asarray(x), k, p=p), host.query(x, k, p=p))


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (0,), (2, 0)])
@pytest.mark.parametrize("k", [1, 2, [1], [3, 1], [1, 2, 3]])
def test_shapes_of_results(shape, k):
    host, device = both(random(1).normal(size=(50, 3)))
    x = random(2).normal(size=(*shape, 3))
    expected = host.query(x, k)
    same(device.query(gpunp.asarray(x), k), expected)
    same(device.query(x, k), expected)
    if isinstance(k, list):
        same(device.query(x, gpunp.asarray(k)), expected)


def test_scalars():
    data = random(1).normal(size=(50, 3))
    _, device = both(data)
    distance, place = device.query(gpunp.asarray(data[7]))
    # Numbers for the host.
    assert data[place].tolist() == data[7].tolist()
    assert np.ones(3)[:1] * distance == 0
    assert distance._is_scalar
    assert device.query_ball_point(gpunp.asarray(data[7]), 1e-9, return_length=True)._is_scalar


@pytest.mark.parametrize("k", [1, 5, 12, 40])
@pytest.mark.parametrize("p", POWERS)
def test_missing_neighbors(k, p):
    for dimensions in (2, 20):
        host, device = both(random(1).random((30, dimensions)))
        x = gpunp.asarray(random(2).random((60, dimensions)))
        for bound in (0.0, 0.05, 0.3, 1.0, np.inf):
            expected = host.query(x.get(), k, p=p, distance_upper_bound=bound)
            same(device.query(x, k, p=p, distance_upper_bound=bound), expected)


def test_approximate_neighbors():
    host, device = both(random(1).random((2000, 3)))
    x = random(2).random((300, 3))
    for p in POWERS:
        exact = host.query(x, 4, p=p)[0]
        found = gpunp.asnumpy(device.query(gpunp.asarray(x), 4, p=p, eps=0.5)[0])
        assert (found >= exact * (1 - 1e-13)).all()
        assert (found <= exact * 1.5).all()


@pytest.mark.parametrize("kind", ["equal", "line", "clusters", "grid", "huge", "tiny", "two"])
def test_awkward_points(kind):
    data = {
        "equal": np.ones((40, 3)),
        "line": np.linspace(0, 1, 999)[:, None] * [1.0, 0, 0] + [0, 2, 3],
        "clusters": random(1).normal(size=(900, 3)) * 1e-7 + random(2).integers(0, 3, (900, 1)) * 1e6,
        "grid": np.stack(np.meshgrid(*[np.arange(9.0)] * 3), -1).reshape(-1, 3),
        "huge": random(1).normal(size=(300, 3)) * 1e150,
        "tiny": random(1).normal(size=(300, 3)) * 1e-150,
        "two": np.repeat([[0.0, 0, 0], [1, 1, 1]], [33, 66], axis=0),
    }[kind]
    host, device = both(data)
    x = data[::3] + (0.25 if kind == "grid" else 0)
    expected, found = host.query(x, 5), device.query(gpunp.asarray(x), 5)
    np.testing.assert_allclose(gpunp.asnumpy(found[0]), expected[0], rtol=1e-12)
    # Of equal distances any places may come.
    places = gpunp.asnumpy(found[1])
    again = np.linalg.norm(data[places] - x[:, None], axis=-1)
    np.testing.assert_allclose(again, expected[0], rtol=1e-12)
    assert all(len(set(row)) == 5 for row in places.tolist())


def test_many_levels():
    data = random(1).random((40_000, 2))
    host, device = both(data)
    x = random(2).random((2000, 2))
    same(device.query(gpunp.asarray(x), 3), host.query(x, 3))
    indices = np.sort(gpunp.asnumpy(device.indices))
    np.testing.assert_array_equal(indices, np.arange(40_000))


def lists(found):
    return [sorted(each) for each in np.asarray(found, dtype=object).ravel()]


@pytest.mark.parametrize("p", POWERS)
def test_ball_point(p):
    host, device = both(random(1).random((500, 3)))
    x = random(2).random((4, 6, 3))
    radii = random(3).random((4, 6)) * 0.4
    for r in (0.2, radii, radii[0], 0.0, 2.0):
        expected = host.query_ball_point(x, r, p=p)
        for found in (
            device.query_ball_point(gpunp.asarray(x), r, p=p),
            host.query_ball_point(gpunp.asarray(x), r, p=p),
        ):
            assert type(found) is np.ndarray
            assert found.shape == expected.shape
            assert (found == expected).all()
        unsorted = device.query_ball_point(gpunp.asarray(x), r, p=p, return_sorted=False)
        assert lists(unsorted) == lists(expected)
        count = device.query_ball_point(gpunp.asarray(x), r, p=p, return_length=True)
        assert count.dtype == np.int64
        np.testing.assert_array_equal(
            gpunp.asnumpy(count), host.query_ball_point(x, r, p=p, return_length=True)
        )
    one = device.query_ball_point(gpunp.asarray(x[0, 0]), 0.3, p=p, return_sorted=True)
    assert one == host.query_ball_point(x[0, 0], 0.3, p=p, return_sorted=True)
    assert device.query_ball_point(gpunp.asarray(x[:0]), 0.3).shape == (0, 6)


@pytest.mark.parametrize("p", POWERS)
def test_pairs(p):
    host, device = both(random(1).random((200, 2)))
    expected = host.query_pairs(0.1, p=p)
    assert device.query_pairs(0.1, p=p) == expected
    pairs = device.query_pairs(0.1, p=p, output_type="ndarray")
    assert type(pairs) is gpunp.ndarray
    assert pairs.dtype == np.int64
    assert set(map(tuple, pairs.get().tolist())) == expected
    assert len(pairs) == len(expected)
    assert device.query_pairs(0.0) == set()
    assert device.query_pairs(0.1, p=p, eps=0.5) == host.query_pairs(0.1 * (1 + 0.5), p=p)


@pytest.mark.parametrize("places", ["both", "first", "second", "c"])
def test_two_trees(places):
    x, y = random(1).random((300, 3)), random(2).random((150, 3))
    (a, on_device), (b, other) = both(x), both(y)
    first = on_device if places != "second" else a
    second = other if places in ("both", "second") else cKDTree(y) if places == "c" else b
    for p in POWERS:
        assert lists(first.query_ball_tree(second, 0.2, p=p)) == lists(a.query_ball_tree(b, 0.2, p=p))
        assert lists(second.query_ball_tree(first, 0.2, p=p)) == lists(b.query_ball_tree(a, 0.2, p=p))
        radii = [0.05, 0.1, 0.3, 2.5]
        for cumulative in (True, False):
            expected = a.count_neighbors(b, radii, p=p, cumulative=cumulative)
            found = first.count_neighbors(second, radii, p=p, cumulative=cumulative)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(gpunp.asnumpy(found), expected)
        arrays = ("dok_array", "coo_array") if NEWEST else ()
        for output in ("dict", "ndarray", "dok_matrix", "coo_matrix", *arrays):
            expected = a.sparse_distance_matrix(b, 0.2, p=p, output_type=output)
            found = first.sparse_distance_matrix(second, 0.2, p=p, output_type=output)
            assert type(found) is type(expected)
            if output == "dict":
                assert found.keys() == expected.keys()
                np.testing.assert_allclose([found[key] for key in expected], list(expected.values()))
            elif output == "ndarray":
                assert found.dtype == expected.dtype
                found, expected = np.sort(found), np.sort(expected)
                np.testing.assert_array_equal(found[["i", "j"]], expected[["i", "j"]])
                np.testing.assert_allclose(found["v"], expected["v"])
            else:
                assert found.shape == expected.shape
                np.testing.assert_allclose(found.toarray(), expected.toarray())
    # Trees on the host stay there.
    assert isinstance(a.count_neighbors(b, [0.1]), np.ndarray)


def test_weights_of_pairs():
    x, y = random(1).random((300, 3)), random(2).random((150, 3))
    (a, on_device), (b, other) = both(x), both(y)
    wa, wb = random(3).random(300), random(4).random(150)
    for weights in ((wa, wb), (wa, None), (None, wb), (None, None)):
        expected = a.count_neighbors(b, [0.1, 0.3, 2.0], weights=weights)
        on_gpu = tuple(None if w is None else gpunp.asarray(w) for w in weights)
        found = on_device.count_neighbors(other, gpunp.asarray([0.1, 0.3, 2.0]), weights=on_gpu)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(gpunp.asnumpy(found), expected, rtol=1e-12)
    expected = a.count_neighbors(a, [0.1, 0.3], weights=wa, cumulative=False)
    found = on_device.count_neighbors(on_device, [0.1, 0.3], weights=wa, cumulative=False)
    np.testing.assert_allclose(gpunp.asnumpy(found), expected, rtol=1e-12)
    assert on_device.count_neighbors(other, 0.2) == a.count_neighbors(b, 0.2)
    assert type(on_device.count_neighbors(other, 0.2)) is int
    assert on_device.count_neighbors(other, np.inf) == 300 * 150
    assert type(on_device.count_neighbors(other, 0.2, weights=(wa, wb))) is float


@pytest.mark.parametrize("boxsize", [1.0, [1.0, 1.5, 0.0]])
@pytest.mark.parametrize("p", POWERS)
def test_periodic_boxes(boxsize, p):
    data = random(1).random((300, 3))
    host, device = both(data, boxsize=boxsize)
    np.testing.assert_array_equal(device.boxsize, host.boxsize)
    x = random(2).normal(size=(100, 3)) * 3
    expected, found = host.query(x, 5, p=p), device.query(gpunp.asarray(x), 5, p=p)
    np.testing.assert_allclose(gpunp.asnumpy(found[0]), expected[0], rtol=1e-11, atol=1e-14)
    np.testing.assert_array_equal(gpunp.asnumpy(found[1]), expected[1])
    assert (device.query_ball_point(gpunp.asarray(x), 0.2, p=p) == host.query_ball_point(x, 0.2, p=p)).all()
    np.testing.assert_array_equal(
        gpunp.asnumpy(device.count_neighbors(device, [0.1, 0.3, 0.6], p=p)),
        host.count_neighbors(host, [0.1, 0.3, 0.6], p=p),
    )


def test_attributes(device):
    data = random(1).normal(size=(20, 3)).astype("f")
    host, tree = both(data, leafsize=5)
    assert (tree.n, tree.m, tree.leafsize, tree.boxsize) == (20, 3, 5, None)
    assert tree.size >= 20 / tree_kernels.LEAF
    assert tree.data.dtype == np.float64
    assert tree.data.device == tree.indices.device == device
    np.testing.assert_array_equal(gpunp.asnumpy(tree.data), data)
    np.testing.assert_array_equal(gpunp.asnumpy(tree.mins), host.mins)
    np.testing.assert_array_equal(gpunp.asnumpy(tree.maxes), host.maxes)
    with pytest.raises(AttributeError, match="no nodes"):
        tree.tree  # noqa: B018
    assert type(host.data) is np.ndarray
    x = gpunp.asarray(data)
    assert KDTree(x.astype("d"), copy_data=True).query(x[3])[1] == 3


def test_copies():
    tree = KDTree(gpunp.asarray(random(1).random((20, 3))), boxsize=2)
    for made in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):
        assert isinstance(made, KDTree)
        same(made.query(tree.data[:5]), [a.get() for a in tree.query(tree.data[:5])])


class Named(KDTree):
    """A class of a program."""

    name = None

    def first(self, x):
        return self.query(x)[1]


def test_subclasses():
    data = random(1).random((20, 3))
    tree = Named(gpunp.asarray(data))
    tree.name = "points"
    for each in (tree, copy.copy(tree), pickle.loads(pickle.dumps(tree))):
        assert isinstance(each, Named)
        assert each.name == "points"
        assert each.first(data[4]) == Named(data).first(data[4]) == 4


def test_empty_trees():
    for dimensions in (20, 3):
        host, device = both(np.empty((0, dimensions)))
        x = np.zeros((2, dimensions))
        same(device.query(gpunp.asarray(x), 2), host.query(x, 2))
    assert device.query_ball_point(gpunp.asarray(x), 1.0).tolist() == [[], []]
    assert device.query_pairs(1.0) == set()
    assert device.count_neighbors(device, 1.0) == 0
    np.testing.assert_array_equal(gpunp.asnumpy(device.maxes), host.maxes)


BAD_QUERIES = (
    {"k": 0},
    {"k": -1},
    {"k": []},
    {"k": None},
    {"p": 0.5},
    {"workers": 0},
)


@pytest.mark.parametrize("keywords", BAD_QUERIES, ids=range(len(BAD_QUERIES)))
def test_bad_queries(keywords):
    host, device = both(random(1).random((20, 3)))
    with pytest.raises(ValueError):  # noqa: PT011
        host.query(np.zeros(3), **keywords)
    with pytest.raises(ValueError, match=r"k must|norms|workers"):
        device.query(gpunp.zeros(3), **keywords)


def test_bad_points():
    data = random(1).random((20, 3))
    _, device = both(data)
    x = gpunp.asarray(data)
    for function in (device.query, lambda x: device.query_ball_point(x, 0.1)):
        with pytest.raises(ValueError, match="length 3"):
            function(x[:, :2])
        with pytest.raises(ValueError, match="finite"):
            function(x * np.nan)
        with pytest.raises(TypeError, match="complex"):
            function(x * 1j)
    for bad, error, match in (
        (x[0], ValueError, r"\(n, m\)"),
        (x * np.inf, ValueError, "finite"),
        (x * 1j, TypeError, "complex"),
    ):
        with pytest.raises(error, match=match):
            KDTree(bad)
    for keywords, match in (
        ({"leafsize": 0}, "leafsize"),
        ({"boxsize": 0.5}, "greater than"),
        ({"boxsize": [1, 1]}, "shape"),
    ):
        with pytest.raises(ValueError, match=match):
            KDTree(x, **keywords)
    with pytest.raises(ValueError, match="Negative"):
        KDTree(x - 1, boxsize=1)


def test_bad_arguments_of_pairs():
    _, device = both(random(1).random((20, 3)))
    flat = KDTree(gpunp.zeros((4, 2)))
    x = gpunp.zeros((5, 3))
    with pytest.raises(ValueError, match="broadcast"):
        device.query_ball_point(x, np.ones(4))
    with pytest.raises(ValueError, match="norms"):
        device.query_ball_point(x, 1.0, p=0.5)
    with pytest.raises(ValueError, match="output type"):
        device.query_pairs(0.1, output_type="list")
    for name in ("query_ball_tree", "count_neighbors", "sparse_distance_matrix"):
        with pytest.raises(ValueError, match="dimensionality"):
            getattr(device, name)(flat, 0.1)
    with pytest.raises(ValueError, match="output type"):
        device.sparse_distance_matrix(device, 0.1, output_type="csr_matrix")
    with pytest.raises(ValueError, match="non-decreasing"):
        device.count_neighbors(device, [0.2, 0.1], cumulative=False)
    with pytest.raises(ValueError, match="one-dimensional"):
        device.count_neighbors(device, [[0.2, 0.1]])
    with pytest.raises(ValueError, match="weights"):
        device.count_neighbors(device, 0.1, weights=np.ones(3))


def test_hooks_come_back():
    data = random(1).random((20, 3))
    host, device = both(data)
    expected = host.count_neighbors(host, 0.5)
    gpunp_scipy.disable()
    assert host.count_neighbors(host, 0.5) == expected
    gpunp_scipy.enable()
    assert host.count_neighbors(device, 0.5) == expected
