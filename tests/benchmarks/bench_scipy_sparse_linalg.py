"""Systems with sparse arrays and their eigenvalues: scipy.sparse.linalg."""

import functools
import importlib
import inspect

import numpy as np
import scipy.sparse as sp
from bench_scipy_sparse import graph, laplacian, random_matrix, sparse
from rows import Above, row

CHAPTER = "scipy.sparse.linalg"


@functools.cache
def plane(size):
    """The operator with five points on a square grid."""
    n = max(round((size.elements >> 8) ** 0.5), 8)
    line = sp.diags_array([-1.0, 2, -1], offsets=[-1, 0, 1], shape=(n, n))
    return sp.csr_matrix(sp.kronsum(line, line, format="csr"))


@functools.cache
def symmetric(size):
    a = graph(size)
    return sp.csr_matrix(a + a.T)


@functools.cache
def triangle(size):
    return sp.csr_matrix(sp.tril(plane(size)))


def module_of(lib):
    names = {"gpunp": "scipy.sparse.linalg", "NumPy": "scipy.sparse.linalg"}
    names["CuPy"] = "cupyx.scipy.sparse.linalg"
    if lib.name not in names:
        raise NotImplementedError("it has no solvers for sparse systems")
    return importlib.import_module(names[lib.name])


def right_side(lib, host, columns=None):
    shape = host.shape[0] if columns is None else (host.shape[0], columns)
    return lib.upload(np.random.default_rng(2).random(shape))


def steps(name, maxiter=100):
    def build(lib, size):
        host = laplacian(size)
        solver, a, b = getattr(module_of(lib), name), sparse(lib, host), right_side(lib, host)
        tolerance = "rtol" if "rtol" in inspect.signature(solver).parameters else "tol"
        # CuPy's gmres counts steps, SciPy's cycles of 20.
        count = 20 * maxiter if name == "gmres" and lib.name == "CuPy" else maxiter
        return lambda: solver(a, b, maxiter=count, **{tolerance: 0.0})

    return build


def spectrum(name, make, **options):
    def build(lib, size):
        function, a = getattr(module_of(lib), name), sparse(lib, make(size))
        return lambda: function(a, k=10, **options)

    return build


def direct(name, make, form="csr"):
    def build(lib, size):
        if lib.name == "CuPy" and name == "spsolve":
            raise NotImplementedError("its orthogonal factors of this matrix take more than half a minute")
        host = make(size)
        function, a, b = getattr(module_of(lib), name), sparse(lib, host, form), right_side(lib, host)
        return lambda: function(a, b)

    return build


def factors(lib, size):
    host = plane(size)
    solve = module_of(lib).splu(sparse(lib, host, "csc")).solve
    b = right_side(lib, host, 8)
    return lambda: solve(b)


for _name, _title, _seconds, _build in (
    ("cg", "cg(A, b)`, 100 steps, Laplacian of 256^3", 80e-3, steps("cg")),
    ("bicgstab", "bicgstab(A, b)`, 100 steps, Laplacian of 256^3", 160e-3, steps("bicgstab")),
    ("gmres", "gmres(A, b)`, 5 times 20 steps, Laplacian of 256^3", 0.5, steps("gmres", 5)),
    ("eigsh", "eigsh(A, k=10)`, power-law graph", 0.2, spectrum("eigsh", symmetric)),
    ("svds", "svds(A, k=10)`, 2^20 rows of 20", 0.5, spectrum("svds", random_matrix)),
    ("spsolve", "spsolve(A, b)`, Laplacian of 1000^2", 1.0, direct("spsolve", plane)),
    ("splu_solve", "splu(A).solve(B)`, Laplacian of 1000^2, 8 columns", 50e-3, factors),
    (
        "triangular",
        "spsolve_triangular(L, b)`, Laplacian of 1000^2",
        50e-3,
        direct("spsolve_triangular", triangle),
    ),
):
    row(f"sparse_{_name}", f"`{_title}", CHAPTER, Above(_seconds), "wall")(_build)
