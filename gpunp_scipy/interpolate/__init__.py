"""``scipy.interpolate`` on device arrays: its classes are SciPy's, whose objects hold device arrays."""

import importlib

from gpunp_scipy.lazy import attach

HOMES = {
    "regular_grids": ("interpn",),
    "scattered": ("griddata",),
    "spline_fits": ("make_interp_spline",),
    "spline_smoothing": ("make_lsq_spline", "make_smoothing_spline"),
}
# Methods of SciPy's classes, and our functions for device arrays.
METHODS = {
    "AAA.__call__": "rational.call",
    "AAA.__init__": "rational.aaa",
    "Akima1DInterpolator.__init__": "cubics.akima",
    "BPoly.__call__": "pieces.call",
    "BPoly.__init__": "bernstein.bpoly",
    "BPoly.construct_fast": "pieces.construct_fast",
    "BPoly.from_derivatives": "bernstein.from_derivatives",
    "BPoly.from_power_basis": "bernstein.from_power_basis",
    "BSpline.__call__": "splines.call",
    "BSpline.__init__": "splines.bspline",
    "BSpline.basis_element": "splines.basis_element",
    "BSpline.construct_fast": "splines.construct_fast",
    "BSpline.design_matrix": "design_matrices.design_matrix",
    "BSpline.from_power_basis": "splines.from_power_basis",
    "BarycentricInterpolator.__call__": "one_dimensional.call",
    "BarycentricInterpolator.__init__": "polynomials.barycentric",
    "BarycentricInterpolator.derivative": "one_dimensional.derivative",
    "BarycentricInterpolator.derivatives": "one_dimensional.derivatives",
    "CubicHermiteSpline.__init__": "cubics.hermite",
    "CubicSpline.__init__": "cubics.cubic_spline",
    "FloaterHormannInterpolator.__call__": "rational.call",
    "FloaterHormannInterpolator.__init__": "rational.floater_hormann",
    "KroghInterpolator.__call__": "one_dimensional.call",
    "KroghInterpolator.__init__": "polynomials.krogh",
    "KroghInterpolator.derivative": "one_dimensional.derivative",
    "KroghInterpolator.derivatives": "one_dimensional.derivatives",
    "NdBSpline.__call__": "tensor_splines.call",
    "NdBSpline.__init__": "tensor_splines.nd_bspline",
    "NdBSpline.design_matrix": "design_matrices.nd_design_matrix",
    "NdPPoly.__call__": "nd_pieces.call",
    "NdPPoly.__init__": "nd_pieces.nd_ppoly",
    "NdPPoly.construct_fast": "nd_pieces.construct_fast",
    "NearestNDInterpolator.__call__": "scattered.call",
    "NearestNDInterpolator.__init__": "scattered.nearest",
    "PPoly.__call__": "pieces.call",
    "PPoly.__init__": "pieces.ppoly",
    "PPoly.construct_fast": "pieces.construct_fast",
    "PPoly.from_bernstein_basis": "pieces.from_bernstein_basis",
    "PPoly.from_spline": "splines.ppoly_from_spline",
    "PchipInterpolator.__init__": "cubics.pchip",
    "RBFInterpolator.__call__": "neighborhoods.call",
    "RBFInterpolator.__init__": "neighborhoods.rbf_interpolator",
    "Rbf.__call__": "radial.call",
    "Rbf.__init__": "radial.rbf",
    "RegularGridInterpolator.__call__": "regular_grids.call",
    "RegularGridInterpolator.__init__": "regular_grids.regular_grid",
    "interp1d.__call__": "one_dimensional.call",
    "interp1d.__init__": "lines.interp1d",
}
# Those that get every call: their arguments are objects, which may hold device arrays.
OF_OBJECTS = (
    "BPoly.from_power_basis",
    "BSpline.from_power_basis",
    "PPoly.from_bernstein_basis",
    "PPoly.from_spline",
)

__all__, _attribute, _ = attach(__name__, HOMES)


def _of_scipy():
    return importlib.import_module("scipy.interpolate").__all__


def __getattr__(name):
    if name in __all__ or name.startswith("_") or name not in _of_scipy():
        return _attribute(name)
    found = getattr(importlib.import_module("scipy.interpolate"), name)
    if f"{name}.__init__" in METHODS:
        return importlib.import_module("gpunp_scipy.interpolate.holders").device_class(found)
    return found


def __dir__():
    return sorted({*__all__, *_of_scipy()})
