"""``scipy.sparse.linalg`` on device arrays: iterative solvers under SciPy's names."""

from gpunp_scipy.lazy import attach

HOMES = {
    "solvers": (
        *("bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "lsmr", "lsqr", "minres", "qmr"),
        "tfqmr",
    ),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
