"""BFGS and nonlinear conjugate gradients: one wait for each evaluation of the function and its gradient."""

import numpy
from scipy.optimize import OptimizeResult
from scipy.optimize import _optimize as scipys

import gpunp
from gpunp_scipy.optimize import objective as of_objective
from gpunp_scipy.optimize.evaluation import numbers
from gpunp_scipy.optimize.line_searches import Line, search
from gpunp_scipy.optimize.objective import Objective

_SUCCESS, _LIMIT, _PRECISION, _NAN = range(4)
_MESSAGES = {
    _SUCCESS: "success",
    _LIMIT: "maxiter",
    _PRECISION: "pr_loss",
    _NAN: "nan",
}
_norm = of_objective.norm
_EPS = float(numpy.sqrt(numpy.finfo(float).eps))


def halts(callback, x, f):
    """Call the user's callback; return whether it stops the solver."""
    return scipys._call_callback_maybe_halt(callback, OptimizeResult(x=x, fun=f))


def finish(objective, status, message, x, f, g, count, *, disp, path, **fields):
    """Make the result of a solver, and print or warn as SciPy does."""
    if disp:
        scipys._print_success_message_or_warn(status, message)
        print(f"         Current function value: {f:f}")
        print(f"         Iterations: {count:d}")
        print(f"         Function evaluations: {objective.nfev:d}")
        print(f"         Gradient evaluations: {objective.ngev:d}")
        if "nhev" in fields:
            print(f"         Hessian evaluations: {fields['nhev']:d}")
    result = OptimizeResult(
        fun=f,
        jac=g,
        nfev=objective.nfev,
        njev=objective.ngev,
        status=status,
        success=status == 0,
        message=message,
        x=x,
        nit=count,
        **fields,
    )
    if path is not None:
        result["allvecs"] = path
    return result


def _status(precise, count, maxiter, *values):
    """The status of a result from what ended the iteration."""
    if not precise:
        return _PRECISION
    if count >= maxiter:
        return _LIMIT
    return _NAN if numpy.isnan(values).any() else _SUCCESS


def bfgs(
    fun,
    x0,
    args=(),
    jac=None,
    callback=None,
    gtol=1e-5,
    norm=numpy.inf,
    eps=_EPS,
    maxiter=None,
    disp=False,
    return_all=False,
    finite_diff_rel_step=None,
    xrtol=0,
    c1=1e-4,
    c2=0.9,
    hess_inv0=None,
    workers=None,
    **unknown_options,
):
    """Minimize by BFGS, as SciPy's ``_minimize_bfgs``.

    The approximate inverse Hessian stays on the device, where it is updated in two passes (Nocedal and
    Wright, *Numerical Optimization*, 2006, equation 6.17).
    """
    scipys._check_unknown_options(unknown_options)
    if hess_inv0 is not None:
        scipys._check_positive_definite(gpunp.asnumpy(hess_inv0))
    x = x0.reshape(-1)
    maxiter = x.size * 200 if maxiter is None else maxiter
    objective = Objective(fun, x, args, jac, eps, finite_diff_rel_step)
    f, g = objective.evaluate(x)
    f, size, length, *_ = numbers(f, _norm(g, norm), _norm(g), x.sum())
    before = f + length / 2
    H = gpunp.eye(x.size, dtype=x.dtype) if hess_inv0 is None else gpunp.asarray(hess_inv0)
    path = [x] if return_all else None
    count, precise, nan = 0, True, 0.0
    while size > gtol and count < maxiter:
        p = -(H @ g)

        def extras(x_new, g_new, step, p=p, g=g):
            change = ((g_new - g) * (step * p)).sum()
            return _norm(g_new, norm), change, _norm(p), _norm(x_new)

        line = Line(objective, x, p, extras)
        found = search(line, f, before, (g * p).sum(), c1=c1, c2=c2, amin=1e-100, amax=1e100)
        if found is None:
            precise = False
            break
        f, before = found.f, f
        s, y = float(found.step) * p, found.g - g
        x, g = found.x, found.g
        size, change, length, nan = found.extras
        if path is not None:
            path.append(x)
        count += 1
        if halts(callback, x, f) or size <= gtol or found.step * length <= xrtol * (xrtol + nan):
            break
        if not numpy.isfinite(f):
            precise = False
            break
        if change == 0:
            if disp:
                scipys._print_success_message_or_warn(
                    warnflag=True, message="Divide-by-zero encountered: rhok assumed large"
                )
            rho = 1000.0
        else:
            rho = float(1.0 / change)
        # From one side after the other: what cancels is then as small as it should be.
        H = H - (H @ y)[:, None] * s * rho
        H = (H - s[:, None] * (y @ H) * rho) + rho * s[:, None] * s
    status = _status(precise, count, maxiter, size, f, nan)
    message = scipys._status_message[_MESSAGES[status]]
    return finish(objective, status, message, x, f, g, count, disp=disp, path=path, hess_inv=H)


def conjugate_gradients(
    fun,
    x0,
    args=(),
    jac=None,
    callback=None,
    gtol=1e-5,
    norm=numpy.inf,
    eps=_EPS,
    maxiter=None,
    disp=False,
    return_all=False,
    finite_diff_rel_step=None,
    c1=1e-4,
    c2=0.4,
    workers=None,
    **unknown_options,
):
    """Minimize by nonlinear conjugate gradients, as SciPy's ``_minimize_cg``.

    The factor of Polak and Ribiere, and whether the next direction descends (Gilbert and Nocedal, SIAM J.
    Optimization 2, 1992), follow from products that come with the numbers of a point.
    """
    scipys._check_unknown_options(unknown_options)
    x = x0.reshape(-1)
    maxiter = x.size * 200 if maxiter is None else maxiter
    objective = Objective(fun, x, args, jac, eps, finite_diff_rel_step)
    f, g = objective.evaluate(x)
    f, size, square = numbers(f, _norm(g, norm), (g * g).sum())
    before = f + square**0.5 / 2
    path = [x] if return_all else None
    p, slope = -g, -square
    count, precise, nan = 0, True, 0.0

    def factor(point, square):
        """How much of the direction the next one keeps, and the slope of that."""
        _, change, new_square, _ = point.extras
        beta = max(0.0, change / square)
        return beta, beta * point.slope - new_square

    while size > gtol and count < maxiter:

        def extras(x_new, g_new, step, g=g):
            return _norm(g_new, norm), ((g_new - g) * g_new).sum(), (g_new * g_new).sum(), x_new.sum()

        def accept(point, square=square):
            return point.extras[0] <= gtol or factor(point, square)[1] <= -0.01 * point.extras[2]

        line = Line(objective, x, p, extras)
        found = search(line, f, before, slope, c1=c1, c2=c2, amin=1e-100, amax=1e100, accept=accept)
        if found is None:
            precise = False
            break
        beta, slope = factor(found, square)
        f, before = found.f, f
        x, g = found.x, found.g
        p = float(beta) * p - g
        size, _, square, nan = found.extras
        if path is not None:
            path.append(x)
        count += 1
        if halts(callback, x, f):
            break
    status = _status(precise, count, maxiter, size, f, nan)
    message = scipys._status_message[_MESSAGES[status]]
    return finish(objective, status, message, x, f, g, count, disp=disp, path=path)
