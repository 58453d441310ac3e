"""Searches along a line for steps that satisfy the strong Wolfe conditions, with one wait for each point.

A point's value, slope and whatever else the solver decides by are copied to the host together. SciPy's
searches for the step run there. The first step depends on the slope of the direction, which is still on the
device: it is computed there as well, and comes with the first point's numbers.
"""

import warnings
from dataclasses import dataclass

import numpy
from scipy.optimize._linesearch import LineSearchWarning, scalar_search_wolfe1, scalar_search_wolfe2

import gpunp
from gpunp_scipy.optimize.evaluation import numbers

# Points kept: a search returns to one of the last.
_KEPT = 3


@dataclass
class Point:
    """A point of the line.

    Attributes
    ----------
    step : float
    x, g : ndarray
        The point and the gradient.
    f, slope : float
        The value, and the derivative along the line.
    extras : list of float
        What the solver asked for.
    """

    step: float
    x: object
    f: float
    g: object
    slope: float
    extras: list


class Line:
    """The points ``x + step * p``, each evaluated once.

    Parameters
    ----------
    objective : Objective
    x, p : ndarray
    extras : callable
        ``extras(x_new, g_new, step)`` returns scalars of the device.
    """

    def __init__(self, objective, x, p, extras):
        self.objective, self.x, self.p, self.extras = objective, x, p, extras
        self.points = {}
        # The step whose value and gradient SciPy would remember.
        self.current, self.counted = None, set()

    def evaluate(self, step, *more):
        """Evaluate the point of a step, a number or a scalar of the device; return it and other numbers."""
        # Points of float32 stay so.
        size = step.astype(self.p.dtype) if isinstance(step, gpunp.ndarray) else float(step)
        x = self.x + size * self.p
        f = self.objective.value(x)
        g = self.objective.gradient(x, f)
        extras = self.extras(x, g, size)
        step, f, slope, *rest = numbers(step, f, (g * self.p).sum(), *extras, *more)
        while len(self.points) >= _KEPT:
            del self.points[next(iter(self.points))]
        self.points[step] = point = Point(step, x, f, g, slope, rest[: len(extras)])
        return point, rest[len(extras) :]

    def at(self, step):
        """The point of a step, a number."""
        step = float(step)
        return self.points[step] if step in self.points else self.evaluate(step)[0]

    def _count(self, what, step):
        if step != self.current:
            self.current, self.counted = step, set()
        if what not in self.counted:
            self.counted.add(what)
            if what == "f":
                self.objective.count_value()
            else:
                self.objective.count_gradient(self.x.size)

    def value(self, step):
        """The function's value, counted as SciPy does."""
        self._count("f", step)
        return self.at(step).f

    def slope(self, step):
        """The derivative, counted as SciPy does."""
        self._count("g", step)
        return self.at(step).slope


def first_step(f, f_before, slope):
    """The step that is tried first; all arguments are numbers or scalars of the device."""
    if f_before is None:
        return 1.0
    if not isinstance(slope, gpunp.ndarray):
        step = 1.0 if slope == 0 else min(1.0, 1.01 * 2 * (f - f_before) / slope)
        return 1.0 if step < 0 else step
    step = numpy.minimum(1.0, 1.01 * 2 * (f - f_before) / slope)
    # Not a number where the slope is zero and the values are equal: as above, the step is one.
    return numpy.where((slope != 0) & (step >= 0), step, 1.0)


def search(line, f, f_before, slope, *, c1, c2, amin=1e-8, amax=50, accept=None):
    """Find a step that satisfies the strong Wolfe conditions.

    Parameters
    ----------
    line : Line
    f : float
        The value where the line begins.
    f_before : float or None
        The value at the point before, which tells the first step.
    slope : float or ndarray
        The derivative where the line begins.
    c1, c2, amin, amax : float
        As SciPy's options; ``amax`` of the second search too, if it is not the usual 50.
    accept : callable, optional
        Whether a point that satisfies the conditions is to be taken.

    Returns
    -------
    Point or None
        None if there is no such step.
    """
    with numpy.errstate(all="ignore"):
        start = first_step(f, f_before, slope)
        if isinstance(slope, gpunp.ndarray):
            _, (slope,) = line.evaluate(start, slope)
        step = scalar_search_wolfe1(
            line.value, line.slope, f, f_before, slope, c1=c1, c2=c2, amax=amax, amin=amin
        )[0]
        if step is not None and (accept is None or accept(line.at(step))):
            return line.at(step)
        return _second_search(line, f, f_before, slope, c1, c2, amax, accept)


def _second_search(line, f, f_before, slope, c1, c2, amax, accept):
    """The search that SciPy falls back to, which is slower and more robust."""

    def accepted(step, _):
        line.slope(step)
        return accept(line.at(step))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LineSearchWarning)
        step = scalar_search_wolfe2(
            line.value,
            line.slope,
            f,
            f_before,
            slope,
            c1,
            c2,
            None if amax == 50 else amax,
            None if accept is None else accepted,
        )[0]
    return None if step is None else line.at(step)
