"""Every typed loop of every ufunc of NumPy, on all combinations of its special values."""

import numpy as np
import pytest
from values import assert_ulps, special_values

import gpunp
from gpunp.ufunc.table import ROWS, STANDARD_ROWS
from gpunp.ufunc.table.row import BOOL, INTEGERS

# Correctly rounded by IEEE 754, or exact by nature: no error is allowed.
EXACT = frozenset(
    [
        "absolute",
        "add",
        "bitwise_and",
        "ceil",
        "clip",
        "conjugate",
        "copysign",
        "divide",
        "equal",
        "fabs",
        "floor",
        "fmax",
        "fmin",
        "fmod",
        "frexp",
        "greater",
        "greater_equal",
        "heaviside",
        "isfinite",
        "isinf",
        "isnan",
        "ldexp",
        "less",
        "less_equal",
        "logical_and",
        "maximum",
        "minimum",
        "modf",
        "multiply",
        "negative",
        "nextafter",
        "not_equal",
        "positive",
        "remainder",
        "rint",
        "sign",
        "signbit",
        "spacing",
        "sqrt",
        "square",
        "subtract",
        "trunc",
        "floor_divide",
        "divmod",
        "_ones_like",
        "reciprocal",
    ]
)
# ulps for functions whose SIMD loops in NumPy are documented to have larger errors than others.
LOOSE = {"tan": 6, "power": 6, "float_power": 6, "exp2": 6, "tanh": 6}
# If operands cancel, the error is relative to them, not to the result.
CANCELLING = frozenset({"logaddexp", "logaddexp2"})
# The sign of a zero result is unspecified if the operands are zeros of different sign, and
# NumPy before 2.5 loses it in nextafter for float16.
UNSIGNED_ZERO = frozenset(
    {"nextafter", "maximum", "minimum", "fmax", "fmin", "clip", "hypot", "logaddexp", "logaddexp2"}
)

LOOPS = [
    pytest.param(row, loop, id=f"{row.name}-{loop.inputs}")
    for row in ROWS
    if row.namespace == "numpy"
    for loop in row.loops
]


def tolerance(row, loop):
    if loop.outputs[0] == "e":
        return 1
    if loop.inputs[0] in "FD":
        # The error of a complex power grows with |b log a| ulps, in NumPy and here.
        return 64 if "power" in row.name else 16
    return 0 if row.name in EXACT else LOOSE.get(row.name, 4)


def numpy_ufunc(name):
    found = getattr(np, name, None)
    return found if isinstance(found, np.ufunc) else getattr(np._core.umath, name)


def operands_of(row, loop):
    """Return all combinations of special values, one flat array per operand."""
    values = [special_values(c) for c in loop.inputs]
    if row.name in ("power", "float_power") and loop.inputs[0] in "bhiq":
        values[1] = values[1][values[1] >= 0]
    if row.name == "clip" and loop.inputs[0] in "FD":
        values = [v[::3] for v in values]
    if row.name == "ldexp":
        values[1] = values[1][np.abs(values[1].astype(float)) < 2**20]
    grids = np.meshgrid(*values, indexing="ij")
    return [grid.ravel() for grid in grids]


@pytest.mark.parametrize(("row", "loop"), LOOPS)
def test_special_values(row, loop, device):
    operands = operands_of(row, loop)
    ufunc = numpy_ufunc(row.name)
    with np.errstate(all="ignore"):
        expected = ufunc(*operands)
    actual = ufunc(*[gpunp.asarray(x) for x in operands])
    if row.nout == 1:
        expected, actual = (expected,), (actual,)
    for got, want in zip(actual, expected, strict=True):
        assert got.device == device
        if row.name in CANCELLING:
            eps = np.finfo(want.dtype).eps
            np.testing.assert_allclose(got.get(), want, rtol=8 * eps, atol=4 * eps)
            continue
        assert_ulps(got.get(), want, tolerance(row, loop), row.name not in UNSIGNED_ZERO)


@pytest.mark.parametrize("char", "bhiq")
def test_negative_integer_power_raises(char, device):
    base = gpunp.asarray(np.array([2, 3], char))
    exponent = gpunp.asarray(np.array([1, -1], char))
    with pytest.raises(ValueError, match="negative integer powers"):
        np.power(base, exponent).get()
    with pytest.raises(ValueError, match="negative integer powers"):
        base**-1
    # The error does not affect the next call.
    np.testing.assert_array_equal((base + base).get(), [4, 6])


def test_only_integer_powers_report():
    """`Loop` passes a status word to integer powers only: no other expression may use one."""
    for row in (*ROWS, *STANDARD_ROWS):
        for loop in row.loops:
            gets_word = row.symbol(loop).startswith("power_") and loop.inputs[0] in BOOL + INTEGERS
            assert gets_word or "status" not in loop.expression


def test_negative_integer_powers_that_are_not_computed():
    out = gpunp.asarray([7, 7, 7])
    nothing = gpunp.asarray([False, False, False])
    np.power(gpunp.asarray([1, 2, 3]), -3, out=out, where=nothing)
    assert out.tolist() == [7, 7, 7]
    with pytest.raises(ValueError, match="negative integer powers"):
        np.power(gpunp.asarray([1, 2, 3]), -3, out=out, where=gpunp.asarray([True, False, False])).get()
