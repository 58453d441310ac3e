"""Calls with ``like=`` that create arrays without NumPy's protocol: the same arrays and errors as NumPy's.

Each call runs twice, as the first call of a function goes through the protocol.
"""

import sys

import numpy as np
import pytest
from records import assert_same, outcome

import gpunp

CPU = gpunp.Device("cpu")
# ``like`` is a dict with that keyword for gpunp, and an empty one for NumPy; A makes an array of the library.
CALLS = """
np.zeros(3, **like)
np.zeros((2, 3), **like)
np.zeros([2, 3], int, **like)
np.zeros((), **like)
np.zeros((2, 0, 3), **like)
np.zeros(shape=3, dtype="f4", **like)
np.zeros(3, dtype=bool, order="F", **like)
np.zeros((2, 3), order="F", **like)
np.zeros(3, None, "C", **like)
np.zeros(np.int64(3), **like)
np.zeros(3, np.dtype("q"), **like)
np.zeros(3, complex, **like)
np.zeros(3, device="cpu", **like)
np.zeros(3, **like, dtype="i2")
np.zeros(-1, **like)
np.zeros(1.5, **like)
np.zeros((2, -1), **like)
np.zeros(2**70, **like)
np.zeros("text", **like)
np.zeros(3, "nothing", **like)
np.zeros(3, order="X", **like)
np.zeros(3, shape=3, **like)
np.zeros(3, nothing=1, **like)
np.zeros(**like)
np.zeros(3, None, "C", 4, **like)
np.empty(0, **like)
np.empty((2, 0), "i1", **like)
np.ones(3, **like)
np.ones((2, 3), np.float16, **like)
np.ones(3, bool, **like)
np.ones((2, 2), "c8", **like)
np.ones(5000, **like)
np.ones(3, "S1", **like)
np.full(3, 2, **like)
np.full((2, 3), 2.5, **like)
np.full(3, True, **like)
np.full(3, 2**63, **like)
np.full(3, -(2**63), **like)
np.full(3, 2**70, float, **like)
np.full(3, 2.75, int, **like)
np.full(3, 300, "f4", **like)
np.full(3, [1, 2, 3], **like)
np.full(3, np.float32(1.5), **like)
np.full(3, 1j, **like)
np.full(3, 1e300, **like)
np.full(3, float("nan"), **like)
np.full((3, 2), 1, dtype=float, order="F", **like)
np.full(3, **like)
np.eye(3, **like)
np.eye(2, 4, 1, **like)
np.eye(4, 2, -1, **like)
np.eye(3, k=7, **like)
np.eye(3, k=-7, **like)
np.eye(3, k=2**62, **like)
np.eye(0, **like)
np.eye(2, 0, **like)
np.eye(3, M=2, dtype=int, **like)
np.eye(3, dtype=bool, order="F", **like)
np.eye(-1, **like)
np.eye(2.5, **like)
np.identity(3, **like)
np.identity(2, dtype="c16", **like)
np.arange(5, **like)
np.arange(0, **like)
np.arange(5.0, **like)
np.arange(2, 9, 3, **like)
np.arange(9, 2, -3, **like)
np.arange(9, 2, **like)
np.arange(-0.0, 3, **like)
np.arange(1, 2, 0.1, **like)
np.arange(0.1, 1.0, 0.3, **like)
np.arange(1e308, 1.5e308, 1e308, **like)
np.arange(1.0, 1.0 + 1e-15, 1e-16, **like)
np.arange(5, dtype=float, **like)
np.arange(5, dtype="f4", **like)
np.arange(5.5, dtype=int, **like)
np.arange(stop=4, **like)
np.arange(1, stop=4, **like)
np.arange(1, step=2, stop=6, **like)
np.arange(1, 3, None, **like)
np.arange(True, **like)
np.arange(2**53, 2**53 + 3, **like)
np.arange(-(2**63), -(2**63) + 2, **like)
np.arange(5000, **like)
np.arange(0, 700.5, 0.25, **like)
np.arange(3, 0, 0, **like)
np.arange(float("nan"), **like)
np.arange(float("inf"), **like)
np.arange(1j, **like)
np.arange(**like)
np.array(3, **like)
np.array(2.5, **like)
np.array(True, **like)
np.array(2**63, **like)
np.array(2**64, **like)
np.array(np.float64(2.5), **like)
np.array(np.float32(2.5), **like)
np.array([1, 2, 3], **like)
np.array((1, 2.5), **like)
np.array([True, False], **like)
np.array([True, 2], **like)
np.array([True, 2.5], **like)
np.array([2**53 + 1, 0.5], **like)
np.array([2**63, 1], **like)
np.array([1, 2], float, **like)
np.array([1, 2], dtype="f4", **like)
np.array([1.5, 2], int, **like)
np.array([True, False], int, **like)
np.array([True, False], float, **like)
np.array([0.1, np.float64(0.2), 3], **like)
np.array([1, None], **like)
np.array([1, "a"], **like)
np.array([1, 2j], **like)
np.array([[1, 2], [3, 4]], **like)
np.array([[1, 2.5], (3, 4)], **like)
np.array([[[1], [2]], [[3], [4]]], **like)
np.array([[1, 2], [3]], **like)
np.array([[1, 2], 3], **like)
np.array([1, [2]], **like)
np.array([[1], [[2]]], **like)
np.array([[[[[1.0]]]]], **like)
np.array([], **like)
np.array([[]], **like)
np.array([[], []], **like)
np.array([[], [1]], **like)
np.array([[], 1.0], **like)
np.array(list(range(2000)), **like)
np.array([1, 2], ndmin=3, **like)
np.array([[1, 2]], order="F", **like)
np.array([1, 2], copy=None, **like)
np.array([1, 2], copy=True, subok=True, **like)
np.array(range(3), **like)
np.array(**like)
np.array(A([1.5, 2.5]), **like)
np.array(A([1.5, 2.5]), "f4", **like)
np.array(A([[1, 2], [3, 4]]).T, **like)
np.array(A([[1, 2], [3, 4]])[:, 0], **like)
np.array(A(2.5), **like)
np.array(A([1.5, 2.5])[0], **like)
np.array([A([1.5, 2.5])[0], 2], **like)
np.array(A([]), **like)
np.asarray([1.5, 2], **like)
np.asarray(A([1.5, 2]), **like)
np.asarray(A([1.5, 2]), float, **like)
np.asarray(A([1.5, 2]), int, **like)
np.asarray(A([1.5, 2]), copy=True, **like)
np.asarray(A([[1.5, 2]]).T, order="F", **like)
np.asarray(A([1.5, 2])[0], **like)
np.asanyarray([1, 2], **like)
np.ascontiguousarray(A([[1, 2], [3, 4]]).T, **like)
np.ascontiguousarray(A([[1, 2], [3, 4]]), **like)
np.ascontiguousarray([[1, 2], [3, 4]], **like)
np.ascontiguousarray(2.5, **like)
np.asfortranarray([[1, 2], [3, 4]], **like)
"""


@pytest.mark.parametrize("line", CALLS.strip().splitlines())
def test_calls(device, line):
    expected, error = outcome(lambda: eval(line, {"np": np, "like": {}, "A": np.array}))
    like = {"like": gpunp.zeros(1, device=device)}
    names = {"np": np, "like": like, "A": lambda values: gpunp.asarray(values, device=device)}
    for _ in range(2):
        actual, raised = outcome(lambda: eval(line, names))
        # Dtypes that device arrays cannot have.
        refused = error is None and expected.dtype.kind in "OSU"
        if error is not None or refused:
            assert isinstance(raised, TypeError if refused else type(error)), (raised, error)
            continue
        if raised is not None:
            raise raised
        assert type(actual) is gpunp.ndarray
        assert actual.device is (CPU if 'device="cpu"' in line else device)
        assert actual.flags.writeable
        flags = [(a.flags.c_contiguous, a.flags.f_contiguous) for a in (actual, expected)]
        assert flags[0] == flags[1]
        assert_same(actual, expected, True, line)


def test_new_memory(device):
    a = gpunp.asarray([1.5, 2.5], device=device)
    for _ in range(2):
        assert np.asarray(a, like=a) is a
        assert np.ascontiguousarray(a, like=a) is a
        made = np.array(a, like=a)
        made[0] = 7
        assert a[0] == 1.5
    made = np.array(a[0], like=a)
    made[...] = 3
    assert made == 3


def test_other_references(device):
    a = gpunp.asarray([1.5], device=device)
    for _ in range(2):
        np.zeros(2, like=a)
        assert type(np.zeros(2, like=np.zeros(1))) is np.ndarray
        assert type(np.ones(2, like=np.zeros(1))) is np.ndarray
        assert type(np.zeros(2)) is np.ndarray
        assert type(np.arange(3, dtype=float)) is np.ndarray
        with pytest.raises(TypeError):
            np.zeros(2, like=object())
        with pytest.raises(TypeError):
            np.ones(2, like=object())


class Replaced:
    """A reference of a library with a protocol of its own."""

    def __array_function__(self, function, types, args, kwargs):
        return function.__name__, args, kwargs


def test_protocols(device):
    np.zeros(2, like=gpunp.zeros(1, device=device))
    assert np.zeros(2, int, like=Replaced()) == ("zeros", (2, int), {})


def test_unpacked_arguments(device):
    names = {"dtype": int, "like": gpunp.zeros(1, device=device)}
    for _ in range(2):
        for create in (np.zeros, np.ones):
            assert_same(create(*[(2, 2)], **names), create((2, 2), int))


def test_references_are_counted(device):
    a = gpunp.zeros(1, device=device)
    shape, numbers = (11, 3), [1000.5, 2000.5]
    for call in (
        lambda: np.zeros(shape, like=a),
        lambda: np.ones(shape, like=a),
        lambda: np.full(shape, numbers[0], like=a),
        lambda: np.array(numbers, like=a),
        lambda: np.array([numbers, shape[:2]], like=a),
        lambda: np.asarray(a, like=a),
        lambda: np.eye(3, like=a),
    ):
        call()
        before = [sys.getrefcount(value) for value in (a, shape, numbers, numbers[0])]
        for _ in range(50):
            call()
        assert [sys.getrefcount(value) for value in (a, shape, numbers, numbers[0])] == before
