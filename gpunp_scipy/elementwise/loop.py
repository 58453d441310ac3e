"""The loop of SciPy's elementwise solvers (``scipy._lib._elementwise_iterative_method._loop``)."""

import dataclasses
import importlib
import math
from collections.abc import Callable

from scipy._lib._elementwise_iterative_method import _ECALLBACK, _ECONVERR, _EINPROGRESS
from scipy._lib._util import _call_callback_maybe_halt, _RichResult

# The modules with steps of ours, by SciPy's function that defines the steps.
_HOMES = {
    "scipy.differentiate._differentiate.derivative": "derivatives",
    "scipy.integrate._tanhsinh.tanhsinh": "quadrature",
    "scipy.optimize._bracket._bracket_minimum": "brackets",
    "scipy.optimize._bracket._bracket_root": "brackets",
    "scipy.optimize._chandrupatla._chandrupatla": "roots",
    "scipy.optimize._chandrupatla._chandrupatla_minimize": "minima",
}
# Entries of the work that do not have a row for each element.
_WHOLE = ("args", "n")


@dataclasses.dataclass
class Steps:
    """What an algorithm does in an iteration; each function gets the work and may change it.

    Attributes
    ----------
    point : callable
        Returns the abscissae at which the user's function is evaluated.
    update : callable
        Gets them, the values there and the work.
    check : callable
        Returns a mask of the elements that are finished.
    advance : callable
        Prepares the next iteration.
    present : callable
        Gets a dictionary of results and their shape, completes the first and returns the second.
    """

    point: Callable
    update: Callable
    check: Callable
    advance: Callable
    present: Callable


def variables(function):
    """The variables of the enclosing function that a function uses, by name."""
    return {
        name: cell.cell_contents
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    }


def _own_steps(scipys, xp):
    """The steps of an algorithm: ours in the place of those of SciPy that select elements by masks."""
    name = f"{scipys.point.__module__}.{scipys.point.__qualname__.partition('.')[0]}"
    if name not in _HOMES:
        return scipys
    home = importlib.import_module(f"gpunp_scipy.elementwise.{_HOMES[name]}")
    ours = getattr(home, name.rpartition(".")[2].lstrip("_"))(scipys, xp)
    return dataclasses.replace(scipys, **ours)


class _Elements:
    """The elements that are not finished, and the results of all.

    Parameters
    ----------
    count : int
        Of all elements.
    pairs : list of tuple of str
        The names of results, and those of their values in the work.
    dtype : dtype
    xp : module
    keeps_shape : bool
        Whether the work keeps the rows of elements that are finished.
    """

    def __init__(self, count, pairs, dtype, xp, keeps_shape):
        self.pairs, self.xp, self.keeps_shape = pairs, xp, keeps_shape
        self.left = count
        # Rows of the elements left, or a mask of them; None for all.
        self.selected = None
        self.results = {name: xp.zeros(count, dtype=dtype) for name, _ in pairs}
        self.results["success"] = xp.zeros(count, dtype=xp.bool)
        self.results["status"] = xp.full(count, _EINPROGRESS, dtype=xp.int32)
        self.results |= {name: xp.zeros(count, dtype=xp.int32) for name in ("nit", "nfev")}

    def store(self, work):
        """Copy the present values of the elements left to the results."""
        values = {name: work[key] for name, key in self.pairs} | {"success": work.status == 0}
        for name, value in values.items():
            old = self.results[name]
            if self.keeps_shape and self.selected is not None:
                self.results[name] = self.xp.astype(self.xp.where(self.selected, value, old), old.dtype)
            else:
                old[... if self.selected is None else self.selected] = value

    def retain(self, stop, work):
        """Store the results of elements that are finished, and drop them. Waits for how many are left."""
        xp, going = self.xp, ~stop
        if self.keeps_shape:
            if self.selected is not None:
                going &= self.selected
            left = int(xp.count_nonzero(going))
        else:
            going = xp.flatnonzero(going)
            left = going.shape[0]
        if left == self.left:
            return
        self.store(work)
        self.left = left
        if self.keeps_shape:
            self.selected = going
            return
        self.selected = going if self.selected is None else self.selected[going]
        for key, value in work.items():
            if key not in _WHOLE and getattr(value, "ndim", 0) > 0:
                work[key] = value[going]
        work.args = [each[going] for each in work.args]

    def presented(self, work, shape, present):
        """The results so far, as the caller sees them."""
        if self.left:
            self.store(work)
        # What a callback keeps does not change later.
        found = {name: self.xp.asarray(value, copy=True) for name, value in self.results.items()}
        shape = present(found, shape)
        found = {name: self.xp.reshape(value, shape) for name, value in found.items()}
        return _RichResult(**found, _order_keys=["success", *(name for name, _ in self.pairs)])


def _values(func, x, work, dtype, xp, shape, keeps_shape):
    """Call the user's function, with as many axes for the other arguments as for the abscissae."""
    if work.args and work.args[0].ndim != x.ndim:
        work.args = [xp.reshape(each, each.shape + (1,) * (x.ndim - each.ndim)) for each in work.args]
    at = xp.reshape(x, (*shape, -1)) if keeps_shape else x
    f = xp.asarray(func(at, *work.args), dtype=dtype)
    return xp.reshape(f, x.shape) if keeps_shape else f


def loop(
    work,
    callback,
    shape,
    maxiter,
    func,
    args,
    dtype,
    pre_func_eval,
    post_func_eval,
    check_termination,
    post_termination_check,
    customize_result,
    res_work_pairs,
    xp,
    preserve_shape=False,
):
    """Iterate until each element is finished, as SciPy's function of this signature does.

    The only wait of an iteration is for the number of elements left. The function of the user is called as
    often as by SciPy, with arrays of the same shapes.
    """
    scipys = Steps(pre_func_eval, post_func_eval, check_termination, post_termination_check, customize_result)
    steps = _own_steps(scipys, xp)
    # A number: comparing with a scalar of the device would wait in each iteration.
    maxiter = float(maxiter)
    elements = _Elements(math.prod(shape), res_work_pairs, dtype, xp, preserve_shape)
    work.args = args

    def is_halted():
        if callback is None:
            return False
        return bool(_call_callback_maybe_halt(callback, elements.presented(work, shape, steps.present)))

    elements.retain(steps.check(work), work)
    halted = is_halted()
    while work.nit < maxiter and elements.left and not halted:
        x = steps.point(work)
        f = _values(func, x, work, dtype, xp, shape, preserve_shape)
        work.nfev += 1 if x.ndim == 1 else x.shape[-1]
        steps.update(x, f, work)
        work.nit += 1
        elements.retain(steps.check(work), work)
        halted = is_halted()
        if not halted and elements.left:
            steps.advance(work)
    work.status[:] = _ECALLBACK if halted else _ECONVERR
    return elements.presented(work, shape, steps.present)
