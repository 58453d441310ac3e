"""Reductions of parts of what a chain computes, and of views of it: the bits of an array in memory."""

import numpy as np
import pytest
from waiting import PATIENCE

import gpunp
from gpunp import fusion
from gpunp.fusion import reductions, worker

COLUMNS = 256


def rows(w):
    return w.reshape(-1, COLUMNS)


PARTS = {
    "tail": lambda w: w[5:],
    "head": lambda w: w[:-7],
    "middle": lambda w: w[1000:-3],
    "backwards": lambda w: w[::-1],
    "tail backwards": lambda w: w[:4:-1],
    "every other": lambda w: w[::2],
    "last rows": lambda w: rows(w)[3:],
    "last columns": lambda w: rows(w)[:, 4:],
    "transposed": lambda w: rows(w).T,
    "transposed rows": lambda w: rows(w)[5:].T,
    "repeated": lambda w: np.broadcast_to(w, (2, w.size)),
    "as integers": lambda w: w.view(f"i{w.itemsize}"),
    "as bytes": lambda w: w.view("u1")[3:],
    "as wider numbers": lambda w: w.view("u8"),
}
COMPLEX_PARTS = {
    "real": lambda w: w.real,
    "imaginary": lambda w: w.imag,
    "tail of real": lambda w: w.real[9:],
    "both": lambda w: w.view("f4"),
    "tail": lambda w: w[9:],
}
REDUCTIONS = {"sum": np.sum, "max": np.max, "mean": np.mean, "any": np.any}


@pytest.fixture(autouse=True, params=["on", "check"])
def mode(request):
    reductions.forget()
    with gpunp.config.using(fusion=request.param):
        yield


def check(part, reduce, chain, *operands):
    """Compare a reduction of deferred values with one of an array in memory."""
    stored = chain(*operands)
    gpunp.asnumpy(stored)
    wanted = np.asarray(gpunp.asnumpy(reduce(part(stored))))
    for _ in range(3):
        found = np.asarray(gpunp.asnumpy(reduce(part(chain(*operands)))))
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        assert found.tobytes() == wanted.tobytes()
        assert worker.wait(PATIENCE)
    assert worker.failures() == []


def difference(x, y):
    return x - y


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("dtype", ["f4", "i4"])
def test_parts(part, name, dtype, rng):
    x, y = (gpunp.asarray((100 * rng.standard_normal(2**18)).astype(dtype)) for _ in range(2))
    check(PARTS[part], REDUCTIONS[name], difference, x, y)


@pytest.mark.parametrize("name", ["sum", "mean", "any"])
@pytest.mark.parametrize("part", COMPLEX_PARTS)
def test_parts_of_complex_numbers(part, name, rng):
    x, y = (gpunp.asarray(rng.standard_normal(2**18).astype("f4").view("c8")) for _ in range(2))
    check(COMPLEX_PARTS[part], REDUCTIONS[name], difference, x, y)


@pytest.mark.parametrize("part", ["last rows", "last columns", "as integers", "transposed"])
@pytest.mark.parametrize("axis", [0, 1])
def test_parts_along_an_axis(part, axis, rng):
    x, y = (gpunp.asarray(rng.standard_normal(2**18).astype("f4")) for _ in range(2))
    if part == "as integers":
        check(lambda w: rows(w).view("i4"), lambda a: np.sum(a, axis=axis), difference, x, y)
    else:
        check(PARTS[part], lambda a: np.sum(a, axis=axis), difference, x, y)


def test_small_parts(rng):
    """Arrays of any size, in short blocks, as in random programs."""
    x, y = (gpunp.asarray(rng.standard_normal(1400).astype("f4")) for _ in range(2))
    least, block = fusion.set_least_elements(1), fusion.set_block_elements(7)
    try:
        for start in (0, 1, 13, 511, 512, 513, 1399):
            for reduce in REDUCTIONS.values():
                check(lambda w, start=start: w[start:], reduce, difference, x, y)
    finally:
        fusion.set_least_elements(least)
        fusion.set_block_elements(block)
