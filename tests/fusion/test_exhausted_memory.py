"""Memory that runs out while a chain runs: the call that ended it raises, and can be made again."""

import numpy as np
import pytest
from gpunp.fusion.folds import compile_rows_on_cpu

import gpunp

pytestmark = pytest.mark.usefixtures("deferring")

SHAPE = (64, 128)
# Bytes by which the limit of a run exceeds that of the run before it.
STEP = 4 * SHAPE[0] * SHAPE[1] // 2


def forward(a, b):
    """A line that runs again and again."""
    return (a + b) * 0.5 - a * b


# Statements on the arrays x and y of float32, the mask m, and the row r.
PROGRAMS = {
    "chain": ["a = x * y", "b = np.sqrt(np.abs(a)) - x", "c = np.where(m, a, b)"],
    "temporaries": ["a = ((x + y) * (x - y) + 1) * ((x * 2) - (y * 3))", "b = a.astype('f8') * a"],
    "in_place": ["x += y", "x *= x", "a = x - y", "y -= a", "x += 1"],
    "views": ["a = x[1:] - x[:-1]", "x[1:] += a", "x[:-1] -= x[1:]", "b = x.T + y.T", "y[::2] = x[1::2] * 2"],
    "out_and_where": [
        "a = np.add(x, y)",
        "np.multiply(a, x, out=y)",
        "np.subtract(a, y, out=a, where=m)",
        "b = a + y",
    ],
    "shapes": ["a = x + 1", "b = x[0] * 2", "c = a * b", "d = x[:, :1] - b[:64, np.newaxis]", "e = c + d"],
    "reduction": ["s = np.sum((x - y) ** 2)", "a = x - y", "t = np.max(np.abs(a))", "b = a / t + s"],
    "softmax": [
        "e = np.exp(x - np.max(x, axis=1, keepdims=True))",
        "a = e / np.sum(e, axis=1, keepdims=True)",
        "b = a + y",
    ],
    "rows_in_place": [
        "x -= np.mean(x, axis=1, keepdims=True)",
        "x /= np.std(x, axis=1, keepdims=True)",
        "a = np.max(x * r, axis=1)",
        "y += a[:, np.newaxis]",
    ],
    "other_kernels": ["a = x + y", "b = np.sort(a * 2, axis=1)", "c = a[m]", "d = b + a"],
    "next_round": ["x = forward(x, y)", "y = forward(y, x)", "x = forward(x, y)", "a = x - 1"],
}


@pytest.fixture(params=["blocks", "kernels"])
def rows(request, device):
    """The CPU device runs reductions along rows in blocks or, as a GPU does, by kernels."""
    if request.param == "kernels" and not device.is_cpu:
        pytest.skip("a GPU always has kernels")
    before = compile_rows_on_cpu(request.param == "kernels")
    yield
    compile_rows_on_cpu(before)


def values():
    """New arrays of a program, always with the same elements."""
    rng = np.random.default_rng(7)
    x, y, r = (rng.uniform(0.5, 2, shape).astype("f4") for shape in (SHAPE, SHAPE, SHAPE[1:]))
    names = {"x": x, "y": y, "r": r, "m": x > y}
    return {name: gpunp.asarray(value) for name, value in names.items()}


def bits(names):
    return {name: (value.dtype, value.get().tobytes()) for name, value in names.items()}


def run(statements, names, limit=None):
    """Run statements and read all arrays; returns the bits, and the number of errors.

    After an error, the limit is lifted and what raised it is done again.
    """
    pool = gpunp.get_default_memory_pool()
    known = {"np": np, "forward": forward}
    errors = 0
    if limit is not None:
        gpunp.Device().synchronize()
        pool.free_all_blocks()
        pool.set_limit(pool.used_bytes() + limit)
    try:
        for statement in statements:
            try:
                exec(statement, known, names)
            except MemoryError:
                errors += 1
                pool.set_limit()
                exec(statement, known, names)
        try:
            found = bits(names)
        except MemoryError:
            errors += 1
            pool.set_limit()
            found = bits(names)
    finally:
        pool.set_limit()
    return found, errors


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_that_runs_out_anywhere(name, rows):
    statements = PROGRAMS[name]
    with gpunp.config.using(fusion="off"):
        expected, _ = run(statements, values())
    for limit in range(0, 100 * STEP, STEP):
        found, errors = run(statements, values(), limit)
        assert found == expected, limit
        if not errors:
            break
    # The first run had room for nothing, the last one for everything.
    assert limit
    assert not errors
