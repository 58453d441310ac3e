"""Filters of Fourier transforms, compared with SciPy."""

import numpy as np
import pytest

pytest.importorskip("scipy")
from image_filters import compare, image

NAMES = ("fourier_gaussian", "fourier_uniform", "fourier_ellipsoid", "fourier_shift")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("char", "?BlfdFD")
def test_filters(name, char, rng):
    for shape in ((7,), (8,), (5, 6), (1, 4), (3, 4, 5), (2, 3, 2, 3)):
        if name == "fourier_ellipsoid" and len(shape) > 3:
            continue
        a = image(rng, shape, char)
        options = {"atol": 2e-4} if char in "fF" else {"atol": 1e-12}
        compare(name, a, 1.5, **options)
        compare(name, a, (0.0, 2.5, 1.0, 0.5)[: len(shape)], **options)
        for axis in range(len(shape)):
            compare(name, a, 2.0, 2 * shape[axis] - 1, axis, **options)
        compare(name, a, 1.5, output=np.complex128, **options)
        compare(name, a.T, 1.5, -1, 0, np.complex64, atol=2e-4)


@pytest.mark.parametrize("name", NAMES)
def test_arguments(name):
    a = np.ones((4, 5))
    for args, kwargs in (
        ((1.0,), {"output": np.int32}),
        ((1.0,), {"axis": 2}),
        (((1.0, 2.0, 3.0),), {}),
    ):
        compare(name, a, *args, **kwargs)
    compare(name, a + 1j, 1.0, output=np.float64)
    compare(name, np.ones((0, 3)), 1.0)
    compare(name, np.ones((2, 2, 2, 2, 2)), 1.0, atol=1e-12)
