"""``scipy.optimize`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {
    "assignment": ("quadratic_assignment",),
    "derivatives": ("approx_fprime", "check_grad", "line_search"),
    "fits": ("curve_fit", "leastsq"),
    "iterations": ("fixed_point", "newton"),
    "linear_systems": ("lsq_linear", "nnls"),
    "minimization": ("minimize",),
    "nonlinear_systems": (
        "anderson",
        "broyden1",
        "broyden2",
        "diagbroyden",
        "excitingmixing",
        "linearmixing",
        "newton_krylov",
        "root",
    ),
    "residuals": ("least_squares",),
    "shortcuts": ("fmin_bfgs", "fmin_cg", "fmin_l_bfgs_b", "fmin_ncg"),
    "stepping": (
        "basinhopping",
        "bisect",
        "bracket",
        "brent",
        "brenth",
        "brentq",
        "brute",
        "differential_evolution",
        "direct",
        "dual_annealing",
        "fmin",
        "fmin_cobyla",
        "fmin_powell",
        "fmin_slsqp",
        "fmin_tnc",
        "fminbound",
        "fsolve",
        "golden",
        "minimize_scalar",
        "ridder",
        "root_scalar",
        "shgo",
        "toms748",
    ),
}
# Only the values of the functions tell whether there are device arrays.
OF_OBJECTS = (
    "bisect",
    "bracket",
    "brent",
    "brenth",
    "brentq",
    "fminbound",
    "golden",
    "minimize_scalar",
    "newton",
    "ridder",
    "root_scalar",
    "toms748",
)
# Methods of SciPy's classes, and our functions for device arrays.
METHODS = {
    "Bounds.__init__": "constraints.bounds",
    "LbfgsInvHessProduct.__init__": "inverse_hessians.construct",
    "LinearConstraint.__init__": "constraints.linear_constraint",
    "NonlinearConstraint.__init__": "constraints.nonlinear_constraint",
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
