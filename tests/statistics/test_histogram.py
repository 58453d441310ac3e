import numpy as np
import pytest
from records import REAL, Record, assert_same, make_values, outcome, record_test

import gpunp

SHAPES = ((5,), (0,), (3, 4), (2, 3, 4), (33, 65), ())
FINITE = ((5,), (0,), (3, 4), (2, 3, 4), ())
NUMBERS = REAL.replace("?", "")
RULES = ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")
EDGES = [-4.5, -1, 0, 0, 2.25, 7, 40]

RECORDS = (
    Record("histogram", dtypes=REAL, shapes=FINITE),
    Record("histogram", lambda f, a: f(a, 7), dtypes=REAL, shapes=FINITE),
    Record("histogram", lambda f, a: f(a, 5, (-2, 9)), dtypes=NUMBERS, shapes=SHAPES),
    Record("histogram", lambda f, a: f(a, 9, range=(-2.5, 3.25)), dtypes=NUMBERS, shapes=SHAPES),
    Record("histogram", lambda f, a: f(a, 3, (2, 2)), dtypes="blfd", shapes=SHAPES),
    Record("histogram", lambda f, a: f(a, 3, (np.float64(0), np.float64(2))), dtypes="lefd", shapes=SHAPES),
    Record("histogram", lambda f, a: f(a, 3, (np.float32(0), np.float32(2))), dtypes="bld", shapes=SHAPES),
    Record("histogram", lambda f, a: f(a, 4, (-5, 10)), dtypes="BHIL", shapes=SHAPES),
    Record(
        "histogram", lambda f, a: f(a, 4, density=True), dtypes="ilefd", shapes=((5,), (3, 4)), exact=False
    ),
    Record("histogram", lambda f, a: f(a, EDGES), dtypes=NUMBERS, shapes=SHAPES),
    Record("histogram", lambda f, a: f(a, np.array(EDGES, "f")), dtypes="bldf", shapes=SHAPES),
    Record("histogram", lambda f, a: f(a, [-3, 0, 4, 50]), dtypes=REAL, shapes=SHAPES),
    Record("histogram", lambda f, a: f(a, np.array([0, 4, 50], "B")), dtypes=REAL, shapes=SHAPES),
    Record("histogram", lambda f, a: f(a, [1]), dtypes="ld"),
    Record("histogram", lambda f, a: f(a, []), dtypes="ld"),
    Record("histogram", lambda f, a: f(a, EDGES[3:], density=True), dtypes="ld", exact=False),
    *(
        Record(
            "histogram", lambda f, a, w: f(a, 4, weights=w), dtypes=char, shapes=FINITE, arrays=2, exact=False
        )
        for char in "bBild"
    ),
    Record("histogram", lambda f, a, w: f(a, 4, weights=w > 0), dtypes="d", shapes=FINITE, arrays=2),
    Record(
        "histogram",
        lambda f, a, w: f(a, 4, weights=w + 1j * a),
        dtypes="fd",
        shapes=FINITE,
        arrays=2,
        exact=False,
    ),
    Record(
        "histogram",
        lambda f, a, w: f(a, EDGES, weights=w),
        dtypes="bild",
        shapes=FINITE,
        arrays=2,
        exact=False,
    ),
    Record(
        "histogram",
        lambda f, a, w: f(a, 6, (-3, 3), True, w),
        dtypes="d",
        shapes=((3, 4), (2, 3, 4)),
        arrays=2,
        exact=False,
    ),
    Record("histogram", lambda f, a: f(a, weights=np.ones(77)), raises=True, dtypes="ld"),
    Record("histogram", lambda f, a: f(a, [3, 2, 1]), raises=True, dtypes="ld"),
    Record("histogram", lambda f, a: f(a, [[1, 2]]), raises=True, dtypes="ld"),
    Record("histogram", lambda f, a: f(a, 2.5), raises=True, dtypes="ld"),
    Record("histogram", lambda f, a: f(a, 0), raises=True, dtypes="ld"),
    Record("histogram", lambda f, a: f(a, "nonsense"), raises=True, dtypes="ld"),
    Record("histogram", lambda f, a: f(a, "auto", weights=a), raises=True, dtypes="ld"),
    Record("histogram", lambda f, a: f(a, 3, (2, 1)), raises=True, dtypes="ld"),
    Record("histogram", lambda f, a: f(a, 3, (0, np.inf)), raises=True, dtypes="ld"),
    Record("histogram_bin_edges", dtypes=REAL, shapes=FINITE),
    Record("histogram_bin_edges", lambda f, a: f(a, 12, (1, 6)), dtypes=REAL, shapes=FINITE),
    Record("histogram_bin_edges", lambda f, a: f(a, EDGES, weights=a), dtypes="ld", shapes=FINITE),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("char", "blfd")
def test_rules(rule, char, rng):
    for host in (
        rng.normal(30, 9, 500).astype(char),
        rng.integers(0, 5, 40).astype(char),
        np.ones(9, char),
        np.ones(2, char),
        np.zeros(0, char),
        np.arange(700).astype(char),
    ):
        for options in ({}, {"range": (20, 40)}):
            expected, error = outcome(lambda host=host, options=options: np.histogram(host, rule, **options))
            assert error is None
            actual, error = outcome(
                lambda host=host, options=options: np.histogram(gpunp.asarray(host), rule, **options)
            )
            assert error is None
            assert_same(actual, expected, exact=False)


def test_stone_says_when_it_met_its_limit():
    with pytest.warns(RuntimeWarning, match="may be suboptimal"):
        np.histogram(gpunp.asarray([0.0] * 50 + [1.0] * 50), "stone")


@pytest.mark.parametrize("char", NUMBERS)
def test_values_at_the_edges(char, rng):
    """Every value lies on an edge or next to one, where arithmetic alone would choose the wrong bin."""
    for bins, low, high in (
        (3, 0, 1),
        (10, 0, 1),
        (256, -1, 1),
        (1000, 0.1, 0.7),
        (49, -70, 112),
        (7, 0, 100),
    ):
        if np.dtype(char).kind in "iu":
            low, high = np.dtype(char).type(max(low, 0) * 10), np.dtype(char).type(high * 10 % 120 + 1)
        edges = np.linspace(low, high, bins + 1).astype(char)
        host = np.concatenate([edges, edges[::3]])
        if np.dtype(char).kind == "f":
            host = np.concatenate(
                [host, np.nextafter(edges, edges.dtype.type(9)), np.nextafter(edges, -edges)]
            )
        rng.shuffle(host)
        for range_ in ((low, high), (float(low), float(high)), None):
            expected, error = outcome(
                lambda host=host, bins=bins, range_=range_: np.histogram(host, bins, range_)
            )
            assert error is None
            assert_same(np.histogram(gpunp.asarray(host), bins, range_), expected)


@pytest.mark.parametrize("char", "iefd")
@pytest.mark.parametrize("bins", [1, 256, 5000, 20_000])
def test_many_values(char, bins, rng):
    """Several blocks, counters in shared and in global memory, unaligned and partial vectors."""
    host = (rng.normal(0, 300, 200_003) if char != "e" else rng.normal(0, 2, 200_003)).astype(char)
    if char == "e":
        bins = min(bins, 200)
    for values in (host, host[1:], host[3:-2], np.full(70_000, host[5])):
        device_values = gpunp.asarray(host)
        if values.size > 100_000:
            start = host.size - values.size if values.size != host.size - 5 else 3
            device_values = device_values[start : start + values.size]
        else:
            device_values = gpunp.asarray(values)
        for range_ in (None, (-200, 100)):
            assert_same(
                np.histogram(device_values, bins, range_), np.histogram(values, bins, range_), where=str(bins)
            )


def test_extremes_of_integers():
    for char in "bhilBHIL":
        limits = np.iinfo(char)
        host = np.array([limits.min, limits.max, limits.max // 2, 0, 1], char)
        assert_same(np.histogram(gpunp.asarray(host), 5), np.histogram(host, 5))


def test_weights_keep_their_scale(rng):
    """Small and large weights together, subnormal weights, infinities and NaN."""
    values = np.repeat(np.arange(6.0), 100)
    weights = rng.normal(size=600) * np.repeat([1.0, 1e-200, 1e200, 5e-324, 1, 1], 100)
    weights[400], weights[401], weights[500] = np.inf, -np.inf, np.inf
    with np.errstate(all="ignore"):
        expected = np.histogram(values, 6, weights=weights)[0]
    actual = gpunp.asnumpy(np.histogram(gpunp.asarray(values), 6, weights=gpunp.asarray(weights))[0])
    assert np.isnan(actual[4])
    assert actual[5] == np.inf
    for i in range(4):
        np.testing.assert_allclose(actual[i], expected[i], rtol=1e-12, atol=0)


def test_order_of_weights_does_not_matter(rng):
    values, weights = (
        rng.integers(0, 50, 30_000),
        rng.normal(size=30_000) * 10.0 ** rng.integers(-8, 8, 30_000),
    )
    order = rng.permutation(30_000)
    first = np.histogram(gpunp.asarray(values), 50, weights=gpunp.asarray(weights))[0]
    second = np.histogram(gpunp.asarray(values[order]), 50, weights=gpunp.asarray(weights[order]))[0]
    assert gpunp.asnumpy(first).tobytes() == gpunp.asnumpy(second).tobytes()


def fetch(results):
    """Wait for the results: errors of kernels are raised here at the latest."""
    return [gpunp.asnumpy(result) for result in (results if isinstance(results, tuple) else (results,))]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_range_not_finite(value):
    host = np.array([1.0, value, 3.0])
    for name in ("histogram", "histogram_bin_edges"):
        with pytest.raises(ValueError, match="autodetected range"):
            fetch(getattr(np, name)(gpunp.asarray(host)))
    with pytest.raises(ValueError, match="is not finite"):
        np.histogram(gpunp.asarray(host), "sqrt")
    assert_same(np.histogram(gpunp.asarray(host), 3, (0, 5)), np.histogram(host, 3, (0, 5)))


def test_too_many_bins():
    host = np.array([1, 1 + 2**-52])
    with pytest.raises(ValueError, match="Too many bins for data range"):
        fetch(np.histogram(gpunp.asarray(host), 10))
    with pytest.raises(ValueError, match="more than 2\\*\\*31"):
        np.histogram(gpunp.asarray(host), 2**31)


def test_edges_of_the_device(rng):
    host = rng.normal(size=300)
    edges = np.array([-1, 0, 0.5, 3])
    assert_same(np.histogram(gpunp.asarray(host), gpunp.asarray(edges)), np.histogram(host, edges))
    assert_same(np.histogram(host, gpunp.asarray(edges)), np.histogram(host, edges))
    both = edges.repeat(2)
    assert_same(np.histogram(host, gpunp.asarray(both)[::2]), np.histogram(host, edges))
    for name in ("histogram", "histogram_bin_edges"):
        with pytest.raises(ValueError, match="must increase monotonically"):
            fetch(getattr(np, name)(gpunp.asarray(host), gpunp.asarray(edges[::-1].copy())))


def test_range_of_the_device():
    host = make_values("d", (40,))
    a = gpunp.asarray(host)
    assert_same(np.histogram(a, 5, (a.min(), a.max())), np.histogram(host, 5, (host.min(), host.max())))


def test_boolean_values_are_announced():
    with pytest.warns(RuntimeWarning, match="Converting input from bool"):
        np.histogram(gpunp.asarray([True, False]))


def test_boolean_weights_need_equal_bins():
    with pytest.raises(TypeError, match="boolean weights"):
        np.histogram(gpunp.asarray([1.0, 2.0]), [0, 1, 3], weights=gpunp.asarray([True, False]))


def test_complex_values_have_no_bins():
    with pytest.raises(TypeError, match=r"use values\.real"):
        np.histogram(gpunp.asarray([1j]))
    with pytest.raises(TypeError, match="real"):
        np.histogram(gpunp.asarray([1.0]), [1j, 2])


@pytest.mark.parametrize("char", "fdi")
@pytest.mark.parametrize("kind", ["uniform", "normal", "few", "outlier", "edges", "equal"])
def test_long(kind, char, rng, device):
    # On a GPU enough values that the range is guessed from a sample.
    n = (1 << (12 if device.is_cpu else 26)) // np.dtype(char).itemsize + 3
    block = rng.random(1 << 20) * 1000 + 20
    if kind == "normal":
        block = rng.normal(0, 1000, 1 << 20)
    elif kind == "few":
        block = rng.integers(0, 256, 1 << 20)
    elif kind == "edges":
        # Values on edges, and so close to edges that rounding decides.
        block = np.linspace(-1, 3, 1001)[rng.integers(0, 1001, 1 << 20)] + rng.integers(-1, 2, 1 << 20) * 1e-7
        block *= 1000 if char == "i" else 1
    values = np.resize(block.astype(char), n)
    if kind == "outlier":
        values[n // 3] = 5000
    elif kind == "equal":
        values[:] = 3
    a = gpunp.asarray(values)
    for bins in (10, 256, 1000):
        ours, expected = np.histogram(a, bins), np.histogram(values, bins)
        assert_same(ours[0], expected[0])
        assert_same(ours[1], expected[1])


def test_long_with_nan(rng):
    values = rng.random((1 << 24) + 1, "f")
    values[1 << 23] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        fetch(np.histogram(gpunp.asarray(values)))
