"""Conversions of numbers that the target dtype cannot represent: NumPy's x86-64 results on every device."""

import numpy as np
import pytest

import gpunp

# Values around the limits of every integer dtype, of both signs, infinities and NaN.
ENDS = [2.0**n + d for n in (7, 8, 15, 16, 31, 32, 53, 62, 63, 64) for d in (-1, 0, 1, 0.5)]
VALUES = [0.0, 0.5, 1.5, 3e9, 5e9, 3e19, 1e30, *ENDS]
VALUES = [*VALUES, *(-x for x in VALUES), np.nan, np.inf, -np.inf]


def one_by_one(host, to):
    """Convert single elements: in NumPy's conversion of arrays to uint32 an element's position matters."""
    with np.errstate(all="ignore"):
        return np.array([x.astype(to) for x in host], to)


@pytest.mark.parametrize("to", "?bBhHiIqQ")
@pytest.mark.parametrize("char", "efdFD")
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_floats_to_integers(char, to, device):
    with np.errstate(all="ignore"):
        host = np.array(VALUES).astype(char)
    expected = one_by_one(host, to)
    a = gpunp.asarray(host)
    np.testing.assert_array_equal(a.astype(to).get(), expected)
    # Conversions during the store: assignments, copies, masked copies and scatters.
    for write in (
        lambda out: out.__setitem__(slice(None), a),
        lambda out: np.copyto(out[::-1], a[::-1], "unsafe"),
        lambda out: np.positive(a, out=out, casting="unsafe"),
        lambda out: out.__setitem__(np.arange(len(VALUES)), a),
        lambda out: np.copyto(out, a, "unsafe", np.ones(len(VALUES), bool)),
        lambda out: np.concatenate([a[:5], a[5:]], out=out, casting="unsafe"),
    ):
        out = gpunp.zeros(len(VALUES), to)
        write(out)
        np.testing.assert_array_equal(out.get(), expected)


@pytest.mark.parametrize("name", ["add", "subtract", "minimum", "maximum", "multiply"])
@pytest.mark.parametrize("other", "bhiqd")
@pytest.mark.parametrize("char", "BHIQ")
def test_negative_numbers_wrap_in_unsigned_arrays(char, other, name, device):
    ufunc = getattr(np, name)
    host, b = np.array([0, 1, 5, 100], char), np.array([-3, -1, 2, -7, -2, 1], other)
    indices = [0, 1, 1, 3, 3, 0]
    if char == "I" and other in "qd":
        # ufunc.at of NumPy converts whole buffers here, with other results.
        expected = host.copy()
        for i, x in zip(indices, b, strict=True):
            expected[i] = one_by_one([ufunc(expected[i], x)], char)[0]
    else:
        expected = host.copy()
        with np.errstate(all="ignore"):
            ufunc.at(expected, indices, b)
    ours = gpunp.asarray(host, copy=True)
    ufunc.at(ours, indices, gpunp.asarray(b))
    np.testing.assert_array_equal(ours.get(), expected)


def test_exponents_beyond_the_integers(device):
    for char in "ef":
        host = np.array([1, 2, 3], char)
        ours = gpunp.asarray(host, copy=True)
        for a in (host, ours):
            with np.errstate(all="ignore"):
                np.ldexp.at(a, [0, 1, 2], np.array([2**31 - 1, -(2**31), 1], "i4"))
        np.testing.assert_array_equal(ours.get(), host)
