"""Large real matrices, which panels factor on a GPU: sizes around the widths and heights of panels.

On the CPU device LAPACK stands in for the panels, so that the code around them is tested.
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


def determinant(a, sign, logarithm):
    found = np.linalg.slogdet(host_view(a))
    host_view(sign)[:], host_view(logarithm)[:] = found.sign, found.logabsdet
    host_view(a)[:] = np.nan


def cholesky(a, info):
    for i, m in enumerate(host_view(a)):
        half = np.triu(m)
        try:
            m[:] = np.linalg.cholesky(half + np.triu(half, 1).T, upper=True)
        except np.linalg.LinAlgError:
            host_view(info)[i] = 1
        m += np.tril(np.full_like(m, np.nan), -1)


def eigh(a, upper, vectors):
    values, found = np.linalg.eigh(host_view(a))
    return gpunp.asarray(values), gpunp.asarray(found) if vectors else None


@pytest.fixture(autouse=True)
def panels(monkeypatch, device):
    if device.is_cpu:
        stand_in = types.SimpleNamespace(qr=qr, solve=solve, determinant=determinant, cholesky=cholesky)
        monkeypatch.setattr(factorizations, "_panels", lambda a: stand_in)
        monkeypatch.setattr(factorizations, "_blocks", lambda a: stand_in)
        monkeypatch.setattr(factorizations, "eigh", eigh)


# Sizes just below, at and above those of a panel, and enough rows for several blocks of a cluster.
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
        # Reverse the rows so that the pivots are off the diagonal.
        a = a[..., ::-1, :].copy()
        for sides in (1, 40):
            b = matrix(char, *batch, n, sides)
            close(a @ gpunp.asnumpy(solving.solve.__wrapped__(gpunp.asarray(a), gpunp.asarray(b))), b, char)
        inverse = gpunp.asnumpy(solving.inv.__wrapped__(gpunp.asarray(a)))
        close(a @ inverse, np.broadcast_to(np.eye(n), a.shape), char)


# Sizes around the diagonal blocks, and around the capacity of clusters of several sizes.
TALL = (65, 127, 128, 129, 257, 1030, 2060)


def laid_out(a):
    yield gpunp.asarray(a)
    if a.shape[-1] > 300:
        return
    yield gpunp.asarray(np.asfortranarray(a))
    yield gpunp.asarray(np.repeat(a, 2, axis=-1))[..., ::2]


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("n", TALL)
def test_determinants(char, n):
    for batch in ((), (3,)) if n < 1000 else ((),):
        a = (matrix(char, *batch, n, n) + 2 * np.sqrt(n) * np.eye(n)).astype(char)
        # Pivots far from the diagonal, and an odd and an even number of row exchanges.
        a = a[..., np.random.default_rng(n).permutation(n), :]
        for b in (a, a[..., np.r_[1, 0, 2:n], :]):
            expected = np.linalg.slogdet(b.astype("d"))
            for x in laid_out(b):
                sign, logarithm = solving.slogdet.__wrapped__(x)
                assert sign.dtype == logarithm.dtype == a.dtype
                assert (gpunp.asnumpy(sign) == expected.sign).all()
                close(logarithm, expected.logabsdet.astype(char), char)


@pytest.mark.parametrize("char", "fd")
def test_determinants_of_singular_matrices(char):
    a = np.stack([np.eye(200), np.zeros((200, 200)), 2 * np.eye(200)[::-1], np.eye(200)]).astype(char)
    a[3, 150] = 0
    sign, logarithm = (gpunp.asnumpy(x) for x in solving.slogdet.__wrapped__(gpunp.asarray(a)))
    assert sign.tolist() == [1, 0, 1, 0]
    np.testing.assert_allclose(logarithm, [0, -np.inf, 200 * np.log(2), -np.inf], rtol=1e-6)
    assert gpunp.asnumpy(solving.det.__wrapped__(gpunp.asarray(a)))[[0, 1, 3]].tolist() == [1, 0, 0]


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("n", [100, 300, 1100])
def test_determinants_with_pivots_to_choose_from(char, n):
    # Many rows tie for the first pivot; the high words of tied doubles are equal.
    a = np.random.default_rng(n).integers(-2, 3, (n, n)).astype(char)
    found = [[gpunp.asnumpy(x) for x in solving.slogdet.__wrapped__(gpunp.asarray(a))] for _ in range(2)]
    expected = np.linalg.slogdet(a.astype("d"))
    assert found[0] == found[1]
    assert found[0][0] == expected.sign
    np.testing.assert_allclose(found[0][1], expected.logabsdet, rtol=1e-4 if char == "f" else 1e-11)


@pytest.mark.parametrize(("char", "exponent"), [("f", -140), ("f", 115), ("d", -1022), ("d", 1010)])
def test_determinants_of_tiny_and_huge_elements(char, exponent):
    n = 120
    a = (matrix(char, n, n) + 2 * np.sqrt(n) * np.eye(n)).astype(char)[::-1]
    sign, logarithm = np.linalg.slogdet(a.astype("d"))
    found = solving.slogdet.__wrapped__(gpunp.asarray(np.ldexp(a, exponent)))
    assert gpunp.asnumpy(found[0]) == sign
    np.testing.assert_allclose(gpunp.asnumpy(found[1]), logarithm + n * exponent * np.log(2), rtol=1e-5)


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_determinants_of_what_is_not_finite(char, value):
    a = matrix(char, 200, 200)
    a[130, 150] = value
    with np.errstate(all="ignore"):
        expected = np.linalg.slogdet(a).logabsdet
        found = gpunp.asnumpy(solving.slogdet.__wrapped__(gpunp.asarray(a))[1])
    assert not np.isfinite(found)
    assert not np.isfinite(expected)


def positive(char, *shape):
    a = matrix(char, *shape)
    return (a + a.swapaxes(-1, -2) + 4 * np.sqrt(shape[-1]) * np.eye(shape[-1])).astype(char)


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("n", TALL)
def test_cholesky(char, n):
    for batch in ((), (2,)) if n < 1000 else ((),):
        a = positive(char, *batch, n, n)
        lower = np.linalg.cholesky(a.astype("d")).astype(char)
        # The other triangle is NaN: it must not be read.
        half = np.where(np.tri(n, dtype=bool), a, np.nan)
        for x in laid_out(half):
            close(decompositions.cholesky.__wrapped__(x), lower, char)
        for x in laid_out(half.swapaxes(-1, -2)):
            close(decompositions.cholesky.__wrapped__(x, upper=True), lower.swapaxes(-1, -2), char)


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("place", [0, 15, 16, 127, 128, 199])
def test_cholesky_of_what_is_not_positive_definite(char, place, device):
    def run(a):
        decompositions.cholesky.__wrapped__(gpunp.asarray(a))
        device.synchronize()
        gpunp.asnumpy(gpunp.zeros(1))

    a = positive(char, 3, 200, 200)
    for value in (-1, 0):
        b = a.copy()
        b[1, place, place] = value
        with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
            run(b)
    run(a)


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


@pytest.mark.parametrize("shape", [(70, 10), (200, 64), (300, 65), (1500, 100), (5000, 3)])
def test_least_squares_by_squares(shape, monkeypatch):
    monkeypatch.setattr(solving, "_CONVERTED", 1000 * shape[1])
    a = matrix("f", *shape) * np.float32(10) ** -np.linspace(0, 3, shape[1], dtype="f")
    for sides in (1, 5):
        b = matrix("f", shape[0], sides)
        found = solving.lstsq.__wrapped__(gpunp.asarray(a), gpunp.asarray(b), 1e-5)
        expected = np.linalg.lstsq(a.astype("d"), b.astype("d"), 1e-5)
        assert int(found[2]) == shape[1]
        # The solution has single-precision accuracy, whatever the condition number.
        for one, other in zip(found, expected, strict=True):
            assert np.linalg.norm(gpunp.asnumpy(one) - other) <= 1e-5 * np.linalg.norm(other)
