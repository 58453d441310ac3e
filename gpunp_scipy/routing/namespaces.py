"""SciPy's array API mode for device arrays, whether ``SCIPY_ARRAY_API`` is set or not.

SciPy's functions that are written for any array library ask `array_namespace` for the library, which answers
NumPy unless the variable was set before the import of SciPy. For device arrays it answers gpunp.
"""

import sys
import types

import numpy

import gpunp
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp.interop.device_namespace import is_gpunp, namespace_on
from gpunp_scipy.routing import switch

# Arguments without an array library, and NumPy's numbers, which SciPy takes for arrays.
_NEUTRAL = (bool, int, float, complex, types.NoneType, numpy.bool_, numpy.number)
# Caches of what `scipy_namespace_for` returned, by module.
_CACHES = {
    "scipy.interpolate._bsplines": ("_get_xp_bspline_cls",),
    "scipy.interpolate._interpolate": ("_get_xp_ppoly_cls", "_get_xp_bpoly_cls"),
    "scipy.special._support_alternative_backends": ("_FuncInfo._wrapper_for",),
}


class ArrayNamespace:
    """Handles ``array_namespace``, which has a device array among its arguments."""

    def __init__(self, function):
        self.function = function
        # SciPy's function as it is in its array API mode, to raise its errors for mixtures.
        self.strict = hooks.copy_of(function, {**function.__globals__, "SCIPY_ARRAY_API": True})

    def __call__(self, *arrays, **options):
        if switch.is_suspended():
            return hooks.original(self.function)(*arrays, **options)
        others = [each for each in arrays if type(each) is not gpunp.ndarray]
        if all(isinstance(each, _NEUTRAL) for each in others):
            return namespace_on(device_of(*arrays))
        if all(each._is_scalar for each in arrays if type(each) is gpunp.ndarray):
            # Numbers for host arrays: they convert implicitly.
            return hooks.original(self.function)(*others, **options)
        return self.strict(*arrays, **options)


class ScipyNamespace:
    """Handles ``scipy_namespace_for``: the namespace of SciPy's functions for a namespace of NumPy's."""

    def __init__(self, function):
        self.function = function

    def __call__(self, xp):
        if is_gpunp(xp) and not switch.is_suspended():
            import gpunp_scipy

            return gpunp_scipy
        return hooks.original(self.function)(xp)


def _clear_caches():
    for module, paths in _CACHES.items():
        for path in paths:
            try:
                found = hooks.find(module, path)
            except (AttributeError, KeyError):
                continue
            getattr(found, "cache_clear", lambda: None)()


def route(module):
    """Hook the functions of the module of SciPy that chooses array libraries."""
    found = sys.modules[module]
    made = [(found.array_namespace, ArrayNamespace(found.array_namespace), 0)]
    if hasattr(found, "scipy_namespace_for"):
        made.append((found.scipy_namespace_for, ScipyNamespace(found.scipy_namespace_for), hooks.ALWAYS))

    def install():
        for function, handler, depth in made:
            hooks.hook(function, handler, depth)
        _clear_caches()

    def remove():
        for function, _, _ in made:
            hooks.unhook(function)
        _clear_caches()

    switch.on_change(install, remove)
