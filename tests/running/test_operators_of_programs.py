"""Operators with what devices do not take: the rules, and the exceptions, are NumPy's."""

import pytest

OWN_CLASS = """
class Quantity:
    __array_priority__ = 1000
    def __radd__(self, other):
        return "method"
    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return ufunc.__name__, method, [np.shape(each) for each in inputs if each is not self]
class Refusing(Quantity):
    __array_ufunc__ = None
class Old:
    __array_priority__ = 1000
    def __radd__(self, other):
        return "method", np.shape(other)
"""
# Expressions, of which the value or the exception's name is compared.
EXPRESSIONS = [
    "x + Quantity()",
    "x * Quantity()",
    "x > Quantity()",
    "x + Refusing()",
    "x + Old()",
    "x[0] + Quantity()",
    "x + 'a'",
    "'a' + x",
    "x > 'a'",
    "x == 'a'",
    "x @ b'a'",
    "'%s' % x",
    "x + None",
    "x - {}",
    "x.sum() + 'a'",
    "x.dumps()[:2]",
    "x.dumps(protocol=4)[:2]",
    "setattr(np.random.default_rng(0), 'tag', 1)",
]


def outcome(expression, names):
    try:
        found = eval(expression, names)
    except Exception as error:
        return type(error).__name__
    return found.tolist() if hasattr(found, "tolist") else found


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_operators(expression, program, device):
    source = f"import numpy as np\n{OWN_CLASS}\nx = np.arange(20.0)\n"
    expected = {}
    exec(source, expected)
    run = program(
        f"""{source}
try:
    found = {expression}
except Exception as error:
    found = type(error).__name__
"""
    )
    found = run["found"]
    assert (found.tolist() if hasattr(found, "tolist") else found) == outcome(expression, expected)
