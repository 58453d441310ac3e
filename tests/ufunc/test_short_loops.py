"""Short loops of the CPU device: single values, broadcast rows and columns, and strided operands."""

import numpy as np
import pytest

import gpunp

DTYPES = ["int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
SIZES = [1, 7, 64, 255, 256, 257, 600, 1024, 5000, 2**15 + 5]
# Functions of two arrays, which the operands broadcast to.
CALLS = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "equal": np.equal,
    "where": lambda a, b: np.where(a != b, a, b),
    "chosen number": lambda a, b: np.where(a != b, a, b.dtype.type(3)),
    "conjugate": lambda a, b: np.conjugate(a) + b,
}


@pytest.fixture
def cpu():
    device = gpunp.Device("cpu")
    with device:
        yield device


def values(shape, dtype):
    return (np.random.default_rng(3).standard_normal(shape) * 9).astype(dtype)


def layouts(size, dtype):
    """Pairs of operands by what is special about them."""
    x, y = values((2, size), dtype)
    yield "contiguous", x, y
    yield "one number", x, y[:1].reshape(())
    yield "number first", y[:1], x
    yield "reversed", x[::-1], y
    yield "every other", values((size, 2), dtype)[:, 1], y
    if size >= 64:
        rows = values((3, size), dtype)
        yield "rows", rows, rows[::-1]
        yield "a row", rows, x
        yield "a column", rows, rows[:, :1]
        yield "column first", rows[:, 5:6], rows
        yield "transposed", np.asfortranarray(rows), rows
        yield "part of rows", values((3, size + 9), dtype)[:, 4:-5], rows


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_as_in_numpy(cpu, name, dtype):
    call = CALLS[name]
    for size in SIZES:
        for layout, x, y in layouts(size, dtype):
            wanted = call(x, y)
            result = gpunp.asnumpy(call(gpunp.asarray(x), gpunp.asarray(y)))
            assert result.dtype == wanted.dtype, (size, layout)
            np.testing.assert_array_equal(result, wanted, err_msg=f"{size} {layout}")


@pytest.mark.parametrize("size", SIZES)
def test_two_results(cpu, size):
    x = values((2, size), "float64")
    for part in (x, x[:, :1], x[::-1]):
        a = gpunp.asarray(part)
        for result, wanted in zip(np.modf(a), np.modf(part), strict=True):
            np.testing.assert_array_equal(gpunp.asnumpy(result), wanted)
        for result, wanted in zip(np.frexp(a), np.frexp(part), strict=True):
            np.testing.assert_array_equal(gpunp.asnumpy(result), wanted)


@pytest.mark.parametrize("size", SIZES)
def test_masks_and_outputs(cpu, size):
    x, y = values((2, size), "float32")
    mask = np.arange(size) % 3 == 0
    a, b, m = gpunp.asarray(x), gpunp.asarray(y), gpunp.asarray(mask)
    out, wanted = gpunp.asarray(y), y.copy()
    np.add(a, 2, out=out, where=m)
    np.add(x, 2, out=wanted, where=mask)
    np.testing.assert_array_equal(gpunp.asnumpy(out), wanted)
    np.multiply(a, b, out=a)
    np.testing.assert_array_equal(gpunp.asnumpy(a), x * y)
    np.add(3, np.float32(4), out=out)
    assert (gpunp.asnumpy(out) == 7).all()


def test_integer_powers_report_errors(cpu):
    a = gpunp.asarray([2, 3])
    with pytest.raises(ValueError, match="negative"):
        a ** gpunp.asarray([1, -1])
