"""Matrices with constant diagonals or antidiagonals by their kernel, which the CPU device does not need."""

import numpy as np
import pytest
import scipy.linalg
from gpunp_scipy.linalg.window_kernels import windows

import gpunp

# Rows and columns: whole groups of elements of a thread, and others; more rows than those of a block.
SHAPES = [(5, 7), (8, 8), (1, 1), (1, 9), (9, 1), (300, 1030)]


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
@pytest.mark.parametrize("char", "bhidD")
def test_matrices(rows, columns, char):
    c, r = np.arange(rows).astype(char), (np.arange(columns) + 50).astype(char)
    first, second = gpunp.asarray(c), gpunp.asarray(r)
    found = windows(first, second, rows, columns, -1, 1, 0, first_backward=True)
    np.testing.assert_array_equal(gpunp.asnumpy(found), scipy.linalg.toeplitz(c, r))
    found = windows(first, second, rows, columns, 1, rows, 1 - rows)
    np.testing.assert_array_equal(gpunp.asnumpy(found), scipy.linalg.hankel(c, r))
    found = windows(first, first, rows, rows, -1, 1, rows, first_backward=True, second_backward=True)
    np.testing.assert_array_equal(gpunp.asnumpy(found), scipy.linalg.circulant(c))


def test_batches():
    c, r = np.arange(12.0).reshape(2, 2, 3), np.arange(20.0).reshape(2, 2, 5) + 50
    found = windows(gpunp.asarray(c), gpunp.asarray(r), 3, 5, -1, 1, 0, first_backward=True)
    assert found.shape == (2, 2, 3, 5)
    for place in np.ndindex(2, 2):
        expected = scipy.linalg.toeplitz(c[place], r[place])
        np.testing.assert_array_equal(gpunp.asnumpy(found[place]), expected)


def test_nothing():
    found = windows(gpunp.zeros(0), gpunp.zeros(3), 0, 3, -1, 1, 0, first_backward=True)
    assert found.shape == (0, 3)
