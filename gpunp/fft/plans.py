"""Transforms planned ahead."""

import numpy

from gpunp.array.convert import asarray
from gpunp.dispatch.registry import find_by_name, implements
from gpunp.fft import config


class Plan:
    """One call of a function of ``numpy.fft``, with its cuFFT plans; made by `gpunp.fft.plan`.

    Calling it transforms another array. As a context manager it lends its plans to every call of the
    thread, whatever the plan cache keeps.

    Attributes
    ----------
    device : Device
        Where the plans run.
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
        """The planned function of another array, with the arguments that the plan was made with."""
        function, args, kwargs = self._call
        with self:
            return function(a, *args, **kwargs)

    @property
    def memsize(self):
        """Bytes of work area that the plans ask for, each while it runs."""
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
    """Make the plans of a transform ahead, and keep them.

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
        To be called, or used as a context manager.

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
