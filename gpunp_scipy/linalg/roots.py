"""Square roots, logarithms, powers, signs and other functions of matrices.

SciPy computes these from the Schur decomposition. On a GPU square roots come from the product form of Denman
and Beavers' iteration, and logarithms from repeated square roots (S. Cheng, N. Higham, C. Kenney and A. Laub,
"Approximating the logarithm of a matrix to specified accuracy", SIAM J. Matrix Anal. Appl. 22, 2001).
Matrices with negative eigenvalues are turned in the complex plane first. Where the iteration does not
converge, as for singular matrices, both come from eigenvectors. Every iteration waits for the device once.
"""

import cmath
import warnings

import numpy

from gpunp.array import layout
from gpunp.linalg.lapack import C16, F4, F8, to_dtype
from gpunp.linalg.solving import inverse_or_nan, matrix_power
from gpunp_scipy.linalg.calls import (
    arrays_of,
    complex_of,
    eps_of,
    in_lapack_dtype,
    linalg,
    over_batch,
)
from gpunp_scipy.linalg.exponentials import exponential, maybe_real, square_matrix

_MOST_STEPS = 30
# The angle in which eigenvalues count as negative numbers, for rounding errors of multiple eigenvalues.
_ON_AXIS = 1e-4
# Gauss-Legendre nodes of the Pade approximant of log(I + X), and the largest norm for which it is exact to
# double precision.
_NODES, _LARGEST = 8, 0.34
# The size that eigenvalues of singular matrices get in logarithms, as in SciPy.
_TINY = 1e-20


def _double(a):
    """The matrix in double precision, in which SciPy computes logarithms and powers."""
    return to_dtype(a, C16 if a.dtype.kind == "c" else F8)


def _identity(a):
    return numpy.eye(len(a), dtype=a.dtype, like=a)


def _norm(a):
    return numpy.linalg.norm(a, 1)


@numpy.errstate(all="ignore")
def iterated_root(a):
    """The principal square root of one matrix by iteration; None if that does not converge."""
    n, one = len(a), _identity(a)
    m, x = a, a
    goal, last = n * eps_of(a), numpy.inf
    for step in range(_MOST_STEPS):
        inverse = inverse_or_nan(m)
        if step < 4:
            # Scaled so that the determinant of m is one in size, which brings its eigenvalues near the unit
            # circle.
            logarithm = numpy.linalg.slogdet(m).logabsdet
            scale = numpy.exp(logarithm * (-0.5 / n)).astype(a.real.dtype)
            m, inverse, x = m * scale**2, inverse / scale**2, x * scale
        x = 0.5 * (x + numpy.matmul(x, inverse))
        m = 0.5 * one + 0.25 * (m + inverse)
        left = float(_norm(m - one))
        if not left < 1e8 * n:
            return None
        if left <= goal or (left < 1e-3 and left >= last):
            return x
        last = left
    return None


def _turned_root(a):
    """The principal square root where eigenvalues on the negative real axis stop the iteration, or None.

    A small turn of the plane brings these eigenvalues to one side of the axis. The iteration finds the root
    of the turned matrix, also where eigenvectors are ill-conditioned.
    """
    behind = numpy.angle(numpy.linalg.eigvals(a).get()) + numpy.pi
    near = numpy.minimum(behind, 2 * numpy.pi - behind) < _ON_AXIS
    if not near.any():
        return None
    turn = 0.5 * behind[~near].min(initial=0.5 * numpy.pi)
    root = iterated_root(a * cmath.exp(-1j * turn))
    return None if root is None else root * cmath.exp(0.5j * turn)


@numpy.errstate(all="ignore")
def by_eigenvectors(a, function):
    """V f(W) V^-1 for one matrix, with the condition of V in the 1-norm, both on the device."""
    w, v = numpy.linalg.eig(a)
    dtype = complex_of(a.dtype)
    w, v = w.astype(dtype), v.astype(dtype)
    inverse = inverse_or_nan(v)
    return (v * function(w)) @ inverse, _norm(v) * _norm(inverse), w


@numpy.errstate(all="ignore")
def _residual(found, power, a):
    return float(_norm(power(found) - a) / _norm(a))


@linalg
def sqrtm(A):
    """Matrix square root; see `scipy.linalg.sqrtm`.

    On a GPU by an iteration with one inverse a step, or from eigenvectors. Waits for the device.
    """
    a = arrays_of(A)
    if a.ndim < 2:
        raise numpy.linalg.LinAlgError("The input array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise numpy.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if a.shape[-1] == 1 and a.size:
        # The dtype is that of `numpy.emath.sqrt`, as SciPy's.
        return numpy.emath.sqrt(a)
    a = in_lapack_dtype(a, small=F8)
    if a.size == 0:
        return layout.empty_like(a)
    batch, n = a.shape[:-2], a.shape[-1]
    found = [_root(each) for each in a.reshape(-1, n, n)]
    return numpy.stack(found).reshape((*batch, n, n))


def _root(a):
    found = iterated_root(a)
    if found is None and a.dtype.kind != "c" and not bool(numpy.isfinite(a).all()):
        # As SciPy, which raises a LinAlgError for complex matrices only.
        return numpy.full_like(a, numpy.nan)
    if found is None:
        found = _turned_root(a)
    if found is not None:
        # The relative residual of a stable method, in units of the spacing at one: N. Higham (2008), section
        # 6.1.
        if not float(_norm(found) ** 2 / _norm(a)) * eps_of(a) < eps_of(a) ** 0.5:
            _warn_of_root("ill-conditioned")
        return found
    found, _, w = by_eigenvectors(a, numpy.sqrt)
    sizes = numpy.abs(w)
    singular = bool(numpy.min(sizes) <= len(a) * eps_of(a) * numpy.max(sizes))
    if singular or not _residual(found, lambda x: x @ x, a) < 1e3 * len(a) * eps_of(a):
        _warn_of_root("singular" if singular else "ill-conditioned")
    return maybe_real(a, found, 1e3 * eps_of(a) * float(numpy.max(numpy.abs(found))))


def _warn_of_root(kind):
    from scipy.linalg import LinAlgWarning

    warnings.warn(
        f"Matrix is {kind}. The result might be inaccurate or the array might not have a square root.",
        LinAlgWarning,
        stacklevel=5,
    )


def _pade_logarithm(x):
    """log(I + X) for a small X, by partial fractions of the Pade approximant."""
    nodes, weights = numpy.polynomial.legendre.leggauss(_NODES)
    nodes, weights = ((0.5 * part).astype(x.real.dtype) for part in (nodes + 1, weights))
    systems = _identity(x) + nodes[:, None, None] * x
    sides = layout.converted(numpy.broadcast_to(x, systems.shape), order="C")
    parts = numpy.linalg.solve(systems, sides)
    return numpy.sum(weights[:, None, None] * parts, axis=0)


def _iterated_logarithm(a):
    """The principal logarithm by square roots; None if these do not converge."""
    one, root, count = _identity(a), a, 0
    while not float(_norm(root - one)) <= _LARGEST:
        next_root = iterated_root(root)
        if next_root is None and count == 0:
            next_root = _turned_root(root)
        root = next_root
        count += 1
        if root is None or count > 60:
            return None
    return 2.0**count * _pade_logarithm(root - one)


def _warn_of_zeros(smallest):
    """Warn as SciPy does if the smallest eigenvalue in size is nearly zero."""
    if smallest < _TINY:
        from scipy.linalg import _matfuncs_inv_ssq

        kind = "exactly" if smallest == 0 else "nearly"
        category = getattr(_matfuncs_inv_ssq, f"Logm{kind.capitalize()}SingularWarning")
        warnings.warn(f"The logm input matrix is {kind} singular.", category, stacklevel=6)


def logarithm(a, warn=True):
    """The principal logarithm of one matrix, and the relative 1-norm of exp(log A) - A.

    A singular matrix gives a warning, if ``warn`` is true.
    """
    found = _iterated_logarithm(a)
    if found is not None:
        return found, _residual(found, lambda x: exponential(x[None])[0], a)
    found, _, w = by_eigenvectors(
        a, lambda w: numpy.log(numpy.where(numpy.abs(w) < _TINY, w.dtype.type(_TINY), w))
    )
    if warn:
        _warn_of_zeros(float(numpy.min(numpy.abs(w))))
    return found, _residual(found, lambda x: exponential(x[None])[0], a)


@linalg
@over_batch(A=2)
def logm(A):
    """Matrix logarithm; see `scipy.linalg.logm`.

    On a GPU by repeated square roots, or from eigenvectors. Waits for the device.
    """
    a = _double(square_matrix(A))
    if a.size == 0:
        return layout.empty_like(a)
    found, error = logarithm(a)
    if not error < 1e3 * eps_of(a):
        warnings.warn(
            f"logm result may be inaccurate, approximate err = {error}", RuntimeWarning, stacklevel=3
        )
    return maybe_real(a, found)


@linalg
@over_batch(A=2)
def fractional_matrix_power(A, t):
    """Fractional power of a matrix; see `scipy.linalg.fractional_matrix_power`.

    On a GPU by the logarithm and the exponential. Waits for the device. NaNs if there is no such power.
    """
    a = square_matrix(A)
    if t == int(t):
        return matrix_power(a, int(t))
    a = _double(a)
    whole = int(numpy.floor(t))
    found, _ = logarithm(a, warn=False)
    power = exponential((float(t) - whole) * found[None])[0]
    if whole:
        base = inverse_or_nan(a) if whole < 0 else a
        power = matrix_power(base, abs(whole)) @ power
    power = numpy.where(numpy.isfinite(power), power, power.dtype.type(numpy.nan))
    return maybe_real(a, power)


def _numbers(A):
    """The matrix in the dtype to compute in, which is single precision for booleans, as in SciPy."""
    a = square_matrix(A)
    return in_lapack_dtype(a, small=F4 if a.dtype.kind == "b" else F8)


def _function(a, func):
    """A function of one matrix by eigenvectors, and an estimate of its relative error."""
    values = []

    def apply(w):
        values.append(arrays_of(func(w)).astype(w.dtype))
        return values[0]

    found, condition, _ = by_eigenvectors(a, apply)
    found = maybe_real(a, found)
    eps = eps_of(found)
    error = min(1.0, max(eps, eps * float(condition)))
    return found, error if bool(numpy.isfinite(found).all()) else numpy.inf


@linalg
@over_batch(A=2)
def funm(A, func, disp=True):
    """A function of a matrix that is given by a function of numbers; see `scipy.linalg.funm`.

    On a GPU from eigenvectors; the error estimate is their condition times the spacing at one. ``func`` gets
    the eigenvalues as a device array. Waits for the device.
    """
    a = _numbers(A)
    found, error = _function(a, func)
    if not disp:
        return found, error
    if error > 1000 * eps_of(found):
        print("funm result may be inaccurate, approximate err =", error)
    return found


@linalg
@over_batch(A=2)
def signm(A):
    """Matrix sign; see `scipy.linalg.signm`.

    From eigenvectors, or by Newton's iteration where they are ill-conditioned. Waits for the device.
    """
    a = _numbers(A)

    def rounded(x):
        limit = 1000.0 * eps_of(x) * numpy.max(numpy.abs(x))
        return numpy.sign(numpy.where(numpy.abs(x.real) > limit, x.real, x.real.dtype.type(0)))

    found, error = _function(a, rounded)
    goal = 1000.0 * eps_of(found)
    if error < goal:
        return found
    # Shifted, so that eigenvalues that are zero do not stop the iteration.
    x = a + _identity(a) * (0.5 / numpy.linalg.norm(a, 2))
    last = error
    for _ in range(100):
        x = 0.5 * (x + inverse_or_nan(x))
        projector = 0.5 * (x @ x + x)
        error = float(_norm(projector @ projector - projector))
        if error < goal or error == last:
            break
        last = error
    if not error < goal:
        print("signm result may be inaccurate, approximate err =", error)
    return x
