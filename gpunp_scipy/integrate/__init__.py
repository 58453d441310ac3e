"""``scipy.integrate`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {
    "initial_values": ("solve_ivp",),
    "quadrature": ("quad_vec",),
    "regions": ("cubature",),
}
# Only the values of the integrand tell whether there are device arrays.
OF_OBJECTS = ("quad_vec",)
# Functions without a public name, and ours for device arrays.
HELPERS = {"scipy.integrate._tanhsinh:_transform_integrals": "limits.transform_integrals"}
# Methods of SciPy's classes, and our functions for device arrays.
METHODS = {
    "BDF.__init__": "initial_values.construct",
    "DOP853.__init__": "initial_values.construct",
    "DenseOutput.__call__": "initial_values.interpolate",
    "OdeSolution.__call__": "initial_values.evaluate",
    "OdeSolver.__init__": "initial_values.construct",
    "RK23.__init__": "initial_values.construct",
    "RK45.__init__": "initial_values.construct",
    "Radau.__init__": "initial_values.construct",
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
