"""Functions and classes of ``scipy.spatial`` beside distances and trees, and of its transforms."""

import warnings

import numpy as np
import pytest
import scipy
from scipy import spatial
from scipy.spatial import transform

import gpunp
import gpunp_scipy
from gpunp_scipy.routing import decisions

RANDOM = np.random.default_rng(11)
X, Y = RANDOM.normal(size=(40, 3)), RANDOM.normal(size=(40, 3))
deprecated = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def on_device(value):
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


def close(actual, expected, rtol=1e-12):
    assert isinstance(actual, gpunp.ndarray)
    assert actual.dtype == np.asarray(expected).dtype
    assert actual.shape == np.shape(expected)
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=rtol, atol=rtol)


@deprecated
@pytest.mark.parametrize("p", [1, 2, 3, np.inf])
@pytest.mark.parametrize("name", ["distance_matrix", "minkowski_distance", "minkowski_distance_p"])
def test_minkowski(name, p):
    function = getattr(spatial, name)
    close(function(on_device(X), on_device(Y), p), function(X, Y, p))
    close(function(on_device(X[:1]), Y, p), function(X[:1], Y, p))
    if name == "distance_matrix":
        close(function(on_device(X), on_device(Y), p, threshold=1), function(X, Y, p))
        with pytest.raises(ValueError, match="vectors"):
            function(on_device(X), on_device(Y[:, :2]), p)


def test_deprecations():
    new = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
    for name in ("distance_matrix", "minkowski_distance", "minkowski_distance_p"):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            getattr(spatial, name)(on_device(X), on_device(Y))
        assert bool(found) == new
        assert all(name in str(each.message) or "minkowski" in str(each.message) for each in found)


def test_procrustes():
    for second in (Y, 2 * X @ np.linalg.qr(Y[:3])[0] + 5):
        expected = spatial.procrustes(X, second)
        actual = spatial.procrustes(on_device(X), on_device(second))
        for one, other in zip(actual, expected, strict=True):
            close(one, other, 1e-10)
        close(spatial.procrustes(on_device(X), second)[2], expected[2], 1e-10)
    for bad in ((X[:, 0], X[:, 0]), (X, X[:3]), (X[:0], X[:0]), (X * 0, X)):
        with pytest.raises(ValueError) as error:  # noqa: PT011
            spatial.procrustes(*bad)
        with pytest.raises(ValueError, match=str(error.value).replace(">", ".").replace("(", ".")):
            spatial.procrustes(*map(on_device, bad))


def test_geometric_slerp():
    start, end = (a / np.linalg.norm(a) for a in (X[0], Y[0]))
    for t in (np.linspace(0, 1, 7), np.array(0.25), np.empty(0)):
        expected = spatial.geometric_slerp(start, end, t)
        close(spatial.geometric_slerp(on_device(start), on_device(end), on_device(t)), expected)
        if t.size:
            close(spatial.geometric_slerp(start, end, on_device(t)), expected)
            close(spatial.geometric_slerp(on_device(start), on_device(end), t), expected)
    close(
        spatial.geometric_slerp(on_device(start), on_device(start), on_device(t[None])[0]), np.empty((0, 3))
    )
    with pytest.raises(ValueError, match="unit n-sphere"):
        spatial.geometric_slerp(on_device(2 * start), on_device(end), 0.5)
    with pytest.warns(UserWarning, match="antipodes"):
        spatial.geometric_slerp(on_device(start), on_device(-start), on_device(np.array([0.5])))


def test_rectangles():
    box = spatial.Rectangle(np.ones(3), np.zeros(3))
    on_gpu = spatial.Rectangle(on_device(np.ones(3)), on_device(np.zeros(3)))
    for name in ("min_distance_point", "max_distance_point"):
        for p in (1.0, 2.0):
            close(getattr(on_gpu, name)(on_device(X[0]), p), getattr(box, name)(X[0], p))
    for name in ("min_distance_rectangle", "max_distance_rectangle"):
        other = spatial.Rectangle(np.full(3, 4.0), np.full(3, 2.0))
        other_on_gpu = spatial.Rectangle(on_device(np.full(3, 4.0)), on_device(np.full(3, 2.0)))
        close(getattr(on_gpu, name)(other_on_gpu), getattr(box, name)(other))
    assert float(on_gpu.volume()) == 1


class TestTreesOfC:
    """`cKDTree` makes trees of device arrays, and stays what it is for others."""

    def test_device_arrays(self):
        tree = spatial.cKDTree(on_device(X), leafsize=4)
        assert isinstance(tree, spatial.cKDTree)
        expected = spatial.cKDTree(X).query(Y, 3)
        for one, other in zip(tree.query(on_device(Y), 3), expected, strict=True):
            close(one, other)
        for one, other in zip(spatial.cKDTree(X).query(on_device(Y), 3), expected, strict=True):
            close(one, other)
        assert tree.query_pairs(0.5) == spatial.cKDTree(X).query_pairs(0.5)

    def test_host_arrays(self):
        tree = spatial.cKDTree(X)
        assert type(tree).__module__ == "scipy.spatial._ckdtree"
        assert isinstance(tree, spatial.cKDTree)
        assert isinstance(spatial.KDTree(X), spatial.cKDTree)
        assert not isinstance(X, spatial.cKDTree)
        assert issubclass(spatial.KDTree, spatial.cKDTree)
        assert isinstance(tree.query(Y)[0], np.ndarray)

    def test_disabled(self):
        made = spatial.cKDTree
        gpunp_scipy.disable()
        assert spatial.cKDTree.__module__ == "scipy.spatial._ckdtree"
        gpunp_scipy.enable()
        assert spatial.cKDTree is made

    def test_subclasses(self):
        class Tree(spatial.cKDTree):
            pass

        tree = Tree(X)
        assert isinstance(tree, Tree)
        assert isinstance(tree, spatial.cKDTree)
        assert not isinstance(spatial.cKDTree(X), Tree)
        assert tree.n == 40


class TestTransforms:
    """`Rotation`, `RigidTransform` and `Slerp`."""

    @pytest.mark.parametrize("places", ["both", "rotation", "vectors"])
    @pytest.mark.parametrize("inverse", [False, True])
    def test_rotations(self, places, inverse):
        rotation = transform.Rotation.from_rotvec(X)
        of_device = transform.Rotation.from_rotvec(on_device(X)) if places != "vectors" else rotation
        vectors = Y if places == "rotation" else on_device(Y)
        close(of_device.apply(vectors, inverse=inverse), rotation.apply(Y, inverse=inverse))
        one = transform.Rotation.from_euler("z", 90, degrees=True)
        close(one.apply(on_device(Y[0])), one.apply(Y[0]))
        close(one.apply(on_device(Y)), one.apply(Y))

    def test_forms_of_rotations(self):
        host, device = transform.Rotation.from_rotvec(X), transform.Rotation.from_rotvec(on_device(X))
        for name in ("as_quat", "as_matrix", "as_rotvec", "as_mrp", "magnitude"):
            close(getattr(device, name)(), getattr(host, name)())
        close(device.as_euler("xyz"), host.as_euler("xyz"), 1e-11)
        for pair in (
            (device * device.inv(), host * host.inv()),
            (device**0.5, host**0.5),
            (device[2:5], host[2:5]),
        ):
            close(pair[0].as_quat(), pair[1].as_quat())
        close(device.mean().as_matrix(), host.mean().as_matrix())
        found = transform.Rotation.align_vectors(on_device(X), on_device(Y))
        expected = transform.Rotation.align_vectors(X, Y)
        close(found[0].as_matrix(), expected[0].as_matrix(), 1e-10)

    @pytest.mark.parametrize("sides", ["left", "right", "left right"])
    def test_reduced(self, sides):
        groups = {
            side: transform.Rotation.from_rotvec(Y[:3] * (k + 1)) for k, side in enumerate(sides.split())
        }
        there = {side: transform.Rotation.from_quat(on_device(g.as_quat())) for side, g in groups.items()}
        host, device = transform.Rotation.from_rotvec(X), transform.Rotation.from_rotvec(on_device(X))
        found = device.reduce(**there, return_indices=True)
        expected = host.reduce(**groups, return_indices=True)
        close(found[0].as_matrix(), expected[0].as_matrix())
        for one, other in zip(found[1:], expected[1:], strict=True):
            assert (one is None) == (other is None)
            assert one is None or (gpunp.asnumpy(one) == other).all()

    def test_slerp(self):
        times, at = np.arange(40.0), np.linspace(0, 39, 23)
        host = transform.Slerp(times, transform.Rotation.from_rotvec(X))
        device = transform.Slerp(on_device(times), transform.Rotation.from_rotvec(on_device(X)))
        close(device(on_device(at)).as_matrix(), host(at).as_matrix())
        close(host(on_device(at)).as_matrix(), host(at).as_matrix())
        close(host(on_device(at)[3]).as_matrix(), host(at[3]).as_matrix())

    def test_rigid_transforms(self):
        host = transform.RigidTransform.from_components(X, transform.Rotation.from_rotvec(Y))
        parts = on_device(X), transform.Rotation.from_rotvec(on_device(Y))
        device = transform.RigidTransform.from_components(*parts)
        close(device.as_matrix(), host.as_matrix())
        for made in (device, host):
            for inverse in (False, True):
                close(made.apply(on_device(Y), inverse), host.apply(Y, inverse))


REFUSED = {
    "ConvexHull": lambda x: spatial.ConvexHull(x),
    "Delaunay": lambda x: spatial.Delaunay(x),
    "SphericalVoronoi": lambda x: spatial.SphericalVoronoi(x),
    "Voronoi": lambda x: spatial.Voronoi(x),
    "transform.RotationSpline": lambda x: transform.RotationSpline(
        x[:, 0], transform.Rotation.from_rotvec(X)
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    reason = decisions.host_reason(*f"scipy.spatial.{name}".rsplit(".", 1))
    with pytest.raises(TypeError, match=rf"scipy\.spatial\.{name}: {reason}"):
        REFUSED[name](on_device(X))
