"""Bounds of variables in L-BFGS-B: the generalized Cauchy point and the minimum in its free variables.

Both are found without waiting and without a loop over variables: what changes where a variable meets its
bound are cumulative sums over the variables, in the order in which they do.

References
----------
Byrd, Lu, Nocedal and Zhu, *A limited memory algorithm for bound constrained optimization*, SIAM J. Sci.
Comput. 16, 1995; Morales and Nocedal, *Remark on Algorithm 778*, ACM Trans. Math. Softw. 38, 2011.
"""

import numpy

import gpunp

_EPS = float(numpy.finfo(float).eps)


class Box:
    """Bounds of each variable, which may be infinite.

    Attributes
    ----------
    bounded : bool
        Whether all of them are finite; known after one wait.
    """

    def __init__(self, lower, upper):
        self.lower, self.upper = lower, upper
        self.bounded = bool((numpy.isfinite(lower) & numpy.isfinite(upper)).all())

    def clipped(self, x):
        """The nearest point within the bounds."""
        return numpy.minimum(numpy.maximum(x, self.lower), self.upper)

    def size(self, x, g):
        """The largest element of the projected gradient."""
        return abs(self.clipped(x - g) - x).max()

    def room(self, x, d, far):
        """The largest step along a direction within the bounds, at most ``far``."""
        until = numpy.where(d < 0, (self.lower - x) / d, (self.upper - x) / d)
        return numpy.minimum(numpy.where(d == 0, far, numpy.maximum(until, 0.0)).min(), far)

    def direction(self, memory, state):
        """The way to the minimum of the quadratic model within the bounds."""
        x, g, theta = state.x, state.g, memory.theta
        W = M = None
        if len(memory):
            s, y = memory.in_order()
            W = numpy.concatenate([y, theta * s]).T
            lower = numpy.tril(memory.sy, -1)
            middle = numpy.block([[-numpy.diag(numpy.diag(memory.sy)), lower.T], [lower, theta * memory.ss]])
            M = gpunp.asarray(numpy.linalg.inv(middle))
        with numpy.errstate(all="ignore"):
            cauchy, free, c = self._cauchy_point(x, g, theta, W, M)
            if W is None:
                return cauchy - x
            return self._minimum(x, g, theta, W, M, cauchy, free, c) - x

    def _cauchy_point(self, x, g, theta, W, M):
        """The first minimum of the model along the projected gradient.

        Returns
        -------
        point : ndarray
        free : ndarray of bool
            Variables that are not at a bound there.
        c : ndarray or None
            ``W.T @ (point - x)``.
        """
        inf = numpy.inf
        ends = numpy.where(g < 0, (x - self.upper) / g, numpy.where(g > 0, (x - self.lower) / g, inf))
        d = numpy.where(ends > 0, -g, 0.0)
        order = numpy.argsort(ends)
        times, moved = ends[order], d[order]
        starts = numpy.concatenate([gpunp.zeros(1), times[:-1]])
        # In the interval that ends with a variable at its bound, this one and later ones move.
        squares = _from_here((moved * moved)[:, None])[:, 0]
        widths = times - starts
        first = squares * (theta * starts - 1.0)
        second = theta * squares
        if W is not None:
            p = _from_here(W[order] * moved[:, None])
            until = numpy.cumsum(p * numpy.where(numpy.isfinite(widths), widths, 0.0)[:, None], axis=0)
            at_start = numpy.concatenate([gpunp.zeros((1, p.shape[1])), until[:-1]])
            weighted = p @ M
            first = first - (weighted * at_start).sum(axis=1)
            second = second - (weighted * p).sum(axis=1)
        second = numpy.maximum(second, _EPS * second[:1])
        ahead = numpy.where(squares > 0, -first / second, inf)
        inside = (ahead < widths) & (squares > 0)
        some, place = inside.any(), numpy.argmax(inside)
        last = numpy.max(numpy.where(numpy.isfinite(times), times, 0.0))
        further = numpy.maximum(ahead[place], 0.0)
        time = numpy.where(some, starts[place] + further, last)
        bound = numpy.where(g < 0, self.upper, self.lower)
        stopped = ends <= time
        point = numpy.where(stopped & (d != 0), bound, x + time * d)
        if W is None:
            return point, ~stopped, None
        c = numpy.where(some, at_start[place] + p[place] * further, until[-1])
        return point, ~stopped, c

    def _minimum(self, x, g, theta, W, M, cauchy, free, c):
        """The minimum of the model in the free variables, moved into the bounds."""
        reduced = numpy.where(free, g + theta * (cauchy - x) - W @ (M @ c), 0.0)
        among = W * free[:, None]
        v = M @ (W.T @ reduced)
        system = gpunp.eye(len(M)) - M @ (among.T @ W) / theta
        step = -(reduced + among @ numpy.linalg.solve(system, v) / theta) / theta
        projected = self.clipped(cauchy + step)
        # Where the projection does not descend, the step is cut at the first bound.
        descends = ((projected - x) * g).sum() <= 0
        cut = numpy.minimum(self.room(cauchy, step, 1.0), 1.0)
        return numpy.where(descends, projected, self.clipped(cauchy + cut * step))


def _from_here(values):
    """Sums of each row and all later ones."""
    return numpy.cumsum(values[::-1], axis=0)[::-1]
