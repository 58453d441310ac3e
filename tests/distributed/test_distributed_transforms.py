"""Fourier transforms of arrays that are cut over devices, against NumPy's of the whole array."""

import numpy as np
import pytest

from gpunp.distributed.array import distributed_array

SHAPE = (6, 5, 8)
MAPS = {
    "first": {0: slice(2), 1: slice(2, None)},
    "last": {0: (..., slice(3)), 1: (..., slice(3, 4)), 2: (..., slice(4, None))},
    "blocks": {
        0: (slice(3), slice(2)),
        1: (slice(3, None), slice(2)),
        2: [(slice(3), slice(2, None)), (slice(3, None), slice(2, None))],
    },
    "replicas": {0: slice(None), 1: slice(None)},
}
ONE = [
    (name, options)
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    for options in ({}, {"axis": 0}, {"axis": 1, "n": 7}, {"n": 4, "norm": "ortho"})
]
SEVERAL = [
    *((f"{kind}{end}", {}) for kind in ("fft", "ifft", "rfft", "irfft") for end in ("2", "n")),
    ("fftn", {"axes": (0, 2)}),
    ("fftn", {"axes": (2, 0), "s": (4, 9)}),
    ("rfftn", {"axes": (2, 0, 1), "norm": "forward"}),
    ("irfftn", {"axes": (1, 2, 0)}),
    ("irfft2", {"axes": (0, 1), "s": (3, 9)}),
]


@pytest.mark.parametrize("cut", MAPS)
@pytest.mark.parametrize("number", range(len(ONE) + len(SEVERAL)))
def test_transforms(on_devices, rng, cut, number):
    name, options = (ONE + SEVERAL)[number]
    for dtype in ("f8", "c8"):
        if dtype == "c8" and name in ("rfft", "ihfft", "rfft2", "rfftn"):
            continue
        host = rng.random(SHAPE).astype(dtype)
        call = getattr(np.fft, name)
        expected = call(host, **options)
        found = call(distributed_array(host, on_devices(MAPS[cut])), **options)
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, atol=1e-4 if dtype == "c8" else 1e-12)


def test_modes_and_results_of_transforms(on_devices, rng):
    host = rng.random((4, 6))
    x = distributed_array(host, on_devices({0: slice(None), 1: slice(None)}), "sum")
    np.testing.assert_allclose(np.fft.fft(x).get(), np.fft.fft(host))
    y = distributed_array(host, on_devices({0: slice(2), 1: slice(2, None)}))
    spectrum = np.fft.rfft2(y)
    np.testing.assert_allclose(np.fft.irfft2(spectrum * 2).get(), 2 * host)


def test_what_transforms_refuse(on_devices):
    x = distributed_array(np.ones((4, 6)), on_devices({0: slice(2), 1: slice(2, None)}))
    line = distributed_array(np.ones(8), {0: [slice(4), slice(4, None)]})
    for call, error, message in (
        (lambda: np.fft.fft(line), ValueError, "reshard it to one device"),
        (lambda: np.fft.fft(x, out=np.ones((4, 6), "c16")), TypeError, "out is not supported"),
        (lambda: np.fft.fftn(x, axes=(0, 0)), ValueError, "transformed once"),
        (lambda: np.fft.fftn(x, s=(1,), axes=(0, 1)), ValueError, "different lengths"),
        (lambda: np.fft.fft(x, axis=2), IndexError, "axis 2 is out of bounds"),
        (lambda: np.fft.fftshift(x), TypeError, "np.fftshift is not supported"),
    ):
        with pytest.raises(error, match=message):
            call()


EMPTY = [("fft", (0, 4), {}), ("fft", (4, 0), {"axis": 0}), ("rfft", (0, 4), {}), ("fft", (4, 0), {"n": 3})]


@pytest.mark.parametrize(("name", "shape", "options"), EMPTY)
def test_transforms_of_nothing(on_devices, name, shape, options):
    array = distributed_array(np.ones(shape), on_devices({0: slice(2), 1: slice(2, None)}))
    expected = getattr(np.fft, name)(np.ones(shape), **options)
    np.testing.assert_array_equal(getattr(np.fft, name)(array, **options).get(), expected, strict=True)
    with pytest.raises(ValueError, match="data points"):
        np.fft.fft2(array)


def test_products_of_nothing(on_devices):
    left = distributed_array(np.ones((4, 0)), on_devices({0: slice(2), 1: slice(2, None)}))
    right = distributed_array(np.ones((0, 3)), {0: slice(None)})
    np.testing.assert_array_equal((left @ right).get(), np.zeros((4, 3)), strict=True)
    assert (right @ distributed_array(np.ones((3, 2)), {0: slice(None)})).get().shape == (0, 2)
