"""The names of a function's parameters, without the cost of `inspect.signature`."""

import inspect


def parameters(function):
    """Return the names of a function's parameters in the order of its signature; without ``self`` of a class.

    Parameters
    ----------
    function : function or class
        For a class its ``__init__`` is read, for a decorated function the function it wraps.

    Returns
    -------
    tuple of str
    """
    if isinstance(function, type):
        return parameters(function.__init__)[1:]
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = function.__code__
    plain, count = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    starred = count + bool(code.co_flags & inspect.CO_VARARGS)
    doubled = starred + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    found = code.co_varnames
    return found[:plain] + found[count:starred] + found[plain:count] + found[starred:doubled]
