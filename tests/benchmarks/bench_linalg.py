"""Linear algebra: products, factorizations of large matrices, and stacks of small ones."""

import numpy as np
from rows import Above, row

CHAPTER = "Linear algebra, float32"


def matrices(*shape):
    """Random matrices with a diagonal that keeps them far from singular."""
    a = np.random.default_rng(3).normal(size=shape)
    return (a + 2 * np.sqrt(shape[-1]) * np.eye(*shape[-2:])).astype(np.float32)


def large(name, title, goal, extents, prepare=lambda lib, a: (a,)):
    """A function of numpy.linalg on one matrix; ``extents`` are right shifts of 2048."""

    @row(f"linalg_{name}", title, CHAPTER, Above(goal), "wall")
    def build(lib, size):
        shape = [max(size.side >> 3 >> shift, 4) for shift in extents]
        function = getattr(lib.xp.linalg, name)
        operands = prepare(lib, lib.upload(matrices(*shape)))
        return lambda: function(*operands)


def stack(name, label, title, count, n, goal, sides=0):
    """A function of numpy.linalg on a stack of small matrices."""

    @row(f"linalg_{name}_{label}", title, CHAPTER, Above(goal), "wall")
    def build(lib, size):
        batch = min(count, size.elements)
        function = getattr(lib.xp.linalg, name)
        operands = [lib.upload(matrices(batch, n, n))]
        if sides:
            operands.append(lib.upload(matrices(batch, n, sides)))
        return lambda: function(*operands)


def symmetric(lib, a):
    return (a + a.T,)


def positive(lib, a):
    return (a @ a.T,)


def with_sides(lib, a):
    return a, lib.upload(matrices(a.shape[0], 4))


large("svd", "`np.linalg.svd(A)`, 1024", 25e-3, (1, 1))
large("eigh", "`np.linalg.eigh(A)`, 2048", 25e-3, (0, 0), symmetric)
large("det", "`np.linalg.det(A)`, 2048", 2.5e-3, (0, 0))
large("cholesky", "`np.linalg.cholesky(A)`, 2048", 1e-3, (0, 0), positive)
large("lstsq", "`np.linalg.lstsq(A, B)`, 2048 x 512", 4e-3, (0, 2), with_sides)
large("qr", "`np.linalg.qr(A)`, 2048", 6e-3, (0, 0))
large("inv", "`np.linalg.inv(A)`, 2048", 4e-3, (0, 0))
large("solve", "`np.linalg.solve(A, B)`, 2048", 4e-3, (0, 0), with_sides)
stack("solve", "stack", "`np.linalg.solve(A, B)`, 4096 x 64 x 64", 4096, 64, 1.2e-3, 1)
stack("inv", "stack", "`np.linalg.inv(A)`, 4096 x 64 x 64", 4096, 64, 1.2e-3)
stack("svd", "stack", "`np.linalg.svd(A)`, 10 000 x 8 x 8", 10_000, 8, 5e-3)
stack("solve", "tiny", "`np.linalg.solve(A, B)`, 10 000 x 2 x 2", 10_000, 2, 5e-3, 1)


@row("matmul_small", "`A @ A`, 4 x 4", CHAPTER, Above(4e-6, "launch"), "host")
def matmul_small(lib, size):
    return "A @ A", {"A": lib.upload(matrices(4, 4))}


@row("lstsq_tall", "`np.linalg.lstsq(A, b)`, 2^20 x 16", CHAPTER, Above(1.5e-3), "wall")
def lstsq_tall(lib, size):
    rows = max(size.elements >> 8, 64)
    rng = np.random.default_rng(4)
    a, b = (lib.upload(rng.normal(size=(rows, n)).astype(np.float32)) for n in (16, 1))
    return lambda: lib.xp.linalg.lstsq(a, b)


def double(name, title, goal, prepare=lambda lib, a: (a,)):
    """A function of numpy.linalg on one matrix of double precision."""

    @row(f"linalg_{name}_double", title, CHAPTER, Above(goal), "wall")
    def build(lib, size):
        side = size.side >> 3
        operands = prepare(lib, lib.upload(matrices(side, side).astype(np.float64)))
        return lambda: getattr(lib.xp.linalg, name)(*operands)


double("det", "`np.linalg.det(A)`, 2048, float64", 3e-3)
double("cholesky", "`np.linalg.cholesky(A)`, 2048, float64", 1.1e-3, positive)


@row("einsum_product", "`np.einsum('ij,jk->ik', A, A)`, 2048", CHAPTER, Above(0.42e-3), "device")
def einsum_product(lib, size):
    side = size.side >> 3
    a = lib.upload(matrices(side, side))
    return lambda: lib.xp.einsum("ij,jk->ik", a, a)


@row("einsum_stack", "`np.einsum('bij,bjk->bik', A, A)`, 64 x 512", CHAPTER, Above(0.55e-3), "device")
def einsum_stack(lib, size):
    side = size.side >> 5
    a = lib.upload(matrices(64, side, side))
    return lambda: lib.xp.einsum("bij,bjk->bik", a, a)


@row("einsum_small", "`np.einsum('bij,bjk->bik', A, A)`, 1024 x 64", CHAPTER, Above(30e-6), "device")
def einsum_small(lib, size):
    a = lib.upload(matrices(min(1024, size.elements), 64, 64))
    return lambda: lib.xp.einsum("bij,bjk->bik", a, a)
