"""Parameters of kernels: their text, and the dtypes that the arguments of a call give them."""

import numpy as np
import pytest

from gpunp.array.dtype import DTYPES, dtype_code
from gpunp.custom.signature import C_TYPES, Signature, parse_parameters, typedefs

PARSED = [
    ("", []),
    ("  ", []),
    ("float32 x", ["float32 x"]),
    ("float32 x, float32 y", ["float32 x", "float32 y"]),
    ("T x,raw  T   y", ["T x", "raw T y"]),
    ("raw int64 lookup\n, Key key2", ["raw int64 lookup", "Key key2"]),
    ("float x, int y, bool z, complex w", ["float64 x", "int64 y", "bool z", "complex128 w"]),
    ("half a, single b, double c, intp d", ["float16 a", "float32 b", "float64 c", "int64 d"]),
    ("f4 x, u2 y", ["float32 x", "uint16 y"]),
    ("f x, t raw", ["f x", "t raw"]),
]


@pytest.mark.parametrize(("text", "expected"), PARSED)
def test_parse(text, expected):
    params = parse_parameters(text)
    assert [str(p) for p in params] == expected
    assert all((p.code is None) == (p.placeholder is not None) == (p.dtype is None) for p in params)


REFUSED = [
    ("float32", ValueError, "is not a parameter"),
    ("float32 x,", ValueError, "is not a parameter"),
    ("const float32 x", ValueError, "is not a parameter"),
    ("raw raw float32 x", ValueError, "is not a parameter"),
    ("float32 2x", ValueError, "not an identifier"),
    ("float32* x", ValueError, "not an identifier"),
    ("float32 i", ValueError, "reserved for the index"),
    ("T n", ValueError, "reserved for the number"),
    ("T _x", ValueError, "starts with an underscore"),
    ("_T x", ValueError, "starts with an underscore"),
    ("flaot32 x", TypeError, "'flaot32' is not a parameter type"),
    ("longdouble x", TypeError, "no extended precision arrays"),
    ("object x", TypeError, "no object arrays"),
    ("datetime64 x", TypeError, "no datetime arrays"),
    (b"T x", TypeError, "must be a str"),
]


@pytest.mark.parametrize(("text", "error", "message"), REFUSED)
def test_refused(text, error, message):
    with pytest.raises(error, match=message):
        parse_parameters(text, kernel="f")


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ("T x, T x", "T z", "two parameters"),
        ("T x", "T x", "two parameters"),
        ("T x", "X T", "and of a type"),
    ],
)
def test_names_clash(inputs, outputs, message):
    with pytest.raises(ValueError, match=message):
        Signature(inputs, outputs)


def test_counts():
    signature = Signature("T x, raw S y", "T z, S w", "pair")
    assert (signature.nin, signature.nout, signature.nargs) == (2, 2, 4)
    assert signature.placeholders == ("T", "S")
    assert [p.output for p in signature.params] == [False, False, True, True]
    for right in (2, 4):
        signature.check_count(right)
    for wrong in (0, 1, 3, 5):
        with pytest.raises(TypeError, match="pair: wrong number of arguments"):
            signature.check_count(wrong)


def given(*values):
    """Return the arguments of `Signature.resolve` for dtypes in text (arrays), numbers (scalars) and None."""
    kinds, scalar = [], []
    for value in values:
        single = value is not None and not isinstance(value, str)
        scalar.append(single)
        if value is None or isinstance(value, str):
            kinds.append(None if value is None else np.dtype(value))
        else:
            kinds.append(type(value) if type(value) in (int, float, complex) else np.asarray(value).dtype)
    return kinds, scalar


RESOLVED = [
    ("float32 x, float32 y", "float32 z", ("f4", "f4", None), "f4 f4 f4"),
    ("float32 x, float32 y", "float32 z", ("f4", 5, None), "f4 f4 f4"),
    ("float16 x, bool y", "int8 z", (2.5, True, None), "f2 ? i1"),
    # A placeholder is what the arrays are, whatever scalars there are.
    ("T x, T y", "T z", ("f4", 5, None), "f4 f4 f4"),
    ("T x, T y", "T z", (2.5, "i4", None), "i4 i4 i4"),
    ("T x, T y", "T z", ("f4", np.float64(5), None), "f4 f4 f4"),
    ("T x", "T z", (3, "f2"), "f2 f2"),
    ("raw T x, T y", "T z", ("c8", 1, None), "c8 c8 c8"),
    # Only scalars: NumPy's promotion.
    ("T x", "T z", (3, None), "i8 i8"),
    ("T x", "T z", (True, None), "? ?"),
    ("T x, T y", "T z", (3, 2.5, None), "f8 f8 f8"),
    ("T x, T y", "T z", (np.float32(3), 2.5, None), "f4 f4 f4"),
    ("T x, T y", "T z", (np.int8(3), np.float32(2.5), None), "f4 f4 f4"),
    ("T x, T y", "T z", (np.int16(3), 2j, None), "c16 c16 c16"),
    # Several placeholders, and outputs that decide.
    ("X x, Y y", "Z z", ("f4", "i8", "f8"), "f4 i8 f8"),
    ("X x, Y y", "X z", ("f4", "i8", None), "f4 i8 f4"),
    ("", "T z", ("u2",), "u2"),
    # Big-endian host arrays are converted on upload.
    ("float32 x", "T z", (">f4", "f8"), "f4 f8"),
]


@pytest.mark.parametrize(("inputs", "outputs", "values", "expected"), RESOLVED)
def test_resolve(inputs, outputs, values, expected):
    signature = Signature(inputs, outputs)
    codes = signature.resolve(*given(*values))
    assert [DTYPES[code] for code in codes] == [np.dtype(name) for name in expected.split()]
    for param, code in zip(signature.params, codes, strict=True):
        assert param.placeholder is None or signature.types(codes)[param.placeholder] == code


UNRESOLVED = [
    ("X x, Y y", "Z z", ("f4", "f4", None), "no argument determines the type Z; give the output z"),
    ("T x, T y", "T z", ("f4", "f8", None), "T is float32 by x and float64 by y"),
    ("T x", "T z", ("f4", "f8"), "T is float64 by z and float32 by x"),
    ("float32 x", "float32 z", ("f8", None), r"x is float32 and the argument float64.*astype\('float32'\)"),
    ("float32 x", "float32 z", ("f4", "f8"), "z is float32 and the argument float64"),
    ("float32 x", "float32 z", (2j, None), "x is float32 and the argument a complex number"),
    ("T x, T y", "T z", ("f4", np.complex64(1), None), "y is float32 and the argument a complex number"),
]


@pytest.mark.parametrize(("inputs", "outputs", "values", "message"), UNRESOLVED)
def test_unresolved(inputs, outputs, values, message):
    with pytest.raises(TypeError, match=message):
        Signature(inputs, outputs, "f").resolve(*given(*values))


def test_c_types():
    assert len(C_TYPES) == len(DTYPES)
    types = {"T": dtype_code(np.dtype("f2")), "Index": dtype_code(np.dtype("i8"))}
    assert typedefs(types) == "typedef float16 T;\ntypedef long long Index;\n"
    assert [p.ctype for p in Signature("complex64 x, T y", "bool z").params] == [
        "complex<float>",
        "T",
        "bool",
    ]
