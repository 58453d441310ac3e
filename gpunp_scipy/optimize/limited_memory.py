"""L-BFGS-B: one wait for each evaluation of the function and its gradient.

Corrections stay on the device. Their products with each other, with the gradient and with the direction are
numbers of the host, which come with the numbers of a point: all algebra of the size of the memory is done
there, and a direction without bounds is one product of the corrections with a vector (Chen, Wang and Zhou,
*Large-scale L-BFGS using MapReduce*, NIPS 2014). With bounds, `boxes` has the rest.
"""

from dataclasses import dataclass

import numpy
from scipy.optimize import _lbfgsb_py as scipys
from scipy.optimize._constraints import old_bound_to_new
from scipy.optimize._dcsrch import DCSRCH
from scipy.optimize._optimize import _check_unknown_options

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.optimize import boxes
from gpunp_scipy.optimize.inverse_hessians import LimitedMemoryProduct
from gpunp_scipy.optimize.objective import Objective
from gpunp_scipy.optimize.quasi_newton import finish, halts

_EPS = float(numpy.finfo(float).eps)
_CONVERGENCE, _STOP, _ABNORMAL = 4, 5, 8
# Where a step may end if there are no bounds.
_FAR = 1e10


class Memory:
    """The last corrections: changes of the point and of the gradient.

    Parameters
    ----------
    size : int
        How many are kept.

    Attributes
    ----------
    pairs : ndarray, shape (size, 2, n), or None
        The corrections; a new one takes the place of the oldest.
    order : list of int
        The places of the corrections, the oldest first.
    ss, sy, yy : ndarray
        Their products in that order: ``sy[i, j]`` is that of the i-th change of the point and the j-th change
        of the gradient.
    theta : float
        The scale of the initial matrix.
    """

    def __init__(self, size):
        self.size, self.pairs = size, None
        self.clear()

    def __len__(self):
        return len(self.order)

    def clear(self):
        """Forget all corrections."""
        self.order, self.theta = [], 1.0
        self.ss, self.sy, self.yy = (numpy.zeros((0, 0)) for _ in range(3))

    def rows(self):
        """The corrections as rows of one array, or None."""
        count = len(self)
        return self.pairs[:count].reshape(2 * count, -1) if count else None

    def in_order(self):
        """The changes of the point and of the gradient, the oldest first: two arrays of rows."""
        found = self.pairs[gpunp.asarray(self.order)]
        return found[:, 0], found[:, 1]

    def by_time(self, products):
        """Products of `rows` with vectors, as those of each kind of change, the oldest first."""
        found = products.reshape(len(self), 2, products.shape[-1])[numpy.array(self.order, dtype=int)]
        return found[:, 0], found[:, 1]

    def by_row(self, of_s, of_y):
        """Numbers for each change in the order of `rows`."""
        found = numpy.zeros((len(self), 2))
        found[self.order] = numpy.stack([of_s, of_y], axis=1)
        return found.ravel()

    def add(self, s, y, with_s, with_y, ss, sy, yy):
        """Add a correction, given its products with those before and with itself.

        Parameters
        ----------
        s, y : ndarray
        with_s, with_y : tuple of ndarray
            Products of all earlier ``s`` and ``y`` with the new ``s``, and with the new ``y``.
        ss, sy, yy : float
        """
        self.ss = _bordered(self.ss, with_s[0], with_s[0], ss)
        self.sy = _bordered(self.sy, with_y[0], with_s[1], sy)
        self.yy = _bordered(self.yy, with_y[1], with_y[1], yy)
        if self.pairs is None:
            self.pairs = gpunp.empty((self.size, 2, s.size))
        place = len(self)
        if place == self.size:
            place = self.order.pop(0)
            self.ss, self.sy, self.yy = (each[1:, 1:] for each in (self.ss, self.sy, self.yy))
        self.pairs[place, 0], self.pairs[place, 1] = s, y
        self.order.append(place)
        self.theta = yy / sy

    def solve(self, s_g, y_g):
        """The inverse Hessian times a vector: the coefficients of both changes and of the vector.

        Parameters
        ----------
        s_g, y_g : ndarray
            Products of the corrections with the vector.

        References
        ----------
        Byrd, Nocedal and Schnabel, *Representations of quasi-Newton matrices*, Math. Programming 63, 1994,
        equation 3.1.
        """
        scale = 1 / self.theta
        upper = numpy.triu(self.sy)
        first = numpy.linalg.solve(upper, s_g)
        middle = numpy.diag(numpy.diag(self.sy)) + scale * self.yy
        of_s = numpy.linalg.solve(upper.T, middle @ first - scale * y_g)
        return of_s, -scale * first, scale


def _bordered(matrix, column, row, corner):
    return numpy.block([[matrix, numpy.reshape(column, (-1, 1))], [numpy.reshape(row, (1, -1)), corner]])


@dataclass
class State:
    """A point, and the products of the gradient with itself and with the corrections."""

    x: object
    g: object
    f: float
    size: float
    gg: float
    s_g: object
    y_g: object


class Direction:
    """The points along a direction.

    Parameters
    ----------
    objective : Objective
    box : boxes.Box or None
    state : State
    memory : Memory
    d : ndarray
    """

    def __init__(self, objective, box, state, memory, d):
        self.objective, self.box, self.state, self.memory, self.d = objective, box, state, memory, d
        self.rows, self.known = memory.rows(), None

    def evaluate(self, step, limit=None):
        """Evaluate the point of a step; the first time with what the search depends on.

        Parameters
        ----------
        step : float or ndarray
        limit : ndarray, optional
            A scalar of the device that is fetched as well.

        Returns
        -------
        tuple
            The step, the state there, the numbers ``d @ g`` there, ``y @ y`` and ``y @ g``, and the products
            of the corrections with ``g``, ``y`` and ``d``, by time.
        """
        state, d = self.state, self.d
        x = state.x + step * d
        if self.box is not None:
            # Rounding errors must not lead out of the bounds.
            x = self.box.clipped(x)
        f, g = self.objective.evaluate(x)
        g = g.astype(numpy.float64, copy=False)
        y = g - state.g
        size = abs(g).max() if self.box is None else self.box.size(x, g)
        scalars = [step, f, size, (g * g).sum(), (g * d).sum(), (y * y).sum(), (y * g).sum()]
        if self.known is None:
            scalars += [(state.g * d).sum(), (d * d).sum(), _FAR if limit is None else limit]
        parts = [numpy.stack([gpunp.asarray(each, dtype=float).reshape(()) for each in scalars])]
        if self.rows is not None:
            parts += [(self.rows @ numpy.stack([g, y, d], axis=1)).reshape(-1)]
        values = asnumpy(numpy.concatenate(parts))
        step, f, size, gg, slope, yy, yg = values[:7]
        if self.known is None:
            self.known = values[7:10]
        of_s, of_y = self.memory.by_time(values[len(scalars) :].reshape(-1, 3))
        found = State(x, g, f, size, gg, of_s[:, 0], of_y[:, 0])
        return step, found, (slope, yy, yg, of_s, of_y)


def _remember(memory, line, step, found, numbers):
    """Add the correction of a step to the memory, if the curvature along it is positive."""
    slope, yy, yg, of_s, of_y = numbers
    slope_before, length2, _ = line.known
    sy = (slope - slope_before) * step
    if sy <= _EPS * -slope_before * step:
        return
    with_s, with_y = (step * of_s[:, 2], step * of_y[:, 2]), (of_s[:, 1], of_y[:, 1])
    s, y = step * line.d, found.g - line.state.g
    memory.add(s, y, with_s, with_y, step * step * length2, sy, yy)
    found.s_g = numpy.append(found.s_g, step * slope)[-memory.size :]
    found.y_g = numpy.append(found.y_g, yg)[-memory.size :]


def _line_search(line, start, limit, maxls):
    """Search a step of sufficient decrease and small slope, as More and Thuente do.

    Returns
    -------
    tuple or None
        The step, the state, its numbers; None where there is no such step.
    """
    step, found, numbers = line.evaluate(start, limit)
    slope, _, limit = line.known
    if not slope < 0:
        return None
    search = DCSRCH(phi=None, derphi=None, ftol=1e-3, gtol=0.9, xtol=0.1, stpmin=0.0, stpmax=limit)
    value, derivative, task = line.state.f, slope, b"START"
    for count in range(maxls + 1):
        wanted, value, derivative, task = search._iterate(step, value, derivative, task)
        if task[:2] != b"FG":
            break
        if count == maxls:
            return None
        if count and wanted != step:
            step, found, numbers = line.evaluate(wanted)
        value, derivative = found.f, numbers[0]
    return None if task[:5] == b"ERROR" else (step, found, numbers)


class BoundPairs:
    """Bounds of each variable, for which SciPy makes a list of pairs: a second for 2^20 variables."""

    def __init__(self, lb, ub, n):
        self.lower, self.upper = (numpy.broadcast_to(numpy.asarray(each, float), n) for each in (lb, ub))

    def __len__(self):
        return len(self.lower)


def _prepared_bounds(bounds, x):
    """Host arrays of bounds, and the start within them."""
    if len(bounds) != x.size:
        raise ValueError("length of x0 != length of bounds")
    if isinstance(bounds, BoundPairs):
        lower, upper = bounds.lower, bounds.upper
    else:
        lower, upper = numpy.array(old_bound_to_new(bounds))
    if (lower > upper).any():
        raise ValueError("LBFGSB - one of the lower bounds is greater than an upper bound.")
    return lower, upper


def lbfgsb(
    fun,
    x0,
    args=(),
    jac=None,
    bounds=None,
    maxcor=10,
    ftol=2.2204460492503131e-09,
    gtol=1e-5,
    eps=1e-8,
    maxfun=15000,
    maxiter=15000,
    callback=None,
    maxls=20,
    finite_diff_rel_step=None,
    workers=None,
    **unknown_options,
):
    """Minimize by L-BFGS-B, as SciPy's ``_minimize_lbfgsb``.

    Parameters, tests of convergence, messages and counts are SciPy's.
    """
    _check_unknown_options(unknown_options)
    if not maxls > 0:
        raise ValueError("maxls must be positive.")
    x, box = x0.reshape(-1).astype(numpy.float64), None
    if bounds is not None:
        lower, upper = (gpunp.asarray(each) for each in _prepared_bounds(bounds, x))
        box = boxes.Box(lower, upper)
        x = box.clipped(x)
    limits = None if box is None else (box.lower, box.upper)
    objective = Objective(fun, x, args, jac, eps, finite_diff_rel_step, limits)
    memory, count, last = Memory(maxcor), 0, None
    state = _first_state(objective, box, x)
    task = (_CONVERGENCE, 401) if state.size <= gtol else None
    while task is None:
        if last is not None:
            _remember(memory, *last)
        last = _step(objective, box, memory, state, count, maxls)
        if last is None:
            if len(memory) == 0:
                task = (_ABNORMAL, 0)
                break
            memory.clear()
            state.s_g = state.y_g = numpy.zeros(0)
            continue
        before, state = state.f, last[2]
        count += 1
        if halts(callback, state.x, state.f):
            task = (_STOP, 505)
        if count >= maxiter:
            task = (_STOP, 504)
        elif objective.nfev > maxfun:
            task = (_STOP, 502)
        if task is None and state.size <= gtol:
            task = (_CONVERGENCE, 401)
        if task is None and before - state.f <= ftol * max(abs(before), abs(state.f), 1):
            task = (_CONVERGENCE, 402)
    status = 1 if objective.nfev > maxfun or count >= maxiter else 2
    status = 0 if task[0] == _CONVERGENCE else status
    message = f"{scipys.status_messages[task[0]]}: {scipys.task_messages[task[1]]}"
    inverse = LimitedMemoryProduct.of(memory, x)
    return finish(
        objective,
        status,
        message,
        state.x,
        state.f,
        state.g,
        count,
        disp=False,
        path=None,
        hess_inv=inverse,
    )


def _first_state(objective, box, x):
    f, g = objective.evaluate(x)
    g = g.astype(numpy.float64, copy=False)
    size = abs(g).max() if box is None else box.size(x, g)
    f, size, gg = asnumpy(
        numpy.stack([gpunp.asarray(each, dtype=float).reshape(()) for each in (f, size, (g * g).sum())])
    ).tolist()
    return State(x, g, f, size, gg, numpy.zeros(0), numpy.zeros(0))


def _step(objective, box, memory, state, count, maxls):
    """One iteration; returns what `_remember` needs, or None where the line search fails."""
    rows = memory.rows()
    start, limit = 1.0, None
    if box is not None:
        d = box.direction(memory, state)
        if count == 0:
            limit = gpunp.asarray(1.0)
            start = 1.0 if box.bounded else numpy.minimum(1 / numpy.sqrt((d * d).sum()), 1.0)
        else:
            limit = box.room(state.x, d, _FAR)
    elif rows is None:
        d = -state.g
    else:
        of_s, of_y, scale = memory.solve(state.s_g, state.y_g)
        d = -(gpunp.asarray(memory.by_row(of_s, of_y)) @ rows) - scale * state.g
    if count == 0 and box is None:
        start = min(1 / state.gg**0.5, _FAR)
    line = Direction(objective, box, state, memory, d)
    ended = _line_search(line, start, limit, maxls)
    return None if ended is None else (line, *ended)
