"""The types of users' kernels, complex<T> and float16: every operator and function against NumPy."""

import numpy as np
import pytest
from values import assert_ulps, special_values

import gpunp


def evaluate(expressions, char, operands, results):
    """Evaluate C++ expressions of ``x``, ``y`` and ``z`` in one kernel; return host arrays.

    ``results`` are the dtypes of the results, one for all or one each.
    """
    names = "xyz"[: len(operands)]
    results = results if isinstance(results, list) else [results] * len(expressions)
    kernel = gpunp.ElementwiseKernel(
        ", ".join(f"{np.dtype(operand.dtype)} {name}" for name, operand in zip(names, operands, strict=True)),
        ", ".join(f"{np.dtype(result)} out{i}" for i, result in enumerate(results)),
        "\n".join(f"out{i} = {expression};" for i, expression in enumerate(expressions)),
        "evaluate",
        preamble=f"using T = {'float' if char in 'eF' else 'double'};",
    )
    outs = kernel(*[gpunp.asarray(operand) for operand in operands])
    return [out.get() for out in (outs if isinstance(outs, (tuple, list)) else [outs])]


def pairs(values):
    """All pairs of an array's elements, as two arrays."""
    return np.repeat(values, values.size), np.tile(values, values.size)


def joined(real, imag):
    out = np.empty(np.broadcast(real, imag).shape, np.result_type(real, np.complex64))
    out.real, out.imag = real, imag
    return out


def check(table, char, operands, results=None, ulps=4):
    """Compare every row of ``table``, expression: reference, on ``operands``."""
    with np.errstate(all="ignore"):
        expected = [reference(*operands) for reference in table.values()]
    actual = evaluate(list(table), char, operands, results or [np.asarray(e).dtype for e in expected])
    for expression, got, want in zip(table, actual, expected, strict=True):
        try:
            assert_ulps(got, np.asarray(want), ulps)
        except AssertionError as error:
            raise AssertionError(f"{expression}: {error}") from error


OPERATORS = {
    "+x": lambda x, y: x,
    "-x": lambda x, y: -x,
    "x + y": np.add,
    "x - y": np.subtract,
    "x * y": np.multiply,
    "x / y": np.divide,
    "x == y": np.equal,
    "x != y": np.not_equal,
    "x < y": np.less,
    "x <= y": np.less_equal,
    "x > y": np.greater,
    "x >= y": np.greater_equal,
    "min(x, y)": np.minimum,
    "max(x, y)": np.maximum,
}


@pytest.mark.parametrize("char", "FD")
def test_operators_of_complex(char, device):
    check(OPERATORS, char, pairs(special_values(char)))


# Real operands act on each part, as in C++; NumPy makes them complex first.
MIXED = {
    "x + y": lambda x, r: joined(x.real + r, x.imag),
    "y + x": lambda x, r: joined(x.real + r, x.imag),
    "x - y": lambda x, r: joined(x.real - r, x.imag),
    "y - x": lambda x, r: joined(r - x.real, -x.imag),
    "x * y": lambda x, r: joined(x.real * r, x.imag * r),
    "y * x": lambda x, r: joined(x.real * r, x.imag * r),
    "x / y": lambda x, r: joined(x.real / r, x.imag / r),
    "y / x": lambda x, r: r.astype(x.dtype) / x,
    "x == y": lambda x, r: (x.real == r) & (x.imag == 0),
    "y != x": lambda x, r: (x.real != r) | (x.imag != 0),
    "pow(x, y)": lambda x, r: x ** r.astype(x.dtype),
    "pow(y, x)": lambda x, r: r.astype(x.dtype) ** x,
}


@pytest.mark.parametrize("char", "FD")
def test_complex_with_real(char, device):
    random = np.random.default_rng(3)
    x = (random.normal(size=200) + 1j * random.normal(size=200)).astype(char)
    check(MIXED, char, [x, random.uniform(0.5, 3, 200).astype(char.lower())], ulps=16)


def test_mixed_precision_is_double(device):
    x = np.array([1 + 2j, 3 - 1j], "F")
    check(
        {
            "x + y": lambda x, y: x + y,
            "x * 0.1": lambda x, y: x.astype("D") * 0.1,
            "x / y": lambda x, y: x / y,
            "x - 2": lambda x, y: x - np.float32(2),
            "pow(x, y)": lambda x, y: x.astype("D") ** y,
            "polar(x.real(), 0.5)": lambda x, y: x.real.astype("d") * np.exp(0.5j),
        },
        "D",
        [x, np.array([0.3 + 0.1j, 2j], "D")],
    )


ASSIGNMENTS = {
    "T() + 0; out0 += x; out0 -= y; out0 *= x; out0 /= y; out0 *= (T)2; out0 += 1": lambda x, y: (
        (x - y) * x / y * 2 + 1
    ),
    "complex<T>(x.real(), y.imag())": lambda x, y: joined(x.real, y.imag),
    "complex<T>(complex<float>(1, 2)) + complex<T>(1.5) + complex<T>{} + 1": lambda x, y: np.full_like(
        x, 3.5 + 2j
    ),
    "x; out3.real(y.imag()); out3.imag(2)": lambda x, y: joined(y.imag, np.full(x.shape, 2, x.real.dtype)),
    "i < 3 ? x : complex<T>(7)": lambda x, y: np.where(np.arange(x.size) < 3, x, 7).astype(x.dtype),
    "i < 3 ? y : (T)2.5": lambda x, y: np.where(np.arange(x.size) < 3, y, 2.5).astype(x.dtype),
    "pow(x, 3)": lambda x, y: x * (x * x),
    "pow(x, -2)": lambda x, y: 1 / (x * x),
    "pow(x, 0)": lambda x, y: np.ones_like(x),
    "pow(x, 150)": lambda x, y: x**150,
}


@pytest.mark.parametrize("char", "FD")
def test_assignments_and_construction(char, device):
    random = np.random.default_rng(4)
    x, y = ((random.uniform(0.5, 0.9, 20) + 1j * random.uniform(0.1, 0.4, 20)).astype(char) for _ in range(2))
    check(ASSIGNMENTS, char, [x, y], results=char, ulps=300)


PARTS = {
    "abs(x)": np.abs,
    "arg(x)": np.angle,
    "real(x)": np.real,
    "imag(x)": np.imag,
    "x.real()": np.real,
    "x.imag()": np.imag,
    "norm(x)": lambda x: x.real * x.real + x.imag * x.imag,
    "conj(x)": np.conj,
    "isnan(x)": np.isnan,
    "isinf(x)": np.isinf,
    "isfinite(x)": np.isfinite,
    "proj(x)": lambda x: np.where(np.isinf(x), joined(np.inf, np.copysign(0, x.imag)), x).astype(x.dtype),
}
FUNCTIONS = {
    "exp(x)": np.exp,
    "log(x)": np.log,
    "log10(x)": np.log10,
    "sqrt(x)": np.sqrt,
    "sin(x)": np.sin,
    "cos(x)": np.cos,
    "tan(x)": np.tan,
    "sinh(x)": np.sinh,
    "cosh(x)": np.cosh,
    "tanh(x)": np.tanh,
    "asin(x)": np.arcsin,
    "acos(x)": np.arccos,
    "atan(x)": np.arctan,
    "asinh(x)": np.arcsinh,
    "acosh(x)": np.arccosh,
    "atanh(x)": np.arctanh,
}


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("table", [PARTS, FUNCTIONS], ids=["parts", "functions"])
def test_functions_of_complex(table, char, device):
    check(table, char, [special_values(char)])


@pytest.mark.parametrize("char", "FD")
def test_logarithm_near_the_unit_circle(char, device):
    # |z|^2 - 1 is far below the rounding error of |z|^2: products must not be contracted with sums there.
    angle = np.linspace(0.1, 3, 500)
    z = (np.exp(1j * angle) * (1 + np.geomspace(1e-17, 1e-3, 500))).astype(char)
    (got,) = evaluate(["log(x)"], char, [z], char)
    x, y = (part.astype(np.longdouble) for part in (z.real, z.imag))
    expected = np.log1p((x - 1) * (x + 1) + y * y) / 2
    np.testing.assert_allclose(
        got.real, expected.astype(char.lower()), rtol=16 * np.finfo(char).eps, atol=1e-19
    )


@pytest.mark.parametrize("char", "FD")
def test_powers_of_complex(char, device):
    values = special_values(char)
    x, y = pairs(values[np.isfinite(values)][::3])
    with np.errstate(all="ignore"):
        expected = x**y
    (got,) = evaluate(["pow(x, y)"], char, [x, y], char)
    np.testing.assert_array_equal(np.isfinite(got), np.isfinite(expected))
    finite = np.isfinite(expected)
    np.testing.assert_allclose(got[finite], expected[finite], rtol=200 * np.finfo(char).eps)


@pytest.mark.parametrize("char", "fd")
def test_functions_of_reals_in_code_for_both(char, device):
    wide = char.upper()
    check(
        {
            "real(x)": lambda x: x,
            "imag(x)": lambda x: np.zeros_like(x),
            "conj(x)": lambda x: x,
            "norm(x)": lambda x: x * x,
            "arg(x)": lambda x: np.angle(x + 0),
            "polar(x)": lambda x: x.astype(wide),
            "polar(x, (T)2)": lambda x: (x * np.exp(2j)).astype(wide),
            "complex<T>(0, 1) * x": lambda x: joined(0 * x, x),
        },
        wide,
        [np.array([0.5, 2, -3, 100], char)],
    )


HALVES = {
    "x + y": lambda x, y: x.astype("f") + y.astype("f"),
    "x - y": lambda x, y: x.astype("f") - y.astype("f"),
    "x * y": lambda x, y: x.astype("f") * y.astype("f"),
    "x / y": lambda x, y: x.astype("f") / y.astype("f"),
    "x == y": np.equal,
    "x != y": np.not_equal,
    "x < y": np.less,
    "x <= y": np.less_equal,
    "x > y": np.greater,
    "x >= y": np.greater_equal,
    "min(x, y)": np.fmin,
    "max(x, y)": np.fmax,
    "nextafter(x, y)": np.nextafter,
    "-x": lambda x, y: -x,
    "x > y ? x : -y": lambda x, y: np.where(x > y, x, -y),
    "isnan(x)": lambda x, y: np.isnan(x),
    "isinf(x)": lambda x, y: np.isinf(x),
    "isfinite(x)": lambda x, y: np.isfinite(x),
    "signbit(x)": lambda x, y: np.signbit(x),
    "sqrt(x)": lambda x, y: np.sqrt(x.astype("f")),
    "abs(x)": lambda x, y: np.abs(x.astype("f")),
    "copysign(x, y)": lambda x, y: np.copysign(x.astype("f"), y.astype("f")),
    "fmod(x, y)": lambda x, y: np.fmod(x.astype("f"), y.astype("f")),
    "x * 0.1": lambda x, y: x.astype("d") * 0.1,
    "x + 1": lambda x, y: x.astype("f") + 1,
}


def rounded(table):
    """The table with results stored as float16, from the unrounded ones."""
    return {text: lambda x, y, f=f: np.asarray(f(x, y)).astype("e") for text, f in table.items()}


def test_operators_of_float16(device):
    operands = pairs(special_values("e"))
    unsigned = ("min(x, y)", "max(x, y)", "nextafter(x, y)")  # of equal operands, NumPy returns either zero
    signed = {text: f for text, f in HALVES.items() if text not in unsigned}
    check(signed, "e", operands, ulps=0)
    check(rounded(signed), "e", operands, ulps=0)
    with np.errstate(all="ignore"):
        for text, got in zip(unsigned, evaluate(unsigned, "e", operands, "e"), strict=True):
            np.testing.assert_array_equal(got, HALVES[text](*operands), err_msg=text)


HALF_FUNCTIONS = {
    "exp(x)": lambda x, y: np.exp(x),
    "log(x)": lambda x, y: np.log(x),
    "sin(x)": lambda x, y: np.sin(x),
    "tanh(x)": lambda x, y: np.tanh(x),
    "floor(x)": lambda x, y: np.floor(x),
    "pow(x, y)": np.power,
    "pow(x, 2)": lambda x, y: x * x,
    "pow(x, 2.0)": lambda x, y: x * x,
    "atan2(x, y)": np.arctan2,
    "hypot(x, y)": np.hypot,
    "fmin(x, (float)y)": np.fmin,
    "fma(x, y, x)": lambda x, y: x * y + x,
}


def test_functions_of_float16(device):
    random = np.random.default_rng(6)
    x, y = (random.uniform(0.1, 4, 300).astype("e") for _ in range(2))
    for (text, f), got in zip(
        HALF_FUNCTIONS.items(), evaluate(list(HALF_FUNCTIONS), "e", [x, y], "e"), strict=True
    ):
        expected = f(x.astype("f"), y.astype("f")).astype("e")
        np.testing.assert_allclose(got, expected, rtol=np.finfo("e").eps, err_msg=text)


STEPS = {
    "x; out0 += y; out0 *= 2; out0 -= 0.5; out0 /= y": None,
    "x; out1++; ++out1; out1--": None,
    "3ll": 3,
    "70000": np.inf,
    "1e-8": 0,
    "2.0009765625 + 1e-9": 2.002,  # from double without a detour through float
    "true": 1,
}


def test_conversions_of_float16(device):
    x, y = np.array([1.5, -2, 0.1], "e"), np.array([0.25, 3, 7], "e")
    got = evaluate(list(STEPS), "e", [x, y], "e")
    step = (x.astype("f") + y).astype("e")
    step = (step.astype("f") * 2).astype("e")
    step = (step.astype("d") - 0.5).astype("e")
    np.testing.assert_array_equal(got[0], (step.astype("f") / y.astype("f")).astype("e"))
    np.testing.assert_array_equal(got[1], ((x + np.float16(1)) + np.float16(1)) - np.float16(1))
    for values, (text, expected) in list(zip(got, STEPS.items(), strict=True))[2:]:
        np.testing.assert_array_equal(values, np.full(3, expected, "e"), err_msg=text)
    (ints,) = evaluate(["x"], "e", [x], "l")
    np.testing.assert_array_equal(ints, x.astype("l"))
    (wide,) = evaluate(["complex<T>(0, 1) * x + x"], "e", [x], "F")
    np.testing.assert_array_equal(wide, x.astype("F") * (1 + 1j))
