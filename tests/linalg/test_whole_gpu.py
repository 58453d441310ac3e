"""`eigh` of a single-precision matrix that fits into the registers of a GPU.

On the CPU device NumPy stands in for the kernels, so that the code around them is tested.
"""

import types

import numpy as np
import pytest
from matrices import check_eigh, close, matrix

import gpunp
from gpunp.array.convert import host_view
from gpunp.linalg import eigenvalues, factorizations


def grid_form(a, exchange, reflectors, tau, diagonal, beside, values):
    a, v, tau = host_view(a).astype("d"), host_view(reflectors)[0], host_view(tau)[0]
    n = len(a)
    assert (host_view(exchange) == -1).all()
    assert exchange.shape[0] == n
    assert not v.any()
    for k in range(n - 2):
        x = a[k + 1 :, k].copy()
        if not x[1:].any():
            v[k, k + 1] = 1
            continue
        beta = -np.copysign(np.linalg.norm(x), x[0])
        x[0] -= beta
        v[k, k + 1 :], tau[k] = x / x[0], -x[0] / beta
        a -= np.outer(tau[k] * v[k], v[k] @ a)
        a -= np.outer(a @ v[k], tau[k] * v[k])
    host_view(diagonal)[:], host_view(beside)[:-1] = np.diag(a), np.diag(a, 1)
    host_view(values)[:] = np.linalg.eigvalsh(tridiagonal(diagonal, beside))


def tridiagonal(diagonal, beside):
    d, e = host_view(diagonal), host_view(beside)[:-1]
    return np.diag(d) + np.diag(e, 1) + np.diag(e, -1)


def vectors(diagonal, beside, values, work, found):
    assert work.shape == (2, *found.shape)
    host_view(values)[:], host_view(found)[:] = np.linalg.eigh(tridiagonal(diagonal, beside))


def reflect(reflectors, tau, c):
    v, tau, c = (host_view(x)[0] for x in (reflectors, tau, c))
    for k in range(len(v) - 1, -1, -1):
        c -= tau[k] * np.outer(v[k], v[k] @ c)


@pytest.fixture(autouse=True)
def modules(monkeypatch, device):
    if device.is_cpu:
        stand_in = types.SimpleNamespace(
            grid_form=grid_form, vectors=vectors, reflect=reflect, takes=lambda a: True
        )
        monkeypatch.setattr(factorizations, "_grid", lambda a: (stand_in, stand_in))


def symmetric(n):
    a = matrix("d", n, n)
    return a + a.T


# Sizes around 16 rows per block, 4 columns per thread and 128 reflectors per panel.
@pytest.mark.parametrize("n", [65, 80, 131, 259])
@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigh(n, triangle):
    a = symmetric(n).astype("f")
    half = np.tril(a) if triangle == "L" else np.triu(a)
    found = eigenvalues.eigh.__wrapped__(gpunp.asarray(half), triangle)
    assert [x.dtype for x in found] == [np.float32] * 2
    check_eigh(a, found)
    close(found[0], np.linalg.eigvalsh(a), "f")


@pytest.mark.parametrize("scale", [1e-36, 1e34])
def test_eigh_of_extreme_sizes(scale):
    a = (symmetric(70) * scale).astype("f")
    values, found = (gpunp.asnumpy(x).astype("d") for x in eigenvalues.eigh.__wrapped__(gpunp.asarray(a)))
    expected = np.linalg.eigvalsh(a.astype("d"))
    close(values / scale, expected / scale, "f")
    close(found.T @ found, np.eye(70), "f")


def test_many_eigenvalues():
    a = symmetric(520).astype("f")
    close(eigenvalues.eigvalsh.__wrapped__(gpunp.asarray(a)), np.linalg.eigvalsh(a), "f")


def test_close_eigenvalues_are_left_to_the_library(device):
    a = gpunp.eye(100, dtype=np.float32)
    assert factorizations._by_grid(a, False, True) is None
    if not device.is_cpu:
        check_eigh(np.eye(100, dtype="f"), eigenvalues.eigh.__wrapped__(a))


def test_almost_orthogonal_vectors():
    a = np.linalg.qr(matrix("d", 150, 100))[0]
    b = a.copy()
    b[:, 1:] += 0.01 * a[:, :-1]
    b = (b / np.linalg.norm(b, axis=0)).astype("f")
    b = gpunp.asnumpy(factorizations.orthogonalised(factorizations.orthogonalised(gpunp.asarray(b[None]))))[0]
    close(b.T @ b, np.eye(100), "f")
    close(b, a, "f", 1000)


@pytest.mark.parametrize("n", [100, 300])
def test_eigh_of_a_low_rank(device, n):
    if device.is_cpu:
        pytest.skip("the CPU device has no stand-in for cuSOLVER")
    a = matrix("d", n, 3)
    a = (a @ a.T).astype("f")
    check_eigh(a, eigenvalues.eigh.__wrapped__(gpunp.asarray(a)))
