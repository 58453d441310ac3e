"""Random shapes, strides, broadcasting and axes in elementwise and reduction kernels, against NumPy."""

import numpy as np
import pytest

import gpunp

double = gpunp.ElementwiseKernel("int32 x", "int32 z", "z = 2 * x", "double_of")
reverse = gpunp.ElementwiseKernel("int32 x, raw int32 y", "int32 z", "z = x - y[n - 1 - i]", "reverse")
total = gpunp.ReductionKernel("int32 x", "int32 y", "x", "a + b", "y = a", "0", "total")


def shapes(rng, most):
    sides = (0, 200, 20, 9, 5)
    ndim = int(rng.integers(most + 1))
    return tuple(int(n) for n in np.where(rng.random(ndim) < 0.15, 1, rng.integers(0, sides[ndim] + 1, ndim)))


def layout(rng, shape):
    """The base of a view with any order of axes, steps and offsets, and the function that makes the view."""
    ndim = len(shape)
    order = rng.permutation(ndim)
    plain = rng.random() < 0.3
    steps = np.ones(ndim, int) if plain else rng.choice([1, 1, 2, -1, -2], ndim)
    starts = np.zeros(ndim, int) if plain else rng.integers(0, 2, ndim)
    base = [shape[d] * abs(steps[d]) + starts[d] for d in order]

    def view(array):
        array = array.transpose(tuple(np.argsort(order)))
        parts = [slice(start, None, abs(step)) for start, step in zip(starts, steps, strict=True)]
        return array[(..., *parts)][(..., *(slice(None, None, np.sign(step)) for step in steps))]

    return np.array(rng.integers(-9, 9, base), "i4"), view


@pytest.mark.parametrize("seed", range(3))
def test_elementwise(seed):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        shape = shapes(rng, 2)
        given = tuple(1 if rng.random() < 0.2 else n for n in shape)[int(rng.random() < 0.2) :]
        (x, view_x), (z, view_z) = layout(rng, given), layout(rng, shape)
        device_x, device_z = gpunp.asarray(x), gpunp.asarray(z)
        result = double(view_x(device_x), view_z(device_z))
        view_z(z)[...] = 2 * view_x(x)
        assert result.shape == shape
        # Elements beside the view are left alone.
        np.testing.assert_array_equal(device_z.get(), z)


def test_raw():
    rng = np.random.default_rng(7)
    for _ in range(20):
        shape = shapes(rng, 2)
        (x, view_x), (y, view_y) = layout(rng, shape), layout(rng, shape)
        result = reverse(view_x(gpunp.asarray(x)), view_y(gpunp.asarray(y)))
        np.testing.assert_array_equal(result.get(), view_x(x) - view_y(y).ravel()[::-1].reshape(shape))


@pytest.mark.parametrize("seed", range(3))
def test_reduction(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        shape = shapes(rng, 4)
        x, view = layout(rng, shape)
        axis = tuple(int(d) for d in rng.permutation(len(shape))[: int(rng.integers(0, len(shape) + 1))])
        axis, keepdims = (None if rng.random() < 0.2 else axis), bool(rng.random() < 0.5)
        expected = view(x).sum(axis, dtype="i4", keepdims=keepdims)
        out, view_out = layout(rng, expected.shape)
        device_x, device_out = gpunp.asarray(x), gpunp.asarray(out)
        total(view(device_x), view_out(device_out), axis=axis, keepdims=keepdims)
        view_out(out)[...] = expected
        np.testing.assert_array_equal(device_out.get(), out)
