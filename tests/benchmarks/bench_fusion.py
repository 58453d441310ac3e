"""Whole programs, whose calls gpunp fuses, and what fusion costs programs that gain nothing."""

import functools
import math
import sys
import time
import timeit
from pathlib import Path

import numpy as np
from libraries import QUEUED_CALLS
from rows import Share, Speed, row

# The programs are those of the tests. Some folders there are named like modules of Python, so they come last.
sys.path.append(str(Path(__file__).parents[1]))

from programs import PROGRAMS, random_calls

CHAPTER = "Whole programs, float32"
PAIRS = "What fusion costs where it gains nothing"
BLOCK = 1 << 20
# Speed without fusion that must be kept: programs may take 3 % longer, those that never repeat a chain 2 %.
KEPT, KEPT_UNREPEATED = 1 / 1.03, 1 / 1.02

# Shares of the copy bandwidth, as the limit in milliseconds over what is within reach, on an H100.
GOALS = {
    "black_scholes": Share(0.35 / 0.65, "copy"),
    "gelu": Share(0.18 / 0.22, "copy"),
    "distance": Share(0.27 / 0.30, "copy"),
    "squared_difference": Share(0.18 / 0.21, "copy"),
    "stencil": Share(0.72 / 0.85, "copy"),
    "standardisation": Share(1.05 / 1.45, "copy"),
    "softmax": Share(0.72 / 1.0, "copy"),
    "scale_and_shift": Share(0.71 / 0.75, "copy"),
    "choose": Share(1.05 / 1.15, "copy"),
    "close": Share(0.71 / 0.78, "copy"),
    "adam": Share(1 / 1.15, "copy"),
    "mandelbrot_masks": Speed(4, "CuPy"),
    "mandelbrot_where": Speed(4, "CuPy"),
    "jacobi": Speed(3, "CuPy"),
    "gray_scott": Speed(3, "CuPy"),
}


class Maker:
    """Makes arrays of a library from blocks of random numbers, repeated on the device."""

    def __init__(self, lib, dtype=np.float32):
        self.lib = lib
        self.dtype = dtype
        self.rng = np.random.default_rng(12)
        self.upload = lib.upload

    def __call__(self, low, high, *shape):
        elements = math.prod(shape)
        block = self.rng.uniform(low, high, min(elements, BLOCK)).astype(self.dtype)
        if elements % len(block):
            return self.upload(np.resize(block, shape))
        return self.lib.xp.tile(self.upload(block), (elements // len(block),)).reshape(shape)


def scaled(count, size):
    """A number of elements at full size, and proportionally fewer for a smaller one."""
    return max(256, count * size.elements >> 28)


def program_of(lib, name):
    """A function of a compiler that returns the program for a library."""
    if lib.dialect != "torch":
        return lambda compiled: PROGRAMS[name].function
    import programs_torch

    return getattr(programs_torch, name)


def body_of(lib, name, count, compiled, dtype=np.float32):
    """A call of a program with its arguments."""
    arguments = PROGRAMS[name].arguments(Maker(lib, dtype), count)
    return functools.partial(program_of(lib, name)(compiled), *arguments)


def register(program):
    moved = (lambda size: program.moved * scaled(program.count, size)) if program.moved else None

    @row(f"fusion_{program.name}", program.title, CHAPTER, GOALS[program.name], "program", moved)
    def build(lib, size, compiled):
        return body_of(lib, program.name, scaled(program.count, size), compiled)


for program in PROGRAMS.values():
    register(program)


def register_huge(name, dtype):
    """Black-Scholes with arguments of 2^30 elements: 12 GiB of float32 or 24 of float64."""
    itemsize = np.dtype(dtype).itemsize

    @row(
        f"fusion_black_scholes_{name}",
        f"Black-Scholes, 2^30 {name}",
        CHAPTER,
        GOALS["black_scholes"],
        "program",
        lambda size: 4 * itemsize * scaled(1 << 30, size),
        needs_gpu=True,
    )
    def build(lib, size, compiled):
        return body_of(lib, "black_scholes", scaled(1 << 30, size), compiled, dtype)


register_huge("float32", np.float32)
register_huge("float64", np.float64)


def pair(name, title, kept=KEPT):
    """Register a function that measures gpunp alone, with fusion off and on by turns."""
    return row(f"fusion_{name}", title, PAIRS, Speed(kept, "gpunp off"), "pair")


def host_sample(lib, statement, **names):
    """A sample of the host time of a statement, while the device still executes earlier calls."""
    timer = timeit.Timer(statement, globals={"np": np, **names})

    def sample(index):
        lib.synchronize()
        return timer.timeit(QUEUED_CALLS) / QUEUED_CALLS

    return sample


def wall_sample(lib, body, repeats=1):
    """A sample of the time until the result of a call is complete, as the mean of some."""

    def sample(index):
        start = time.perf_counter()
        for _ in range(repeats):
            body(index)
            lib.synchronize()
        return (time.perf_counter() - start) / repeats

    return sample


@pair("tiny_operator", "`a + b`, 8 elements, host time")
def tiny_operator(lib, size):
    return host_sample(lib, "a + b", a=lib.values(8), b=lib.values(8))


@pair("tiny_ufunc", "`np.sqrt(a)`, 8 elements, host time")
def tiny_ufunc(lib, size):
    return host_sample(lib, "np.sqrt(a)", a=lib.values(8))


@pair("tiny_program", "GELU as above, 8 elements, host time")
def tiny_program(lib, size):
    return host_sample(lib, "f(x)", f=PROGRAMS["gelu"].function, x=lib.values(8))


@pair("single_small", "`np.sqrt(a)`, 2^16, and a synchronisation")
def single_small(lib, size):
    a = lib.values(scaled(1 << 16, size))
    return wall_sample(lib, lambda index: np.sqrt(a), 50)


@pair("single_large", "`np.sqrt(a)`, 2^26, and a synchronisation")
def single_large(lib, size):
    a = lib.values(scaled(1 << 26, size))
    return wall_sample(lib, lambda index: np.sqrt(a), 5)


@pair("single_read", "`float(np.sqrt(a)[0])`, 2^22")
def single_read(lib, size):
    a = lib.values(scaled(1 << 22, size))
    return wall_sample(lib, lambda index: float(np.sqrt(a)[0]), 20)


def register_random(elements):
    @pair(f"random_calls_{elements}", f"64 calls in a new random order, 2^{elements}", KEPT_UNREPEATED)
    def random_order(lib, size):
        values = [lib.values(scaled(1 << elements, size)) for _ in range(4)]
        return wall_sample(lib, lambda index: random_calls(values, index))


register_random(8)
register_random(16)
register_random(22)
