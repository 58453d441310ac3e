"""Iteration over the elements of arrays of a program: NumPy's scalars, and those of the moment."""

import statistics

import numpy as np
import pytest

import gpunp
from gpunp.running import elements

LOOPS = [
    "seen = [v for v in x]",
    "seen = list(x)",
    "seen = [*x[::-3]]",
    "seen = []\nfor i, v in enumerate(x):\n    seen.append(v)\n    x[(i * 7) % len(x)] = -v",
    "seen = []\nfor i, v in enumerate(x):\n    seen.append(v)\n    if i + 1 < len(x):\n        x[i + 1] += v",
    "seen = []\nfor i, v in enumerate(x):\n    if v > 0:\n        seen += [i]\n        x[2 * i :: i + 1] = 0",
    "seen = []\nfor v in x:\n    seen.append(v)\n    x += 1",
    "seen = []\nfor v in x:\n    seen.append(v + x.sum())",
    "view = x[2:]\nseen = []\nfor v in x:\n    seen.append(v)\n    view *= 2",
    "a, b, *c = x\nseen = [a, b, len(c)]",
    "seen = [a * b for a, b in zip(x, x[1:])]",
    "seen = [sum(x), max(x), min(x), sorted(x)[3], 4 in x]",
    "seen = []\nfor v in x:\n    if v > 5:\n        break\n    seen.append(v)",
]


@pytest.fixture
def iteration():
    elements.start()
    yield
    elements.stop()


@pytest.mark.parametrize("source", LOOPS)
@pytest.mark.parametrize("size", [40, 300])
def test_loops(source, size, iteration):
    spaces = [{"x": np.arange(float(size))}, {"x": gpunp.arange(float(size))}]
    for space in spaces:
        exec(source, space)
    expected, found = (space["seen"] for space in spaces)
    assert [float(v) for v in found] == [float(v) for v in expected]
    assert np.array_equal(gpunp.asnumpy(spaces[1]["x"]), spaces[0]["x"])


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "c16"])
def test_types_of_elements(dtype, iteration):
    x = gpunp.ones(50, dtype)
    assert {type(v) for v in x} == {np.dtype(dtype).type}
    assert {type(v) for v in gpunp.ones((3, 2))} == {gpunp.ndarray}
    with pytest.raises(TypeError, match="0-d"):
        iter(gpunp.zeros(()))
    assert statistics.mean(gpunp.arange(5.0)) == 2


def test_masks_that_are_iterated(iteration):
    mask, values = gpunp.asarray([True, False] * 20), gpunp.arange(40)
    assert [int(values[mask].sum()) for _ in mask] == [380] * 40
    seen = []
    for i, chosen in enumerate(mask):
        seen.append((bool(chosen), values[mask].size))
        mask[i] = True
    assert seen[2:4] == [(True, 21), (False, 21)]


def test_blocks_are_read_at_once(device, iteration):
    x = gpunp.arange(10_000)
    before = device.transfer_counts[2]
    assert sum(v for v in x) == 49_995_000
    assert device.transfer_counts[2] - before < 20


def test_iteration_keeps_no_memory(iteration, device):
    if device.is_cpu:
        pytest.skip("the memory of the CPU device is not counted")
    pool = gpunp.get_default_memory_pool()
    x = gpunp.arange(100_000)
    for v in x:
        if v > 10:
            break
    list(x)
    del x, v
    used = pool.used_bytes()
    x = gpunp.arange(100_000)
    list(x)
    del x
    assert pool.used_bytes() <= used


def test_iteration_is_as_before_after_a_program(program):
    program("import numpy as np\nx = [type(v) for v in np.zeros(20)]")
    assert {type(v) for v in gpunp.zeros(3)} == {gpunp.ndarray}
