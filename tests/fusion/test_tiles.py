"""Stencils of slices: on a GPU their blocks compute tiles of rows, with the bits of single calls."""

import numpy as np
import pytest

import gpunp


def five_points(m):
    return 0.2 * (m[1:-1, 1:-1] + m[:-2, 1:-1] + m[2:, 1:-1] + m[1:-1, :-2] + m[1:-1, 2:])


def seven_points(m):
    inner = m[1:-1, 1:-1, 1:-1]
    return (
        m[:-2, 1:-1, 1:-1]
        + m[2:, 1:-1, 1:-1]
        + m[1:-1, :-2, 1:-1]
        + m[1:-1, 2:, 1:-1]
        + m[1:-1, 1:-1, :-2]
        + m[1:-1, 1:-1, 2:]
        - 6 * inner
    )


def corners_and_a_column(m):
    return (m[:-1, :-1] - m[1:, 1:]) * m[1:, :-1] + m[:-1, 1:] * m[1:, 3:4]


# Sizes from which there are tiles on GPUs of up to 140 multiprocessors: pairs and single elements, rows that
# do not fill tiles, higher and wider tiles.
CASES = (
    (five_points, (2053, 1300)),
    (five_points, (1100, 2301)),
    (five_points, (301, 16390)),
    (corners_and_a_column, (4003, 700)),
    (seven_points, (40, 90, 900)),
    (five_points, (4301, 4300)),
)


@pytest.mark.parametrize(("program", "shape"), CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits(program, shape, dtype):
    host = np.random.default_rng(3).uniform(-1, 1, shape).astype(dtype)
    m = gpunp.asarray(host)
    with gpunp.config.using(fusion="off"):
        expected = program(m)
    found = gpunp.fuse(program)(m)
    assert found.dtype == expected.dtype == np.dtype(dtype)
    assert found.get().tobytes() == expected.get().tobytes()


def test_in_place():
    m = gpunp.asarray(np.random.default_rng(4).uniform(-1, 1, (2053, 1300)).astype("f4"))
    expected, found = m.copy(), m.copy()

    def step(x):
        x[1:-1, 1:-1] = five_points(x)

    with gpunp.config.using(fusion="off"):
        step(expected)
    gpunp.fuse(step)(found)
    assert found.get().tobytes() == expected.get().tobytes()
