"""Cumulative sums, products, extrema and logical operations along an axis, compared with NumPy."""

import numpy as np
import pytest

import gpunp

CHARS = "?bBhHiIqQefdFD"
CHOICES = ("maximum", "minimum", "fmax", "fmin")
LOGIC = ("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor")
SCANNED = ("add", "multiply", *CHOICES, *LOGIC)
# Lengths around the shares of a warp, a block and a group, for 4-byte accumulators.
LENGTHS = (1, 2, 31, 33, 127, 129, 1023, 1025, 16384, 16385, 40001)
# Half the spacing at 1, times the error growth of a cumulative sum of numbers of one sign.
TOLERANCE = {"e": 2e-2, "f": 2e-5, "d": 1e-12, "F": 2e-5, "D": 1e-12}


def values(shape, char, seed=0):
    """Return varied values whose sums and products stay in range."""
    rng = np.random.default_rng(seed)
    if char == "?":
        return rng.random(shape) < 0.5
    if char in "bBhHiIqQ":
        return rng.integers(0 if char.isupper() else -3, 4, shape).astype(char)
    x = rng.uniform(0.5, 1.5, shape)
    return (x + 1j * rng.uniform(-0.5, 0.5, shape) if char in "FD" else x).astype(char)


def compare(ours, theirs, char=None):
    ours = gpunp.asnumpy(ours)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    char = theirs.dtype.char if char is None else char
    if char in TOLERANCE:
        np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE[char], atol=TOLERANCE[char])
    else:
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("char", CHARS)
@pytest.mark.parametrize("name", SCANNED)
def test_every_loop(device, name, char):
    ufunc = getattr(np, name)
    host = values((7, 40), char)
    ours = gpunp.asarray(host, device=device)
    for axis in (0, 1):
        try:
            expected = ufunc.accumulate(host, axis=axis)
        except TypeError:
            with pytest.raises(TypeError):
                ufunc.accumulate(ours, axis=axis)
            continue
        compare(ufunc.accumulate(ours, axis=axis), expected)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("char", "bifdD")
def test_lengths(device, char, length):
    host = values(length, char)
    compare(np.cumsum(gpunp.asarray(host, device=device)), np.cumsum(host))


@pytest.mark.parametrize(
    "shape",
    [
        (1, 5),
        (200, 64),
        (129, 130),
        (2100, 96),
        (3, 260, 70),
        (2, 500, 3),
        (40, 2, 33),
        (5000, 3),
        (2, 4100, 5),
    ],
)
@pytest.mark.parametrize("char", "?hqfF")
def test_axes(device, char, shape):
    host = values(shape, char)
    ours = gpunp.asarray(host, device=device)
    for axis in range(-len(shape), len(shape)):
        compare(np.cumsum(ours, axis=axis), np.cumsum(host, axis=axis))


@pytest.mark.parametrize("name", ["maximum", "fmin"])
def test_long_choices_are_exact(device, name):
    host = values((3, 50000), "f")
    host[:, ::1000] = np.nan
    ufunc = getattr(np, name)
    for axis in (0, 1):
        ours = ufunc.accumulate(gpunp.asarray(host, device=device), axis=axis)
        np.testing.assert_array_equal(gpunp.asnumpy(ours), ufunc.accumulate(host, axis=axis))


def layouts(a):
    yield a.T
    yield a[::-1]
    yield a[:, ::-2]
    yield a[1:, 1:]
    yield a[None, :, None]
    yield a.T[3:, ::2]


def test_layouts(device):
    host = values((150, 201), "f")
    ours = gpunp.asarray(host, device=device)
    for a, b in zip(layouts(ours), layouts(host), strict=True):
        for axis in range(b.ndim):
            compare(np.cumsum(a, axis=axis), np.cumsum(b, axis=axis))


def test_more_dimensions_than_a_launch_has(device):
    host = values((2, 3) * 6, "i")
    order = (1, 3, 5, 7, 9, 11, 0, 2, 4, 6, 8, 10)
    ours = gpunp.asarray(host, device=device).transpose(order)[::2, :, ::-1]
    compare(np.cumsum(ours, axis=4), np.cumsum(host.transpose(order)[::2, :, ::-1], axis=4))


def test_runs_give_the_same_bits(device):
    for shape, axis in (((3_000_000,), 0), ((3000, 256), 0), ((5, 100_000), 1)):
        ours = gpunp.asarray(np.random.default_rng(1).standard_normal(shape).astype("f"), device=device)
        first = gpunp.asnumpy(np.cumsum(ours, axis=axis))
        for _ in range(3):
            np.testing.assert_array_equal(gpunp.asnumpy(np.cumsum(ours, axis=axis)), first)


def test_signed_zeros_are_kept(device):
    host = np.array([-0.0, -0.0, 0.0, -0.0])
    ours = gpunp.asnumpy(np.cumsum(gpunp.asarray(host, device=device)))
    np.testing.assert_array_equal(np.signbit(ours), np.signbit(np.cumsum(host)))


def test_infinite_products(device):
    host = np.array([1 + 1j, np.inf, 2.0, 1j])
    with np.errstate(invalid="ignore"):
        expected = np.cumprod(host)
    np.testing.assert_array_equal(gpunp.asnumpy(np.cumprod(gpunp.asarray(host, device=device))), expected)


def test_half_sums_are_not_worse_than_float(device):
    # NumPy rounds every step to float16; gpunp rounds only the results.
    host = np.full(3000, 1.001, "e")
    ours = gpunp.asnumpy(np.cumsum(gpunp.asarray(host, device=device)))
    assert ours.dtype == np.float16
    np.testing.assert_allclose(ours, np.cumsum(host.astype("d")), rtol=2**-11)


def test_in_place_and_overlapping(device):
    host = np.arange(20000.0)
    ours = gpunp.asarray(host, device=device)
    np.cumsum(ours, out=ours)
    compare(ours, np.cumsum(host))
    ours = gpunp.asarray(host, device=device)
    np.cumsum(ours, out=ours[::-1])
    compare(ours, np.cumsum(host)[::-1])


def test_narrow_results_wrap(device):
    host = np.full(1000, 100, "b")
    ours = gpunp.asarray(host, device=device)
    compare(np.cumsum(ours, dtype="b"), np.cumsum(host, dtype="b"))
    compare(np.cumsum(ours, dtype="b", out=gpunp.empty(1000, "d", device=device)),
            np.cumsum(host, dtype="b", out=np.zeros(1000)))  # fmt: skip


@pytest.mark.large
def test_more_than_two_to_the_31(device):
    if device.kind == "cpu":
        pytest.skip("takes minutes on the host")
    ours = gpunp.ones(2**31 + 5, "b", device=device)
    sums = np.cumsum(ours, dtype="q")
    assert int(sums[-1]) == 2**31 + 5
    assert int(sums[2**31]) == 2**31 + 1
