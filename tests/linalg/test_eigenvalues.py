import numpy as np
import pytest
from matrices import INEXACT, check_eigh, close, hermitian, matrix
from records import CANCELLING, Record, record_test

import gpunp
from gpunp.linalg import eigenvalues, factorizations

SQUARES = ((3, 3), (2, 4, 4), (1, 1))


def symmetric(a):
    return a + np.conjugate(np.swapaxes(a, -1, -2))


RECORDS = (
    Record(
        "linalg.eigvalsh",
        lambda f, a: f(symmetric(a)),
        "ldD",
        SQUARES,
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.eigvalsh",
        lambda f, a: f(symmetric(a), "u"),
        "ldD",
        SQUARES,
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.eigh",
        lambda f, a: f(symmetric(a))[0],
        "ldD",
        SQUARES,
        ("C", "transposed"),
        exact=False,
        absolute=CANCELLING,
    ),
    Record("linalg.eigh", lambda f, a: f(a, "X"), "d", SQUARES, ("C",), raises=True),
    Record(
        "linalg.eig",
        lambda f, a: f(symmetric(a))[0].real.sum(axis=-1),
        "ldD",
        SQUARES,
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.eigvals",
        lambda f, a: f(symmetric(a)).real.sum(axis=-1),
        "ldD",
        SQUARES,
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    *(
        Record(f"linalg.{name}", dtypes="d", shapes=((), (3,), (3, 2)), layouts=("C",), raises=True)
        for name in ("eig", "eigh", "eigvals", "eigvalsh")
    ),
)
test_records = record_test(RECORDS)


@pytest.fixture(params=["public", "kernels"])
def way(request):
    """Return the public function, or the implementation for CUDA, which runs on every device."""
    if request.param == "public":
        return lambda name: getattr(np.linalg, name)
    return lambda name: getattr(eigenvalues, name).__wrapped__


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (2, 3, 4, 4), (0, 3, 3), (2, 0, 0)])
@pytest.mark.parametrize("triangle", ["L", "U", "u"])
def test_eigh(way, char, shape, triangle):
    a = hermitian(char, *shape)
    found = way("eigh")(gpunp.asarray(a), triangle)
    assert type(found) is type(np.linalg.eigh(a))
    check_eigh(a, found)
    values = way("eigvalsh")(gpunp.asarray(a), triangle)
    assert values.dtype == a.real.dtype
    close(values, np.linalg.eigvalsh(a), char)


def by_value(values):
    return np.sort_complex(np.round(values.astype("D"), 3))


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", [(1, 1), (6, 6), (2, 3, 4, 4), (0, 3, 3), (0, 0)])
def test_eig(char, shape):
    a = matrix(char, *shape)
    found = np.linalg.eig(gpunp.asarray(a))
    assert type(found) is type(np.linalg.eig(a))
    w, v = (gpunp.asnumpy(part) for part in found)
    expected = np.linalg.eig(a)
    assert (w.dtype, v.dtype) == tuple(part.dtype for part in expected)
    assert (w.shape, v.shape) == tuple(part.shape for part in expected)
    close(a @ v, v * w[..., None, :], char, 10)
    close(np.linalg.norm(v, axis=-2), np.ones(w.shape), char, 10)
    values = gpunp.asnumpy(np.linalg.eigvals(gpunp.asarray(a)))
    lines = (int(np.prod(shape[:-2])), shape[-1])
    for one, other in zip(values.reshape(lines), expected[0].reshape(lines), strict=True):
        np.testing.assert_allclose(by_value(one), by_value(other), atol=3e-3)


def test_dtypes_of_real_and_complex_eigenvalues():
    for a in (np.array([[0.0, 1], [-1, 0]]), np.array([[2, 1], [1, 3]], "f")):
        found, expected = np.linalg.eig(gpunp.asarray(a)), np.linalg.eig(a)
        assert [part.dtype for part in found] == [part.dtype for part in expected]
        assert np.linalg.eigvals(gpunp.asarray(a)).dtype == np.linalg.eigvals(a).dtype


def test_not_finite():
    for a in ([[np.nan, 0], [0, 1]], [[np.inf, 0], [0, 1]]):
        for name in ("eig", "eigvals"):
            with pytest.raises(np.linalg.LinAlgError, match="must not contain infs or NaNs"):
                getattr(np.linalg, name)(gpunp.asarray(a))


def test_eigenvectors_of_packed_pairs():
    # cuSOLVER's columns, here rows: a real vector, then the real and imaginary parts of a conjugate pair.
    rows = np.array([[[1.0, 2, 3], [4, 5, 6], [7, 8, 9]]])
    values = np.array([[5, 1 + 2j, 1 - 2j]])
    found = gpunp.asnumpy(factorizations._unpacked(gpunp.asarray(rows), gpunp.asarray(values)))[0]
    np.testing.assert_array_equal(found[0], rows[0, 0])
    np.testing.assert_array_equal(found[1], rows[0, 1] + 1j * rows[0, 2])
    np.testing.assert_array_equal(found[2], rows[0, 1] - 1j * rows[0, 2])
