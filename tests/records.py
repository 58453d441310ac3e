"""Record-driven tests: a record describes calls of a function, and one test body compares them with NumPy.

A test module defines a tuple ``RECORDS`` and ``test_records = record_test(RECORDS)``.
"""

import itertools
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import gpunp

ALL = "?bBhHiIlLefdFD"
INEXACT = "efdFD"
REAL = "?bBhHiIlLefd"
FEW = "?ilfD"
# 0-d and empty arrays, single elements, and sizes around those of a warp and a block.
SHAPES = ((), (1,), (7,), (0,), (3, 4), (2, 3, 4), (4, 0, 2), (33, 65))
SMALL = ((), (5,), (0,), (3, 4), (2, 3, 4))
# Relative tolerances by dtype, as in NumPy's own tests a small multiple of its precision.
TOLERANCES = {"e": 2e-3, "f": 1e-5, "F": 1e-5, "d": 1e-12, "D": 1e-12}
# The usual reason for a record's ``absolute``.
CANCELLING = "terms of a sum cancel, so the result has the error of the terms, in NumPy and in gpunp"


def make_values(char, shape, seed=0):
    """Small integers or fractions of both signs, with NaN and infinities if there are over 50 elements."""
    rng = np.random.default_rng([seed, *map(int, shape)])
    dtype = np.dtype(char)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return rng.integers(-5 if dtype.kind == "i" else 0, 100, shape).astype(dtype)
    values = np.asarray(rng.normal(0, 4, shape))
    if dtype.kind == "c":
        values = values + 1j * rng.normal(0, 4, shape)
    values = np.asarray(values.astype(dtype))
    if values.size > 50:
        values.flat[[11, 23, 31]] = np.nan, np.inf, -np.inf
        values.flat[[5, 6]] = 0.0, -0.0
    return values


def _flat_offset(xp, a):
    padded = xp.concatenate([a[:1], a]) if a.ndim else a
    return padded[1:] if a.ndim else a


# Maps each layout to a function that creates it, by the same calls on the host and on the device.
LAYOUTS = {
    "C": lambda xp, a: a,
    "F": lambda xp, a: a.copy(order="F"),
    "transposed": lambda xp, a: a.T,
    "negative": lambda xp, a: a[(slice(None, None, -1),) * a.ndim + (Ellipsis,)],
    "steps": lambda xp, a: a[(slice(None, None, 2),) * a.ndim + (Ellipsis,)],
    "offset": _flat_offset,
    "broadcast": lambda xp, a: xp.broadcast_to(a, (2, *a.shape)),
}


@dataclass(frozen=True)
class Record:
    """One way to call a function.

    Attributes
    ----------
    name : str
        The function relative to ``numpy``, such as ``"linalg.norm"``.
    call : callable
        Receives the function and `arrays` arrays, and calls it.
    dtypes, shapes, layouts : sequence
        Properties of the arrays; all combinations are tried.
    arrays : int
        The number of arrays that ``call`` takes.
    exact : bool
        Whether values must be identical; otherwise `TOLERANCES` apply, relative to each element.
    absolute : str
        The reason why small elements have larger relative errors. If not empty, `TOLERANCES` also apply
        relative to the largest element, or to 1 if that is larger.
    raises : bool
        Whether NumPy raises for every combination, so that only the types of exceptions are compared.
    """

    name: str
    call: object = lambda function, *arrays: function(*arrays)
    dtypes: str = FEW
    shapes: tuple = SMALL
    layouts: tuple = ("C", "F", "transposed", "negative", "steps", "offset", "broadcast")
    arrays: int = 1
    exact: bool = True
    absolute: str = ""
    raises: bool = False


def find(name):
    """The NumPy function of a public name."""
    found = np
    for part in name.split("."):
        found = getattr(found, part)
    return found


def outcome(call):
    """Return (result, None) or (None, exception)."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # NumPy warns about floating-point errors and deprecations; gpunp does not.
        warnings.simplefilter("ignore")
        try:
            return call(), None
        except Exception as error:
            return None, error


def settled(result):
    """Synchronize and return the result, so that errors reported by kernels are raised here at the latest."""
    gpunp.get_device().synchronize()
    return result


def assert_same(actual, expected, exact=True, where="", absolute=""):
    """Assert equal nesting, dtype, shape and values, and that every array is on the device."""
    if isinstance(expected, tuple | list):
        assert isinstance(actual, tuple | list), f"{where}: {actual!r} is not a sequence"
        assert len(actual) == len(expected), where
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other, exact, where, absolute)
        return
    if not isinstance(expected, np.ndarray | np.generic):
        if isinstance(actual, gpunp.ndarray):
            actual = actual.item()
        assert type(actual) is type(expected), where
        assert actual == expected, where
        return
    assert isinstance(actual, gpunp.ndarray), f"{where}: the result is a {type(actual).__name__}"
    assert actual.dtype == expected.dtype, where
    assert actual.shape == expected.shape, where
    assert actual._is_scalar == isinstance(expected, np.generic), f"{where}: a scalar in one library only"
    host = gpunp.asnumpy(actual)
    tolerance = 0 if exact else TOLERANCES.get(expected.dtype.char, 0)
    floor = 0
    if absolute and tolerance:
        finite = np.abs(expected)[np.isfinite(expected)]
        floor = tolerance * max(1.0, finite.max(initial=0.0))
    pairs = [(host, expected)]
    if expected.dtype.kind == "c" and not exact:
        # By parts, since assert_allclose compares a complex number with an infinite part exactly as a whole.
        # For NaN only isnan must agree.
        nan = np.isnan(expected)
        np.testing.assert_array_equal(np.isnan(host), nan, err_msg=where)
        host, expected = host[~nan], expected[~nan]
        pairs = [(host.real, expected.real), (host.imag, expected.imag)]
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=floor, err_msg=where)
    if exact and expected.dtype.kind == "f":
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(host)[numbers], np.signbit(expected)[numbers], err_msg=where)


def check_record(record):
    """Compare with NumPy for every combination of dtype, shape and layout."""
    function = find(record.name)
    tried = 0
    for char, shape, layout in itertools.product(record.dtypes, record.shapes, record.layouts):
        values = [make_values(char, shape, seed) for seed in range(record.arrays)]
        arrange = LAYOUTS[layout]
        host = [arrange(np, value) for value in values]
        on_device = [arrange(gpunp, gpunp.asarray(value)) for value in values]
        where = f"{record.name} of {np.dtype(char)} {host[0].shape if host else ()} {layout}"
        expected, error = outcome(lambda host=host: record.call(function, *host))
        actual, raised = outcome(lambda on_device=on_device: settled(record.call(function, *on_device)))
        tried += error is None
        if error is not None:
            assert raised is not None, f"{where}: NumPy raises {error!r}, gpunp returned {actual!r}"
            assert isinstance(raised, type(error)), f"{where}: NumPy raises {error!r}, gpunp {raised!r}"
            continue
        if raised is not None:
            raise AssertionError(f"{where}: gpunp raised") from raised
        assert_same(actual, expected, record.exact, where, record.absolute)
        if (
            record.arrays == 1
            and isinstance(expected, np.ndarray)
            and expected.size
            and layout != "broadcast"
        ):
            shares = np.may_share_memory(expected, host[0])
            assert np.may_share_memory(actual, on_device[0]) == shares, f"{where}: a view in one library only"
    assert bool(tried) is not record.raises, f"{record.name}: {tried} combinations gave a result"


def record_test(records):
    """Create the test of a module's records."""

    @pytest.mark.parametrize(
        "record", records, ids=[f"{i}-{record.name}" for i, record in enumerate(records)]
    )
    def test_records(record):
        check_record(record)

    return test_records
