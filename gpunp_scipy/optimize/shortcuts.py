"""Functions of one solver each, from before `minimize`: SciPy's code calls our solvers."""

import scipy.optimize

from gpunp_scipy.optimize import limited_memory, newton_cg, quasi_newton
from gpunp_scipy.optimize.evaluation import Together
from gpunp_scipy.optimize.minimization import host_bounds
from gpunp_scipy.rebinding import Rebound, public

_DIFFERENCES = "Everything stays on the device; each evaluation of the function and its gradient waits once."
_OPTIMIZE = Rebound(
    "scipy.optimize._optimize",
    {
        "_minimize_bfgs": quasi_newton.bfgs,
        "_minimize_cg": quasi_newton.conjugate_gradients,
        "_minimize_newtoncg": newton_cg.newton_cg,
    },
)


def _silent(*args, disp=None, iprint=None, **options):
    """L-BFGS-B without the options for messages, which SciPy 1.17 still passes."""
    return limited_memory.lbfgsb(*args, **options)


_LBFGSB = Rebound("scipy.optimize._lbfgsb_py", {"MemoizeJac": Together, "_minimize_lbfgsb": _silent})

fmin_bfgs = _OPTIMIZE.public("fmin_bfgs", __name__, _DIFFERENCES)
fmin_cg = _OPTIMIZE.public("fmin_cg", __name__, _DIFFERENCES)
fmin_ncg = _OPTIMIZE.public("fmin_ncg", __name__, _DIFFERENCES)


def _with_host_bounds(*args, bounds=None, **kwargs):
    return _LBFGSB["fmin_l_bfgs_b"](*args, bounds=host_bounds(bounds), **kwargs)


fmin_l_bfgs_b = public(_with_host_bounds, scipy.optimize.fmin_l_bfgs_b, __name__, _DIFFERENCES)
