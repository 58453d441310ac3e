"""Results of functions that are kept, such as kernels that were compiled."""

import functools
import weakref

from gpunp.device import get_device

_MISSING = object()
# The results by the decorated functions, as long as these exist.
_results = weakref.WeakKeyDictionary()


def memoize(for_each_device=False):
    """Return a decorator that keeps a function's results, one for each set of arguments.

    Parameters
    ----------
    for_each_device : bool, optional
        Keep the results of each current device apart: for functions that return arrays or loaded kernels.

    Returns
    -------
    callable
        The decorator. The decorated function takes hashable arguments; arguments that are equal but differ in
        type, such as 1 and 1.0, have results of their own.

    Raises
    ------
    TypeError
        If the decorator is used without parentheses, or, in a call, if an argument is not hashable.

    Notes
    -----
    Threads that call the function with new arguments at the same time may each run it; all of them get the
    result of one.

    Examples
    --------
    >>> import gpunp
    >>> @gpunp.memoize(for_each_device=True)
    ... def powers_of_two(n):
    ...     print("computed")
    ...     return 2 ** gpunp.arange(n)
    >>> powers_of_two(4)
    computed
    array([1, 2, 4, 8])
    >>> powers_of_two(4)
    array([1, 2, 4, 8])
    """
    if callable(for_each_device):
        raise TypeError("memoize returns a decorator: write @gpunp.memoize(), with parentheses")

    def decorate(function):
        kept = {}

        @functools.wraps(function)
        def call(*args, **kwargs):
            names = tuple(sorted(kwargs))
            values = (*args, *(kwargs[name] for name in names))
            key = (get_device() if for_each_device else None, names, values, tuple(map(type, values)))
            try:
                hash(key)
            except TypeError as error:
                name = getattr(function, "__name__", repr(function))
                raise TypeError(
                    f"{name}: the arguments of a memoized function must be hashable ({error}); pass numbers, "
                    "strings, dtypes or tuples of them"
                ) from None
            found = kept.get(key, _MISSING)
            return kept.setdefault(key, function(*args, **kwargs)) if found is _MISSING else found

        _results[call] = kept
        return call

    return decorate


def clear_memo():
    """Forget the results of all functions that `memoize` decorates.

    Examples
    --------
    >>> import gpunp
    >>> gpunp.clear_memo()
    """
    for kept in list(_results.values()):
        kept.clear()
