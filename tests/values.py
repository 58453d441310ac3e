"""Operands for edge cases of elementwise functions, and comparisons of their results."""

import numpy as np

_RANDOM = np.random.default_rng(20240607)


def _integers(dtype):
    info = np.iinfo(dtype)
    edges = [info.min, info.min + 1, info.max - 1, info.max, 0, 1, 2, 3, 5, 7, 8, 31, 63, 64, 100]
    if info.min < 0:
        edges += [-1, -2, -3, -7, -8, -100]
    return np.array(edges, dtype)


def _floats(dtype):
    info = np.finfo(dtype)
    edges = [0.0, 1.0, 2.0, 0.5, 1.5, 2.5, 3.0, np.pi, 10.0, 100.0, 1e-3, 0.9999, 1.0001, 7.25, 20.5, 88.0]
    # Subnormal numbers, the smallest normal one, and the ends of the range.
    edges += [info.smallest_subnormal, info.smallest_normal / 2, info.smallest_normal]
    edges += [info.max, info.eps, np.inf]
    edges = np.array(edges, dtype)
    drawn = np.exp(_RANDOM.normal(0, 3, 12)).astype(dtype)
    positive = np.concatenate([edges, drawn])
    return np.concatenate([positive, -positive, np.array([np.nan], dtype)])


def _complexes(dtype):
    parts = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan])
    grid = parts[:, None] + np.zeros(parts.size)
    out = np.empty(grid.shape, dtype)
    out.real, out.imag = grid, grid.T
    drawn = (_RANDOM.normal(0, 2, 40) + 1j * _RANDOM.normal(0, 2, 40)).astype(dtype)
    return np.concatenate([out.ravel(), drawn])


def special_values(char):
    """A 1-d array of the dtype ``char`` with its special values and edge cases."""
    dtype = np.dtype(char)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        return _integers(dtype)
    return _floats(dtype) if dtype.kind == "f" else _complexes(dtype)


def ordinary_values(char, shape, seed=0):
    """Random values of moderate size that cause no overflow, division by zero or too large shift."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(char)
    if dtype.kind == "b":
        return random.random(shape) < 0.5
    if dtype.kind in "iu":
        return random.integers(1, 7, shape).astype(dtype)
    if dtype.kind == "f":
        return random.uniform(0.1, 0.9, shape).astype(dtype)
    return (random.uniform(0.1, 0.9, shape) + 1j * random.uniform(0.1, 0.9, shape)).astype(dtype)


def assert_same_class(actual, expected, signed_zero=True):
    """Assert that NaNs, infinities and, with ``signed_zero``, the signs of zeros are as in NumPy."""
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected), err_msg="NaNs differ")
    infinite = np.isinf(expected)
    np.testing.assert_array_equal(actual[infinite], expected[infinite], err_msg="infinities differ")
    if signed_zero:
        zero = (expected == 0) & (actual == 0)
        np.testing.assert_array_equal(
            np.signbit(actual[zero]), np.signbit(expected[zero]), err_msg="zeros differ"
        )


def assert_ulps(actual, expected, ulps, signed_zero=True):
    """Assert equal dtype, shape and class, and finite values within ``ulps`` units in the last place."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(actual, expected)
        return
    if expected.dtype.kind == "c":
        _assert_complex(actual, expected, ulps)
        return
    with np.errstate(all="ignore"):
        assert_same_class(actual, expected, signed_zero)
        finite = np.isfinite(expected)
        wide = np.longdouble
        unit = np.spacing(np.abs(expected[finite])).astype(wide)
        error = np.abs(actual[finite].astype(wide) - expected[finite].astype(wide)) / unit
    if error.size and error.max() > ulps:
        worst = np.argmax(error)
        got, want = actual[finite][worst], expected[finite][worst]
        raise AssertionError(f"{float(error[worst]):.3g} ulp: got {got!r}, expected {want!r}")


def _assert_complex(actual, expected, ulps):
    """Compare finite values by distance, and others by part where C99 specifies them."""
    with np.errstate(all="ignore"):
        finite = np.isfinite(expected.real) & np.isfinite(expected.imag)
        np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected), err_msg="NaNs differ")
        for part in ("real", "imag"):
            got, want = getattr(actual, part), getattr(expected, part)
            rest = ~finite & ~np.isnan(expected)
            np.testing.assert_array_equal(
                np.isinf(got[rest]), np.isinf(want[rest]), err_msg="infinities differ"
            )
        eps = np.finfo(expected.dtype).eps
        error = np.abs(actual[finite] - expected[finite])
        bound = ulps * eps * np.maximum(np.abs(expected[finite]), np.finfo(expected.dtype).smallest_normal)
    if error.size and (error > bound).any():
        worst = np.argmax(error / bound)
        raise AssertionError(f"got {actual[finite][worst]!r}, expected {expected[finite][worst]!r}")
