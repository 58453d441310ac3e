"""SciPy's classes that accept any array library, and how often its functions wait."""

import importlib

import numpy as np
import pytest

import gpunp

scipy = pytest.importorskip("scipy", minversion="1.17")

RANDOM = np.random.default_rng(9)
QUATERNIONS = RANDOM.normal(size=(5, 4))
VECTORS = RANDOM.normal(size=(5, 3))
POINTS, VALUES, QUERIES = RANDOM.random((20, 2)), RANDOM.random(20), RANDOM.random((7, 2))


@pytest.fixture
def put(device):
    return lambda array: gpunp.asarray(array, device=device)


def assert_close(actual, expected, device, tolerance=1e-12):
    assert isinstance(actual, gpunp.ndarray)
    assert actual.device == device
    assert actual.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(actual.get(), expected, rtol=tolerance, atol=tolerance)


ROTATIONS = {
    "matrix": lambda r, v: r.as_matrix(),
    "quaternion": lambda r, v: r.as_quat(canonical=True),
    "Euler": lambda r, v: r.as_euler("xyz"),
    "vector": lambda r, v: r.as_rotvec(),
    "Rodrigues": lambda r, v: r.as_mrp(),
    "magnitude": lambda r, v: r.magnitude(),
    "apply": lambda r, v: r.apply(v),
    "inverse": lambda r, v: r.inv().apply(v),
    "product": lambda r, v: (r * r[::-1]).as_matrix(),
    "power": lambda r, v: (r**0.5).as_rotvec(),
    "mean": lambda r, v: r.mean().as_matrix(),
    "index": lambda r, v: r[1:3].as_quat(),
    "difference": lambda r, v: (r.inv() * r[0]).magnitude(),
}


@pytest.mark.parametrize("name", ROTATIONS)
def test_rotation(name, put, device):
    from scipy.spatial.transform import Rotation

    expected = ROTATIONS[name](Rotation.from_quat(QUATERNIONS), VECTORS)
    actual = ROTATIONS[name](Rotation.from_quat(put(QUATERNIONS)), put(VECTORS))
    assert_close(actual, expected, device)


def test_rotations_from(put, device):
    from scipy.spatial.transform import Rotation

    r = Rotation.from_quat(QUATERNIONS)
    for made, host in (
        (Rotation.from_matrix, r.as_matrix()),
        (Rotation.from_rotvec, r.as_rotvec()),
        (Rotation.from_mrp, r.as_mrp()),
        (lambda angles: Rotation.from_euler("zyx", angles), r.as_euler("zyx")),
    ):
        assert_close(made(put(host)).as_matrix(), made(host).as_matrix(), device)
    ours, distance = Rotation.align_vectors(put(VECTORS), put(r[0].apply(VECTORS)))
    assert_close(ours.as_matrix(), r[0].inv().as_matrix(), device, 1e-10)
    # The root of a difference that is zero but for rounding.
    assert float(distance) < 1e-6


def test_rigid_transform(put, device):
    from scipy.spatial.transform import RigidTransform, Rotation

    def compose(place):
        rotation = Rotation.from_quat(place(QUATERNIONS))
        t = RigidTransform.from_components(place(VECTORS), rotation)
        both = t * t.inv()[::-1]
        return both.as_matrix(), t.apply(place(VECTORS)), t.as_dual_quat(), t.as_exp_coords()

    for actual, expected in zip(compose(put), compose(lambda array: array), strict=True):
        assert_close(actual, expected, device)


def test_slerp(put, device):
    from scipy.spatial.transform import Rotation, Slerp

    def between(place):
        times = place(np.arange(5.0))
        return Slerp(times, Rotation.from_quat(place(QUATERNIONS)))(place(np.array([0.25, 2.5]))).as_matrix()

    assert_close(between(put), between(lambda array: array), device)


@pytest.mark.parametrize("kernel", ["thin_plate_spline", "linear", "cubic"])
def test_radial_basis_functions(kernel, put, device):
    from scipy.interpolate import RBFInterpolator

    expected = RBFInterpolator(POINTS, VALUES, kernel=kernel)(QUERIES)
    actual = RBFInterpolator(put(POINTS), put(VALUES), kernel=kernel)(put(QUERIES))
    assert_close(actual, expected, device, 1e-9)


def test_bootstrap_of_a_statistic_that_is_a_program(put, device):
    from scipy import stats

    def spread(x, axis):
        xp = x.__array_namespace__()
        return xp.max(x, axis=axis) - xp.min(x, axis=axis)

    expected = stats.bootstrap((VALUES,), spread, n_resamples=40, rng=3, method="basic")
    actual = stats.bootstrap((put(VALUES),), spread, n_resamples=40, rng=3, method="basic")
    assert_close(actual.confidence_interval.low, expected.confidence_interval.low, device)
    assert_close(actual.bootstrap_distribution, expected.bootstrap_distribution, device)


def test_host_functions_say_so(put):
    from scipy import linalg

    with pytest.raises(TypeError, match=r"gpunp\.asnumpy"):
        linalg.schur(put(VECTORS))


def test_mixed_arguments_are_refused(put):
    from scipy import stats

    with pytest.raises(TypeError, match="Multiple namespaces"):
        stats.zmap(put(VECTORS), VECTORS)


# A call, and how many numbers SciPy may fetch for its decisions.
FETCHED = {
    "stats.zscore": (lambda m, x: m.zscore(x), 5),
    "stats.gmean": (lambda m, x: m.gmean(x * x + 1), 1),
    "fft.rfft": (lambda m, x: m.rfft(x), 0),
    "special.erf": (lambda m, x: m.erf(x), 0),
    "special.logsumexp": (lambda m, x: m.logsumexp(x), 0),
    "integrate.simpson": (lambda m, x: m.simpson(x, dx=0.1), 0),
    "signal.hilbert": (lambda m, x: m.hilbert(x), 0),
}


@pytest.mark.skipif(
    np.lib.NumpyVersion(scipy.__version__) < "1.18.0", reason="the numbers are those of SciPy 1.18"
)
@pytest.mark.parametrize("name", FETCHED)
def test_what_is_fetched(name, put, device):
    call, downloads = FETCHED[name]
    module, x = importlib.import_module(f"scipy.{name.partition('.')[0]}"), put(VECTORS)
    call(module, x)
    before = device.transfer_counts
    call(module, x)
    assert device.transfer_counts[2] - before[2] <= downloads
