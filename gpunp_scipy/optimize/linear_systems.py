"""Linear least squares with bounds: SciPy's solvers get the triangular factor of the system, on the host."""

import numpy
import scipy.optimize

import gpunp
from gpunp.array.convert import asnumpy
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp.dispatch.function_protocol import unhandled
from gpunp_scipy.optimize.evaluation import to_device
from gpunp_scipy.optimize.minimization import host_bounds

_NNLS, _LSQ_LINEAR = scipy.optimize.nnls, scipy.optimize.lsq_linear


def _rotated(A, b):
    """A system with the same lengths of residuals, of at most one row more than there are unknowns."""
    both = numpy.concatenate([A, b[:, None]], axis=1)
    both = both if both.dtype.kind in "fc" else both.astype(numpy.float64)
    factor = asnumpy(numpy.linalg.qr(both, mode="r"))
    return factor[:, :-1], factor[:, -1]


def nnls(A, b, *, maxiter=None):
    """Solve ``argmin_x || Ax - b ||_2`` for ``x>=0``; see `scipy.optimize.nnls`.

    The system becomes triangular on the device; SciPy's solver chooses the active set on the host. It waits
    twice: for the triangle, and whether all numbers are finite.
    """
    with device_of(A, b, nested=True):
        A, b = gpunp.asarray(A), gpunp.asarray(b)
        scipys = hooks.original(_NNLS)
        b = b[:, 0] if b.ndim == 2 and b.shape[1] == 1 else b
        if A.ndim == 2 and b.ndim == 1 and len(A) == len(b) > 0 == A.shape[1]:
            # SciPy 1.17 ends the process.
            return gpunp.zeros(0), float(numpy.linalg.norm(b))
        if A.ndim != 2 or b.ndim != 1 or len(A) != len(b) or A.size == 0:
            # SciPy's errors, which depend on the shapes only, or the length of the right side.
            return to_device(scipys(numpy.zeros(A.shape), asnumpy(b), maxiter=maxiter))
        _require_finite(A, b)
        A, b = (each.astype(numpy.float64, copy=False) for each in (A, b))
        x, length = scipys(*_rotated(A, b), maxiter=maxiter)
        return gpunp.asarray(x), length


def _require_finite(*arrays):
    if not bool(numpy.stack([numpy.isfinite(a).all() for a in arrays]).all()):
        raise ValueError("array must not contain infs or NaNs")


def lsq_linear(
    A,
    b,
    bounds=(-numpy.inf, numpy.inf),
    method="trf",
    tol=1e-10,
    lsq_solver=None,
    lsmr_tol=None,
    max_iter=None,
    verbose=0,
    *,
    lsmr_maxiter=None,
):
    """Solve a linear least-squares problem with bounds on the variables; see `scipy.optimize.lsq_linear`.

    The system becomes triangular on the device, in one wait; SciPy's solver steps on the host.
    """
    if hasattr(A, "tocsc") or hasattr(A, "rmatvec"):
        raise unhandled("scipy.optimize.lsq_linear", "sparse matrices and operators are on the host")
    with device_of(A, b, nested=True):
        A, b = gpunp.asarray(A), gpunp.asarray(b)
        options = (method, tol, lsq_solver, lsmr_tol, max_iter, verbose)
        scipys = hooks.original(_LSQ_LINEAR)
        A = A.reshape(1, -1) if A.ndim < 2 else A
        b = b.reshape(1) if b.ndim == 0 else b
        bounds = host_bounds(bounds)
        if A.ndim != 2 or b.ndim != 1 or len(A) != len(b):
            # SciPy's errors, which depend on the shapes only.
            return scipys(
                numpy.zeros(A.shape), numpy.zeros(b.shape), bounds, *options, lsmr_maxiter=lsmr_maxiter
            )
        found = to_device(scipys(*_rotated(A, b), bounds, *options, lsmr_maxiter=lsmr_maxiter))
        found.fun = A @ found.x - b
        return found
