import numpy as np
import pytest
from matrices import INEXACT, adjoint, check_qr, check_svd, close, hermitian, matrix, positive
from records import CANCELLING, Record, record_test

import gpunp
from gpunp.linalg import decompositions

SHAPES = ((4, 4), (5, 3), (2, 3, 5), (2, 1, 3, 3))
PLAIN = ("C", "transposed", "negative")


def gram(a):
    """Return a positive definite matrix."""
    return a @ np.conjugate(np.swapaxes(a, -1, -2)) + 50 * np.eye(a.shape[-2], like=a)


RECORDS = (
    Record(
        "linalg.cholesky", lambda f, a: f(gram(a)), "ldD", SHAPES, PLAIN, exact=False, absolute=CANCELLING
    ),
    Record(
        "linalg.cholesky",
        lambda f, a: f(gram(a), upper=True),
        "ldD",
        SHAPES,
        PLAIN,
        exact=False,
        absolute=CANCELLING,
    ),
    Record("linalg.cholesky", dtypes="d", shapes=((), (3,), (3, 2)), layouts=("C",), raises=True),
    Record("linalg.svdvals", lambda f, a: f(a), "ldD", SHAPES, PLAIN, exact=False, absolute=CANCELLING),
    Record(
        "linalg.svd",
        lambda f, a: f(a, compute_uv=False),
        "ldD",
        SHAPES,
        PLAIN,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.svd",
        lambda f, a: f(a, True, False, True),
        "ldD",
        ((4, 4), (2, 3, 3)),
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    Record("linalg.svd", dtypes="d", shapes=((), (3,)), layouts=("C",), raises=True),
    Record("linalg.qr", lambda f, a: f(a, "r"), "ldD", SHAPES, PLAIN, exact=False, absolute=CANCELLING),
    Record(
        "linalg.qr", lambda f, a: f(a, mode="raw"), "ldD", SHAPES, PLAIN, exact=False, absolute=CANCELLING
    ),
    Record("linalg.qr", lambda f, a: f(a), "ldD", SHAPES, PLAIN, exact=False, absolute=CANCELLING),
    Record(
        "linalg.qr", lambda f, a: f(a, "complete"), "ldD", SHAPES, PLAIN, exact=False, absolute=CANCELLING
    ),
    Record("linalg.qr", lambda f, a: f(a, "economic"), "d", SHAPES, ("C",), exact=False, absolute=CANCELLING),
    Record("linalg.qr", lambda f, a: f(a, "full"), "d", SHAPES, ("C",), exact=False, absolute=CANCELLING),
    Record("linalg.qr", lambda f, a: f(a, "other"), "d", SHAPES, ("C",), raises=True),
    Record("linalg.qr", dtypes="d", shapes=((), (3,)), layouts=("C",), raises=True),
)
test_records = record_test(RECORDS)


@pytest.fixture(params=["public", "kernels"])
def way(request):
    """Return the public function, or the implementation for CUDA, which runs on every device."""
    if request.param == "public":
        return lambda name: getattr(np.linalg, name)
    return lambda name: (
        decompositions._general.svd.__wrapped__
        if name == "svd"
        else getattr(decompositions, name).__wrapped__
    )


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", [(1, 1), (6, 4), (4, 6), (2, 3, 5, 5), (0, 3, 2)])
@pytest.mark.parametrize("full", [False, True])
def test_svd(way, char, shape, full):
    a = matrix(char, *shape)
    found = way("svd")(gpunp.asarray(a), full, True)
    assert type(found) is type(np.linalg.svd(a))
    check_svd(a, found, full)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 0), (2, 0, 3)])
@pytest.mark.parametrize("full", [False, True])
def test_no_elements(way, shape, full):
    a = np.zeros(shape)
    for one, other in zip(way("svd")(gpunp.asarray(a), full, True), np.linalg.svd(a, full), strict=True):
        assert one.shape == other.shape
        np.testing.assert_array_equal(gpunp.asnumpy(one), other)
    for mode in ("reduced", "complete", "r", "raw"):
        expected = np.linalg.qr(a, mode)
        found = way("qr")(gpunp.asarray(a), mode)
        for one, other in zip(found, expected, strict=True) if mode != "r" else [(found, expected)]:
            assert one.shape == other.shape
            assert one.dtype == other.dtype
    if shape[-1] == shape[-2]:
        assert way("cholesky")(gpunp.asarray(a)).shape == shape


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", [(1, 1), (6, 4), (4, 6), (2, 3, 5, 5), (0, 3, 2)])
def test_qr(way, char, shape):
    a = matrix(char, *shape)
    x = gpunp.asarray(a)
    for mode in ("reduced", "complete"):
        found, expected = way("qr")(x, mode), np.linalg.qr(a, mode)
        assert type(found) is type(expected)
        assert [part.shape for part in found] == [part.shape for part in expected]
        check_qr(a, *found)
    close(way("qr")(x, "r"), np.linalg.qr(a, "r"), char)
    for one, other in zip(way("qr")(x, "raw"), np.linalg.qr(a, "raw"), strict=True):
        close(one, other, char)


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(way, char, upper):
    a = positive(char, 2, 3, 6, 6)
    factor = way("cholesky")(gpunp.asarray(a), upper=upper)
    assert factor.dtype == a.dtype
    host = gpunp.asnumpy(factor)
    close(adjoint(host) @ host if upper else host @ adjoint(host), a, char)


def test_not_positive_definite(way, device):
    a = gpunp.asarray(np.diag([1.0, 2, -3]))

    def run():
        way("cholesky")(a)
        device.synchronize()
        gpunp.asnumpy(a)

    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        run()


@pytest.mark.parametrize("char", INEXACT)
def test_hermitian_svd(char):
    a = hermitian(char, 3, 5, 5)
    found = np.linalg.svd(gpunp.asarray(a), hermitian=True)
    check_svd(a, found, True)
