"""``scipy.sparse.linalg`` on device arrays: solvers and eigenvalues under SciPy's names."""

import importlib

from gpunp_scipy.lazy import attach

HOMES = {
    "biconjugate": ("bicg", "cgs"),
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
    "least_squares": ("lsmr", "lsqr"),
    "lanczos": ("minres",),
    "quasi_minimal": ("qmr", "tfqmr"),
    "solvers": ("gcrotmk", "lgmres"),
}

# Functions that SciPy does not have.
_OURS = ("ic0", "ilu0")

__all__, _attribute, _dir = attach(__name__, HOMES)


def __getattr__(name):
    if name in _OURS:
        return getattr(importlib.import_module(f"{__name__}.incomplete"), name)
    return _attribute(name)


def handlers():
    """What methods of SciPy's operators run, as `gpunp_scipy.routing.functions` asks for it."""
    yield from importlib.import_module(f"{__name__}.operator_calls").handlers()


def __dir__():
    return sorted({*_dir(), *_OURS})
