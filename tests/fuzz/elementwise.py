"""Statements with ufuncs: calls, operators and ufunc methods."""

import numpy as np
from registry import ARITHMETIC, CLOSE, EXACT, POWER, SUMMED, command, expression, keywords, statement

UNARY_EXACT = [
    "negative",
    "positive",
    "absolute",
    "fabs",
    "rint",
    "sign",
    "conjugate",
    "logical_not",
    "isfinite",
    "isinf",
    "isnan",
    "signbit",
    "spacing",
    "floor",
    "ceil",
    "trunc",
]
UNARY_CLOSE = [
    "exp",
    "exp2",
    "log",
    "log2",
    "log10",
    "expm1",
    "log1p",
    "sqrt",
    "square",
    "cbrt",
    "reciprocal",
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "arccosh",
    "arctanh",
    "deg2rad",
    "rad2deg",
    "degrees",
    "radians",
]
UNARY_INTEGER = ["invert", "bitwise_count"]
BINARY_EXACT = [
    "add",
    "subtract",
    "divide",
    "true_divide",
    "floor_divide",
    "remainder",
    "mod",
    "fmod",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "equal",
    "not_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "heaviside",
    "copysign",
    "nextafter",
]
BINARY_CLOSE = ["multiply", "power", "float_power", "logaddexp", "logaddexp2", "arctan2", "hypot"]
BINARY_INTEGER = ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!="]
IN_PLACE = ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>="]
# Binary functions whose reductions depend on the order of rounding.
ROUNDED = {"add", "subtract", "multiply", "divide", "floor_divide", "hypot", "logaddexp"}
COMPARISONS = {"greater", "greater_equal", "less", "less_equal", "equal", "not_equal"}
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]
if np.lib.NumpyVersion(np.__version__) < "2.5.5":
    # Older versions of NumPy crash when they refuse to cast a Python number.
    CASTINGS.remove("equiv")
FUNCTIONS_OF_ONE = [
    "isneginf",
    "isposinf",
    "real",
    "imag",
    "angle",
    "iscomplex",
    "isreal",
    "fix",
    "nan_to_num",
    "sinc",
    "i0",
    "real_if_close",
    "ndim",
    "size",
    "shape",
    "iscomplexobj",
    "isrealobj",
]


def mode_of(name):
    if name in ("divide", "true_divide", "multiply", "square", "reciprocal", "/", "*", "/=", "*="):
        return ARITHMETIC
    if name in ("power", "float_power"):
        return POWER
    if name.startswith("logaddexp"):
        return SUMMED
    if name == "absolute":
        return CLOSE
    return CLOSE if name in UNARY_CLOSE or name in BINARY_CLOSE else EXACT


def options(g, shape, masked=True):
    """Keyword arguments of a ufunc call, as source."""
    if g.chance(0.7):
        return ""
    given = {}
    if g.chance(0.5):
        out = g.target(shape)
        if out:
            given["out"] = out
            if masked and g.chance(0.4):
                given["where"] = g.mask(g.broadcastable(shape)).text
    if g.chance(0.3):
        given["dtype"] = repr(g.dtype())
    if g.chance(0.3):
        given["casting"] = repr(g.choice(CASTINGS))
    return keywords(**given)


@statement(8)
def unary(g):
    how = g.random()
    if how < 0.15:
        name, a = g.choice(UNARY_INTEGER), g.array(kinds="biu")
    else:
        name, a = g.choice(UNARY_EXACT if how < 0.45 else UNARY_CLOSE), g.array()
    return expression(f"np.{name}({a}{options(g, a.shape)})", mode_of(name))


@statement(8)
def binary(g):
    how = g.random()
    kinds = "biu" if how < 0.25 else None
    name = g.choice(BINARY_INTEGER if kinds else BINARY_EXACT if how < 0.65 else BINARY_CLOSE)
    a = g.array(kinds=kinds)
    b = g.partner(a.shape, kinds)
    first, second = (a, b) if g.chance(0.7) else (b, a)
    # NumPy 2.4 and 2.5 crash in comparisons with where= and a number that does not fit uint16.
    masked = b.value is not None or name not in COMPARISONS
    given = options(g, a.shape, masked)
    # The operands may be complex even if out= is real.
    mode = SUMMED if name in ("power", "float_power") and "complex" in given else mode_of(name)
    return expression(f"np.{name}({first}, {second}{given})", mode)


@statement(1)
def several_outputs(g):
    name = g.choice(["modf", "frexp", "divmod"])
    a = g.array(kinds="fiub" if name == "divmod" else "f")
    second = f", {g.partner(a.shape)}" if name == "divmod" else ""
    return expression(f"np.{name}({a}{second})", EXACT, 2)


@statement(1)
def ldexp(g):
    a = g.array(kinds="f")
    return expression(f"np.ldexp({a}, {g.with_shape(g.broadcastable(a.shape), dtype=np.dtype('i4'))})")


@statement(7)
def operators(g):
    how = g.random()
    if how < 0.12:
        a = g.array()
        name = g.choice(["-", "+", "~", "abs"])
        return expression(f"{name}({a})", CLOSE if name == "abs" else EXACT)
    name = "**" if how < 0.2 else g.choice(OPERATORS)
    a = g.array()
    b = g.partner(a.shape)
    first, second = (a, b) if g.chance(0.7) else (b, a)
    return expression(f"({first}) {name} ({second})", POWER if name == "**" else mode_of(name))


@statement(8)
def in_place(g):
    target = g.target()
    if target is None:
        return unary(g)
    value, text = g.variables[target], target
    if g.chance(0.4):
        view = g.view(target, value)
        # Calls cannot be assigned to, and some attributes neither.
        if isinstance(view.value, np.ndarray) and view.text.endswith("]"):
            text, value = view.text, view.value
    name = g.choice(IN_PLACE)
    other = g.partner(np.shape(value), "biu" if name in IN_PLACE[7:] else None)
    return command(f"{text} {name} {other}", POWER if name == "**=" else mode_of(name))


@statement(3)
def reduce(g):
    name = g.choice(
        [
            "add",
            "subtract",
            "multiply",
            "maximum",
            "minimum",
            "fmax",
            "fmin",
            "logical_and",
            "logical_or",
            "logical_xor",
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "gcd",
            "lcm",
            "hypot",
            "logaddexp",
            "divide",
            "floor_divide",
        ]
    )
    a = g.array(kinds="biu" if name.startswith(("bitwise", "gcd", "lcm")) else None)
    axis = g.axes(a.ndim) if name not in ("subtract", "divide", "floor_divide") else g.axis(a.ndim)
    given = {"axis": axis if g.chance(0.8) else None, "keepdims": "True" if g.chance(0.2) else None}
    if g.chance(0.15):
        given["initial"] = g.scalar() if g.chance(0.9) else "None"
    if g.chance(0.15):
        given["where"] = g.mask(g.broadcastable(a.shape)).text
    if g.chance(0.1):
        given["dtype"] = repr(g.dtype())
    mode = SUMMED if name in ROUNDED else EXACT
    return expression(f"np.{name}.reduce({a}{keywords(**given)})", mode)


@statement(2)
def accumulate(g):
    name = g.choice(
        [
            "add",
            "multiply",
            "maximum",
            "minimum",
            "fmax",
            "logical_and",
            "logical_or",
            "subtract",
            "bitwise_or",
            "bitwise_xor",
            "hypot",
            "logaddexp",
        ]
    )
    a = g.array(lambda v: v.ndim, kinds="biu" if name.startswith("bitwise") else None)
    dtype = repr(g.dtype()) if g.chance(0.15) else None
    mode = SUMMED if name in ROUNDED else EXACT
    return expression(f"np.{name}.accumulate({a}{keywords(axis=g.axis(a.ndim), dtype=dtype)})", mode)


@statement(2)
def reduceat(g):
    name = g.choice(
        ["add", "multiply", "maximum", "minimum", "logical_or", "bitwise_xor", "bitwise_and", "subtract"]
    )
    a = g.array(lambda v: v.ndim, kinds="biu" if name.startswith("bitwise") else None)
    axis = g.below(a.ndim) if a.ndim else 0
    n = a.shape[axis] if a.ndim else 1
    indices = [g.below(n) if n and not g.chance(0.03) else n for _ in range(1 + g.below(4))]
    return expression(
        f"np.{name}.reduceat({a}, {indices}, axis={axis})", SUMMED if name in ROUNDED else EXACT
    )


@statement(1.5)
def outer(g):
    name = g.choice([*BINARY_EXACT, "multiply", "hypot", "arctan2"])
    small = lambda v: v.size <= 12  # noqa: E731
    return expression(f"np.{name}.outer({g.array(small)}, {g.array(small)})", mode_of(name))


@statement(2)
def at(g):
    target = g.target()
    if target is None or not g.variables[target].ndim:
        return unary(g)
    value = g.variables[target]
    name = g.choice(
        ["add", "subtract", "multiply", "maximum", "minimum", "divide", "bitwise_or", "negative", "square"]
    )
    indices = g.indices(len(value))
    if name in ("negative", "square"):
        return command(f"np.{name}.at({target}, {indices})", SUMMED)
    other = g.scalar() if g.chance(0.6) else g.literal((), value.dtype).text
    return command(f"np.{name}.at({target}, {indices}, {other})", SUMMED)


@statement(3)
def functions_of_one(g):
    name = g.choice(FUNCTIONS_OF_ONE)
    kinds = "biuf" if name in ("isneginf", "isposinf", "fix", "i0") else None
    return expression(f"np.{name}({g.array(kinds=kinds)})", CLOSE)


@statement(3)
def rounding_and_clipping(g):
    a = g.array()
    if g.chance(0.5):
        return expression(f"np.{g.choice(['round', 'around'])}({a}, {g.choice([0, 1, 2, -1, 3])})", CLOSE)
    low = "None" if g.chance(0.15) else g.partner(a.shape)
    high = "None" if g.chance(0.15) else g.partner(a.shape)
    # With out=, NumPy returns a different object for scalars than for arrays.
    given = options(g, a.shape) if isinstance(a.value, np.ndarray) else ""
    return expression(f"np.clip({a}, {low}, {high}{given})")


@statement(2)
def where_and_select(g):
    a = g.array()
    mask = g.mask(g.broadcastable(a.shape))
    if g.chance(0.7):
        return expression(f"np.where({mask}, {a}, {g.partner(a.shape)})")
    other = g.with_shape(a.shape, dtype=np.dtype(bool))
    default = keywords(default=g.scalar()) if g.chance(0.5) else ""
    return expression(f"np.select([{g.mask(a.shape)}, {other}], [{a}, {g.with_shape(a.shape)}]{default})")


@statement(2)
def conversions(g):
    a = g.array()
    if g.chance(0.7):
        casting = keywords(casting=repr(g.choice(CASTINGS))) if g.chance(0.2) else ""
        return expression(f"({a}).astype({g.dtype()!r}{casting})")
    # No booleans, whose bytes must be 0 or 1.
    return expression(f"({g.array(kinds='iufc')}).view({g.dtype('iufc')!r})")
