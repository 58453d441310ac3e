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
    "assert_array_list_equal",
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


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Assert that two sequences have the same number of arrays, which are equal in pairs.

    Parameters
    ----------
    xlist, ylist : sequence of array_like
    err_msg : str, optional
        Added to the message of a failure.
    verbose : bool, optional
        Whether the message has the values.
    """
    for each, name in ((xlist, "xlist"), (ylist, "ylist")):
        if not isinstance(each, list | tuple):
            raise TypeError(
                f"assert_array_list_equal: {name} must be a list or tuple, not {type(each).__name__}"
            )
    if len(xlist) != len(ylist):
        raise AssertionError(f"{len(xlist)} arrays are compared with {len(ylist)}; {err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg=err_msg, verbose=verbose)
