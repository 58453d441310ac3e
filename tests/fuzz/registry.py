"""The kinds of statements, and their frequencies."""

from collections import namedtuple

# text: an expression or a statement. mode: how results are compared. results: the number of new variables.
Made = namedtuple("Made", "text mode results")
# Comparison of floating results. EXACT: equal values. ARITHMETIC: real numbers as EXACT, complex ones as
# CLOSE. CLOSE: each element within its rounding. POWER: real numbers as CLOSE, complex ones as SUMMED.
# SUMMED: relative to the magnitude of the summands.
EXACT, ARITHMETIC, CLOSE, POWER, SUMMED = "exact", "arithmetic", "close", "power", "summed"
STATEMENTS = []
WEIGHTS = []


def statement(weight=1.0):
    """Register a function that makes a statement, by `expression` or `command`, from a `Maker`."""

    def register(function):
        STATEMENTS.append(function)
        WEIGHTS.append(weight)
        return function

    return register


def expression(text, mode=EXACT, results=1):
    """A statement that creates new variables."""
    return Made(text, mode, results)


def command(text, mode=EXACT):
    """A statement that modifies variables."""
    return Made(text, mode, 0)


def keywords(**given):
    """Keyword arguments as source; those that are None are omitted."""
    return "".join(f", {name}={value}" for name, value in given.items() if value is not None)
