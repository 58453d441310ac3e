"""Running sums and products: NumPy's functions, their arguments and errors."""

import numpy as np
import pytest

import gpunp


def values(shape, char, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.integers(-3, 4, shape) if char in "bhil" else rng.uniform(0.5, 1.5, shape)).astype(char)


def compare(ours, theirs):
    ours = gpunp.asnumpy(ours)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    tolerance = 1e-5 if theirs.dtype.char in "fF" else 1e-12
    np.testing.assert_allclose(ours, theirs, rtol=tolerance)


@pytest.mark.parametrize("f", [np.cumsum, np.cumprod, np.nancumsum, np.nancumprod])
def test_functions(device, f):
    host = values((6, 5), "d")
    host[2, 3] = host[0, 0] = np.nan
    ours = gpunp.asarray(host, device=device)
    for kwargs in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1, "dtype": "f"}, {"axis": 0, "dtype": complex}):
        compare(f(ours, **kwargs), f(host, **kwargs))
    out = gpunp.empty((6, 5), "f", device=device)
    assert f(ours, axis=1, out=out) is out
    compare(out, f(host, axis=1, out=np.empty((6, 5), "f")))
    compare(f(gpunp.asarray(np.arange(1, 6), device=device)), f(np.arange(1, 6)))
    compare(f(gpunp.asarray(np.float32(3), device=device)), f(np.float32(3)))
    complex_host = np.array([1, np.nan + 2j, 3])
    compare(f(gpunp.asarray(complex_host, device=device)), f(complex_host))


@pytest.mark.parametrize(
    "name", ["cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod"]
)
def test_outputs_that_cannot_be_written(device, name):
    """They are refused, and a read-only one keeps its elements."""
    f = getattr(np, name)
    ours = gpunp.asarray(values(5, "d"), device=device)
    calls = [lambda out: f(ours, axis=0, out=out)]
    if name.startswith("cumulative"):
        calls.append(lambda out: f(ours[:4], include_initial=True, out=out))
    read_only = gpunp.zeros(5, device=device)
    read_only.flags.writeable = False
    for call in calls:
        for out in (1, np.zeros(5)):
            with pytest.raises(TypeError, match="return arrays must be gpunp arrays"):
                call(out)
        with pytest.raises(ValueError, match="read-only"):
            call(read_only)
    assert read_only.tolist() == [0] * 5


@pytest.mark.parametrize("f", [np.cumulative_sum, np.cumulative_prod])
def test_standard_functions(device, f):
    host = values((4, 5), "h")
    ours = gpunp.asarray(host, device=device)
    for kwargs in ({"axis": 0}, {"axis": -1, "include_initial": True}, {"axis": 0, "dtype": "f"}):
        compare(f(ours, **kwargs), f(host, **kwargs))
    compare(f(ours[0], include_initial=True), f(host[0], include_initial=True))
    compare(f(ours[0, 0]), f(host[0, 0]))
    with pytest.raises(ValueError, match="axis"):
        f(ours)
    with pytest.raises(ValueError, match="out has shape"):
        f(ours, axis=0, include_initial=True, out=gpunp.empty((4, 5), "q", device=device))


def test_errors(device):
    ours = gpunp.asarray(np.ones((2, 3)), device=device)
    with pytest.raises(np.exceptions.AxisError):
        np.cumsum(ours, axis=2)
    with pytest.raises(TypeError):
        np.cumsum(ours, axis=(0,))
    with pytest.raises(ValueError, match="wrong size"):
        np.cumsum(ours, out=gpunp.empty(5, device=device))
    for empty in (np.ones((0, 3)), np.ones((3, 0))):
        compare(np.cumsum(gpunp.asarray(empty, device=device), axis=0), np.cumsum(empty, axis=0))
