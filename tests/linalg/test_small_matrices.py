"""The kernels for stacks of small matrices, which run on both devices, compared with LAPACK."""

import numpy as np
import pytest
from matrices import INEXACT, check_eigh, check_qr, check_svd, close, hermitian, matrix, positive

import gpunp
from gpunp.linalg import factorizations

SIZES = (1, 2, 3, 8, 17, 33, 64)
SHAPES = ((1, 1), (2, 2), (5, 3), (3, 5), (8, 8), (33, 12), (1, 7), (7, 1), (64, 64))
BATCH = {1: 5, 2: 5, 3: 5, 8: 4}


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("n", SIZES)
def test_solve_and_inverse(char, n):
    batch = BATCH.get(n, 2)
    a = matrix(char, batch, n, n) + np.asarray(2 * np.sqrt(n) * np.eye(n), char)
    for sides in (1, 5, 70):
        b = matrix(char, batch, n, sides, seed=1)
        x = factorizations.solve(gpunp.asarray(a), gpunp.asarray(b))
        assert x.dtype == a.dtype
        close(a @ gpunp.asnumpy(x), b, char)
    inverse = gpunp.asnumpy(factorizations.solve(gpunp.asarray(a), None))
    close(a @ inverse, np.broadcast_to(np.eye(n), a.shape), char)


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("n", SIZES)
def test_determinants(char, n):
    a = matrix(char, BATCH.get(n, 2), n, n)
    sign, logarithm = factorizations.sign_and_logarithm(gpunp.asarray(a))
    expected = np.linalg.slogdet(a)
    close(sign, expected.sign, char)
    close(logarithm, expected.logabsdet, char)


def test_determinant_of_singular_matrices():
    sign, logarithm = factorizations.sign_and_logarithm(gpunp.asarray(np.ones((1, 3, 3))))
    assert sign.item() == 0
    assert logarithm.item() == -np.inf


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(char, n, upper):
    a = positive(char, BATCH.get(n, 2), n, n)
    broken = a.copy()
    # The other triangle is NaN: it must not be read.
    other = np.tril_indices(n, -1) if upper else np.triu_indices(n, 1)
    broken[:, other[0], other[1]] = np.nan
    found = factorizations.cholesky(gpunp.asarray(broken), upper)
    close(found, np.linalg.cholesky(a, upper=upper), char)


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", SHAPES)
def test_qr(char, shape):
    a = matrix(char, 3, *shape)
    m, n = shape
    for columns in {min(m, n), m}:
        packed, tau, q = factorizations.qr(gpunp.asarray(a), columns)
        check_qr(a, q, np.triu(packed[:, :columns]))
    expected, scale = np.linalg.qr(a, "raw")
    close(packed.mT, expected, char)
    close(tau, scale, char)


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("upper", [False, True])
def test_eigh(char, n, upper):
    a = hermitian(char, BATCH.get(n, 2), n, n)
    broken = a.copy()
    other = np.tril_indices(n, -1) if upper else np.triu_indices(n, 1)
    broken[:, other[0], other[1]] = np.nan
    on_device = gpunp.asarray(broken)
    check_eigh(a, factorizations.eigh(on_device, upper, True))
    close(factorizations.eigh(on_device, upper, False)[0], np.linalg.eigvalsh(a), char)


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("full", [False, True])
def test_svd(char, shape, full):
    a = matrix(char, 3, *shape)
    check_svd(a, factorizations.svd(gpunp.asarray(a), full, True), full)
    close(factorizations.svd(gpunp.asarray(a), full, False)[1], np.linalg.svd(a, compute_uv=False), char)


@pytest.mark.parametrize("char", "fD")
@pytest.mark.parametrize("full", [False, True])
def test_svd_of_low_rank(char, full):
    stack = np.zeros((4, 6, 4), char)
    stack[1] = 1
    stack[2] = np.outer(np.arange(6), np.arange(4)) + np.eye(6, 4)[:, ::-1] * 1e-3
    stack[3, 2, 1] = 7
    for a in (stack, np.ascontiguousarray(stack.swapaxes(1, 2))):
        check_svd(a, factorizations.svd(gpunp.asarray(a), full, True), full)


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("shape", [(2, 10), (10, 2), (7, 7), (20, 9)])
def test_signs_where_one_singular_value_dominates(char, shape):
    """Signs are LAPACK's, whatever the rounding; discriminant analysis has matrices of two opposite rows."""
    m, n = shape
    a = np.concatenate([matrix(char, 5, m, 1) @ matrix(char, 5, 1, n), np.zeros((1, m, n), char)])
    a[-1, 0], a[-1, 1] = np.arange(1, n + 1), -np.arange(1, n + 1)
    u, _, vh = factorizations.svd(gpunp.asarray(a), False, True)
    expected = np.linalg.svd(a, full_matrices=False)
    close(u[..., :1], expected[0][..., :1], char)
    close(vh[..., :1, :], expected[2][..., :1, :], char)


@pytest.mark.parametrize("scale", [1e-36, 1e36])
def test_scales_of_single_precision(scale):
    a = matrix("d", 2, 5, 5)
    scaled = (a * scale).astype("f")
    s = gpunp.asnumpy(factorizations.svd(gpunp.asarray(scaled), False, True)[1])
    np.testing.assert_allclose(
        s / np.float32(scale), np.linalg.svd(a, compute_uv=False), rtol=1e-5, atol=1e-5
    )
    symmetric = ((a + a.swapaxes(1, 2)) * scale).astype("f")
    w = gpunp.asnumpy(factorizations.eigh(gpunp.asarray(symmetric), False, True)[0])
    np.testing.assert_allclose(
        w / np.float32(scale), np.linalg.eigvalsh(a + a.swapaxes(1, 2)), rtol=1e-5, atol=1e-5
    )
    packed, _, q = factorizations.qr(gpunp.asarray(scaled), 5)
    r = np.triu(gpunp.asnumpy(packed) / np.float32(scale))
    np.testing.assert_allclose(gpunp.asnumpy(q) @ r, a, rtol=1e-5, atol=1e-5)


def test_graded_and_repeated_values():
    graded = np.diag(10.0 ** -np.arange(8))[None] + 1e-9 * matrix("d", 1, 8, 8)
    check_svd(graded, factorizations.svd(gpunp.asarray(graded), False, True), False)
    q = np.linalg.qr(matrix("d", 8, 8))[0]
    repeated = (q * np.array([1, 1, 1, 2, 2, -3, 0, 0.0])) @ q.T
    repeated = ((repeated + repeated.T) / 2)[None]
    check_eigh(repeated, factorizations.eigh(gpunp.asarray(repeated), False, True))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: factorizations.solve(a, None), "Singular"),
        (lambda a: factorizations.cholesky(-a - 1), "positive definite"),
        (lambda a: factorizations.eigh(a * np.nan, False, True), "Eigenvalues"),
        (lambda a: factorizations.svd(a * np.inf, False, True), "SVD"),
    ],
)
def test_errors_are_reported(call, message, device):
    a = gpunp.zeros((2, 3, 3))

    def run():
        call(a)
        device.synchronize()
        gpunp.asnumpy(a)

    with pytest.raises(np.linalg.LinAlgError, match=message):
        run()
