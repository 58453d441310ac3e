"""The assertions of `numpy.testing` for device arrays, which are copied to the host and compared there."""

import functools

from numpy import testing

from gpunp.dispatch.function_protocol import to_host

__all__ = [
    "assert_allclose",
    "assert_almost_equal",
    "assert_approx_equal",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_compare",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_max_ulp",
    "assert_equal",
    "assert_raises",
    "assert_raises_regex",
]


def _on_the_host(function):
    @functools.wraps(function)
    def compare(*args, **kwargs):
        return function(*to_host(args), **to_host(kwargs))

    compare.__doc__ = f"`numpy.testing.{function.__name__}` of device arrays, host arrays and numbers."
    return compare


assert_allclose = _on_the_host(testing.assert_allclose)
assert_almost_equal = _on_the_host(testing.assert_almost_equal)
assert_approx_equal = _on_the_host(testing.assert_approx_equal)
assert_array_almost_equal = _on_the_host(testing.assert_array_almost_equal)
assert_array_almost_equal_nulp = _on_the_host(testing.assert_array_almost_equal_nulp)
assert_array_compare = _on_the_host(testing.assert_array_compare)
assert_array_equal = _on_the_host(testing.assert_array_equal)
assert_array_less = _on_the_host(testing.assert_array_less)
assert_array_max_ulp = _on_the_host(testing.assert_array_max_ulp)
assert_equal = _on_the_host(testing.assert_equal)
assert_raises = testing.assert_raises
assert_raises_regex = testing.assert_raises_regex
