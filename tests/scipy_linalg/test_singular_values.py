"""Singular values of ``scipy.linalg`` and what is computed from them."""

import numpy as np
import pytest
import scipy.linalg
from matrices import adjoint, check_svd, close, matrix
from scipy_forms import Case, case_test, forms, found, on_device, on_host, raises

CASES = (
    Case("svdvals", lambda c: (matrix(c, 7, 4),), "fdFDi"),
    Case("svdvals", lambda c: (matrix(c, 2, 3, 4, 7),)),
    Case("svdvals", lambda c: (matrix(c, 0, 4),)),
    Case("polar", lambda c: (matrix(c, 6, 6),), factor=10),
    Case("polar", lambda c: (matrix(c, 7, 4),), "fdFDi", (("side", "left"),), factor=10),
    Case("polar", lambda c: (matrix(c, 2, 4, 7),), factor=10),
    Case("subspace_angles", lambda c: (matrix(c, 9, 3), matrix(c, 9, 4, seed=1)), factor=100),
    Case("subspace_angles", lambda c: (matrix(c, 2, 9, 4), matrix(c, 9, 3, seed=1)), factor=100),
    Case("orthogonal_procrustes", lambda c: (matrix(c, 7, 4), matrix(c, 7, 4, seed=1)), factor=10),
    Case("diagsvd", lambda c: (matrix(c, 3), 3, 5), "fdFDi"),
    Case("diagsvd", lambda c: (matrix(c, 2, 3), 6, 3)),
)
test_cases = case_test(CASES)


@forms
@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (4, 9), (2, 3, 5, 4)])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("driver", ["gesdd", "gesvd"])
def test_svd(form, shape, full, driver):
    for char in "fdFD":
        a = matrix(char, *shape)
        parts = found(form, "svd")(on_device(a), full_matrices=full, lapack_driver=driver)
        check_svd(a, parts, full)


@forms
@pytest.mark.parametrize("full", [False, True])
def test_svd_of_nothing(form, full):
    for shape in ((0, 0), (0, 3), (3, 0), (2, 0, 3)):
        expected = scipy.linalg.svd(np.zeros(shape), full_matrices=full)
        actual = found(form, "svd")(on_device(np.zeros(shape)), full_matrices=full)
        for one, other in zip(actual, expected, strict=True):
            assert one.shape == other.shape
            np.testing.assert_array_equal(on_host(one), other)


def _of_rank_three(char, *shape):
    m, n = shape[-2:]
    return matrix(char, *shape[:-1], 3) @ matrix(char, *shape[:-2], 3, n, seed=1) if m else None


@forms
def test_bases(form):
    for char in "fdFD":
        for shape in ((7, 5), (5, 7), (2, 5, 6)):
            a = _of_rank_three(char, *shape)
            basis = on_host(found(form, "orth")(on_device(a), rcond=1e-4))
            assert basis.shape == (*shape[:-1], 3)
            close(adjoint(basis) @ basis, np.broadcast_to(np.eye(3), (*shape[:-2], 3, 3)), char)
            close(basis @ (adjoint(basis) @ a), a, char, 10)
            null = on_host(found(form, "null_space")(on_device(a), rcond=1e-4))
            assert null.shape == (*shape[:-2], shape[-1], shape[-1] - 3)
            close(a @ null, np.zeros((*shape[:-1], shape[-1] - 3)), char, 10)
            whole = np.broadcast_to(np.eye(shape[-1] - 3), (*shape[:-2], shape[-1] - 3, shape[-1] - 3))
            close(adjoint(null) @ null, whole, char)


@forms
def test_small_angles_are_exact(form):
    a = np.eye(4)[:, :2]
    b = a + 1e-10 * np.array([[0, 0], [0, 0], [1, 0], [0, 2.0]])
    angles = on_host(found(form, "subspace_angles")(on_device(a), on_device(b)))
    np.testing.assert_allclose(angles, [2e-10, 1e-10], rtol=1e-5)


@forms
def test_bad_input(form):
    a = matrix("d", 4, 3)
    infinite = a.copy()
    infinite[1, 2] = np.nan
    for name in ("svd", "svdvals", "null_space"):
        raises(form, name, ValueError, infinite, match="infs or NaNs")
    raises(form, "svd", ValueError, a[0])
    raises(form, "svd", ValueError, a, lapack_driver="gesvj")
    raises(form, "svd", TypeError, a, lapack_driver=3)
    raises(form, "polar", ValueError, a, side="top")
    raises(form, "polar", ValueError, a[0])
    raises(form, "subspace_angles", ValueError, a, a[:3])
    raises(form, "subspace_angles", ValueError, a, a[0])
    raises(form, "orthogonal_procrustes", ValueError, a, a[:3])
    raises(form, "diagsvd", ValueError, a[0], 4, 5)
    raises(form, "orth", ValueError, a[None][:0], match="zero-size")
