import numpy as np
import pytest
from records import Record, assert_same, outcome, record_test

import gpunp

METHODS = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)
NAMES = ("quantile", "percentile", "nanquantile", "nanpercentile")
UNIT = {"quantile": 1, "percentile": 100, "nanquantile": 1, "nanpercentile": 100}
REAL = "?bBhHiIlLefd"
SHAPES = ((), (1,), (7,), (10,), (3, 4), (2, 3, 4))
# q as scalars and arrays, without NumPy scalars: with these NumPy's dtype depends on whether there is a NaN.
QUANTILES = (0, 1, 0.3, 0.5, [0.3], [0.0, 0.25, 0.5, 0.77, 1.0], [], np.array([0.25, 0.5], "f4"))


def scaled(name, q):
    unit = UNIT[name]
    return [value * unit for value in q] if isinstance(q, list) else q * unit


def call(name, q, prepare=lambda a: a, **kwargs):
    """Make the call of a record, with q from 0 to 1 scaled to the unit of the function."""
    q = scaled(name, q)
    return lambda f, a: f(prepare(a), q, **kwargs)


def holes(a):
    """Replace a third of the elements, and all of the last row, by NaN."""
    a = a.copy()
    a[..., ::3] = np.nan
    a[-1] = np.nan
    return a


MANY = [0, 0.1, 0.25, 0.5, 0.9, 1]
ONCE = {"shapes": ((3, 4),), "layouts": ("C",)}
RECORDS = (
    *(
        Record(name, call(name, q), dtypes="?Ifd", shapes=SHAPES, layouts=("C", "F", "negative", "steps"))
        for name in NAMES
        for q in (0.3, [0.0, 0.4, 1.0])
    ),
    *(
        Record(name, call(name, 0.4), dtypes=REAL, shapes=((7,), (2, 3, 4)), layouts=("broadcast",))
        for name in NAMES
    ),
    *(
        Record(name, call(name, q, axis=0), dtypes="?Hlefd", shapes=SHAPES, layouts=("C",))
        for name in NAMES
        for q in QUANTILES
    ),
    *(
        Record(name, call(name, MANY, axis=-1, method=method), dtypes="blefd", shapes=((1,), (10,), (3, 4)))
        for name in NAMES[:1]
        for method in METHODS
    ),
    *(
        # Not exact: a long array may have zeros of both signs, which may be sorted in any order.
        Record(
            name,
            call(name, MANY, axis=-1, method=method),
            dtypes="led",
            shapes=((33, 65),),
            layouts=("transposed",),
            exact=False,
        )
        for name in NAMES
        for method in METHODS
    ),
    *(
        Record(
            name,
            call(name, MANY, holes, axis=-1, method=method),
            dtypes="efd",
            shapes=((10,), (3, 4), (2, 3, 4)),
            layouts=("C",),
        )
        for name in NAMES
        for method in METHODS
    ),
    *(
        Record(
            name, call(name, q, axis=axis, keepdims=keep), dtypes="ld", shapes=((2, 3, 4),), layouts=("C",)
        )
        for name in NAMES
        for q in (0.3, [0.2, 0.7])
        for axis in ((0, 2), (2, 1), (0, 1, 2), (), 1, None)
        for keep in (False, True)
    ),
    *(Record(name, lambda f, a: f(a, 0.5, 0, None, True), dtypes="d", **ONCE) for name in NAMES),
    *(
        Record(name, wrong, dtypes="ld", raises=True, **ONCE)
        for name in NAMES
        for wrong in (
            lambda f, a: f(a, -1),
            lambda f, a: f(a, [1, 101]),
            lambda f, a: f(a, np.nan),
            lambda f, a: f(a, 0.5, axis=2),
            lambda f, a: f(a, 0.5, method="magic"),
            lambda f, a: f(a, np.full((1, 1, 1), 0.5)),
            lambda f, a: f(a, 0.5, weights=np.ones((3, 4))),
            lambda f, a: f(a, 0.5, method="inverted_cdf", weights=np.ones(3)),
            lambda f, a: f(a, 0.5, axis=1, method="inverted_cdf", weights=np.ones(3)),
            lambda f, a: f(a, 0.5, method="inverted_cdf", weights=np.full((3, 4), -1)),
            lambda f, a: f(a, 0.5, method="inverted_cdf", weights=np.zeros((3, 4))),
        )
    ),
    *(Record(name, call(name, 0.5), dtypes="FD", shapes=((3,),), raises=True) for name in NAMES),
    *(Record(name, call(name, 0.5), dtypes="ld", shapes=((0,), (3, 0)), raises=True) for name in NAMES[:2]),
    *(Record(name, call(name, 0.5), dtypes="ld", shapes=((0,), (3, 0))) for name in NAMES[2:]),
    *(Record(name, call(name, 0.5, axis=0), dtypes="ld", shapes=((3, 0),)) for name in NAMES),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("name", NAMES)
def test_messages(name):
    function = getattr(np, name)
    what = "Percentiles must be in the range" if UNIT[name] == 100 else "Quantiles must be in the range"
    for a in (np.ones(3), gpunp.ones(3)):
        with pytest.raises(ValueError, match=what):
            function(a, -0.1)
        with pytest.raises(ValueError, match="'magic' is not a valid method"):
            function(a, 0.5, method="magic")
        with pytest.raises(ValueError, match="q must be a scalar or 1d"):
            function(a, np.ones((1, 1, 1)))
        with pytest.raises(ValueError, match="Only method 'inverted_cdf' supports weights"):
            function(a, 0.5, weights=a)
        with pytest.raises(TypeError, match="a must be an array of real numbers"):
            function(a * 1j, 0.5)


@pytest.mark.parametrize("name", NAMES)
def test_out(name, rng):
    function = getattr(np, name)
    host = rng.normal(size=(4, 6))
    host[1, 2] = np.nan
    q = scaled(name, [0.2, 0.6])
    for method in ("linear", "lower"):
        for kwargs in ({"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1), "keepdims": True}, {}):
            shape = function(host, q, method=method, **kwargs).shape
            for char in "df":
                expected = np.zeros(shape, char)
                ours = gpunp.asarray(expected)
                outcome(lambda e=expected, k=kwargs, m=method: function(host, q, out=e, method=m, **k))
                assert function(gpunp.asarray(host), q, out=ours, method=method, **kwargs) is ours
                assert_same(ours, expected, exact=False)


@pytest.mark.parametrize("name", NAMES)
def test_quantiles_on_the_device(name, rng):
    function = getattr(np, name)
    host = rng.normal(size=(5, 9)).astype("f4")
    a = gpunp.asarray(host)
    for char in "fd":
        q = np.array(scaled(name, [0.0, 0.1, 0.5, 1.0]), char)
        for method in METHODS:
            for axis in (None, 0, 1):
                expected = function(host, q, axis=axis, method=method)
                assert_same(function(a, gpunp.asarray(q), axis=axis, method=method), expected)
        assert_same(function(host, gpunp.asarray(q)), function(host, q))

    def beyond():
        function(a, gpunp.asarray(np.array([0.5, 200])))
        # On a GPU the error is raised by the next call that waits.
        a.device.synchronize()

    with pytest.raises(ValueError, match="must be in the range"):
        beyond()


@pytest.mark.parametrize("char", "bHfd")
def test_long_arrays(char, rng):
    host = rng.normal(60, 20, 200_003).clip(0, 127).astype(char)
    q = [0, 0.001, 0.01, 0.25, 0.3, 0.31, 0.5, 0.75, 0.99, 1]
    for method in ("linear", "hazen", "nearest"):
        assert_same(
            np.quantile(gpunp.asarray(host), q, method=method),
            np.quantile(host, q, method=method),
            exact=False,
        )


@pytest.mark.parametrize("count", [9, 57, 130])
def test_many_quantiles(count, rng):
    q = np.linspace(0, 1, count)
    for char in "df":
        host = rng.normal(size=(3, 5000)).astype(char)
        host[1, 17] = np.nan
        for axis in (None, 1):
            assert_same(np.quantile(gpunp.asarray(host), q, axis=axis), np.quantile(host, q, axis=axis))


def weight_cases(rng, shape):
    yield rng.random(shape), {}
    yield rng.integers(0, 4, shape), {}
    yield rng.random(shape[0]), {"axis": 0}
    yield rng.random(shape[-1]), {"axis": -1}
    yield rng.random(shape), {"axis": (0, 1), "keepdims": True}
    yield rng.random(shape), {"axis": 1}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("char", "?lfd")
def test_weights(name, char, rng):
    function = getattr(np, name)
    for shape in ((3, 4), (2, 3, 4), (33, 5)):
        host = rng.normal(0, 5, shape).astype(char)
        for weights, kwargs in weight_cases(rng, shape):
            for q in (0.3, [0, 0.5, 1]):
                arguments = {"method": "inverted_cdf", **kwargs}
                if name.startswith("nan") and weights.shape != shape:
                    # NumPy's nan-functions fail with 1-D weights; the others give the same result.
                    expected = getattr(np, name[3:])(host, scaled(name, q), weights=weights, **arguments)
                else:
                    expected = function(host, scaled(name, q), weights=weights, **arguments)
                for given in (weights, gpunp.asarray(weights)):
                    ours = function(gpunp.asarray(host), scaled(name, q), weights=given, **arguments)
                    assert_same(ours, expected)


@pytest.mark.parametrize("name", NAMES)
def test_weights_and_nan(name, rng):
    function = getattr(np, name)
    host = rng.normal(size=(6, 7))
    host[rng.random((6, 7)) < 0.3] = np.nan
    host[4] = np.nan
    host[5] = 1
    weights = rng.random((6, 7))
    for axis in (0, 1, None):
        for q in (0.3, [0, 0.5, 1]):
            arguments = {"axis": axis, "method": "inverted_cdf"}
            expected, _ = outcome(
                lambda q=q, k=arguments: function(host, scaled(name, q), weights=weights, **k)
            )
            ours = function(gpunp.asarray(host), scaled(name, q), weights=weights, **arguments)
            # NumPy returns a scalar if the result is NaN.
            assert_same(ours, np.asarray(expected))


def test_weights_into_out(rng):
    host, weights = rng.normal(size=(3, 4)), rng.random((3, 4))
    out = gpunp.zeros(3)
    ours = np.quantile(gpunp.asarray(host), 0.4, axis=1, method="inverted_cdf", weights=weights, out=out)
    assert ours is out
    assert_same(out, np.quantile(host, 0.4, axis=1, method="inverted_cdf", weights=weights))


def test_dtype_with_nan_is_that_without():
    """NumPy returns the array's dtype if a scalar result is NaN; the device would have to wait for that."""
    a = gpunp.asarray(np.array([1, np.nan, 2], "f4"))
    assert np.quantile(a, np.float64(0.5)).dtype == np.float64
    assert np.quantile(a, 0.5).dtype == np.float32


def test_input_stays():
    host = np.array([3.0, 1, 2])
    a = gpunp.asarray(host)
    np.percentile(a, 50, overwrite_input=True)
    assert_same(a, host)
