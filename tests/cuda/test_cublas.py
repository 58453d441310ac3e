"""Products and triangular systems through cuBLAS: the translation of strides to its arguments."""

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


@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float64, numpy.complex64, numpy.complex128])
@pytest.mark.parametrize("sides", [1, 4])
def test_triangular_systems(cuda_device, dtype, sides):
    import gpunp
    from gpunp.array import transfer
    from gpunp.linalg import cublas

    rng = numpy.random.default_rng(0)
    a, b = rng.normal(size=(3, 6, 6)), rng.normal(size=(3, 6, sides))
    if numpy.dtype(dtype).kind == "c":
        a, b = a + 1j * rng.normal(size=a.shape), b + 1j * rng.normal(size=b.shape)
    a = (a + 9 * numpy.eye(6)).astype(dtype)
    b = b.astype(dtype)
    for upper in (False, True):
        half = numpy.triu(a) if upper else numpy.tril(a)
        for op in (0, 1, 2):
            for unit in (False, True):
                whole = half.copy()
                if unit:
                    numpy.einsum("bii->bi", whole)[...] = 1
                whole = (whole, whole.swapaxes(1, 2), whole.conj().swapaxes(1, 2))[op]
                expected = numpy.linalg.solve(whole, b)
                left = gpunp.asarray(a, device=cuda_device)
                for batched in (False, True):
                    x = gpunp.asarray(b, device=cuda_device)
                    places = None
                    if batched:
                        starts = [[transfer.data_pointer(part)] for part in (left, x)]
                        steps = [[part.strides[0]] for part in (left, x)]
                        places = gpunp.asarray(numpy.arange(3) * steps + starts, device=cuda_device)
                    cublas.triangular(left, x, upper, op, unit, places)
                    found = gpunp.asnumpy(x)
                    error = numpy.abs(found - expected).max()
                    assert error < 1e3 * numpy.finfo(dtype).eps * max(1, numpy.abs(expected).max())


def test_the_library_version(cuda_device):
    import gpunp.cuda.cublas

    assert gpunp.cuda.cublas.version() == 130000
