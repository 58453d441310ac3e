"""Functions of two operands over the whole range of their dtypes, also with scalar operands."""

import inspect

import numpy as np
import pytest
from calls import call_test
from values import assert_same_class, assert_ulps

import gpunp

BINARY = sorted(
    {
        u.__name__
        for u in vars(np).values()
        if isinstance(u, np.ufunc) and u.nin == 2 and u.nout <= 2 and not u.signature
    }
    - {"bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm", "left_shift", "right_shift", "ldexp"}
)
EXACT = frozenset(
    ["add", "subtract", "multiply", "divide", "copysign", "fmod", "heaviside", "nextafter", "remainder",
     "floor_divide", "divmod", "maximum", "minimum", "fmax", "fmin", "hypot"]
)  # fmt: skip
# If operands cancel, the error is relative to them, not to the result.
CANCELLING = frozenset({"logaddexp", "logaddexp2"})
SCIPY = ("xlogy", "xlog1py", "rel_entr")


def seventeen(char):
    """Return 17 values: zeros, ones, the ends of the range, the smallest numbers, infinities and NaN."""
    info = np.finfo(char)
    positive = [0.0, 1.0, 1.5, float(info.max), float(info.smallest_normal), float(info.smallest_subnormal)]
    positive += [float(np.sqrt(info.max)), np.inf]
    return np.array([*positive, *(-x for x in positive), np.nan], np.dtype(char).char.lower())


def grid(char):
    """Return all pairs of special values; complex numbers use a subset of them as parts."""
    values = seventeen(char)
    if np.dtype(char).kind == "c":
        parts = values[[0, 1, 3, 4, 7, 8, 9, 11, 15, 16]]
        values = np.empty(parts.size**2, char)
        values.real, values.imag = np.repeat(parts, parts.size), np.tile(parts, parts.size)
    first, second = np.meshgrid(values, values, indexing="ij")
    return first.ravel(), second.ravel()


def compare(ufunc, operands, ulps, signed_zero=True):
    with np.errstate(all="ignore"):
        expected = ufunc(*operands)
    actual = ufunc(*map(gpunp.asarray, operands))
    if not isinstance(expected, tuple):
        expected, actual = (expected,), (actual,)
    for got, want in zip(actual, expected, strict=True):
        assert_ulps(got.get(), want, ulps, signed_zero)


@pytest.mark.parametrize("char", "efd")
@pytest.mark.parametrize("name", BINARY)
def test_special_values(name, char, device):
    first, second = grid(char)
    if name in CANCELLING:
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(first, second)
        actual = getattr(np, name)(gpunp.asarray(first), gpunp.asarray(second)).get()
        assert_same_class(actual, expected, signed_zero=False)
        finite = np.isfinite(expected)
        np.testing.assert_allclose(actual[finite], expected[finite], rtol=8 * np.finfo(char).eps)
        return
    # NumPy's vector loops return either of two equal zeros; its nextafter for float16 loses a zero's sign.
    signed = name not in ("maximum", "minimum", "fmax", "fmin", "nextafter")
    compare(getattr(np, name), (first, second), 0 if name in EXACT else 4, signed)


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("name", ["add", "subtract", "equal", "less", "maximum", "fmin", "logical_or"])
def test_special_values_of_complex_numbers(name, char, device):
    first, second = grid(char)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(first, second)
    actual = getattr(np, name)(gpunp.asarray(first), gpunp.asarray(second)).get()
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
    kept = ~np.isnan(expected)
    np.testing.assert_array_equal(actual[kept], expected[kept])


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("name", ["absolute", "sqrt", "log", "sign", "angle"])
def test_complex_numbers_at_the_ends_of_the_range(name, char, device):
    info = np.finfo(char)
    parts = np.array([info.max, info.max / 2, info.smallest_normal, info.smallest_subnormal, 1, 0])
    parts = np.concatenate([parts, -parts])
    host = np.empty(parts.size**2, char)
    host.real, host.imag = np.repeat(parts, parts.size), np.tile(parts, parts.size)
    with np.errstate(all="ignore"):
        # Computed in the next wider dtype: NumPy's own square roots overflow.
        expected = getattr(np, name)(host.astype("G" if char == "D" else "D"))
        expected = expected.astype(char if expected.dtype.kind == "c" else char.lower())
    actual = getattr(np, name)(gpunp.asarray(host)).get()
    assert actual.dtype == expected.dtype
    with np.errstate(all="ignore"):
        bound = np.nan_to_num(4 * np.spacing(np.abs(expected)), nan=0, posinf=0)
        for got, want in ((actual.real, expected.real), (actual.imag, expected.imag)):
            assert np.all((got == want) | (np.abs(got - want) <= bound))


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("name", SCIPY)
def test_special_values_of_scipy(name, char, device):
    special = pytest.importorskip("scipy.special")
    first, second = grid(char)
    with np.errstate(all="ignore"):
        expected = inspect.unwrap(getattr(special, name))(first, second)
    actual = inspect.unwrap(getattr(special, name))(gpunp.asarray(first), gpunp.asarray(second)).get()
    assert_same_class(actual, expected, signed_zero=False)
    finite = np.isfinite(expected) & np.isfinite(actual)
    np.testing.assert_allclose(actual[finite], expected[finite], rtol=16 * np.finfo(char).eps)


def drawn(char, size, spread):
    """Draw pairs with exponents from the whole range; those of a pair are close."""
    rng = np.random.default_rng(5)
    info = np.finfo(char)
    exponents = rng.integers(info.minexp - info.nmant, info.maxexp, size)
    near = np.clip(exponents + rng.integers(-spread, spread, size), info.minexp - info.nmant, info.maxexp - 1)
    pairs = [np.ldexp(rng.uniform(1, 2, size), e) * rng.choice([-1, 1], size) for e in (exponents, near)]
    return [x.astype(char) for x in pairs]


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize(("name", "ulps"), [("hypot", 1), ("arctan2", 4), ("nextafter", 0), ("divide", 0)])
def test_the_whole_range(name, ulps, char, device):
    x, y = drawn(char, 20000, 30)
    compare(getattr(np, name), (x, y), ulps)


def test_angles_of_floats_are_nearly_exact(device):
    x, y = drawn("f", 20000, 12)
    expected = np.arctan2(x.astype(float), y.astype(float))
    assert_ulps(np.arctan2(gpunp.asarray(x), gpunp.asarray(y)).get(), expected.astype("f"), 1)
    rows = np.random.default_rng(2).normal(size=(2000, 6)).astype("f")
    ours = np.arctan2.reduce(gpunp.asarray(rows), axis=1).get()
    step = rows[:, 0]
    for column in rows.T[1:]:
        step = np.arctan2(step.astype(float), column.astype(float)).astype("f")
    np.testing.assert_allclose(ours, step, rtol=1e-6)


@pytest.mark.parametrize("char", "efdFD")
@pytest.mark.parametrize("exponent", [0.5, 2, 2.0, -1, -1.0, 1, 0, -0.5, 3, 0.25])
def test_powers_by_scalars(char, exponent, device):
    x = seventeen(char).astype(char)
    if char in "FD":
        # Moderate values: errors grow with |b log a|, and NumPy gives NaN where squares of parts overflow.
        x = np.array(
            [*np.linspace(-2, 2, 8), -0.0, 1j, -1j, 1 + 2j, -3j, 0.5 + 0.25j, 3, np.inf, np.nan], char
        )
    a = gpunp.asarray(x)
    calls = [
        lambda x, of: np.power(x, exponent),
        lambda x, of: x**exponent,
        lambda x, of: np.float_power(x, exponent),
        lambda x, of: np.power(x, of(np.array(exponent, char))),
        lambda x, of: np.power(x, of(np.array([exponent], char))),
        lambda x, of: np.power(x, of(np.full(17, exponent, char))),
    ]
    for call in calls:
        with np.errstate(all="ignore"):
            expected = call(x, np.asarray)
        assert_ulps(call(a, gpunp.asarray).get(), expected, 16 if char in "FD" else 4)


@pytest.mark.parametrize("char", "efdFD")
def test_clip_between_scalars_and_arrays(char, device):
    x = seventeen(char).astype(char)
    a = gpunp.asarray(x)
    for low in (0.0, -0.0, -1.0, -np.inf, np.nan):
        for high in (0.0, -0.0, 2.0, np.nan):
            assert_ulps(np.clip(a, low, high).get(), np.clip(x, low, high), 0)
            bounds = np.full(17, low, char), np.full(17, high, char)
            assert_ulps(np.clip(a, *map(gpunp.asarray, bounds)).get(), np.clip(x, *bounds), 0)
            # A 0-D array and an array of one element, on the device.
            bounds = np.array(low, char), np.array([high], char)
            assert_ulps(np.clip(a, *map(gpunp.asarray, bounds)).get(), np.clip(x, *bounds), 0)


test_calls = call_test(
    """
    np.power(A(np.ones(3, "f2")), 1 + 2j, dtype="i1")
    np.power(A(np.ones(3, "f2")), 1 + 2j, dtype="i1", casting="unsafe")
    np.power(A(np.ones(3, "i4")), -1 + 2j, dtype="i1", casting="unsafe")
    np.power(A(np.ones(3, "i4")), -0.5, dtype="i4", casting="unsafe")
    np.power(A(np.ones(3, "i4")), -1.5, dtype="i4", casting="unsafe")
    np.power(A(np.ones(3, "i4")), -1)
    np.power(A(np.ones(0, "i4")), -1)
    np.power(A(np.ones(3, "u4")), 2**32 - 1)
    np.power(A(np.ones(3, "u4")), -1)
    np.hypot(1.7976931348623157e308, A([1.0, 0.0]))
    np.hypot(A([1.7976931348623157e308]), A([1.0]))
    np.abs(A([complex(1.7e308, 1e307)]))
    """
)
