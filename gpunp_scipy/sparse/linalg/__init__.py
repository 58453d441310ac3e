"""``scipy.sparse.linalg`` on device arrays: solvers and eigenvalues under SciPy's names."""

from gpunp_scipy.lazy import attach

HOMES = {
    "conjugate": ("bicgstab", "cg"),
    "minimal_residuals": ("gmres",),
    "direct": (
        *("factorized", "inv", "is_sptriangular", "spbandwidth", "spilu", "splu", "spsolve"),
        "spsolve_triangular",
    ),
    "eigenvalues": ("eigs", "eigsh", "lobpcg", "svds"),
    "matrix_functions": (
        *("expm", "expm_multiply", "funm_multiply_krylov", "matrix_power", "norm", "onenormest"),
    ),
    "solvers": ("bicg", "cgs", "gcrotmk", "lgmres", "lsmr", "lsqr", "minres", "qmr", "tfqmr"),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
