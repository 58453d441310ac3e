"""``scipy.interpolate`` on device arrays: its classes are SciPy's, whose objects hold device arrays."""

# Methods of SciPy's classes, and our functions for device arrays.
METHODS = {
    "Akima1DInterpolator.__init__": "cubics.akima",
    "BPoly.__call__": "pieces.call",
    "BPoly.__init__": "bernstein.bpoly",
    "BPoly.construct_fast": "pieces.construct_fast",
    "BPoly.from_derivatives": "bernstein.from_derivatives",
    "BPoly.from_power_basis": "bernstein.from_power_basis",
    "CubicHermiteSpline.__init__": "cubics.hermite",
    "CubicSpline.__init__": "cubics.cubic_spline",
    "PPoly.__call__": "pieces.call",
    "PPoly.__init__": "pieces.ppoly",
    "PPoly.construct_fast": "pieces.construct_fast",
    "PPoly.from_bernstein_basis": "pieces.from_bernstein_basis",
    "PchipInterpolator.__init__": "cubics.pchip",
}
# Those that get every call: their arguments are objects, which may hold device arrays.
OF_OBJECTS = ("BPoly.from_power_basis", "PPoly.from_bernstein_basis")

__all__ = []


def __getattr__(name):
    import scipy.interpolate

    if name in scipy.interpolate.__all__:
        return getattr(scipy.interpolate, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    import scipy.interpolate

    return list(scipy.interpolate.__all__)
