"""Sparse arrays of scipy.sparse: products, conversions, sums, and searches of graphs."""

import functools
import importlib

import numpy as np
import scipy.sparse as sp
from rows import Above, Share, row

CHAPTER = "scipy.sparse"
GRAPHS = "scipy.sparse.csgraph"
ENTRIES = 20  # of a row of the random matrix, and edges of a node


def nodes(size):
    """Rows of the random matrix."""
    return max(size.elements >> 8, 64)


def extent(size):
    """The points of the grid along each axis, of the Laplacian."""
    return max(round((size.elements >> 4) ** (1 / 3)), 4)


@functools.cache
def random_matrix(size, seed=1):
    """Rows of 20 entries in random columns, sorted and without duplicates."""
    n, rng = nodes(size), np.random.default_rng(seed)
    # Distinct columns: one in each of 20 parts of the row.
    part = n // ENTRIES
    columns = rng.integers(0, part, (n, ENTRIES), dtype=np.int32) + part * np.arange(ENTRIES, dtype=np.int32)
    indptr = np.arange(0, n * ENTRIES + 1, ENTRIES, dtype=np.int32)
    return sp.csr_matrix((rng.random(n * ENTRIES), columns.ravel(), indptr), shape=(n, n))


@functools.cache
def laplacian(size):
    """The operator with seven points on a cubic grid."""
    n = extent(size)
    line = sp.diags_array([-1.0, 2, -1], offsets=[-1, 0, 1], shape=(n, n))
    return sp.csr_matrix(sp.kronsum(line, sp.kronsum(line, line), format="csr"))


@functools.cache
def graph(size):
    """A graph whose degrees follow a power law: few nodes have a large part of the edges."""
    n, rng = max(size.elements // 268, 64), np.random.default_rng(5)
    count = n * ENTRIES
    source, target = ((n * rng.random(count) ** 3).astype(np.int32) for _ in range(2))
    order = rng.permutation(n).astype(np.int32)
    found = sp.csr_matrix((rng.random(count) + 0.01, (order[source], order[target])), shape=(n, n))
    found.sum_duplicates()
    return found


def sparse(lib, host, form="csr"):
    """The library's array of a host matrix."""
    host = host.asformat(form)
    if lib.name == "gpunp":
        module = importlib.import_module("gpunp_scipy.sparse")
        return getattr(module, f"{form}_matrix")(host)
    if lib.name == "CuPy":
        return getattr(importlib.import_module("cupyx.scipy.sparse"), f"{form}_matrix")(host)
    if lib.dialect == "torch":
        torch = lib.xp
        if form == "coo":
            return torch.sparse_coo_tensor(np.stack(host.coords), host.data, host.shape, device="cuda")
        made = {"csr": torch.sparse_csr_tensor, "csc": torch.sparse_csc_tensor}[form]
        return made(host.indptr, host.indices, host.data, size=host.shape, device="cuda")
    return host


def nbytes(host, vectors=1):
    """Bytes of a matrix, of the vectors that are multiplied and of the results."""
    parts = host.data.nbytes + host.indices.nbytes + host.indptr.nbytes
    return parts + 8 * vectors * sum(host.shape)


def vector(lib, host, columns=None):
    shape = host.shape[1] if columns is None else (host.shape[1], columns)
    return lib.upload(np.random.default_rng(2).random(shape))


def product(make, columns=None):
    def build(lib, size):
        host = make(size)
        a, x = sparse(lib, host), vector(lib, host, columns)
        return lambda: a @ x

    return build


def small_product(lib, size):
    host = sp.csr_matrix(sp.diags_array([1.0, 2, 1], offsets=[-1, 0, 1], shape=(1000, 1000)))
    return "a @ x", {"a": sparse(lib, host), "x": vector(lib, host)}


def square(make):
    def build(lib, size):
        a = sparse(lib, make(size))
        return lambda: a @ a

    return build


def converted(start, stop):
    """A conversion between two formats; coordinates come in random order, some of them twice."""

    def build(lib, size):
        host = random_matrix(size).asformat(start)
        if start == "coo":
            order = np.random.default_rng(3).permutation(host.nnz)
            places = host.row[order], host.col[order] & ~1
            host = sp.coo_matrix((host.data[order], places), shape=host.shape)
        a = sparse(lib, host, start)
        if lib.dialect == "torch":
            return getattr(a, f"to_sparse_{stop}")
        return getattr(a, f"to{stop}")

    return build


def duplicates(lib, size):
    host = random_matrix(size).tocoo()
    host = sp.coo_matrix((host.data, (host.row, host.col & ~7)), shape=host.shape)
    if lib.dialect == "torch":
        a = sparse(lib, host, "coo")
        return a.coalesce

    def run():
        a = made.copy()
        a.sum_duplicates()
        return a

    made = sparse(lib, host, "coo")
    return run


def combined(operation):
    def build(lib, size):
        a, b = (sparse(lib, random_matrix(size, seed)) for seed in (1, 2))
        if lib.dialect == "torch" and operation == "multiply":
            return lambda: a * b
        return (lambda: a + b) if operation == "plus" else (lambda: a.multiply(b))

    return build


def sliced(lib, size):
    if lib.dialect == "torch":
        raise NotImplementedError("it has no slices of sparse rows")
    a, n = sparse(lib, random_matrix(size)), nodes(size)
    return lambda: a[n // 4 : 3 * n // 4]


def masked(lib, size):
    if lib.dialect == "torch":
        raise NotImplementedError("it has no masks of sparse rows")
    a = sparse(lib, random_matrix(size))
    mask = lib.upload(np.random.default_rng(4).random(nodes(size)) < 0.5)
    return lambda: a[mask]


def register(name, title, goal, build, timing="device", moved=None):
    row(name, title, CHAPTER, goal, timing, moved)(build)


def of_random(size):
    return nbytes(random_matrix(size))


def of_sum(size):
    return 2 * nbytes(random_matrix(size), vectors=0) + 24 * ENTRIES * nodes(size)


register("sparse_vector", "`A @ x`, 2^20 rows of 20", Above(0.15e-3), product(random_matrix))
register(
    "sparse_vector_laplacian",
    "`A @ x`, Laplacian of 256^3",
    Share(0.85, "copy"),
    product(laplacian),
    moved=lambda size: nbytes(laplacian(size)),
)
register("sparse_vector_graph", "`A @ x`, power-law graph", Above(0.3e-3), product(graph))
register("sparse_dense", "`A @ X`, 2^20 rows of 20, 32 columns", Above(1.5e-3), product(random_matrix, 32))
register("sparse_dense_graph", "`A @ X`, power-law graph, 32 columns", Above(2e-3), product(graph, 32))
register("sparse_square", "`A @ A`, Laplacian of 256^3", Above(60e-3), square(laplacian), "wall")
register("sparse_to_csr", "`A.tocsr()` of shuffled coordinates", Above(6e-3), converted("coo", "csr"), "wall")
register("sparse_to_csc", "`A.tocsc()` of rows", Above(4e-3), converted("csr", "csc"), "wall")
register("sparse_duplicates", "`A.sum_duplicates()` of coordinates", Above(6e-3), duplicates, "wall")
register("sparse_sum", "`A + B`, 2^20 rows of 20", Share(0.7, "copy"), combined("plus"), "wall", of_sum)
register("sparse_multiply", "`A.multiply(B)`", Above(1e-3), combined("multiply"), "wall")
register("sparse_rows", "`A[n // 4 : 3 * n // 4]`", Share(0.7, "copy"), sliced, "wall", of_random)
register("sparse_mask", "`A[mask]`", Share(0.7, "copy"), masked, "wall", of_random)
register("sparse_small", "`A @ x`, 1000 rows of 3, host time", Above(6e-6, "launch"), small_product, "host")


def searches(lib):
    """The library's module of searches of graphs."""
    names = {"gpunp": "scipy.sparse.csgraph", "NumPy": "scipy.sparse.csgraph"}
    if lib.name not in names:
        raise NotImplementedError("it has no searches of graphs of its own")
    return importlib.import_module(names[lib.name])


def search(call):
    def build(lib, size):
        module, a = searches(lib), sparse(lib, graph(size))
        return lambda: call(module, a)

    return build


def components(lib, size):
    if lib.name == "CuPy":
        try:
            module = importlib.import_module("cupyx.scipy.sparse.csgraph")
            importlib.import_module("pylibcugraph")
        except ImportError as error:
            raise NotImplementedError("it needs pylibcugraph") from error
    else:
        module = searches(lib)
    a = sparse(lib, graph(size))
    return lambda: module.connected_components(a, directed=False)


for _name, _title, _seconds, _build in (
    ("components", "connected_components(A, directed=False)", 3e-3, components),
    (
        "strong",
        "connected_components(A, connection='strong')",
        20e-3,
        search(lambda module, a: module.connected_components(a, connection="strong")),
    ),
    (
        "breadth",
        "breadth_first_order(A, 0)",
        5e-3,
        search(lambda module, a: module.breadth_first_order(a, 0)),
    ),
    ("paths", "dijkstra(A, indices=0)", 20e-3, search(lambda module, a: module.dijkstra(a, indices=0))),
    (
        "tree",
        "minimum_spanning_tree(A)",
        20e-3,
        search(lambda module, a: module.minimum_spanning_tree(a)),
    ),
):
    _title = f"`{_title}`, 10^6 nodes, 2 x 10^7 edges"
    row(f"graph_{_name}", _title, GRAPHS, Above(_seconds), "wall")(_build)
