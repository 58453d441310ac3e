"""Matrix products through cuBLAS: the translation of strides to its arguments."""

import importlib.metadata

import numpy
import pytest

# The stand-in library is found only if the real one is not installed.
REAL = any(d.name == "nvidia-cublas" for d in importlib.metadata.distributions())
pytestmark = [
    pytest.mark.fake_driver(),
    pytest.mark.skipif(REAL, reason="the real cuBLAS is installed, and needs the real driver"),
]


@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float64, numpy.complex64, numpy.complex128])
def test_products(cuda_device, dtype):
    import gpunp

    rng = numpy.random.default_rng(0)

    def operand(*shape):
        values = rng.integers(-9, 10, shape)
        if numpy.dtype(dtype).kind == "c":
            values = values + 1j * rng.integers(-9, 10, shape)
        return values.astype(dtype)

    # Products of two small matrices use gpunp's own kernel.
    for m, n, k, batch in (
        (3, 4, 65, ()),
        (1, 4, 5, (2,)),
        (3, 1, 5, (2,)),
        (3, 4, 1, (3,)),
        (1, 1, 65, ()),
        (7, 6, 9, (2,)),
    ):
        for left in (operand(*batch, m, k), operand(*batch, k, m).swapaxes(-1, -2)):
            for right in (operand(*batch, k, n), operand(*batch, n, k).swapaxes(-1, -2), operand(k, n)):
                product = gpunp.asarray(left, device=cuda_device) @ gpunp.asarray(right, device=cuda_device)
                numpy.testing.assert_array_equal(gpunp.asnumpy(product), left @ right)


def test_the_library_version(cuda_device):
    import gpunp.cuda.cublas

    assert gpunp.cuda.cublas.version() == 130000
