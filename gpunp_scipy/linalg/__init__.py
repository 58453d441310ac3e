"""``scipy.linalg`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {
    "bands": ("cho_solve_banded", "cholesky_banded", "solve_banded", "solveh_banded"),
    "exponentials": (
        "coshm",
        "cosm",
        "expm",
        "expm_cond",
        "expm_frechet",
        "sinhm",
        "sinm",
        "tanhm",
        "tanm",
    ),
    "general_factors": ("lu", "lu_factor", "lu_solve"),
    "orthogonal": ("hessenberg", "qr", "qr_multiply", "rq"),
    "properties": ("bandwidth", "ishermitian", "issymmetric", "norm"),
    "roots": ("fractional_matrix_power", "funm", "logm", "signm", "sqrtm"),
    "singular_values": (
        "diagsvd",
        "null_space",
        "orth",
        "orthogonal_procrustes",
        "pinv",
        "pinvh",
        "polar",
        "subspace_angles",
        "svd",
        "svdvals",
    ),
    "sketches": ("clarkson_woodruff_transform",),
    "special_matrices": (
        "circulant",
        "companion",
        "convolution_matrix",
        "fiedler_companion",
        "hankel",
        "khatri_rao",
        "leslie",
        "toeplitz",
    ),
    "spectra": (
        "eig",
        "eig_banded",
        "eigh",
        "eigh_tridiagonal",
        "eigvals",
        "eigvals_banded",
        "eigvalsh",
        "eigvalsh_tridiagonal",
    ),
    "structured": ("matmul_toeplitz", "solve_toeplitz"),
    "symmetric_factors": ("cho_factor", "cho_solve", "cholesky", "ldl"),
    "systems": ("det", "inv", "lstsq", "solve", "solve_triangular"),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
