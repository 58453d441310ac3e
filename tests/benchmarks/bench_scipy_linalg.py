"""Factors, systems and functions of matrices of scipy.linalg."""

import importlib

import numpy as np
from rows import Above, row

CHAPTER = "scipy.linalg"


def functions(lib):
    """The library's module of linear algebra."""
    if lib.dialect == "torch":
        raise NotImplementedError("it has no such functions")
    modules = {"gpunp": "gpunp_scipy.linalg", "CuPy": "cupyx.scipy.linalg", "NumPy": "scipy.linalg"}
    return importlib.import_module(modules[lib.name])


def matrix(n, dtype, seed=3):
    """A random matrix far from singular."""
    a = np.random.default_rng(seed).normal(size=(n, n))
    return (a + 2 * np.sqrt(n) * np.eye(n)).astype(dtype)


def register(name, title, seconds, build, extent=2048):
    @row(name, title, CHAPTER, Above(seconds), "wall")
    def make(lib, size):
        return build(lib, functions(lib), max(size.side * extent >> 14, 8))


def factored(dtype):
    def build(lib, linalg, n):
        a = lib.upload(matrix(n, dtype))
        return lambda: linalg.lu_factor(a)

    return build


def lu_solve(lib, linalg, n):
    factors, b = linalg.lu_factor(lib.upload(matrix(n, "f"))), lib.upload(np.ones((n, 16), "f"))
    return lambda: linalg.lu_solve(factors, b)


def exponential(dtype):
    def build(lib, linalg, n):
        a = lib.upload(np.random.default_rng(4).normal(size=(n, n)).astype(dtype))
        return lambda: linalg.expm(a)

    return build


def cho_solve(sides):
    def build(lib, linalg, n):
        a = matrix(n, "d")
        b = lib.upload(np.ones((n, sides) if sides else n))
        if lib.name == "CuPy":
            # CuPy has no cho_solve: its triangular solutions, from the factor of its Cholesky decomposition.
            factor = lib.xp.linalg.cholesky(lib.upload(a @ a.T))

            def run():
                x = linalg.solve_triangular(factor, b, lower=True)
                return linalg.solve_triangular(factor, x, trans=1, lower=True)

            return run
        factors = linalg.cho_factor(lib.upload(a @ a.T), lower=True)
        return lambda: linalg.cho_solve(factors, b)

    return build


def solve_triangular(lib, linalg, n):
    a, b = lib.upload(np.tril(matrix(n, "f"))), lib.upload(np.ones((n, 64), "f"))
    return lambda: linalg.solve_triangular(a, b, lower=True)


def tridiagonal_systems(lib, linalg, n):
    if lib.name == "CuPy":
        raise NotImplementedError("it has no solve_banded")
    bands = np.broadcast_to(np.array([1.0, 4.0, 1.0])[:, None], (n, 3, 256))
    bands, b = lib.upload(np.ascontiguousarray(bands)), lib.upload(np.ones((n, 256, 1)))
    return lambda: linalg.solve_banded((1, 1), bands, b)


def square_root(lib, linalg, n):
    if lib.name == "CuPy":
        raise NotImplementedError("it has no sqrtm")
    a = lib.upload(matrix(n, "d"))
    return lambda: linalg.sqrtm(a)


def toeplitz(lib, linalg, n):
    c = lib.upload(np.arange(n, dtype="f"))
    return lambda: linalg.toeplitz(c)


def matrix_vector_toeplitz(lib, linalg, n):
    if lib.name == "CuPy":
        raise NotImplementedError("it has no matmul_toeplitz")
    c, x = (lib.upload(np.random.default_rng(i).normal(size=n << 9)) for i in (0, 1))
    return lambda: linalg.matmul_toeplitz((c, c), x)


register("scipy_lu_factor", "`lu_factor(A)`, 2048, float32", 3.1e-3, factored("f"))
register("scipy_lu_factor_f8", "`lu_factor(A)`, 2048, float64", 3.9e-3, factored("d"))
register("scipy_lu_solve", "`lu_solve((lu, piv), B)`, 2048 x 16", 1.5e-3, lu_solve)
register("scipy_expm", "`expm(A)`, 512, float64", 1e-3, exponential("d"), 512)
register("scipy_expm_f4", "`expm(A)`, 512, float32", 1e-3, exponential("f"), 512)
register("scipy_cho_solve", "`cho_solve((c, True), b)`, 2048, float64", 2e-3, cho_solve(0))
register("scipy_cho_solve_sides", "`cho_solve((c, True), B)`, 2048 x 64, float64", 2e-3, cho_solve(64))
register("scipy_solve_triangular", "`solve_triangular(A, B)`, 2048 x 64", 1e-3, solve_triangular)
register(
    "scipy_solve_banded", "`solve_banded((1, 1), ab, b)`, 2048 systems of 256", 1e-3, tridiagonal_systems
)
register("scipy_sqrtm", "`sqrtm(A)`, 512, float64", 30e-3, square_root, 512)
register("scipy_toeplitz", "`toeplitz(c)`, 2048", 30e-6, toeplitz)
register("scipy_matmul_toeplitz", "`matmul_toeplitz((c, r), x)`, 2^20", 1e-3, matrix_vector_toeplitz)
