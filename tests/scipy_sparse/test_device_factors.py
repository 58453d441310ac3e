"""What is done around cuDSS: transposes, columns, the second attempt. SuperLU takes the library's place."""

import ctypes

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as splinalg

import gpunp
from gpunp_scipy.sparse.linalg import device_factors

N = 30


def host_array(address, count, dtype):
    buffer = (ctypes.c_char * (count * np.dtype(dtype).itemsize)).from_address(address)
    return np.frombuffer(buffer, dtype)


class Factorization:
    """Solves with SuperLU in the memory of the CPU device, with the limits of cuDSS."""

    small_pivots = False
    nnz = 5
    attempts = []

    def __init__(self, device, n, nnz, parts, wide, dtype, *, reordering="default", **settings):
        index = "i8" if wide else "i4"
        indptr, indices, data = (
            host_array(address, count, kind)
            for address, count, kind in zip(parts, (n + 1, nnz, nnz), (index, index, dtype), strict=True)
        )
        self.matrix = sp.csr_array((data, indices, indptr), shape=(n, n)).tocsc()
        self.n, self.dtype, self.by_columns = n, dtype, reordering == "colamd"
        self.attempts.append(reordering)

    def factorize(self):
        try:
            self.factors = splinalg.splu(self.matrix)
        except RuntimeError:
            self.factors = None
            return 0, 1
        return 0, int(self.small_pivots and not self.by_columns)

    def solve(self, b, x, columns, trans):
        assert trans in ("N", "T")
        assert trans == "N" or not self.by_columns
        b, x = (host_array(each, columns * self.n, self.dtype).reshape(columns, self.n) for each in (b, x))
        x[:] = np.nan if self.factors is None else self.factors.solve(b.T.copy(), trans).T


@pytest.fixture(autouse=True)
def _stand_in(device, monkeypatch):
    if not device.is_cpu:
        pytest.skip("the stand-in reads host memory")
    cudss = pytest.importorskip("gpunp.cuda.cudss")
    monkeypatch.setattr(cudss, "Factorization", Factorization)
    monkeypatch.setattr(Factorization, "attempts", [])


def parts_of(a):
    return tuple(gpunp.asarray(each) for each in (a.data, a.indices, a.indptr))


def matrix(dtype):
    rng = np.random.default_rng(3)
    a = sp.random_array((N, N), density=0.2, rng=rng) + 3 * sp.eye_array(N)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * sp.random_array((N, N), density=0.2, rng=rng)
    a = a.tocsc().astype(dtype)
    a.sort_indices()
    return a


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
@pytest.mark.parametrize("small_pivots", [False, True])
@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("trans", ["N", "T", "H"])
def test_systems(trans, by_columns, small_pivots, dtype, device, monkeypatch):
    monkeypatch.setattr(Factorization, "small_pivots", small_pivots)
    a = matrix(dtype)
    stored = a if by_columns else a.tocsr()
    factors = device_factors.DeviceFactors(parts_of(stored), {}, by_columns=by_columns)
    assert Factorization.attempts == (["default", "colamd"] if small_pivots else ["default"])
    tolerance = 1e-4 if dtype in "fF" else 1e-12
    for shape in (N, (N, 1), (N, 3)):
        b = np.random.default_rng(4).random(shape).astype(dtype)
        found = factors.solve(gpunp.asarray(b), trans)
        assert found.shape == b.shape
        np.testing.assert_allclose(found.get(), splinalg.splu(a).solve(b, trans), atol=tolerance)


def test_singular(device):
    zero = sp.csc_array(np.diag([1.0, 2.0, 3.0]))
    zero.data[1] = 0
    with pytest.raises(RuntimeError, match="exactly singular"):
        device_factors.factorize(3, *parts_of(zero), None)
    assert Factorization.attempts == ["default", "colamd"]
    # Empty rows are found before.
    with pytest.raises(RuntimeError, match="exactly singular"):
        device_factors.factorize(3, *parts_of(sp.csc_array((3, 3))), None)
    x, info = device_factors.solution(3, *parts_of(zero), gpunp.ones(3), 1, None)
    assert info == 3
    assert x.shape == (3,)


@pytest.mark.parametrize(
    ("options", "order"),
    [({"ColPerm": "NATURAL"}, "none"), ({"ColPerm": "MMD_ATA"}, "amd"), ({"ColPerm": "COLAMD"}, "colamd")],
)
def test_orders(options, order, device):
    a = matrix("d")
    factors = device_factors.factorize(N, *parts_of(a), options)
    assert Factorization.attempts == [order]
    b = np.ones(N)
    np.testing.assert_allclose(factors.solve(gpunp.asarray(b), "T").get(), splinalg.splu(a).solve(b, "T"))


def test_errors(device):
    parts = parts_of(matrix("d"))
    with pytest.raises(ValueError, match="ColPerm"):
        device_factors.factorize(N, *parts, {"ColPerm": "other"})
    with pytest.raises(ValueError, match="IterRefine"):
        device_factors.factorize(N, *parts, {"IterRefine": "other"})
    factors = device_factors.factorize(N, *parts, None)
    with pytest.raises(ValueError, match="trans"):
        factors.solve(gpunp.ones(N), "X")
    with pytest.raises(ValueError, match="incompatible size"):
        factors.solve(gpunp.ones(N + 1))
    with pytest.raises(TypeError, match="safe"):
        factors.solve(gpunp.ones(N, "D"))
    with pytest.raises(AttributeError, match="cuDSS keeps"):
        factors.perm_c  # noqa: B018
    with pytest.raises(TypeError, match="spilu"):
        raise device_factors.incomplete()
