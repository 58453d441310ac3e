"""What tests of SciPy's elementwise solvers share: comparisons of all results, and counts of waits."""

import numpy as np
from solvers import Waits, host


def fields(result, prefix=""):
    """The arrays of a result by name, also of results and tuples within it."""
    found = {}
    for name, value in result.items():
        if name == "_order_keys":
            continue
        if isinstance(value, dict):
            found |= fields(value, f"{prefix}{name}.")
        elif isinstance(value, tuple):
            found |= {f"{prefix}{name}[{i}]": each for i, each in enumerate(value)}
        else:
            found[prefix + name] = value
    return found


def assert_same(found, expected, *, rtol=0, atol=0, left_out=(), tolerances=None):
    """Compare all fields of two results: order, dtypes, shapes and values.

    Parameters
    ----------
    found, expected : _RichResult
        From the device and from the host.
    rtol, atol : float
        Tolerances of floating-point fields.
    left_out : tuple of str
        Fields whose values are not compared.
    tolerances : dict of str to tuple of float, optional
        Other ``(rtol, atol)`` for some fields.
    """
    one, other = fields(found), fields(expected)
    assert list(one) == list(other)
    for name, value in other.items():
        actual, value = host(one[name]), np.asarray(value)
        assert (actual.shape, actual.dtype) == (value.shape, value.dtype), name
        if name in left_out:
            continue
        if value.dtype.kind in "fc":
            limits = (tolerances or {}).get(name, (rtol, atol))
            np.testing.assert_allclose(actual, value, *limits, err_msg=name)
        else:
            np.testing.assert_array_equal(actual, value, err_msg=name)


def calls_and_result(solve, function, arrays, options):
    """Call a solver; return the shapes of the arguments in each call of the function, and the result."""
    shapes = []

    def recorded(*args):
        shapes.append([np.shape(each) for each in args])
        return function(*args)

    with np.errstate(all="ignore"):
        return shapes, solve(recorded, *arrays, **options)


def results_in_turn(solve, function, arrays, halt, keep):
    """What a callback gets in each iteration, by ``keep``, until it halts the solver; and the result."""
    seen = []

    def callback(res):
        seen.append(keep(res))
        if len(seen) - 1 == halt:
            raise StopIteration

    return [*seen, solve(function, *arrays, callback=callback)]


def waits_of(device, call):
    """How often a call waits for the device, and its result."""
    with Waits(device) as waits:
        result = call()
    return waits.count, result
