"""Large real matrices, which panels factor on a GPU: around the panels' widths and heights.

On the CPU device LAPACK stands in for the panels, so that what is around them is tested.
"""

import types

import numpy as np
import pytest
import scipy.linalg
from matrices import check_qr, check_svd, close, matrix

import gpunp
from gpunp.array.convert import host_view
from gpunp.linalg import decompositions, factorizations, solving


def qr(a, columns, tau, q=None):
    for i, m in enumerate(host_view(a)):
        (packed, host_view(tau)[i]), _ = scipy.linalg.qr(m[:, :columns], mode="raw")
        full = scipy.linalg.qr(m[:, :columns])[0]
        m[:, columns:] = full.T @ m[:, columns:]
        m[:, :columns] = packed
        if q is not None:
            host_view(q)[i] = full[:, : q.shape[-1]]


def solve(a, info):
    n = a.shape[1]
    for i, m in enumerate(host_view(a)):
        try:
            m[:, n:] = np.linalg.solve(m[:, :n], m[:, n:])
        except np.linalg.LinAlgError:
            host_view(info)[i] = 1


def solve_upper(a):
    n = a.shape[1]
    for m in host_view(a):
        m[:, n:] = scipy.linalg.solve_triangular(m[:, :n], m[:, n:])


def eigh(a, upper, vectors):
    values, found = np.linalg.eigh(host_view(a))
    return gpunp.asarray(values), gpunp.asarray(found) if vectors else None


@pytest.fixture(autouse=True)
def panels(monkeypatch, device):
    if device.is_cpu:
        stand_in = types.SimpleNamespace(qr=qr, solve=solve, solve_upper=solve_upper)
        monkeypatch.setattr(factorizations, "_panels", lambda a: stand_in)
        monkeypatch.setattr(factorizations, "eigh", eigh)


# A column or a row less, as many, and more than a panel has; and enough rows for several blocks of a cluster.
SQUARE = (65, 128, 129, 260)
SHAPES = (
    (128, 128),
    (129, 127),
    (300, 130),
    (130, 300),
    (700, 65),
    (64, 200),
    (1100, 40),
    (2100, 20),
    (3, 150, 70),
    (2, 70, 150),
)


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("n", SQUARE)
def test_systems(char, n):
    for batch in ((), (3,)):
        a = (matrix(char, *batch, n, n) + 2 * np.sqrt(n) * np.eye(n)).astype(char)
        # The pivots are not where they are.
        a = a[..., ::-1, :].copy()
        for sides in (1, 40):
            b = matrix(char, *batch, n, sides)
            close(a @ gpunp.asnumpy(solving.solve.__wrapped__(gpunp.asarray(a), gpunp.asarray(b))), b, char)
        inverse = gpunp.asnumpy(solving.inv.__wrapped__(gpunp.asarray(a)))
        close(a @ inverse, np.broadcast_to(np.eye(n), a.shape), char)


def badly_conditioned(n):
    rng, i = np.random.default_rng(0), np.arange(n)
    yield "Hilbert's", 1 / (i[:, None] + i + 1.0)
    yield "columns of many sizes", rng.normal(size=(n, n)) * 10.0 ** -np.linspace(0, 12, n)
    yield "rows of many sizes", rng.normal(size=(n, n)) * 10.0 ** -np.linspace(0, 12, n)[:, None]
    yield "a triangle with a large inverse", np.eye(n) - 0.3 * np.tril(np.ones((n, n)), -1)


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize(("name", "a"), tuple(badly_conditioned(200)))
def test_residuals_are_small_whatever_the_condition(char, name, a):
    a = a.astype(char).astype("d")
    b = (a @ np.ones(200)).astype(char)
    x = gpunp.asnumpy(solving.solve.__wrapped__(gpunp.asarray(a.astype(char)), gpunp.asarray(b))).astype("d")
    least = np.finfo(char).eps * np.linalg.norm(a) * np.linalg.norm(x)
    assert np.linalg.norm(a @ x - b) <= 2 * least


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("shape", SHAPES)
def test_qr(char, shape):
    a = matrix(char, *shape)
    x = gpunp.asarray(a)
    for mode in ("reduced", "complete"):
        q, r = decompositions.qr.__wrapped__(x, mode)
        check_qr(a, q, r, 4)
    for one, other in zip(decompositions.qr.__wrapped__(x, "raw"), np.linalg.qr(a, "raw"), strict=True):
        close(one, other, char, 10)


@pytest.mark.parametrize("scale", [1e-30, 1e30, 0])
def test_qr_of_extreme_sizes(scale):
    a = (matrix("d", 200, 100) * scale).astype("f")
    q, r = (gpunp.asnumpy(x).astype("d") for x in decompositions.qr.__wrapped__(gpunp.asarray(a)))
    a = a.astype("d")
    assert np.linalg.norm(q @ r - a) <= 1e-5 * np.linalg.norm(a)
    close(q.T @ q, np.eye(100), "f")


def test_qr_of_the_identity_keeps_it():
    q, r = decompositions.qr.__wrapped__(gpunp.eye(200))
    assert (gpunp.asnumpy(q) == np.eye(200)).all()
    assert (gpunp.asnumpy(r) == np.eye(200)).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_singular_values(shape):
    a = matrix("f", *shape)
    for full in (False, True):
        check_svd(a, decompositions._general.svd.__wrapped__(gpunp.asarray(a), full, True), full)
    values = decompositions._general.svd.__wrapped__(gpunp.asarray(a), True, False)
    close(values, np.linalg.svd(a, compute_uv=False), "f")


def test_singular_vectors_of_a_low_rank_are_orthonormal():
    a = (matrix("d", 200, 3) @ matrix("d", 3, 150)).astype("f")
    u, s, vh = (
        gpunp.asnumpy(x) for x in decompositions._general.svd.__wrapped__(gpunp.asarray(a), False, True)
    )
    close(u.T @ u, np.eye(150), "f")
    close(vh @ vh.T, np.eye(150), "f")
    close((u * s) @ vh, a, "f")
    assert (s[3:] < 1e-6 * s[0]).all()


def test_least_squares():
    char = "f"
    for shape in ((300, 130), (130, 130), (130, 300)):
        a, b = matrix(char, *shape), matrix(char, shape[0], 3)
        found, expected = solving.lstsq.__wrapped__(*map(gpunp.asarray, (a, b))), np.linalg.lstsq(a, b)
        for one, other, factor in zip(found, expected, (1000, 1000, 1, 1), strict=True):
            close(one, other, char, factor)
        a[:, 1] = a[:, 0]
        found = solving.lstsq.__wrapped__(*map(gpunp.asarray, (a, b)))
        expected = np.linalg.lstsq(a, b, 1e-5)
        assert int(found[2]) == expected[2]
        close(found[0], expected[0], char, 1000)
