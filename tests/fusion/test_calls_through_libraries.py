"""Chains that a library calls for its user: from one line of its own, many frames away from the program."""

import numpy as np
import pytest

import gpunp
from gpunp import fusion

LARGE = 1 << 16


@pytest.fixture(autouse=True)
def usual():
    """Operations on large arrays are deferred, as in programs."""
    before, least = gpunp.config.fusion, fusion.set_least_elements(LARGE)
    gpunp.config.fusion = "on"
    yield
    fusion.observe(None)
    gpunp.config.fusion = before
    fusion.set_least_elements(least)


class Wrapped(np.lib.mixins.NDArrayOperatorsMixin):
    """An array whose operators reach NumPy through several functions, like those of xarray."""

    def __init__(self, data):
        self.data = data

    def __array_ufunc__(self, ufunc, method, *inputs):
        return self._apply(ufunc, inputs)

    def _apply(self, ufunc, inputs):
        return Wrapped(self._call(ufunc, [getattr(each, "data", each) for each in inputs]))

    def _call(self, ufunc, operands):
        return self._call_once_more(ufunc, operands)

    def _call_once_more(self, ufunc, operands):
        return ufunc(*operands)


def lengths_of_groups(program, times):
    """How many operations the groups of each call of a program have."""
    found = []
    for _ in range(times):
        events = []
        fusion.observe(events.append)
        kept = program()
        fusion.flush()
        fusion.observe(None)
        del kept
        found.append([len(event[1]) for event in events if event[0] == "group"])
    return found


def test_operators_of_a_class_become_one_chain():
    x = Wrapped(gpunp.asarray(np.linspace(0, 1, LARGE)))

    def program():
        return np.sqrt(x * x + 1.0) - x

    # The first calls have to find out that their outer callers matter.
    assert lengths_of_groups(program, 8)[4:] == [[4]] * 4
    np.testing.assert_allclose(gpunp.asnumpy(program().data), np.sqrt(x.data.get() ** 2 + 1) - x.data.get())


def test_a_loop_around_them_still_ends_chains():
    x = Wrapped(gpunp.asarray(np.linspace(0, 1, LARGE)))

    def program():
        y = x
        for _ in range(5):
            y = y * 0.5 + 1.0
        return y

    # Each round is a group of its own, so that the same kernel serves all of them.
    assert lengths_of_groups(program, 8)[4:] == [[2] * 5] * 4


def test_a_loop_far_from_the_program_ends_chains():
    x = gpunp.asarray(np.linspace(0, 1, LARGE))

    def nested(depth, y):
        if depth:
            return nested(depth - 1, y)
        for _ in range(6):
            y = y * 0.5 + 1.0
        return y

    assert lengths_of_groups(lambda: nested(6, x), 5)[2:] == [[2] * 6] * 3


def test_distributed_arrays_become_one_chain():
    from gpunp.distributed.array import distributed_array

    x = distributed_array(np.linspace(0, 1, LARGE), {0: slice(None)})
    found = lengths_of_groups(lambda: np.sqrt(x * x + 1.0) - x, 8)
    assert found[4:] == [[4]] * 4


def test_several_libraries_at_a_time():
    x = gpunp.asarray(np.linspace(0, 1, LARGE))

    class Other(Wrapped):
        def _apply(self, ufunc, inputs):
            return Other(self._call(ufunc, [getattr(each, "data", each) for each in inputs]))

        def _call_once_more(self, ufunc, operands):
            return ufunc(*operands)

    wrapped = Wrapped(x), Other(x)

    def program():
        # Two chains, each of which begins at the line of another class.
        for each in wrapped:
            kept = np.sqrt(each * each + 1.0) - each
            fusion.flush()
            del kept

    assert lengths_of_groups(program, 8)[4:] == [[4, 4]] * 4
