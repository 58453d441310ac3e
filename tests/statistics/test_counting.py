import numpy as np
import pytest
from records import Record, assert_same, outcome, record_test

import gpunp

VECTORS = ((1,), (7,), (0,), (300,))
RECORDS = (
    Record("bincount", lambda f, a: f(abs(a)), dtypes="bBhHiIl", shapes=VECTORS),
    Record("bincount", dtypes="?BHI", shapes=VECTORS),
    Record("bincount", lambda f, a: f(abs(a), minlength=150), dtypes="Bil", shapes=VECTORS),
    Record("bincount", lambda f, a: f(abs(a), None, 3), dtypes="Bil", shapes=VECTORS),
    *(
        Record(
            "bincount",
            lambda f, a, w, char=char: f(abs(a), w.astype(char)),
            dtypes="Bl",
            shapes=VECTORS,
            arrays=2,
            exact=False,
        )
        for char in "?bBhHiIlLefd"
    ),
    Record("bincount", lambda f, a: f(abs(a), abs(a), 200), dtypes="Bl", shapes=VECTORS, exact=False),
    Record("bincount", lambda f, a: f(abs(a), a > 1), dtypes="Bl", shapes=VECTORS, exact=False),
    Record("bincount", dtypes="fdD", shapes=((3,), (0,)), raises=True),
    Record("bincount", dtypes="l", shapes=((), (2, 3)), raises=True, layouts=("C",)),
    Record("bincount", lambda f, a: f(a - 200), dtypes="hl", shapes=((3,), (70,)), raises=True),
    Record(
        "bincount",
        lambda f, a: f(abs(a), minlength=-1),
        dtypes="l",
        shapes=VECTORS,
        raises=True,
        layouts=("C",),
    ),
    Record(
        "bincount",
        lambda f, a: f(abs(a), minlength=None),
        dtypes="l",
        shapes=VECTORS,
        raises=True,
        layouts=("C",),
    ),
    Record(
        "bincount",
        lambda f, a: f(abs(a), minlength=2.5),
        dtypes="l",
        shapes=VECTORS,
        raises=True,
        layouts=("C",),
    ),
    Record(
        "bincount",
        lambda f, a: f(abs(a), a[1:]),
        dtypes="l",
        shapes=((3,), (70,)),
        raises=True,
        layouts=("C",),
    ),
    Record(
        "bincount", lambda f, a: f(abs(a), a[None]), dtypes="l", shapes=((3,),), raises=True, layouts=("C",)
    ),
    Record("bincount", lambda f, a: f(abs(a), a[0]), dtypes="l", shapes=((3,),), raises=True, layouts=("C",)),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("bins", [1, 2, 200, 12_288, 12_289, 100_000])
@pytest.mark.parametrize("char", "Bil")
def test_many_values(bins, char, rng):
    bins = min(bins, 256) if char == "B" else bins
    host = rng.integers(0, bins, 150_001).astype(char)
    for part in (slice(None), slice(1, None), slice(5, -3), slice(None, None, -1)):
        assert_same(np.bincount(gpunp.asarray(host)[part]), np.bincount(host[part]))
    weights = rng.normal(size=host.size)
    assert_same(
        np.bincount(gpunp.asarray(host), gpunp.asarray(weights)), np.bincount(host, weights), exact=False
    )


@pytest.mark.parametrize("kind", ["random", "crowded", "sorted", "small", "beyond", "one far", "narrow"])
def test_long(kind, rng, device):
    # On a GPU enough values for counting by buckets.
    n = (1 << (17 if device.is_cpu else 23)) + 5
    values = rng.integers(0, 500_000, n)
    if kind == "crowded":
        values[rng.random(n) < 0.5] = 70_001
    elif kind == "sorted":
        values.sort()
    elif kind == "small":
        values %= 13_000
    elif kind == "beyond":
        values *= 9
    elif kind == "one far":
        values[n // 3] = 1 << 22
    elif kind == "narrow":
        values += 400_000
    expected = np.bincount(values)
    for char in "iIl":
        assert_same(np.bincount(gpunp.asarray(values.astype(char))), expected)
    if kind == "random":
        assert_same(
            np.bincount(gpunp.asarray(values), minlength=600_000), np.bincount(values, minlength=600_000)
        )
        few = (values % 40_000).astype("H")
        assert_same(np.bincount(gpunp.asarray(few)), np.bincount(few))
        values[7] = -1
        with pytest.raises(ValueError, match="no negative elements"):
            np.bincount(gpunp.asarray(values))


@pytest.mark.parametrize("kind", ["random", "crowded", "sorted", "special", "few bins", "one far"])
@pytest.mark.parametrize("char", ["f4", "f8", "f2", "i4", "u1"])
def test_long_weights(kind, char, rng, device):
    """Bits equal those of the CPU device, whose kernels use no buckets."""
    n = (1 << (17 if device.is_cpu else 23)) + 5
    values = rng.integers(0, 12_000 if device.is_cpu else 700_000, n)
    weights = (rng.normal(size=n + 1) * 10.0 ** rng.integers(-2, 3, n + 1)).astype(char)
    if kind == "crowded":
        values[rng.random(n) < 0.5] = 7_001
    elif kind == "sorted":
        values.sort()
    elif kind == "special" and char[0] == "f":
        weights[rng.integers(0, n, 200)] = np.inf
        weights[rng.integers(0, n, 200)] = -np.inf
        weights[rng.integers(0, n, 200)] = np.nan
        weights[rng.integers(0, n, 200)] = np.finfo(char).max
        weights[rng.integers(0, n, 200)] = np.finfo(char).smallest_subnormal
    elif kind == "few bins":
        values %= 4_000
    elif kind == "one far":
        values[n // 3] = 1 << 22
    for index, w in ((values, weights[:-1]), (values.astype("i4"), weights[1:]), (values, weights[-2::-1])):
        want = np.bincount(gpunp.asarray(index, device="cpu"), gpunp.asarray(w, device="cpu"))
        x, y = gpunp.asarray(index, device=device), gpunp.asarray(weights, device=device)
        y = y[:-1] if w is weights[:-1] else gpunp.asarray(w, device=device)
        for _ in range(2):
            assert_same(np.bincount(x, y), gpunp.asnumpy(want))
    with np.errstate(invalid="ignore"):
        expected = np.bincount(values, weights[:-1].astype("f8"))
    actual = gpunp.asnumpy(np.bincount(gpunp.asarray(values), gpunp.asarray(weights[:-1])))
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-6)


def test_one_bin_has_nearly_all(rng):
    host = np.where(rng.random(100_000) < 0.95, 7, rng.integers(0, 50_000, 100_000))
    assert_same(np.bincount(gpunp.asarray(host)), np.bincount(host))


def test_sums_are_nearly_exact(rng):
    """Weights of very different magnitude cancel; the integer sums keep all relevant digits."""
    weights = rng.normal(size=20_000) * 10.0 ** rng.integers(-10, 10, 20_000)
    index = rng.integers(0, 13, 20_000)
    exact = [float(sum(map(int, weights[index == i] * 2.0**80))) / 2.0**80 for i in range(13)]
    actual = gpunp.asnumpy(np.bincount(gpunp.asarray(index), gpunp.asarray(weights)))
    np.testing.assert_allclose(actual, exact, rtol=1e-15, atol=1e-13)


def test_hosts_and_lists(rng):
    host = rng.integers(0, 9, 50)
    weights = rng.normal(size=50)
    assert_same(np.bincount(host, gpunp.asarray(weights)), np.bincount(host, weights), exact=False)
    assert_same(np.bincount(gpunp.asarray(host), weights), np.bincount(host, weights), exact=False)
    assert_same(gpunp.bincount([1, 1, 4]), np.bincount([1, 1, 4]))
    assert_same(gpunp.bincount([]), np.bincount([]))


def test_errors_say_what_is_wrong():
    with pytest.raises(ValueError, match="no negative elements: the least is -3"):
        np.bincount(gpunp.asarray([4, -3]))
    with pytest.raises(TypeError, match="complex weights"):
        np.bincount(gpunp.asarray([1]), gpunp.asarray([1j]))
    assert outcome(lambda: np.bincount([1], [1j]))[1] is not None


@pytest.mark.parametrize("char", "?bHil")
@pytest.mark.parametrize("size", [8191, 8192, 10_001, 300_001])
def test_values_of_which_one_is_apart(char, size, rng):
    host = rng.integers(0, 2, size).astype(char)
    if char != "?":
        host[:100] = 100
        for place, value in ((0, 120), (5000, 120), (size - 1, 120), (size - 1, 30_000), (3000, 10**6)):
            if value <= np.iinfo(char).max:
                host[place] = value
                assert_same(np.bincount(gpunp.asarray(host)), np.bincount(host))
    assert_same(np.bincount(gpunp.asarray(host)), np.bincount(host))
    assert_same(np.bincount(gpunp.asarray(host), minlength=20_000), np.bincount(host, minlength=20_000))
    if np.dtype(char).kind == "i":
        host[size - 2] = -1
        with pytest.raises(ValueError, match="negative"):
            np.bincount(gpunp.asarray(host))
