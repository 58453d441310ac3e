"""Operands of a dtype other than the loop's: several vectors of elements, aligned and unaligned."""

import numpy as np
import pytest
from values import ordinary_values

import gpunp

SHAPES = [(1,), (13,), (4099,), (7, 33), (5, 64), (3, 5, 17)]
PAIRS = ["bd", "Bf", "hf", "if", "il", "fd", "ef", "ed", "?f", "lf", "Bi", "iF", "fD", "HB", "bB"]


def views(host, device):
    """Yield an array, its rows without their first elements, every other element, and its transpose."""
    a = gpunp.asarray(host, device=device)
    yield host, a
    yield host[..., 1:], a[..., 1:]
    yield host[..., ::2], a[..., ::2]
    yield host.T, a.T


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("pair", PAIRS)
def test_inputs(pair, shape, device):
    size = int(np.prod(shape))
    hosts = [ordinary_values(char, size, seed).reshape(shape) for seed, char in enumerate(pair)]
    for (x, a), (y, b) in zip(*(views(host, device) for host in hosts), strict=True):
        for ufunc in (np.add, np.multiply, np.less, np.hypot):
            if ufunc is np.hypot and "c" in (x.dtype.kind, y.dtype.kind):
                continue
            with np.errstate(all="ignore"):
                expected = ufunc(x, y)
            actual = ufunc(a, b)
            assert actual.dtype == expected.dtype
            np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=2e-3 if pair[1] == "e" else 1e-6)
            # Broadcasting of a single element or column.
            if x.size:
                with np.errstate(all="ignore"):
                    expected = ufunc(x, y[..., :1])
                np.testing.assert_allclose(gpunp.asnumpy(ufunc(a, b[..., :1])), expected, rtol=1e-3)


@pytest.mark.parametrize("char", "?bBhiLefd")
@pytest.mark.parametrize("name", ["sqrt", "rint", "signbit", "isfinite", "deg2rad"])
def test_one_input(name, char, device):
    ufunc = getattr(np, name)
    for host, a in views(np.abs(ordinary_values(char, 5 * 67).reshape(5, 67)), device):
        with np.errstate(all="ignore"):
            expected = ufunc(host)
        np.testing.assert_allclose(gpunp.asnumpy(ufunc(a)), expected, rtol=2e-3 if char in "?bBe" else 1e-6)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("char", "to"), ["fd", "df", "bi", "ih", "Be", "iD", "lf", "HB"])
def test_outputs(char, to, shape, device):
    host = ordinary_values(char, int(np.prod(shape))).reshape(shape)
    a = gpunp.asarray(host, device=device)
    expected = np.zeros((*shape[:-1], shape[-1] + 3), to)
    out = gpunp.asarray(expected, device=device)
    with np.errstate(all="ignore"):
        np.add(host, host, out=expected[..., 2:-1], casting="unsafe")
    np.add(a, a, out=out[..., 2:-1], casting="unsafe")
    np.testing.assert_array_equal(gpunp.asnumpy(out), expected)
