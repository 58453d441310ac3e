"""Factorizations of ``scipy.linalg``: LU, Cholesky, LDL, QR, RQ and Hessenberg form."""

import numpy as np
import pytest
import scipy.linalg
from matrices import adjoint, check_qr, close, hermitian, matrix, positive
from scipy_forms import Case, case_test, forms, found, newest, on_device, on_host, raises

import gpunp


def symmetric(char, *shape):
    """A complex symmetric matrix, which is not Hermitian."""
    a = matrix(char, *shape)
    return a + a.swapaxes(-1, -2)


CASES = (
    Case("lu_factor", lambda c: (matrix(c, 9, 9),), "fdFDi", factor=10),
    Case("lu_factor", lambda c: (matrix(c, 9, 5),), factor=10),
    Case("lu_factor", lambda c: (matrix(c, 5, 9),), factor=10),
    Case("lu_factor", lambda c: (matrix(c, 2, 3, 40, 40),), factor=100),
    Case("lu_factor", lambda c: (matrix(c, 0, 0),)),
    Case("lu", lambda c: (matrix(c, 6, 6),), "fdFDi", factor=10),
    Case("lu", lambda c: (matrix(c, 7, 4),), factor=10),
    Case("lu", lambda c: (matrix(c, 4, 7),), factor=10),
    Case("lu", lambda c: (matrix(c, 2, 3, 5, 4),), factor=10),
    Case("lu", lambda c: (matrix(c, 7, 4),), keywords=(("permute_l", True),), factor=10),
    Case("lu", lambda c: (matrix(c, 2, 4, 7),), keywords=(("p_indices", True),), factor=10),
    Case("cholesky", lambda c: (positive(c, 7, 7),)),
    Case("cholesky", lambda c: (positive(c, 2, 3, 7, 7),), keywords=(("lower", True),)),
    Case("cholesky", lambda c: (np.triu(positive(c, 64, 64)),)),
    Case("cholesky", lambda c: (matrix(c, 2, 0, 0),)),
    Case("cholesky", lambda c: (np.array([[4]], c),), "fdFDi"),
)
test_cases = case_test(CASES)


@forms
@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize(
    "shapes", [((6, 6), (6,)), ((6, 6), (6, 3)), ((2, 5, 5), (5, 3)), ((4, 4), (3, 4, 2))]
)
def test_systems_with_lu_factors(form, trans, shapes):
    for char in "fdFD":
        a, b = matrix(char, *shapes[0]), matrix(char, *shapes[1], seed=1)
        factors = found(form, "lu_factor")(on_device(a))
        assert factors[1].dtype == np.int32
        x = found(form, "lu_solve")(tuple(factors), on_device(b), trans=trans)
        close(x, scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b, trans=trans), char, 100)


@forms
def test_factors_of_the_host_with_sides_on_the_device(form):
    a, b = matrix("d", 5, 5), matrix("d", 5)
    x = found(form, "lu_solve")(scipy.linalg.lu_factor(a), on_device(b))
    close(a @ on_host(x), b, "d", 10)


@forms
@pytest.mark.parametrize("lower", [False, True])
def test_systems_with_cholesky_factors(form, lower):
    for char in "fdFD":
        for shapes in (((6, 6), (6,)), ((6, 6), (6, 70)), ((2, 5, 5), (5, 3))):
            a, b = positive(char, *shapes[0]), matrix(char, *shapes[1], seed=1)
            c, flag = found(form, "cho_factor")(on_device(a), lower=lower)
            assert np.shape(flag) == shapes[0][:-2]
            triangle = np.tril if lower else np.triu
            close(triangle(on_host(c)), scipy.linalg.cholesky(a, lower=lower), char)
            x = found(form, "cho_solve")((c, lower), on_device(b))
            close(x, scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), b), char, 10)


@forms
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("of", [hermitian, symmetric])
def test_ldl(form, lower, of):
    for char in "fdFDi":
        for shape in ((1, 1), (2, 2), (7, 7), (2, 40, 40), (0, 0)):
            a = of(char, *shape)
            if char == "i":
                np.einsum("...ii->...i", a)[...] = 0
            expected = scipy.linalg.ldl(a, lower=lower, hermitian=of is hermitian)
            lu, d, order = found(form, "ldl")(on_device(a), lower=lower, hermitian=of is hermitian)
            for one, other in zip((lu, d, order), expected, strict=True):
                assert one.shape == other.shape
                assert one.dtype == other.dtype
            lu, d, order = (on_host(part) for part in (lu, d, order))
            turned = adjoint(lu) if of is hermitian else lu.swapaxes(-1, -2)
            tolerance = char if char in "fF" else "d"
            close(lu @ d @ turned, a, tolerance, 10)
            sorted_lu = np.take_along_axis(lu, order[..., None], axis=-2)
            np.testing.assert_array_equal(sorted_lu, (np.tril if lower else np.triu)(sorted_lu))


@forms
def test_ldl_warns_of_imaginary_parts(form):
    a = hermitian("D", 4, 4) + 1j * np.eye(4)
    with pytest.warns(np.exceptions.ComplexWarning):
        found(form, "ldl")(on_device(a))


@forms
@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (4, 9), pytest.param((2, 3, 6, 4), marks=newest)])
def test_qr(form, shape):
    for char in "fdFDi":
        a = matrix(char, *shape)
        m, n = shape[-2:]
        k = min(m, n)
        values = a.astype("d") if char == "i" else a
        call = found(form, "qr")
        q, r = call(on_device(a))
        assert q.shape == (*shape[:-2], m, m)
        assert r.shape == shape
        check_qr(values, q, r)
        q, r = call(on_device(a), mode="economic")
        assert q.shape == (*shape[:-2], m, k)
        assert r.shape == (*shape[:-2], k, n)
        check_qr(values, q, r)
        (only,) = call(on_device(a), mode="r")
        assert only.shape == shape
        close(np.abs(on_host(only)[..., :k, :]), np.abs(on_host(r)), values.dtype.char)
        (packed, tau), r = call(on_device(a), mode="raw")
        expected = scipy.linalg.qr(values, mode="raw")
        close(packed, expected[0][0], values.dtype.char)
        close(tau, expected[0][1], values.dtype.char)
        close(r, expected[1], values.dtype.char)


@forms
@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (4, 9), (2, 3, 6, 4), (40, 30)])
def test_pivoted_qr(form, shape):
    for char in "fdFD":
        a = matrix(char, *shape)
        a[..., :, -1] = 0
        a[..., 1] = 2 * a[..., 0]
        q, r, order = found(form, "qr")(on_device(a), mode="economic", pivoting=True)
        assert order.dtype == np.int32
        places = np.broadcast_to(on_host(order)[..., None, :], a.shape)
        check_qr(np.take_along_axis(a, places, axis=-1), q, r, 10)
        sizes = np.abs(np.einsum("...ii->...i", on_host(r)[..., :, : r.shape[-2]]))
        assert (sizes[..., 1:] <= sizes[..., :-1] * (1 + 1e-5)).all()
        expected = scipy.linalg.qr(a, mode="r", pivoting=True)[0]
        diagonal = np.abs(np.einsum("...ii->...i", expected[..., : sizes.shape[-1], : sizes.shape[-1]]))
        close(sizes, diagonal, char, 10)


@forms
@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (4, 9)])
@pytest.mark.parametrize("conjugate", [False, True])
@pytest.mark.parametrize("pivoting", [False, True])
def test_product_with_q(form, shape, conjugate, pivoting):
    m, n = shape
    k = min(m, n)
    for char in "fdFD":
        a = matrix(char, m, n)
        for mode, sides in (("right", (3, m)), ("right", (m,)), ("left", (k, 3)), ("left", (k,))):
            c = matrix(char, *sides, seed=2)
            keywords = {"mode": mode, "conjugate": conjugate, "pivoting": pivoting}
            expected = scipy.linalg.qr_multiply(a, c, **keywords)
            actual = found(form, "qr_multiply")(on_device(a), on_device(c), **keywords)
            for one, other in zip(actual, expected, strict=True):
                assert one.shape == other.shape
                close(one, other, char, 10)


@forms
@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (4, 9), (2, 3, 4)])
@pytest.mark.parametrize("mode", ["full", "economic", "r"])
def test_rq(form, shape, mode):
    for char in "fdFDi":
        a = matrix(char, *shape)
        expected = scipy.linalg.rq(a, mode=mode)
        actual = found(form, "rq")(on_device(a), mode=mode)
        tolerance = char if char in "fF" else "d"
        if mode == "r":
            assert actual.shape == expected.shape
            close(np.abs(on_host(actual)), np.abs(expected), tolerance, 10)
            continue
        r, q = (on_host(part) for part in actual)
        assert [r.shape, q.shape] == [part.shape for part in expected]
        close(r @ q, a, tolerance)
        close(q @ adjoint(q), np.broadcast_to(np.eye(q.shape[-2]), (q @ adjoint(q)).shape), tolerance)
        close(np.abs(r), np.abs(expected[0]), tolerance, 10)


@forms
def test_hessenberg(form):
    for char in "fdFDi":
        for shape in ((1, 1), (2, 2), (3, 3), (9, 9), (2, 6, 6)):
            a = matrix(char, *shape)
            tolerance = char if char in "fF" else "d"
            h, q = (on_host(part) for part in found(form, "hessenberg")(on_device(a), calc_q=True))
            np.testing.assert_array_equal(h, np.triu(h, -1))
            close(q @ h @ adjoint(q), a, tolerance)
            close(q @ adjoint(q), np.broadcast_to(np.eye(shape[-1]), shape), tolerance)
            alone = found(form, "hessenberg")(on_device(a))
            close(alone, h, tolerance)


@forms
def test_bad_factors(form):
    a = matrix("d", 4, 4)
    infinite = a.copy()
    infinite[1, 2] = np.nan
    for name in ("lu_factor", "lu", "cholesky", "cho_factor", "ldl", "qr", "rq", "hessenberg"):
        raises(form, name, ValueError, infinite, match="infs or NaNs")
    for name in ("cholesky", "cho_factor", "ldl", "hessenberg"):
        raises(form, name, ValueError, a[:3])
    for name in ("lu", "qr"):
        raises(form, name, ValueError, a[0])
    for name in ("lu_factor", "ldl", "rq", "hessenberg"):
        raises(form, name, ValueError, a[None][:0], match="zero-size")
    for name in ("cholesky", "cho_factor"):
        raises(form, name, scipy.linalg.LinAlgError, -np.eye(4))
    raises(form, "qr", ValueError, a, mode="complete")
    raises(form, "rq", ValueError, a, mode="complete")
    raises(form, "qr_multiply", ValueError, a, a[:3], mode="left")
    raises(form, "qr_multiply", ValueError, a, a, mode="top")
    raises(form, "lu_solve", ValueError, (a, np.arange(4, dtype="i")), a[:3])
    raises(form, "cho_solve", ValueError, (a, False), a[:3])
    raises(form, "cho_solve", ValueError, (a[:3], False), a)


@newest
@forms
def test_lwork_is_deprecated(form):
    with pytest.warns(DeprecationWarning, match="lwork"):
        found(form, "qr")(on_device(matrix("d", 4, 4)), lwork=100)


def test_large_lu_factors(device):
    """LU by panels or the library on a GPU; SciPy's on the CPU device."""
    for char, n in (("f", 300), ("d", 700), ("D", 130), ("f", 129), ("d", 2100)):
        a, b = matrix(char, n, n), matrix(char, n, 2, seed=1)
        packed, swaps = scipy.linalg.lu_factor(gpunp.asarray(a, device=device))
        order = np.arange(n)
        for k, other in enumerate(on_host(swaps).tolist()):
            order[[k, other]] = order[[other, k]]
        packed = on_host(packed)
        product = (np.tril(packed, -1) + np.eye(n, dtype=char)) @ np.triu(packed)
        assert np.linalg.norm(product - a[order]) < 20 * n**0.5 * np.finfo(char).eps * np.linalg.norm(a)
        assert np.abs(np.tril(packed, -1)).max() <= 2
        for trans in (0, 1, 2):
            x = on_host(scipy.linalg.lu_solve((on_device(packed), swaps), on_device(b), trans=trans))
            turned = (a, a.T, adjoint(a))[trans]
            size = np.linalg.norm(a) * np.linalg.norm(x)
            assert np.linalg.norm(turned @ x - b) < 20 * n**0.5 * np.finfo(char).eps * size


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("trans", [0, 1, 2])
def test_large_triangles(lower, trans):
    for char, n, sides in (("f", 300, 1), ("d", 300, 5), ("D", 150, 1), ("F", 150, 20), ("d", 128, 300)):
        for batch in ((), (2,)):
            a = positive(char, *batch, n, n)
            a = np.tril(a) if lower else np.triu(a)
            b = matrix(char, *batch, n, sides, seed=1)
            x = on_host(scipy.linalg.solve_triangular(on_device(a), on_device(b), trans=trans, lower=lower))
            turned = (a, a.swapaxes(-1, -2), adjoint(a))[trans]
            size = np.linalg.norm(a) * np.linalg.norm(x)
            assert np.linalg.norm(turned @ x - b) < 20 * n**0.5 * np.finfo(char).eps * size
