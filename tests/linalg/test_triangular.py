"""Triangular systems, LU factors and orders of rows, as other modules call them.

On the CPU device LAPACK stands in for the libraries and for panels, and the kernels take no matrix, so that
the code around them is tested; the kernels themselves are tested through ``scipy.linalg``.
"""

import types

import numpy as np
import pytest
import scipy.linalg
from matrices import INEXACT, adjoint, close, matrix, positive
from records import settled

import gpunp
from gpunp.array.convert import host_view
from gpunp.linalg import engine, factorizations, triangular


def solve(a, x, upper, op, unit, places=None):
    if places is not None:
        expected = [[part.ctypes.data for part in host_view(stack)] for stack in (a, x)]
        assert host_view(places).tolist() == expected
    for m, b in zip(host_view(a), host_view(x), strict=True):
        if np.diag(m).all() or unit:
            b[...] = scipy.linalg.solve_triangular(m, b, trans=int(op), lower=not upper, unit_diagonal=unit)


def getrf(a, pivots, info):
    for i, m in enumerate(host_view(a)):
        call = scipy.linalg.get_lapack_funcs("getrf", (m,))
        m.T[...], found, host_view(info)[i] = call(m.T)
        host_view(pivots)[i] = found + 1


def lu(a, info, packed, swaps):
    assert a.shape[1] == a.shape[2]
    for i, m in enumerate(host_view(a)):
        host_view(packed)[i], host_view(swaps)[i] = scipy.linalg.lu_factor(m)
        m[...] = np.nan


def blocks(a, x, upper, transposed, unit):
    assert upper or not transposed
    solve(a, x, upper, transposed, unit)


@pytest.fixture(params=["library", "panels"])
def path(request, monkeypatch, device):
    """Which of the two is used for large matrices."""
    if device.is_cpu:
        library = types.SimpleNamespace(triangular=solve, getrf=getrf)
        panels = types.SimpleNamespace(lu=lu, triangular=blocks) if request.param == "panels" else None
        monkeypatch.setattr(engine, "takes", lambda *args: False)
        monkeypatch.setattr(triangular, "_library", lambda a: library)
        monkeypatch.setattr(factorizations, "_library", lambda a, name: library)
        for module in (triangular, factorizations):
            monkeypatch.setattr(module, "_panels", lambda a: panels if a.dtype.kind == "f" else None)
    elif request.param == "library":
        monkeypatch.setattr(triangular, "_panels", lambda a: None)
        monkeypatch.setattr(factorizations, "_panels", lambda a: None)
    return request.param


# More than the kernels for small matrices take.
N = 70


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("op", [0, 1, 2])
@pytest.mark.parametrize("batch", [1, 3])
def test_triangles(char, upper, op, batch):
    a = positive(char, batch, N, N)
    b = matrix(char, batch, N, 3)
    triangle = np.triu(a) if upper else np.tril(a)
    for unit in (False, True):
        whole = triangle / np.array(N, char)
        if unit:
            np.einsum("bii->bi", whole)[...] = 1
        given = (a / np.array(N, char)).astype(char)
        x = triangular.solve(gpunp.asarray(given), gpunp.asarray(b), upper, op, unit, "solve_triangular")
        turned = (whole, whole.swapaxes(1, 2), adjoint(whole))[op]
        close(turned @ gpunp.asnumpy(x), b, char, 100)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", [(1, N, N), (2, N, N), (1, N, 40), (2, 40, N)])
def test_lu(char, shape):
    a = matrix(char, *shape)
    packed, swaps = triangular.lu(gpunp.asarray(a))
    assert swaps.dtype == np.int32
    order = gpunp.asnumpy(triangular.row_order(swaps, shape[1]))
    packed, swaps = gpunp.asnumpy(packed), gpunp.asnumpy(swaps)
    k = min(shape[1:])
    for m, factors, rows, swap in zip(a, packed, order, swaps, strict=True):
        expected = np.arange(len(m))
        for i, other in enumerate(swap.tolist()):
            expected[[i, other]] = expected[[other, i]]
        np.testing.assert_array_equal(rows, expected)
        left = np.tril(factors[:, :k], -1) + np.eye(len(m), k, dtype=char)
        close(left @ np.triu(factors[:k]), m[rows], char)
    if shape[1] == shape[2]:
        b = matrix(char, shape[0], shape[1], 2)
        stacks = [gpunp.asarray(part) for part in (packed, swaps, b)]
        for op in (0, 1, 2):
            x = gpunp.asnumpy(triangular.lu_solve(*stacks, op))
            close((a, a.swapaxes(1, 2), adjoint(a))[op] @ x, b, char, 100)


@pytest.mark.usefixtures("path")
def test_zeros_on_the_diagonal(device):
    a = np.eye(N)
    a[5, 5] = 0
    stack, b = gpunp.asarray(a[None]), gpunp.ones((1, N, 1))
    triangular.solve(stack, b, upper=True)
    device.synchronize()
    with pytest.raises(np.linalg.LinAlgError, match="solve_triangular"):
        settled(triangular.solve(stack, b, upper=True, report="solve_triangular"))


def test_swaps_with_rows_that_do_not_exist_are_ignored():
    swaps = gpunp.asarray(np.array([[2, 7, -1]], np.int32))
    np.testing.assert_array_equal(gpunp.asnumpy(triangular.row_order(swaps, 3)), [[2, 1, 0]])
