"""Every registered function is compared with NumPy, by a record or by its own test."""

import ast
import functools
import re
from pathlib import Path

import numpy as np
import pytest

import gpunp  # noqa: F401 - fills the registry
from gpunp.dispatch.registry import REGISTRATIONS
from gpunp.dispatch.ufunc_protocol import find_ufunc

TESTS = Path(__file__).parent
# The ufuncs of NumPy 2.5 that take numbers.
UFUNC_NAMES = [
    "_ones_like",
    "absolute",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "bitwise_and",
    "bitwise_count",
    "bitwise_or",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clip",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "divmod",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "matvec",
    "maximum",
    "minimum",
    "modf",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "power",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
    "vecdot",
    "vecmat",
]


def _dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    libraries = ("np", "numpy", "gpunp", "xp")
    return ".".join(reversed(parts)) if isinstance(node, ast.Name) and node.id in libraries else ""


def _texts(node):
    return [
        each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and type(each.value) is str
    ]


@functools.cache
def names_in(path):
    """The functions that a test module uses as attributes of a library or calls by name.

    Names count in records, test parameters, lines for tests/calls.py and tables with uppercase names; strings
    elsewhere, such as messages and keys, do not. tests/call_log.py records whether the calls are made.
    """
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute):
            found.add(_dotted(node))
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.endswith(("Record", "find", "getattr", "parametrize", "on_both", "replace")):
                found.update(text for each in node.args for text in _texts(each))
        elif isinstance(node, ast.Assign | ast.For | ast.comprehension):
            value = node.value if isinstance(node, ast.Assign) else node.iter
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if not isinstance(node, ast.Assign) or (isinstance(target, ast.Name) and target.id.isupper()):
                for text in _texts(value):
                    found.update([text, *re.findall(r"\bxp\.([\w.]+)", text)])
        if isinstance(node, ast.Constant) and type(node.value) is str:
            found.update(re.findall(r"\b(?:xp|np|gpunp)\.([\w.]+)\(", node.value))
    return found


@pytest.mark.parametrize("registration", list(REGISTRATIONS.values()), ids=lambda r: r.name)
def test_function_has_a_test(registration):
    folder, topic = registration.module.split(".")[1:3]
    module = TESTS / folder / f"test_{topic}.py"
    assert module.exists(), f"{registration.module} has no {module.relative_to(TESTS.parent)}"
    assert registration.name in names_in(module), (
        f"no record and no test of {registration.name} in {module.name}"
    )


def test_ufuncs_of_numpy_are_handled():
    assert [name for name in UFUNC_NAMES if find_ufunc(getattr(np._core.umath, name)) is None] == []
