"""Integrals over boxes: `scipy.integrate.cubature`, which orders its regions by numbers of the host."""

import scipy.integrate
from scipy._lib._util import MapWrapper
from scipy.integrate import _cubature

from gpunp.dispatch import hooks
from gpunp_scipy.optimize.evaluation import numbers


class CubatureRegion(_cubature.CubatureRegion):
    """A region whose largest error is a number, once it is needed."""

    largest = None

    def __lt__(self, other):
        # The region with the largest error is halved next.
        return self._size() > other._size()

    def _size(self):
        if self.largest is None:
            (self.largest,) = numbers(_largest(self.error))
        return self.largest


def _largest(error):
    return abs(error).max()


class _Division:
    """Replaces SciPy's ``MapWrapper``: the errors of the parts of a region are fetched in one copy.

    Parameters
    ----------
    workers : int or callable
    """

    def __init__(self, workers):
        self.mapper, self.known = MapWrapper(workers), []

    def __enter__(self):
        self.mapper.__enter__()
        return self

    def __exit__(self, *exception):
        return self.mapper.__exit__(*exception)

    def __call__(self, function, tasks):
        found = list(self.mapper(function, tasks))
        sizes = numbers(*(_largest(error) for *_, error in found))
        for part, size in zip(found, sizes, strict=True):
            self.known.append((part[-1], size))
            yield part


def _solver():
    """SciPy's function with these regions."""
    source = hooks.original(scipy.integrate.cubature)
    division = []

    def mapper(workers):
        division.append(_Division(workers))
        return division[-1]

    def region(estimate, error, *others):
        made = CubatureRegion(estimate, error, *others)
        known = division[-1].known if division else ()
        if known and known[-1][0] is error:
            made.largest = known.pop()[1]
        return made

    return hooks.copy_of(source, {**source.__globals__, "MapWrapper": mapper, "CubatureRegion": region})


def cubature(
    f, a, b, *, rule="gk21", rtol=1e-8, atol=0, max_subdivisions=10000, args=(), workers=1, points=None
):
    """Integrate a function over a box; see `scipy.integrate.cubature`.

    The code is SciPy's. Each division of a region waits twice: for the errors of its parts, and for the test
    of convergence.
    """
    return _solver()(
        f,
        a,
        b,
        rule=rule,
        rtol=rtol,
        atol=atol,
        max_subdivisions=max_subdivisions,
        args=args,
        workers=workers,
        points=points,
    )
