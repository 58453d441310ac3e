"""The kinds of statements, and how often each is made."""

from collections import namedtuple

# text: an expression, or a whole statement. mode: how its result is compared. results: number of variables.
Made = namedtuple("Made", "text mode results")
# How results of floats are compared: bit by bit; so for real numbers and within rounding for complex ones;
# each element within its rounding; so for real numbers and as a long product for complex ones; relative to
# what was added up.
EXACT, ARITHMETIC, CLOSE, POWER, SUMMED = "exact", "arithmetic", "close", "power", "summed"
STATEMENTS = []
WEIGHTS = []


def statement(weight=1.0):
    """Register a function from a `Maker` to what `expression` or `command` give."""

    def register(function):
        STATEMENTS.append(function)
        WEIGHTS.append(weight)
        return function

    return register


def expression(text, mode=EXACT, results=1):
    """A statement that makes new variables."""
    return Made(text, mode, results)


def command(text, mode=EXACT):
    """A statement that changes variables."""
    return Made(text, mode, 0)


def keywords(**given):
    """Keyword arguments as source; what is None is left out."""
    return "".join(f", {name}={value}" for name, value in given.items() if value is not None)
