"""Results are on their operands' device if another device is current, here one without free memory."""

import numpy as np
import pytest

pytestmark = pytest.mark.fake_driver(GPUNP_MEMORY_LIMIT="1")


@pytest.fixture
def x(cuda_device):
    if cuda_device is None:
        return None
    import gpunp

    return gpunp.asarray(np.linspace(-1, 2, 12).reshape(3, 4), device="cpu")


@pytest.fixture(autouse=True)
def _another_is_current(cuda_device):
    if cuda_device is None:
        yield
        return
    import gpunp

    with cuda_device:
        with pytest.raises(MemoryError, match="out of memory on cuda:0"):
            gpunp.zeros(3)
        yield


def _gpunp():
    import gpunp

    return gpunp


host = np.arange(1.0, 5.0)
index = np.array([2, 0])
CALLS = {
    "operators": lambda x: [x + 1, host * x, x @ host, -x, x > host, x**2, divmod(x, 3), 2.0 - x],
    "ufuncs": lambda x: [
        np.add(x, host),
        np.exp(x),
        np.modf(x),
        np.add.outer(host, x),
        np.add.reduceat(x, [0, 2]),
    ],
    "reductions": lambda x: [
        x.sum(),
        np.var(x, 0),
        np.median(x),
        np.average(x, 1, host),
        np.ptp(x),
        x.argmax(1),
    ],
    "scans": lambda x: [np.cumsum(x), np.diff(x, prepend=0), np.ediff1d(x, [1], host), np.gradient(x, 2)],
    "shapes": lambda x: [
        x.reshape(-1),
        np.tile(x, 2),
        np.repeat(x, [1, 2, 1], 0),
        np.pad(x, 1),
        np.roll(x, 1),
    ],
    "joins": lambda x: [
        np.concatenate([x, [host]]),
        np.stack([x, x]),
        np.append(x, host),
        np.insert(x, 1, host, 0),
    ],
    "creation": lambda x: [
        np.zeros_like(x),
        np.full_like(x, host),
        np.eye(3, like=x),
        np.arange(3, like=x),
        np.linspace(x[0], 3, 5),
        np.logspace(0, 1, 3, base=x[0]),
        np.geomspace(x[2] + 2, 9, 3),
        np.vander(x[0]),
        np.diag(x[0]),
        np.tri(3, like=x),
    ],
    "indexing": lambda x: [
        x[index],
        x[x > 0],
        np.take(x, index, 1),
        np.where(x > 0, x, 0),
        np.choose(index // 2, [x[:2, 0], 5]),
    ],
    "sorting": lambda x: [
        np.sort(x),
        np.argsort(x, 0),
        np.partition(x, 1),
        _gpunp().lexsort([host[:3], x[:, 0]]),
        np.searchsorted(x[0], host),
    ],
    "sets": lambda x: [np.unique(x), np.isin(x, host), np.intersect1d(x, host), np.union1d(host, x)],
    "statistics": lambda x: [
        np.histogram(x, 4)[0],
        np.quantile(x, [0.1, 0.9]),
        np.cov(x),
        np.interp(x, host, host),
        np.digitize(x, host),
    ],
    "polynomials": lambda x: [
        np.polyval(host, x),
        np.polyfit(x[0], host, 1),
        np.convolve(x[0], host),
        np.roots(x[0]),
    ],
    "products": lambda x: [
        np.einsum("ij,j->i", x, host),
        np.tensordot(x, host, 1),
        np.kron(x, host),
        np.cross(x[:, :3], host[:3]),
    ],
    "linalg": lambda x: [
        np.linalg.solve(x[:, :3] + np.eye(3) * 9, host[:3]),
        np.linalg.svd(x)[1],
        np.linalg.qr(x)[0],
        np.linalg.norm(x, axis=0),
        np.linalg.inv(x[:, :3] + np.eye(3)),
        np.linalg.lstsq(x, host[:3])[0],
        np.linalg.eigh(x[:, :3])[0],
    ],
    "transforms": lambda x: [np.fft.fft(x), np.fft.rfft2(x), np.fft.fftshift(x), np.fft.irfft(x)],
    "functions": lambda x: [
        np.apply_along_axis(lambda v: v * host, 1, x),
        np.piecewise(x, [x > 0], [1, host[0]]),
        np.select([x > 0], [x], 9),
    ],
    "rounding": lambda x: [
        np.round(x, 1),
        np.clip(x, 0, host),
        np.nan_to_num(x),
        np.heaviside(x, host),
        np.unwrap(x),
    ],
}


@pytest.mark.parametrize("name", CALLS)
def test_results_stay_with_their_operands(name, x):
    import gpunp

    for number, result in enumerate(CALLS[name](x)):
        for part in result if isinstance(result, tuple) else (result,):
            assert type(part) is gpunp.ndarray, number
            assert part.device == "cpu", number


def test_assignment_stays_too(x):
    x[1] = host
    x[index, 0] = [7, 8]
    x[x > 6] = 0
    np.copyto(x, host, where=x > 1)
    np.put(x, [0], 5)
    x += host
    assert x.device == "cpu"


def test_namespace_functions(x):
    import gpunp
    from gpunp import special

    y = gpunp.abs(x) + 1
    for result in (
        special.polygamma(1, y),
        special.zeta(y, 2.0),
        special.gammaln(y),
        special.erf(y),
        special.xlogy(host, y),
        gpunp.astype(y, "f4"),
        gpunp.cumulative_sum(y, axis=0),
        gpunp.searchsorted(y[0], host),
        gpunp.take_along_axis(y, gpunp.argsort(y), axis=1),
        gpunp.unique_values(y),
        gpunp.linalg.matrix_norm(y),
        gpunp.vecdot(y, host),
        gpunp.arange(y[0, 0]),
        gpunp.asarray([y[0], y[1]]),
    ):
        assert result.device == "cpu"


def test_generators_of_a_device(x):
    import gpunp

    rng = gpunp.random.default_rng(1, device="cpu")
    for result in (
        rng.normal(host),
        rng.integers(0, 5, 3),
        rng.permutation(x),
        rng.choice(host, 2),
        rng.gamma(x + 3),
    ):
        assert result.device == "cpu"


def test_mixed_devices_are_named(x):
    import gpunp

    for call in (np.add, np.matmul, np.maximum, np.hypot):
        with pytest.raises(ValueError, match=r"cpu.*cuda:0|cuda:0.*cpu"):
            call(x, gpunp.empty((0, 4)) if call is not np.matmul else gpunp.empty((4, 0)))


def test_polynomials_stay_with_their_coefficients(x):
    import gpunp

    p = gpunp.poly1d(x[0])
    other = np.poly1d([1, 2])
    for result in (
        p + 1,
        2 * p,
        [1, 2] - p,
        p**2,
        p * other,
        p.deriv(),
        p.integ(),
        (p / other)[0],
    ):
        assert result.coeffs.device == "cpu"
    assert p != other
    assert p(host).device == "cpu"
    assert p.roots.device == "cpu"


def test_copies_stay(x):
    import copy

    for clone in (copy.copy(x), copy.deepcopy(x), x.copy(), x.astype("f4"), x.view("i8"), x.byteswap()):
        assert clone.device == "cpu"
