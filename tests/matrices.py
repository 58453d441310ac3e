"""Test matrices, and checks like those of NumPy's own tests: residuals and orthogonality, not signs."""

import numpy as np

import gpunp

# The tolerances of numpy.linalg's tests.
RTOL = {"f": 1e-5, "F": 1e-5, "d": 1e-11, "D": 1e-11}
INEXACT = "fdFD"


def matrix(char, *shape, seed=0):
    """Normal random numbers, or small integers for an integer dtype."""
    rng = np.random.default_rng([seed, *shape])
    dtype = np.dtype(char)
    if dtype.kind in "iub":
        return rng.integers(0, 9, shape).astype(dtype)
    values = rng.normal(size=shape)
    if dtype.kind == "c":
        values = values + 1j * rng.normal(size=shape)
    return values.astype(dtype)


def hermitian(char, *shape, seed=0):
    """The sum of a random matrix and its adjoint."""
    a = matrix(char, *shape, seed=seed)
    return a + adjoint(a)


def positive(char, *shape, seed=0):
    """A positive definite matrix of moderate condition."""
    a = matrix(char, *shape, seed=seed)
    return (a @ adjoint(a) + shape[-1] * np.eye(shape[-1])).astype(char)


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


def close(actual, expected, char, factor=1):
    """Assert equality within NumPy's tolerance for the dtype."""
    actual = gpunp.asnumpy(actual)
    tolerance = RTOL[char] * factor
    scale = max(1, np.max(np.abs(expected), initial=0))
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * scale)


def check_svd(a, found, full, factor=1):
    """Assert that U and V have orthonormal columns, the values descend, and the product is the matrix."""
    char = a.dtype.char
    u, s, vh = (gpunp.asnumpy(part) for part in found)
    m, n = a.shape[-2:]
    k = min(m, n)
    assert u.shape == (*a.shape[:-2], m, m if full else k)
    assert vh.shape == (*a.shape[:-2], n if full else k, n)
    assert s.shape == (*a.shape[:-2], k)
    assert u.dtype == vh.dtype == a.dtype
    assert s.dtype == a.real.dtype
    close(adjoint(u) @ u, np.broadcast_to(np.eye(u.shape[-1]), adjoint(u).shape[:-1] + u.shape[-1:]), char)
    close(vh @ adjoint(vh), np.broadcast_to(np.eye(vh.shape[-2]), vh.shape[:-1] + vh.shape[-2:-1]), char)
    close(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a, char, factor)
    assert (np.diff(s) <= 0).all()
    close(s, np.linalg.svd(a.astype("D"), compute_uv=False), char, factor)


def check_eigh(a, found):
    """Assert that eigenvalues ascend, vectors are orthonormal, and a @ v equals v * w."""
    char = a.dtype.char
    w, v = (gpunp.asnumpy(part) for part in found)
    assert w.dtype == a.real.dtype
    assert v.dtype == a.dtype
    close(w, np.linalg.eigvalsh(a.astype("D")), char)
    close(a @ v, v * w[..., None, :], char)
    close(adjoint(v) @ v, np.broadcast_to(np.eye(a.shape[-1]), a.shape), char)


def check_qr(a, q, r, factor=1):
    """Assert that Q has orthonormal columns, R is triangular, and the product is the matrix."""
    char = a.dtype.char
    q, r = gpunp.asnumpy(q), gpunp.asnumpy(r)
    assert q.dtype == r.dtype == a.dtype
    close(q @ r, a, char, factor)
    close(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), adjoint(q).shape[:-1] + q.shape[-1:]), char)
    assert (r == np.triu(r)).all()
