"""Measurements by label, compared with SciPy."""

import inspect
import warnings

import numpy as np
import pytest

import gpunp

ndimage = pytest.importorskip("scipy.ndimage")
from gpunp_scipy import ndimage as ours  # noqa: E402 - after the check that SciPy is installed

SUMS = ("sum", "sum_labels", "mean", "variance", "standard_deviation", "center_of_mass")
ORDERED = ("minimum", "maximum", "median", "minimum_position", "maximum_position", "extrema")
TOLERANCE = {"e": 2e-2, "f": 1e-4}
INDICES = (
    *(None, 1, np.int64(3), 77, [1, 2], [2, 2, 0], [5, 99, -3, 1], range(1, 6)),
    *(np.array([[1, 2], [3, 4]]), np.array([], int), np.array([1, 2], np.uint8)),
)


def outcome(call):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call(), None
        except Exception as error:
            return None, error


def assert_like(actual, expected, tolerance, where):
    """Assert the same nesting and values; scalars may be on the device."""
    if isinstance(expected, tuple | list):
        assert type(actual) is type(expected), where
        assert len(actual) == len(expected), where
        for one, other in zip(actual, expected, strict=True):
            assert_like(one, other, tolerance, where)
        return
    if expected is None:
        assert actual is None, where
        return
    if isinstance(actual, gpunp.ndarray):
        # In its array API mode SciPy gives arrays without dimensions for scalars.
        assert actual._is_scalar == (np.ndim(expected) == 0), where
        actual = actual.get()
    assert actual.dtype == np.asarray(expected).dtype, where
    assert actual.shape == np.shape(expected), where
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, err_msg=where)


def check(name, *args, tolerance=1e-10, **kwargs):
    """Compare a call with device arrays with one with host arrays."""
    where = f"{name} {[getattr(a, 'dtype', a) for a in args]}"
    expected, error = outcome(lambda: getattr(ndimage, name)(*args, **kwargs))
    on_device = [gpunp.asarray(a) if i < 2 and isinstance(a, np.ndarray) else a for i, a in enumerate(args)]
    actual, raised = outcome(lambda: getattr(ours, name)(*on_device, **kwargs))
    if error is not None:
        assert isinstance(raised, type(error)), (
            f"{where}: SciPy raises {error!r}, gpunp {raised!r}, {actual!r}"
        )
        return
    if raised is not None:
        raise AssertionError(where) from raised
    assert_like(actual, expected, tolerance, where)


@pytest.mark.parametrize("name", SUMS + ORDERED)
@pytest.mark.parametrize("char", "?bBhHiIlLefd")
def test_by_label(name, char, rng):
    shape = (12, 15)
    # Distinct values where the dtype allows, as SciPy does not order equal ones.
    values = rng.permutation(180).reshape(shape).astype(char)
    if char == "?":
        values = rng.random(shape) < 0.5
        if "position" in name or name == "extrema":
            return
    labels = rng.integers(0, 6, shape)
    for index in INDICES:
        check(name, values, labels, index, tolerance=TOLERANCE.get(char, 1e-10))
    check(name, values, tolerance=TOLERANCE.get(char, 1e-10))
    check(name, values.T, labels.T, [1, 4], tolerance=TOLERANCE.get(char, 1e-10))


@pytest.mark.parametrize("name", SUMS + ORDERED)
@pytest.mark.parametrize("char", "?bBhHiIlLfd")
def test_dtypes_of_labels(name, char, rng):
    values = rng.normal(size=(4, 5, 6))
    labels = rng.integers(0, 2 if char == "?" else 9, (4, 5, 6)).astype(char)
    for index in (None, 1, [1, 2, 8, 70], np.array([3.0, 1.0]), gpunp.asarray([1, 5, 1, 44]), range(0)):
        if isinstance(index, gpunp.ndarray):
            actual = getattr(ours, name)(gpunp.asarray(values), gpunp.asarray(labels), index)
            expected, _ = outcome(lambda index=index: getattr(ndimage, name)(values, labels, index.get()))
            assert_like(actual, expected, 1e-10, name)
        else:
            check(name, values, labels, index)
    if char in "bhilfd":
        check(name, values, labels - 4, [-3, 0, 2, 5])
    if char in "ilLd":
        check(name, values, labels * 100_000_000, [100_000_000, 300_000_000, 5])


@pytest.mark.parametrize("name", SUMS + ORDERED)
def test_broadcast_and_bad_arguments(name, rng):
    check(name, rng.normal(size=6), np.array([[1], [2]]), [1, 2])
    check(name, rng.normal(size=6), np.arange(4), [1, 2])
    check(name, np.zeros(0), np.zeros(0, int), [1])
    labels, count = ours.label(gpunp.asarray([1.0, 0, 2, 3]))
    assert_like(
        getattr(ours, name)(gpunp.asarray([1.0, 5, 2, 3]), labels, count),
        getattr(ndimage, name)(np.array([1.0, 5, 2, 3]), labels.get(), int(count)),
        1e-12,
        name,
    )


def test_complex_values(rng):
    values, labels = rng.normal(size=(5, 6)) + 1j * rng.normal(size=(5, 6)), rng.integers(0, 3, (5, 6))
    for name in SUMS:
        for index in (None, 1, [1, 2]):
            check(name, values, labels, index)


def test_equal_values():
    values, ones = np.array([3, 1, 3, 1, 3]), np.ones(5, int)
    for name in ("minimum_position", "maximum_position", "extrema"):
        check(name, values)
        check(name, values, ones, 1)
        check(name, values, ones, [1])


def test_nan_in_groups():
    values = np.array([np.nan, 1, 2, np.nan, np.nan])
    labels = np.array([1, 1, 1, 2, 2])
    for name in ("minimum", "maximum", "minimum_position"):
        check(name, values, labels, [1, 2])


def test_sums_are_the_same_in_every_order(rng):
    values, labels = rng.normal(size=10_000), rng.integers(0, 5, 10_000)
    order = rng.permutation(10_000)
    one = ours.sum(gpunp.asarray(values), gpunp.asarray(labels), range(5))
    other = ours.sum(gpunp.asarray(values[order]), gpunp.asarray(labels[order]), range(5))
    np.testing.assert_array_equal(one.get(), other.get())


@pytest.mark.parametrize("char", "iBfd")
def test_histogram(char, rng):
    values, labels = (rng.normal(4, 3, (20, 30))).astype(char), rng.integers(0, 5, (20, 30))
    values[0, :10] = values[0, 0]
    for bins in (1, 7):
        check("histogram", values, 0, 8, bins)
    # Without SciPy's wrapper, which refuses arrays of objects in the array API mode.
    reference = inspect.unwrap(ndimage.histogram)
    for index in (None, 1, 9, [1, 3], [4, 9, 1]):
        expected = reference(values, 0, 8, 5, labels, index)
        actual = ours.histogram(gpunp.asarray(values), 0, 8, 5, gpunp.asarray(labels), index)
        if index is None or not isinstance(index, list):
            actual, expected = [actual], [expected]
        for one, other in zip(actual, expected, strict=True):
            assert_like(one, other, 0, "histogram")
    nothing = gpunp.zeros((2, 0), char)
    assert ours.histogram(nothing, 0, 8, 5, nothing.astype(int), 1) is None
    assert ours.histogram(nothing, 0, 8, 5, nothing.astype(int), [1, 3]).tolist() == [None, None]
    with pytest.raises(ValueError, match="index without"):
        ours.histogram(gpunp.asarray(values), 0, 8, 5, None, 3)
    with pytest.raises(ValueError, match="loss of precision"):
        ours.histogram(gpunp.asarray(values), 0, 8, 5, gpunp.asarray(labels), [1.5])


def test_labeled_comprehension(rng):
    values, labels = rng.normal(size=(6, 7)), rng.integers(0, 5, (6, 7))
    device, device_labels = gpunp.asarray(values), gpunp.asarray(labels)
    seen = []

    def first_position(v, p):
        seen.append(type(v))
        return p[0]

    for index in (1, 9, [1, 4, 9, 2], np.array([3, 3])):
        for function, dtype, default in (
            (np.sum, float, -1),
            (np.ptp, "f", np.nan),
            (lambda v: v.size, int, 0),
        ):
            expected = ndimage.labeled_comprehension(values, labels, index, function, dtype, default)
            actual = ours.labeled_comprehension(device, device_labels, index, function, dtype, default)
            assert_like(actual, expected, 1e-6, "labeled_comprehension")
        actual = ours.labeled_comprehension(device, device_labels, index, first_position, int, -1, True)
        expected = [np.flatnonzero(labels == i)[0] if i in labels else -1 for i in np.atleast_1d(index)]
        np.testing.assert_array_equal(np.atleast_1d(actual.get()), expected)
    assert set(seen) == {gpunp.ndarray}
    for arguments in ((None, None), (labels, None)):
        expected = ndimage.labeled_comprehension(values, *arguments, np.max, float, 0)
        arguments = [gpunp.asarray(a) if a is not None else None for a in arguments]
        assert float(ours.labeled_comprehension(device, *arguments, np.max, float, 0)) == expected
    objects = ours.labeled_comprehension(device, device_labels, [1, 9], np.sort, object, None)
    assert isinstance(objects[0], gpunp.ndarray)
    assert objects[1] is None
    bad = (
        (None, [1], "index without"),
        (device_labels, [0.5], "loss of precision"),
        (gpunp.ones(3, int), [1], "same shape"),
    )
    for *arguments, message in bad:
        with pytest.raises(ValueError, match=message):
            ours.labeled_comprehension(device, *arguments, np.sum, float, 0)
