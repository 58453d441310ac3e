"""Operators with what devices do not take: the rules, and the exceptions, are NumPy's."""

import pytest

OWN_CLASS = """
import datetime, decimal, fractions
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
class Plain:
    def __add__(self, other):
        return NotImplemented
    def __radd__(self, other):
        return "method"
    __rmatmul__ = __radd__
    def __eq__(self, other):
        return True
class Low(Plain):
    __array_priority__ = -1
class Converted(Plain):
    def __array__(self, dtype=None, copy=None):
        return np.full(20, 2.0)
i = np.arange(20)
m = np.arange(16.0).reshape(4, 4)
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
    "x + Plain()",
    "Plain() + x",
    "x @ Plain()",
    "x == Plain()",
    "x - Plain()",
    "x + Low()",
    "Old() * x",
    "x + Converted()",
    "x.sum() + Plain()",
    "x.sum() + Old()",
    "i * fractions.Fraction(1, 2)",
    "fractions.Fraction(1, 2) - i",
    "i / decimal.Decimal(4)",
    "decimal.Decimal(4) > i",
    "x * datetime.timedelta(1)",
    "datetime.timedelta(days=1) * i.max()",
    "i.__iadd__(decimal.Decimal(1))",
    "exec('i += decimal.Decimal(1)')",
    "exec('x -= None')",
    "x @ None",
    "2j + x.max()",
    "type(2j * x.max()).__name__",
    "m @ np.matrix(m)",
    "np.matrix(m) * m",
    "m * np.matrix(m)",
    "np.matrix(m) + m",
    "type(m @ np.matrix(m)).__name__",
    "m @ np.ma.masked_less(m, 2)",
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


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
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
