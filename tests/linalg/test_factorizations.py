"""How large matrices are passed to cuSOLVER.

On the CPU device LAPACK stands in for the library and reads the matrices in column-major order; on a GPU the
library itself is called, with matrices that are too large for gpunp's own kernels.
"""

import os
import sys
import types

import numpy as np
import pytest
import scipy.linalg
from matrices import INEXACT, adjoint, check_eigh, check_qr, check_svd, close, hermitian, matrix, positive

import gpunp
from gpunp.array.convert import host_view
from gpunp.linalg import decompositions, eigenvalues, engine, factorizations, solving


def columns(*stacks):
    """Yield the matrices of stacks as a column-major library reads them."""
    for parts in zip(*(host_view(stack) for stack in stacks), strict=True):
        yield tuple(part.T for part in parts)


def lapack(name, a):
    return scipy.linalg.get_lapack_funcs(name, (a,))


def getrf(a, pivots, info):
    for m, order, flag in zip(*(host_view(x) for x in (a, pivots)), range(len(a)), strict=True):
        m.T[...], found, status = lapack("getrf", m)(m.T)
        order[...] = found + 1
        host_view(info)[flag] = status


def getrs(factors, pivots, b):
    for (m, right), order in zip(columns(factors, b), host_view(pivots), strict=True):
        right[...] = lapack("getrs", m)(m, order - 1, right, trans=1)[0]


def potrf(a, info, upper):
    for i, (m,) in enumerate(columns(a)):
        m[...], host_view(info)[i] = lapack("potrf", m)(m, lower=not upper, clean=0)


def potrf_stack(a, info, places, upper):
    assert list(host_view(places)) == [matrix.ctypes.data for matrix in host_view(a)]
    potrf(a, info, upper)


def geqrf(a, tau):
    for m, scale in columns(a, tau):
        m[...], scale[...] = lapack("geqrf", m)(m)[:2]


def orgqr(a, tau):
    for m, scale in columns(a, tau):
        m[...] = lapack("ungqr" if m.dtype.kind == "c" else "orgqr", m)(m, scale)[0]


def ormqr(a, tau, b):
    for m, scale, right in columns(a, tau, b):
        kind = m.dtype.kind
        call = lapack("unmqr" if kind == "c" else "ormqr", m)
        right[...] = call("L", "C" if kind == "c" else "T", m, scale, right, 64 * right.size)[0]


def syevd(a, values, info, upper, vectors):
    for i, (m, w) in enumerate(columns(a, values)):
        call = lapack("heevd" if m.dtype.kind == "c" else "syevd", m)
        w[...], m[...], host_view(info)[i] = call(m, lower=not upper, compute_v=vectors)


def gesvdp(a, values, u, v, info, full):
    host_view(info)[...] = 0
    for i, (m,) in enumerate(columns(a)):
        assert m.shape[0] >= m.shape[1]
        left, host_view(values)[i], right = np.linalg.svd(m, full)
        host_view(u)[i], host_view(v)[i] = left.T, right.conj()
    # Like gesvdp, report that an ill-conditioned matrix was perturbed, and return inaccurate values.
    if values.size and np.linalg.cond(host_view(a)).max() > 1e6:
        host_view(values)[...] += 1
        return True
    return False


def gesvd(a, values, u, v, info, full):
    host_view(info)[...] = 0
    for i, (m,) in enumerate(columns(a)):
        left, host_view(values)[i], right = np.linalg.svd(m, full)
        host_view(u)[i], host_view(v)[i] = left.T, right.T


def geev(a, values, vectors, info):
    for i, (m,) in enumerate(columns(a)):
        found = lapack("geev", m)(m, compute_vl=0)
        host_view(info)[i] = found[-1]
        host_view(values)[i] = found[0] if m.dtype.kind == "c" else found[0] + 1j * found[1]
        if vectors is not None:
            host_view(vectors)[i] = found[-2].T


@pytest.fixture
def library(monkeypatch, device):
    """On the CPU device, replace cuSOLVER by the stand-in and make the kernels refuse every size."""
    if not device.is_cpu:
        return
    module = types.ModuleType("gpunp.linalg.cusolver")
    functions = (getrf, getrs, potrf, potrf_stack, geqrf, orgqr, ormqr, syevd, gesvdp, gesvd, geev)
    vars(module).update({function.__name__: function for function in functions}, syev_batched=syevd)
    monkeypatch.setitem(sys.modules, "gpunp.linalg.cusolver", module)
    monkeypatch.setattr(gpunp.linalg, "cusolver", module, raising=False)
    monkeypatch.setattr(factorizations, "_library", lambda a, name: module)
    monkeypatch.setattr(engine, "takes", lambda *args: False)


# On a GPU the matrices must be larger than those of the kernels; the stand-in accepts any size.
ON_DEVICE = os.environ.get("GPUNP_DEVICE", "cpu") != "cpu"
N = 70 if ON_DEVICE else 12
SHAPES = [(N, N), (2, N + 10, N - 4), (N - 4, N + 10), (3, N)]
pytestmark = pytest.mark.usefixtures("library")


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_square(char, batch):
    a = (matrix(char, *batch, N, N) + 20 * np.eye(N)).astype(char)
    x = gpunp.asarray(a)
    identity = np.broadcast_to(np.eye(N), a.shape)
    close(a @ gpunp.asnumpy(solving.inv.__wrapped__(x)), identity, char)
    for sides in (1, 5):
        b = matrix(char, *batch, N, sides)
        close(a @ gpunp.asnumpy(solving.solve.__wrapped__(x, gpunp.asarray(b))), b, char)
    found, expected = solving.slogdet.__wrapped__(x), np.linalg.slogdet(a)
    close(found.sign, expected.sign, char)
    close(found.logabsdet, expected.logabsdet, char)
    for upper in (False, True):
        p = positive(char, *batch, N, N)
        broken = p.copy()
        broken[..., *(np.tril_indices(N, -1) if upper else np.triu_indices(N, 1))] = 0
        factor = decompositions.cholesky.__wrapped__(gpunp.asarray(broken), upper=upper)
        close(factor, np.linalg.cholesky(p, upper=upper), char)
        h = hermitian(char, *batch, N, N)
        broken = np.triu(h) if upper else np.tril(h)
        check_eigh(h, eigenvalues.eigh.__wrapped__(gpunp.asarray(broken), "LU"[upper]))
        values = eigenvalues.eigvalsh.__wrapped__(gpunp.asarray(broken), "LU"[upper])
        close(values, np.linalg.eigvalsh(h), char)


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", [(N, N), (2, 5, 5), (1, 1)])
def test_eig(char, shape):
    a = matrix(char, *shape)
    w, v = (gpunp.asnumpy(part) for part in eigenvalues.eig.__wrapped__(gpunp.asarray(a)))
    close(a @ v, v * w[..., None, :], char, 10)
    values = gpunp.asnumpy(eigenvalues.eigvals.__wrapped__(gpunp.asarray(a)))
    close(values.sum(axis=-1), np.trace(a, axis1=-2, axis2=-1), char, 10)


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", SHAPES)
def test_rectangular(char, shape):
    a = matrix(char, *shape)
    x = gpunp.asarray(a)
    for full in (False, True):
        check_svd(a, decompositions._general.svd.__wrapped__(x, full, True), full)
    s = decompositions._general.svd.__wrapped__(x, True, False)
    close(s, np.linalg.svd(a, compute_uv=False), char)
    for mode in ("reduced", "complete"):
        q, r = decompositions.qr.__wrapped__(x, mode)
        assert [q.shape, r.shape] == [part.shape for part in np.linalg.qr(a, mode)]
        check_qr(a, q, r)
    for one, other in zip(decompositions.qr.__wrapped__(x, "raw"), np.linalg.qr(a, "raw"), strict=True):
        close(one, other, char)
    if a.ndim == 2:
        b = matrix(char, shape[0], 2)
        found, expected = solving.lstsq.__wrapped__(x, gpunp.asarray(b)), np.linalg.lstsq(a, b)
        close(found[0], expected[0], char, 100)
        close(found[1], expected[1], char, 100)
        assert int(found[2]) == expected[2]
        close(found[3], expected[3], char)
        if shape[0] >= shape[1]:
            a[:, 1] = a[:, 0]
            found = solving.lstsq.__wrapped__(gpunp.asarray(a), gpunp.asarray(b))
            expected = np.linalg.lstsq(a, b, 1e-5)
            assert int(found[2]) == expected[2]
            close(found[0], expected[0], char, 100)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: solving.inv.__wrapped__(a), "Singular"),
        (lambda a: decompositions.cholesky.__wrapped__(a - 1), "positive definite"),
    ],
)
def test_errors(call, message, device):
    a = gpunp.zeros((N, N))

    def run():
        call(a)
        device.synchronize()
        gpunp.asnumpy(a)

    with pytest.raises(np.linalg.LinAlgError, match=message):
        run()


def test_determinant_of_a_singular_matrix():
    a = matrix("D", N, N)
    a[3] = 0
    sign, logarithm = solving.slogdet.__wrapped__(gpunp.asarray(a))
    assert sign.item() == 0
    assert logarithm.item() == -np.inf
    assert solving.det.__wrapped__(gpunp.asarray(a)).item() == 0
    assert adjoint(a).shape == (N, N)
