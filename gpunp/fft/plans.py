"""Transforms planned in advance."""

import numpy

from gpunp.array.convert import asarray
from gpunp.dispatch.registry import find_by_name, implements
from gpunp.fft import config


class Plan:
    """A call of a function of ``numpy.fft`` with its cuFFT plans; made by `gpunp.fft.plan`.

    Calling it transforms another array. As a context manager it makes its plans available to all calls of the
    thread, regardless of what the plan cache keeps.

    Attributes
    ----------
    device : Device
        The device on which the plans run.
    """

    def __init__(self, function, a, args, kwargs):
        self.device = a.device
        self._call = function, args, kwargs
        self._plans = {}
        self._outer = []
        cache = config.get_plan_cache(self.device)
        outer, cache._record = cache._record, self._plans
        try:
            function(a, *args, **kwargs)
        finally:
            cache._record = outer

    def __repr__(self):
        return f"<Plan of {self._call[0].__name__} on {self.device}: {len(self._plans)} cuFFT plans>"

    def __call__(self, a):
        """Call the planned function on another array, with the arguments that the plan was made with."""
        function, args, kwargs = self._call
        with self:
            return function(a, *args, **kwargs)

    @property
    def memsize(self):
        """Sum of the plans' work areas in bytes; a work area is allocated only while its plan runs."""
        return sum(plan.work_size for plan in self._plans.values())

    def __enter__(self):
        cache = config.get_plan_cache(self.device)
        self._outer.append((cache, cache._held))
        cache._held = {**cache._held, **self._plans}
        return self

    def __exit__(self, *exc):
        cache, held = self._outer.pop()
        cache._held = held


@implements(name="fft.plan")
def plan(function, a, *args, **kwargs):
    """Make and keep the cuFFT plans of a transform in advance.

    Parameters
    ----------
    function : str or function
        A function of ``numpy.fft`` or its name.
    a : array_like
        An array of the shape, strides and dtype to plan for; it is transformed once.
    *args, **kwargs
        The function's other arguments.

    Returns
    -------
    Plan
        Call it, or use it as a context manager.

    Examples
    --------
    >>> import gpunp, numpy as np
    >>> a = gpunp.ones((4, 8))
    >>> plan = gpunp.fft.plan("rfft2", a, norm="ortho")
    >>> with plan:
    ...     spectrum = np.fft.rfft2(a, norm="ortho")
    >>> plan(a).shape
    (4, 5)
    """
    name = function if isinstance(function, str) else getattr(function, "__name__", None)
    handler = find_by_name(f"fft.{name}")
    if handler is None or handler is plan or not hasattr(numpy.fft, name):
        raise ValueError(f"plan: {function!r} is not a transform of numpy.fft")
    return Plan(handler, asarray(a), args, kwargs)
