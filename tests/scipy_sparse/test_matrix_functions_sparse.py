"""Norms and functions of sparse and dense matrices on the device, against SciPy's on the host."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as splinalg
from sparse_arrays import on_device

import gpunp

N = 30


def on_host(value):
    return value.get() if isinstance(value, gpunp.ndarray) or sp.issparse(value) else value


def matrix(n=N, form="csc"):
    return sp.random_array((n, n), density=6 / n, rng=np.random.default_rng(1)).asformat(form)


def dense(value):
    return value.toarray() if sp.issparse(value) else value


B = np.random.default_rng(2).random((N, 3))
POINTS = {"start": 0, "stop": 1, "num": 4, "endpoint": True}
CALLS = [
    *(("norm", (matrix(),), {"ord": each}) for each in (None, "fro", 1, -1, np.inf, -np.inf, 2)),
    ("norm", (matrix(),), {"axis": 0}),
    ("norm", (matrix(),), {"axis": 1, "ord": 1}),
    ("matrix_power", (matrix(), 3), {}),
    ("matrix_power", (matrix(form="csr"), 1), {}),
    ("onenormest", (matrix(),), {}),
    ("onenormest", (matrix().toarray(),), {}),
    ("onenormest", (matrix(300, "csr"),), {}),
    ("expm_multiply", (matrix(), B), {}),
    ("expm_multiply", (matrix(), B[:, 0]), {}),
    ("expm_multiply", (matrix().toarray(), B), {}),
    ("expm_multiply", (matrix(form="csr"), B), POINTS),
    ("expm_multiply", (matrix(form="csr"), B), {"traceA": 2.0}),
    ("expm", (matrix(),), {}),
    ("expm", (matrix() * 20,), {}),
    ("expm", (matrix().toarray(),), {}),
    ("funm_multiply_krylov", (scipy.linalg.expm, matrix(), B[:, 0]), {}),
    ("funm_multiply_krylov", (scipy.linalg.expm, matrix().toarray(), B[:, 0]), {"restart_every_m": 5}),
]


@pytest.mark.usefixtures("direct_solver")
@pytest.mark.parametrize(("name", "args", "options"), CALLS)
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_calls(name, args, options, device):
    function = getattr(splinalg, name)
    expected = function(*args, **options)
    moved = [on_device(each) for each in args]
    found = function(*moved, **options)
    assert not isinstance(found, np.ndarray)
    if sp.issparse(expected):
        assert isinstance(found, type(expected))
        assert type(found.data) is gpunp.ndarray
    np.testing.assert_allclose(dense(on_host(found)), dense(expected), rtol=1e-10, atol=1e-12)


def test_power_zero(device):
    found = splinalg.matrix_power(on_device(matrix()), 0)
    np.testing.assert_array_equal(found.toarray().get(), np.eye(N))


def test_vectors_of_onenormest(device):
    found = splinalg.onenormest(on_device(matrix()), compute_v=True, compute_w=True)
    expected = splinalg.onenormest(matrix(), compute_v=True, compute_w=True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(on_host(one), other, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("norm", (5,), ValueError),
        ("matrix_power", (-1,), ValueError),
        ("expm_multiply", (B[:4],), ValueError),
    ],
)
def test_errors(name, args, error, device):
    with pytest.raises(error):
        getattr(splinalg, name)(on_device(matrix()), *map(on_device, args))
