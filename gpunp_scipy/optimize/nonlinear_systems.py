"""Roots of systems of equations: MINPACK on the host; quasi-Newton and Krylov solvers of SciPy as twins."""

import functools
import types

import numpy
import scipy.optimize
import scipy.sparse.linalg
from scipy.optimize._linesearch import scalar_search_armijo, scalar_search_wolfe1

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp.array.operands import device_of
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.optimize import krylov
from gpunp_scipy.optimize.evaluation import OnDevice, Together, to_device
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


def _update(self, x, f):
    """``GenericBroyden.update``, whose norms stay on the device."""
    df, dx = f - self.last_f, x - self.last_x
    self._update(x, f, dx, df, numpy.linalg.norm(dx), numpy.linalg.norm(df))
    self.last_f, self.last_x = f, x


def _collapse(self):
    """``LowRankMatrix.collapse``: the matrix itself takes the place of its terms."""
    self.collapsed = self.__array__()
    self.cs = self.ds = self.alpha = None


def _line_search(func, x, Fx, dx, search_type="armijo", rdiff=1e-8, smin=1e-2):
    """``_nonlin_line_search``, with one wait for each value of the function."""
    found = {0.0: (Fx, length(Fx))}

    def phi(s):
        if s not in found:
            value = func(x + s * dx)
            found[s] = value, length(value)
        return found[s][1] ** 2

    def derphi(s):
        step = (abs(s) + lengths + 1) * rdiff
        return (length(func(x + (s + step) * dx)) ** 2 - phi(s)) / step

    start = phi(0.0)
    if search_type == "wolfe":
        lengths = float(numpy.linalg.norm(x) / numpy.linalg.norm(dx))
        s = scalar_search_wolfe1(phi, derphi, start, xtol=1e-2, amin=smin)[0]
    else:
        s = scalar_search_armijo(phi, start, -start, amin=smin)[0]
    # Without a suitable step the full one is taken.
    s = 1.0 if s is None else s
    phi(s)
    return s, x + s * dx, *found[s]


def _check(self, f, x, dx):
    """``TerminationCondition.check``, with the norms in one copy."""
    self.iteration += 1
    sizes = [gpunp.asarray(self.norm(each), dtype=float).reshape(()) for each in (f, x, dx)]
    f_norm, x_norm, dx_norm = asnumpy(numpy.stack(sizes)).tolist()
    if self.f0_norm is None:
        self.f0_norm = f_norm
    if f_norm == 0:
        return 1
    if self.iter is not None:
        return 2 * (self.iteration > self.iter)
    small = f_norm <= self.f_tol and f_norm / self.f_rtol <= self.f0_norm
    return int(small and dx_norm <= self.x_tol and dx_norm / self.x_rtol <= x_norm)


class _Dot:
    """A dot product of the spectral method, which needs only a quotient of two: that one is fetched."""

    def __init__(self, x, y):
        self.value = numpy.vdot(x, y)

    def __truediv__(self, other):
        return asnumpy(self.value / other.value)[()]


def _decide_by_numbers(spectral):
    """Let the spectral method compare numbers of the host, of which it fetches one for each value."""
    wrap, space = spectral._wrap_func, Numpy(_CREATION)

    def wrapped(func, x0, fmerit, *args):
        return wrap(func, x0, lambda f: asnumpy(fmerit(f))[()], *args)

    space.vdot = _Dot
    spectral.np, spectral._wrap_func = space, wrapped


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
                "_nonlin_line_search": _line_search,
                "get_blas_funcs": krylov.blas,
            },
            _ROOT: {"_root_hybr": _hybr, "leastsq": leastsq, "MemoizeJac": Together},
            **replaced,
        },
    )
    _decide_by_numbers(found[_SPECTRAL])
    module = found[_NONLIN]
    module.TerminationCondition.check = _check
    module.GenericBroyden.update = _update
    module.LowRankMatrix.collapse = _collapse
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
    which get points on the device. The other methods keep everything on the device, and wait three times an
    iteration.
    """
    with device_of(x0, nested=True):
        return _twins()[_ROOT].root(fun, gpunp.asarray(x0), args, method, jac, tol, callback, options)
