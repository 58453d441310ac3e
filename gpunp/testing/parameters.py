"""Decorators that call a test with each of several dtypes or orders."""

import functools
import inspect
import itertools
import unittest

import numpy

__all__ = [
    "for_CF_orders",
    "for_all_dtypes",
    "for_all_dtypes_combination",
    "for_complex_dtypes",
    "for_dtypes",
    "for_dtypes_combination",
    "for_float_dtypes",
    "for_int_dtypes",
    "for_int_dtypes_combination",
    "for_orders",
    "for_signed_dtypes",
    "for_signed_dtypes_combination",
    "for_unsigned_dtypes",
    "for_unsigned_dtypes_combination",
]

_SIGNED = tuple("bhilq")
_UNSIGNED = tuple("BHILQ")
_FLOATS = tuple("dfe")
_COMPLEX = tuple("FD")


def without(function, names):
    """Hide arguments that a decorator passes, so that a test runner does not look for them.

    Parameters
    ----------
    function : function
        The decorated one, from ``functools.wraps``.
    names : iterable of str

    Returns
    -------
    function
        The same.
    """
    signature = inspect.signature(function)
    kept = [each for name, each in signature.parameters.items() if name not in names]
    function.__signature__ = signature.replace(parameters=kept)
    return function


def _each(cases):
    """Return a decorator that calls a test with the keyword arguments of each case."""

    def decorate(test):
        @functools.wraps(test)
        def run(*args, **kwargs):
            skipped = None
            for case in cases:
                try:
                    test(*args, **kwargs, **case)
                except unittest.SkipTest as reason:
                    skipped = reason
                    continue
                except Exception as error:
                    error.add_note(
                        "in the case " + ", ".join(f"{name}={value}" for name, value in case.items())
                    )
                    raise
                finally:
                    reset(args)
            if skipped is not None and len(cases) == 1:
                raise skipped

        return without(run, cases[0] if cases else ())

    return decorate


def reset(args):
    """Prepare the ``unittest.TestCase`` of a method for another call.

    Parameters
    ----------
    args : tuple
        The positional arguments of a test; those of a method begin with the test case.
    """
    if args and isinstance(args[0], unittest.TestCase):
        args[0].tearDown()
        args[0].setUp()


def for_dtypes(dtypes, name="dtype"):
    """Call a test with each dtype.

    Parameters
    ----------
    dtypes : sequence of dtype_like
    name : str, optional
        The argument that receives a scalar type, such as ``numpy.float32``.

    Returns
    -------
    function
        The decorator.
    """
    return _each([{name: numpy.dtype(each).type} for each in dtypes])


def _all(no_float16, no_bool, no_complex):
    dtypes = _FLOATS[: 2 if no_float16 else 3] + _SIGNED + _UNSIGNED
    return dtypes + ("?",) * (not no_bool) + _COMPLEX * (not no_complex)


def for_all_dtypes(name="dtype", no_float16=False, no_bool=False, no_complex=False):
    """Call a test with each dtype of arrays; see `for_dtypes`. Kinds can be left out."""
    return for_dtypes(_all(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name="dtype", no_float16=False):
    """Call a test with float64, float32 and float16; see `for_dtypes`."""
    return for_dtypes(_FLOATS[: 2 if no_float16 else 3], name)


def for_signed_dtypes(name="dtype"):
    """Call a test with each signed integer dtype; see `for_dtypes`."""
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name="dtype"):
    """Call a test with each unsigned integer dtype; see `for_dtypes`."""
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name="dtype", no_bool=False):
    """Call a test with each integer dtype and bool; see `for_dtypes`."""
    return for_dtypes(_SIGNED + _UNSIGNED + ("?",) * (not no_bool), name)


def for_complex_dtypes(name="dtype"):
    """Call a test with complex64 and complex128; see `for_dtypes`."""
    return for_dtypes(_COMPLEX, name)


def for_dtypes_combination(types, names=("dtype",), full=None):
    """Call a test with combinations of dtypes.

    Parameters
    ----------
    types : sequence of dtype_like
    names : sequence of str, optional
        The arguments that receive scalar types.
    full : bool, optional
        Whether to try all combinations. By default each argument gets each dtype, in few combinations.

    Returns
    -------
    function
        The decorator.
    """
    types = [numpy.dtype(each).type for each in types]
    if full or len(names) == 1:
        rows = itertools.product(types, repeat=len(names))
    else:
        # Each argument gets every dtype, which the arguments meet in different pairs.
        count = len(types)
        rows = [
            [types[(row + k * (1 + row // count)) % count] for k in range(len(names))]
            for row in range(2 * count)
        ]
    cases = [dict(zip(names, row, strict=True)) for row in rows]
    return _each([case for k, case in enumerate(cases) if case not in cases[:k]])


# The misspelling is that of CuPy's documented default.
def for_all_dtypes_combination(
    names=("dtyes",), no_float16=False, no_bool=False, full=None, no_complex=False
):
    """Call a test with combinations of all dtypes of arrays; see `for_dtypes_combination`."""
    return for_dtypes_combination(_all(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(names=("dtype",), full=None):
    """Call a test with combinations of signed integer dtypes; see `for_dtypes_combination`."""
    return for_dtypes_combination(_SIGNED, names, full)


def for_unsigned_dtypes_combination(names=("dtype",), full=None):
    """Call a test with combinations of unsigned integer dtypes; see `for_dtypes_combination`."""
    return for_dtypes_combination(_UNSIGNED, names, full)


def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None):
    """Call a test with combinations of integer dtypes and bool; see `for_dtypes_combination`."""
    return for_dtypes_combination(_SIGNED + _UNSIGNED + ("?",) * (not no_bool), names, full)


def for_orders(orders, name="order"):
    """Call a test with each memory order.

    Parameters
    ----------
    orders : sequence
        Such as ``"CF"``.
    name : str, optional
        The argument that receives one.

    Returns
    -------
    function
        The decorator.
    """
    return _each([{name: each} for each in orders])


def for_CF_orders(name="order"):
    """Call a test with the orders ``"C"`` and ``"F"``; see `for_orders`."""
    return for_orders("CF", name)
