"""Whole programs: their results are NumPy's, and their bits are the same with fusion and without it."""

import numpy as np
import pytest
from programs import PROGRAMS, random_calls
from waiting import PATIENCE

import gpunp

# Sizes around a warp, a block and several blocks.
COUNTS = (30, 1000, 40_000)
# Runs after which a chain has been seen often enough to be compiled.
RUNS = 4
ITERATED = {"mandelbrot_masks", "mandelbrot_where"}
can_choose = pytest.mark.skipif(not hasattr(gpunp.config, "fusion"), reason="this gpunp does not fuse")


class Maker:
    """Makes the arguments of a program: NumPy's arrays, and copies of them on the device."""

    def __init__(self, upload):
        self.upload = upload
        self.rng = np.random.default_rng(12)

    def __call__(self, low, high, *shape):
        return self.upload(self.rng.uniform(low, high, shape).astype(np.float32))


def run(program, count, upload):
    """The results of a program, and all its arguments, which it may have changed."""
    arguments = program.arguments(Maker(upload), count)
    results = program.function(*arguments)
    return [*(results if isinstance(results, tuple) else (results,)), *arguments]


def on_host(values):
    return [
        gpunp.asnumpy(value) if isinstance(value, gpunp.ndarray) else np.asarray(value) for value in values
    ]


@pytest.fixture
def deferring():
    """Calls on arrays of all sizes are deferred; a function waits for the kernels that were requested."""
    from gpunp import fusion
    from gpunp.fusion import worker

    before = fusion.set_least_elements(1)
    yield lambda: worker.wait(PATIENCE)
    fusion.set_least_elements(before)


@pytest.fixture(params=COUNTS)
def count(request):
    return request.param


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=lambda program: program.name)
def test_program_agrees_with_numpy(program, count):
    expected = run(program, count, np.copy)
    for found, wanted in zip(on_host(run(program, count, gpunp.asarray)), on_host(expected), strict=True):
        assert found.dtype == wanted.dtype
        if program.name in ITERATED:
            # Points at the edge of the set leave it earlier or later after a different rounding.
            assert np.mean(found != wanted) < 0.01
        else:
            # NumPy adds up columns of 200 float32 one by one, which costs 200 roundings.
            np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-5)


@can_choose
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=lambda program: program.name)
def test_fusion_keeps_every_bit(program, count, deferring):
    with gpunp.config.using(fusion="off"):
        wanted = [value.tobytes() for value in on_host(run(program, count, gpunp.asarray))]
    with gpunp.config.using(fusion="on"):
        for _ in range(RUNS):
            found = [value.tobytes() for value in on_host(run(program, count, gpunp.asarray))]
            assert found == wanted
            assert deferring()


def values_of_calls(seed, count):
    make = Maker(gpunp.asarray)
    return [value.tobytes() for value in on_host(random_calls([make(-2, 2, count) for _ in range(5)], seed))]


@pytest.mark.parametrize("seed", range(8))
def test_random_calls_agree_with_numpy(seed, count):
    host, place = Maker(np.copy), Maker(gpunp.asarray)
    wanted = random_calls([host(-2, 2, count) for _ in range(5)], seed)
    found = on_host(random_calls([place(-2, 2, count) for _ in range(5)], seed))
    # Steps such as floor and sign magnify a difference in the last place.
    same = np.isclose(found, wanted, rtol=1e-3, atol=1e-3, equal_nan=True)
    assert np.mean(same) > 0.99


@can_choose
@pytest.mark.parametrize("seed", range(8))
def test_fusion_keeps_every_bit_of_random_calls(seed, count, deferring):
    with gpunp.config.using(fusion="off"):
        wanted = values_of_calls(seed, count)
    with gpunp.config.using(fusion="on"):
        for _ in range(RUNS):
            assert values_of_calls(seed, count) == wanted
            assert deferring()
