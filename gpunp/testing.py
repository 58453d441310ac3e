"""The assertions of `numpy.testing`, for device arrays: they are copied to the host and compared there."""

import functools

import numpy.testing

from gpunp.dispatch.function_protocol import to_host

__all__ = [
    "assert_allclose",
    "assert_almost_equal",
    "assert_approx_equal",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_max_ulp",
    "assert_equal",
    "assert_raises",
    "assert_raises_regex",
    "assert_warns",
]


def _on_the_host(function):
    @functools.wraps(function)
    def compare(*args, **kwargs):
        return function(*to_host(args), **to_host(kwargs))

    compare.__doc__ = f"`numpy.testing.{function.__name__}` of device arrays, host arrays and numbers."
    return compare


for _name in __all__:
    _function = getattr(numpy.testing, _name, None)
    if _function is not None:
        _refuses = _name.startswith(("assert_raises", "assert_warns"))
        globals()[_name] = _function if _refuses else _on_the_host(_function)
__all__ = [_name for _name in __all__ if _name in globals()]
