"""Reductions of groups: the bits that the reduction of the group's value in memory gives."""

import numpy as np
import pytest
from gpunp.fusion.by_hand import Recorded, serve
from gpunp.fusion.steps import loop_of
from waiting import PATIENCE

import gpunp
from gpunp.dtype_codes import CHARS, NAMES
from gpunp.fusion import reductions, worker
from gpunp.ufunc.table.functions import typed_loops

CALLS = {
    "sum": np.sum,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
    "var": np.var,
    "std": np.std,
    "any": np.any,
    "all": np.all,
    "count_nonzero": np.count_nonzero,
    "nansum": np.nansum,
}
PLACES = {"argmax": np.argmax, "argmin": np.argmin}
# Shapes, and the axes to reduce.
LAYOUTS = [
    ((1,), None),
    ((17,), 0),
    ((513,), None),
    ((8191,), None),
    ((1000003,), None),
    ((37, 1001), 1),
    ((1001, 37), 0),
    ((300, 256), 1),
    ((300, 256), 0),
    ((5, 33, 129), 1),
    ((5, 33, 128), (0, 2)),
    ((700, 6, 5), 1),
    ((4, 3, 2, 5, 7), (0, 2, 4)),
]


@pytest.fixture(autouse=True)
def forget():
    """No reduction is known, and none is served."""
    reductions.forget()
    worker._failures.clear()
    yield
    serve(None, 0, None)
    assert worker.wait(PATIENCE)


def named(name, chars):
    """The loop of a function for the dtypes of its inputs."""
    for row, typed in typed_loops():
        if row.name == name and typed.inputs == chars and not typed.standard:
            codes = tuple(CHARS.index(char) for char in typed.inputs + typed.outputs)
            return loop_of(row.unit(typed), row.symbol(typed), codes, len(chars))
    raise KeyError(name, chars)


def bits(array):
    host = np.asarray(array.get())
    return host.dtype, host.shape, host.tobytes()


def check(recorded, step, value, calls):
    """Reduce the value of a step by its group and in memory, and compare all bits."""
    stand_in = gpunp.full(value.shape, 77, dtype=value.dtype)
    for call in calls:
        expected = bits(call(value))
        serve(recorded, step, stand_in)
        for _ in range(2):
            # There is no kernel yet, so this reads the array that stands for the value.
            call(stand_in)
        assert worker.wait(PATIENCE)
        assert worker.failures() == []
        before = serve(recorded, step, stand_in)
        found = bits(call(stand_in))
        assert serve(None, 0, None) > before
        assert found == expected


def squares(x, y):
    """The group (x - y)^2 and its value."""
    dtype = x.dtype
    char = CHARS[NAMES.index(dtype.str[1:])]
    shape = np.broadcast_shapes(x.shape, y.shape)
    recorded = Recorded(shape)
    difference = recorded.step(named("subtract", 2 * char), (recorded.leaf(x), recorded.leaf(y)), dtype)
    step = recorded.step(named("square", char), (difference,), dtype)
    return recorded, step, np.square(np.subtract(x, y))


def random(rng, shape, dtype="f"):
    if np.dtype(dtype).kind in "iu":
        return gpunp.asarray(rng.integers(0, 9, shape).astype(dtype))
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return gpunp.asarray(values.astype(dtype))


@pytest.mark.parametrize("name", CALLS)
def test_all_layouts(name, rng):
    for shape, axis in LAYOUTS:
        group = squares(random(rng, shape), random(rng, shape))
        for keepdims in (False, True):
            check(*group, [lambda a, axis=axis, keep=keepdims: CALLS[name](a, axis=axis, keepdims=keep)])


@pytest.mark.parametrize("name", PLACES)
def test_places(name, rng):
    for shape, axis in LAYOUTS:
        # On the CPU device, places in few elements are found without a kernel.
        if not isinstance(axis, tuple) and shape != (1,):
            group = squares(random(rng, shape), random(rng, shape))
            check(*group, [lambda a, axis=axis: PLACES[name](a, axis=axis)])


@pytest.mark.parametrize("order", [None, 1, np.inf, 0])
def test_norms(order, rng):
    group = squares(random(rng, 5001), random(rng, 5001))
    check(*group, [lambda a: np.linalg.norm(a, order)])


@pytest.mark.parametrize("dtype", "bBhHiIqQedFD")
def test_all_dtypes(dtype, rng):
    group = squares(random(rng, (70, 301), dtype), random(rng, (70, 301), dtype))
    calls = [np.sum, np.mean, np.var, np.any]
    if dtype not in "FD":
        calls += [np.max, np.argmin]
    check(*group, [lambda a, call=call: call(a, axis=1) for call in calls])


def test_truth_of_a_comparison(rng):
    x = random(rng, (129, 77))
    recorded = Recorded(x.shape)
    step = recorded.step(named("greater", "ff"), (recorded.leaf(x), recorded.constant(0.5, "f")), "?")
    calls = [np.any, np.all, np.count_nonzero, np.sum, np.mean]
    check(recorded, step, x > np.float32(0.5), [lambda a, call=call: call(a, axis=0) for call in calls])


@pytest.mark.parametrize("columns", [64, 67])
def test_leaves_of_all_layouts(columns, rng):
    shape = (6, 50, columns)
    wide = random(rng, (6, 50, 2 * columns))
    leaves = [
        random(rng, (6, 50, 1)),
        random(rng, columns),
        random(rng, (50, 1)),
        wide[:, :, ::2],
        wide[:, :, :columns],
        wide[:, ::-1, columns - 1 :: -1],
        random(rng, (columns, 50, 6)).T,
        random(rng, ()),
        random(rng, 6 * 50 * columns + 1)[1:].reshape(shape),
    ]
    for leaf in leaves:
        group = squares(random(rng, shape), leaf)
        check(*group, [lambda a: np.sum(a, axis=2), lambda a: np.sum(a, axis=(0, 1)), np.max])


def test_views_of_the_value(rng):
    group = squares(random(rng, (40, 50, 6)), random(rng, (40, 1, 6)))
    calls = [
        lambda a: np.sum(a.T, axis=0),
        lambda a: np.sum(a[::2, 3:], axis=1),
        lambda a: np.argmax(a[::-1, :, ::-1], axis=1),
        lambda a: np.sum(a.reshape(-1, 10), axis=0),
    ]
    check(*group, calls)


def test_masked_reduction(rng):
    group = squares(random(rng, (40, 50)), random(rng, (40, 50)))
    mask = random(rng, (40, 50)) > 0
    check(*group, [lambda a: np.sum(a, axis=1, where=mask)])


def test_initial_value_and_out(rng):
    group = squares(random(rng, (40, 50)), random(rng, (40, 50)))
    out = gpunp.empty(40, dtype="f")
    check(*group, [lambda a: np.sum(a, axis=1, initial=3), lambda a: np.sum(a, axis=1, out=out)])


def test_out_may_be_an_operand_of_the_group(rng):
    x, y = random(rng, (40, 40)), random(rng, (40, 40))
    kept = x.copy()

    def call(a):
        x[...] = kept
        return np.sum(a, axis=1, out=x[-1])

    check(*squares(x, y), [call])


def test_masked_step(rng):
    x, y = random(rng, (40, 50)), random(rng, (40, 50))
    recorded = Recorded(x.shape)
    leaves = recorded.leaf(x), recorded.leaf(y)
    mask = recorded.step(named("greater", "ff"), leaves, "?")
    step = recorded.step(named("subtract", "ff"), leaves, "f", mask=mask, kept=leaves[0])
    check(recorded, step, np.where(x > y, x - y, x), [np.sum])


def test_only_what_the_value_depends_on_is_computed(rng):
    x, y = random(rng, 1000), random(rng, 1000)
    recorded = Recorded(x.shape)
    first, second = recorded.leaf(x), recorded.leaf(y)
    recorded.step(named("subtract", "ff"), (first, second), "f")
    step = recorded.step(named("multiply", "ff"), (second, recorded.constant(3, "f")), "f")
    recorded.step(named("square", "f"), (step,), "f")
    check(recorded, step, y * np.float32(3), [np.sum])
    (reducer,) = reductions.reducers()
    assert len(reducer.description.steps) == len(reducer.description.leaves) == 1


def test_what_was_found_missing_is_reduced_in_memory(rng, monkeypatch):
    monkeypatch.setenv("GPUNP_CACHE", "0")
    recorded, step, value = squares(random(rng, 100), random(rng, 100))
    before = serve(recorded, step, value)
    assert bits(np.sum(value[5:])) == bits(np.sum(value.copy()[5:]))
    assert serve(None, 0, None) == before
