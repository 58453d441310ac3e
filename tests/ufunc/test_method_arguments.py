"""initial= and where= of reductions, and out-of-bounds indices of reduceat and at."""
# ruff: noqa: B023 - the functions defined in loops are called at once.

import numpy as np
import pytest
from calls import call_test
from records import outcome, settled

import gpunp

test_initial_and_where = call_test(
    """
    np.add.reduce(A([1.0, 2, 3]), where=A([True, False, True]), initial=None)
    np.sum(A([1.0, 2, 3]), where=A([True, False, True]), initial=None)
    np.add.reduce(A([1.0, 2, 3]), where=True, initial=None)
    np.add.reduce(A([1.0, 2, 3]), where=False, initial=None)
    np.logical_and.reduce(A([1, 2, 3]), where=A([True, False, True]), initial=None)
    np.maximum.reduce(A([1, 2, 3]), where=A([True, False, True]), initial=None)
    np.gcd.reduce(A([4, 6]), initial=-3, where=False)
    np.gcd.reduce(A([4, 6]), initial=-3, where=A([False, False]))
    np.gcd.reduce(A([[4, 6], [9, 3]]), initial=-3, where=A([[True, False], [False, False]]), axis=1)
    np.gcd.reduce(A([[4, 6], [9, 3]]), initial=-3, where=A([False, True]), axis=0, keepdims=True)
    np.gcd.reduce(A([[4, 6], [9, 3]]), initial=-3, where=A([False, False]), axis=None)
    np.gcd.reduce(A([[4, 6], [9, 3]]), initial=-3)
    np.gcd.reduce(A(np.zeros((0, 2), int)), initial=-3)
    np.gcd.reduce(A(np.zeros((2, 0), int)), initial=-3)
    np.gcd.reduce(A([4, 6]), initial=8, where=False)
    np.hypot.reduce(A([3.0, 4]), initial=-3, where=False)
    np.hypot.reduce(A([4.0, 12]), initial=-3)
    np.gcd.reduce(A([-3]), initial=None)
    np.gcd.reduce(A([[-3], [-4]]), initial=None, axis=1)
    np.gcd.reduce(A([-3, -6]), initial=None)
    np.hypot.reduce(A([-3.0]), initial=None)
    np.hypot.reduce(A([-3.0]))
    np.subtract.reduce(A([3.0, 1, 1]))
    np.divide.reduce(A([3, 2]))
    np.floor_divide.reduce(A([[7, 2], [9, 3]]), axis=1)
    np.subtract.reduce(A([[3.0, 1, 1]]), axis=2)
    np.subtract.reduce(A([[3.0, 1, 1]]), axis=(0, 1))
    np.power.reduce(A([2, 3]), dtype=int, keepdims=True)
    np.negative.at(A([True, False]), [0])
    np.add.reduce(A(np.zeros(16, "u1"))[1:9][:0].view("i4"))
    np.sum(A(np.zeros((3, 17), "u1"))[:, 1:9][:0].view("f8"), axis=0)
    np.subtract.reduce(A([[True, False]]), axis=5)
    np.subtract.reduce(A([[True, False]]), axis=(0, 1))
    np.hypot.reduce(A([3.0, 4])[:0], initial=-3)
    np.hypot.reduce(A([3.0, 4]), initial=np.nan, where=False)
    np.fmax.reduce(A([complex(nan, 1)]), initial=complex(2, nan))
    np.add.reduce(A([-0.0, -0.0]))
    """
)


@pytest.mark.parametrize("indices", [[2, 0], [0, 2], [-1], [0, -1], [1], [2], [0, 1 << 40], [-(1 << 63)]])
@pytest.mark.parametrize("shape", [(2, 1), (1, 2), (3, 0), (0, 3), (0, 0), (2, 2, 0)])
def test_reduceat_out_of_bounds(device, shape, indices):
    for name, char in (("add", "H"), ("bitwise_xor", "H"), ("subtract", "d"), ("maximum", "B")):
        ufunc = getattr(np, name)
        host = np.ones(shape, char)
        ours = gpunp.asarray(host, copy=True)
        if host.ndim == 2 and char == "H":
            host[:, ::-1] |= host
            ours[:, ::-1] |= ours
        for axis in range(len(shape)):
            expected, error = outcome(lambda: ufunc.reduceat(host, indices, axis=axis))
            for given in (indices, gpunp.asarray(np.array(indices))):
                found, raised = outcome(lambda: settled(ufunc.reduceat(ours, given, axis=axis)))
                assert type(raised) is type(error)
                if error is None:
                    np.testing.assert_array_equal(found.get(), expected)


def test_at_checks_indices_of_an_empty_selection(device):
    def add(a, index, of):
        items = index if isinstance(index, tuple) else (index,)
        np.add.at(a, tuple(of(np.array(item, int)) for item in items), 1)
        return settled(a)

    for shape, index in (((2, 0), [10]), ((2, 0), [-3]), ((2, 0), [1]), ((0,), [0]), ((3, 3), ([9], []))):
        _, error = outcome(lambda: add(np.zeros(shape), index, np.asarray))
        for of in (np.asarray, gpunp.asarray):
            _, raised = outcome(lambda: add(gpunp.zeros(shape), index, of))
            assert type(raised) is type(error), (shape, index)
