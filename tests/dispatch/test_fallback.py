"""``gpunp.config.fallback``: functions, ufuncs and methods that gpunp does not implement."""

import numpy as np
import pytest
from records import assert_same

import gpunp
from gpunp.dispatch.registry import find_handler
from gpunp.dispatch.ufunc_protocol import UFUNCS

HOST = np.array([3.0, 1.0, 2.0])
# numpy.busday_offset accepts integers as days; gpunp has no handler for it.
DAYS = np.array([3, 1, 20])


def _every_argument(*args, **kwargs):
    return *args, *kwargs.values()


def dispatched(function):
    """Make a function that NumPy dispatches and gpunp does not implement."""
    return np._core.overrides.array_function_dispatch(_every_argument, verify=False)(function)


@pytest.fixture
def unknown():
    made = []

    def make(function):
        made.append(dispatched(function))
        return made[-1]

    yield make
    for function in made:
        np._core.overrides.ARRAY_FUNCTIONS.discard(function)


CALLS = {
    "busday_count": lambda a: np.busday_count(np.array(["2025-01-01"], "M8[D]"), a),
    "ufunc": lambda a: USER(a, 2.0),
    "reduce": lambda a: USER.reduce(a),
    "strings": lambda a: np.strings.isalpha(a),
}
USER = np.frompyfunc(lambda x, y: x + 2 * y, 2, 1)


def test_nothing_here_is_handled():
    assert USER not in UFUNCS
    assert np.strings.isalpha not in UFUNCS
    assert find_handler(np.busday_offset) is None


@pytest.mark.parametrize("name", ["ufunc", "reduce", "strings"])
def test_error_is_the_default(name):
    assert gpunp.config.fallback == "error"
    with pytest.raises(TypeError, match=r"gpunp does not handle .*gpunp\.asnumpy.*gpunp\.config\.fallback"):
        CALLS[name](gpunp.asarray(HOST))


def test_business_days():
    days = gpunp.asarray(DAYS)
    dates = np.array(["2025-01-01", "2025-02-03", "2025-03-08"], "M8[D]")
    with pytest.raises(TypeError, match=r"numpy\.busday_offset"):
        np.busday_offset(dates, days, roll="forward")
    with gpunp.config.using(fallback="numpy"):
        # The device has no dates: the result stays on the host.
        offset = np.busday_offset(dates, days, roll="forward")
        np.testing.assert_array_equal(offset, np.busday_offset(dates, DAYS, roll="forward"))


@pytest.mark.parametrize("setting", ["numpy", "warn"])
def test_functions(setting, unknown):
    kinds = {
        "array": unknown(lambda a: a * 2),
        "scalar": unknown(lambda a: a.sum()),
        "number": unknown(lambda a: 3),
        "tuple": unknown(lambda a: (a, a.max(), "text", None)),
        "list": unknown(lambda a: [a, [a[:1]]]),
        "named": unknown(lambda a: np.linalg.slogdet(np.diag(a))),
    }
    a = gpunp.asarray(HOST)
    for name, function in kinds.items():
        with gpunp.config.using(fallback=setting):
            if setting == "warn":
                with pytest.warns(gpunp.FallbackWarning, match="does not handle"):
                    result = function(a)
            else:
                result = function(a)
        expected = function(HOST)
        if name == "named":
            assert type(result) is type(expected)
        if name == "tuple":
            assert result[2:] == ("text", None)
            result, expected = result[:2], expected[:2]
        assert_same(result, expected)


def test_arguments_are_copied_to_the_host(unknown):
    seen = []

    def look(*args, **kwargs):
        seen.extend([args, kwargs])
        return None

    function = unknown(look)
    a = gpunp.asarray(HOST)
    with gpunp.config.using(fallback="numpy"):
        assert function(a, [a, (a, 1)], {"key": a}, option=a) is None
    (first, nested, mapping), options = seen
    for value in (first, nested[0], nested[1][0], mapping["key"], options["option"]):
        assert type(value) is np.ndarray


def test_out_of_functions(unknown):
    @unknown
    def doubled(a, out=None):
        return np.multiply(a, 2, out=out)

    @unknown
    def both(a, out=None):
        return tuple(np.multiply(a, k + 2, out=o) for k, o in enumerate(out))

    a, out, other = gpunp.asarray(HOST), gpunp.zeros(3), gpunp.zeros(3)
    with gpunp.config.using(fallback="numpy"):
        assert doubled(a, out=out) is out
        assert_same(out, HOST * 2)
        first, second = both(a, out=(out, other))
        assert first is out
        assert second is other
        assert_same(other, HOST * 3)
    with pytest.raises(TypeError, match="does not handle"):
        doubled(a, out=out)


@pytest.mark.parametrize("setting", ["numpy", "warn"])
def test_ufuncs(setting):
    swapped = np.frompyfunc(lambda x, y: (y, x), 2, 2)
    a, out = gpunp.asarray(HOST), gpunp.zeros(3)
    with gpunp.config.using(fallback=setting):
        if setting == "warn":
            with pytest.warns(gpunp.FallbackWarning):
                USER(a, 2.0)
            return
        # A result of Python objects stays on the host, where the user can convert it.
        assert USER(a, 2.0).tolist() == (HOST + 4).tolist()
        assert USER(a, 2.0, out=out, casting="unsafe") is out
        assert_same(out, HOST + 4)
        first, second = swapped(a, a + 1)
        assert second.tolist() == HOST.tolist()
        assert USER.reduce(a) == USER.reduce(HOST)
        assert USER.outer(a, a).tolist() == USER.outer(HOST, HOST).tolist()
        target = gpunp.zeros(3)
        USER.at(target, [0, 2], a[:2])
        assert target.tolist() == [6, 0, 2]
        assert first.tolist() == (HOST + 1).tolist()


def test_errors_of_numpy_come_through(unknown):
    @unknown
    def fails(a):
        raise ZeroDivisionError("on the host")

    with gpunp.config.using(fallback="numpy"), pytest.raises(ZeroDivisionError, match="on the host"):
        fails(gpunp.asarray(HOST))


def test_linear_algebra_that_is_not_there():
    a = gpunp.asarray(np.array([[2.0, 0.0], [0.0, 3.0]]))
    with gpunp.config.using(fallback="numpy"):
        assert_same(np.linalg.inv(a), np.linalg.inv(a.get()), exact=False)
        assert_same(np.linalg.slogdet(a), np.linalg.slogdet(a.get()), exact=False)
