"""Roots of systems of equations: MINPACK on the host; quasi-Newton and Krylov solvers of SciPy as twins."""

import functools
import types

import numpy
import scipy.optimize
import scipy.sparse.linalg

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.optimize import krylov, nonlinear_steps
from gpunp_scipy.optimize.evaluation import OnDevice, Together, numbers, to_device
from gpunp_scipy.optimize.fits import leastsq
from gpunp_scipy.optimize.krylov import length
from gpunp_scipy.rebinding import public
from gpunp_scipy.twins import Twins

_NONLIN, _ROOT, _SPECTRAL = (f"scipy.optimize.{name}" for name in ("_nonlin", "_root", "_spectral"))

_CREATION = "empty zeros ones eye identity full"


def _inexact(x):
    x = gpunp.asarray(x)
    return x if x.dtype.kind in "fc" else x.astype(numpy.float64)


def _like(x, x0):
    return x.reshape(numpy.shape(x0))


class _Spectral:
    """The function of the spectral method, and the quotient that its next step is made from.

    The method's points follow one another: the step from the last accepted point to the last trial, and the
    change of the value along it, give the quotient if the trial is accepted. It is fetched with the merit.
    """

    def __init__(self, function, x, value):
        self.function, self.accepted, self.trial, self.quotient = function, (x, value), None, None

    def __call__(self, x):
        merit, value = self.function(x)
        step, change = x - self.accepted[0], value - self.accepted[1]
        merit, self.quotient = numbers(merit, numpy.vdot(step, step) / numpy.vdot(step, change))
        self.trial = x, value
        return merit, value

    def accept(self):
        """Go on from the last trial; the quotient of its step."""
        self.accepted = self.trial
        return self.quotient


class _Products:
    """The dot products of a step, of which the method needs the quotient only."""

    def __init__(self, function):
        self.function = function

    def __truediv__(self, other):
        return self.function.accept()


def _decide_by_numbers(spectral):
    """Let the spectral method compare numbers of the host, which it fetches together for each value."""
    wrap, solve = spectral._wrap_func, spectral._root_df_sane

    def root_df_sane(*args, **kwargs):
        space = Numpy(_CREATION)

        def wrapped(func, x0, fmerit, *others):
            function, x, shape, merit, value, is_complex = wrap(func, x0, fmerit, *others)
            function = _Spectral(function, x, value)
            space.vdot = lambda x, y: _Products(function)
            return function, x, shape, numbers(merit)[0], value, is_complex

        names = {**solve.__globals__, "np": space, "_wrap_func": wrapped}
        bound = types.FunctionType(solve.__code__, names, solve.__name__, solve.__defaults__)
        return bound(*args, **kwargs)

    spectral._root_df_sane = root_df_sane


@functools.cache
def _twins():
    on_device = Numpy(_CREATION)
    modules, replaced = krylov.modules()
    found = Twins(
        {**dict.fromkeys((_NONLIN, _ROOT, _SPECTRAL), on_device), **modules},
        {
            _NONLIN: {
                "norm": length,
                "_array_like": _like,
                "_as_inexact": _inexact,
                "get_blas_funcs": krylov.blas,
            },
            _ROOT: {"_root_hybr": _hybr, "leastsq": leastsq, "MemoizeJac": Together},
            **replaced,
        },
    )
    _decide_by_numbers(found[_SPECTRAL])
    module = found[_NONLIN]
    nonlinear_steps.replace(module)
    ours = {"aslinearoperator": krylov.operator, **krylov.solvers(found)}
    linalg = types.SimpleNamespace(**vars(scipy.sparse.linalg) | ours)
    sparse = types.SimpleNamespace(**vars(scipy.sparse) | {"linalg": linalg})
    module.scipy = types.SimpleNamespace(sparse=sparse)
    return found


def _hybr(fun, x0, args=(), jac=None, **options):
    """MINPACK's ``hybrd`` and ``hybrj``, which step on the host."""
    found = scipy.optimize._minpack_py._root_hybr(
        OnDevice(fun, first=True),
        fetched(x0),
        args,
        None if jac is None else OnDevice(jac, first=True),
        **options,
    )
    return to_device(found)


def _solver(name):
    """One of the solvers of the module of large systems."""
    return public(
        lambda *args, **kwargs: getattr(_twins()[_NONLIN], name)(*args, **kwargs),
        getattr(scipy.optimize, name),
        __name__,
        "Everything stays on the device; an iteration waits for the norms that it decides by.",
    )


anderson = _solver("anderson")
broyden1 = _solver("broyden1")
broyden2 = _solver("broyden2")
diagbroyden = _solver("diagbroyden")
excitingmixing = _solver("excitingmixing")
linearmixing = _solver("linearmixing")
newton_krylov = _solver("newton_krylov")


def root(fun, x0, args=(), method="hybr", jac=None, tol=None, callback=None, options=None):
    """Find a root of a vector function; see `scipy.optimize.root`.

    ``hybr`` and ``lm`` are MINPACK's, on the host: they wait once for each value of ``fun`` and ``jac``,
    which get points on the device. The other methods keep everything on the device, and wait once for each
    value, too; Krylov solvers more often, for each vector.
    """
    with device_of(x0, nested=True):
        return _twins()[_ROOT].root(fun, gpunp.asarray(x0), args, method, jac, tol, callback, options)
