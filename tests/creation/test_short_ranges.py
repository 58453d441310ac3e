"""Ranges between real numbers, which have a short way: every call gives what NumPy gives."""

import numpy as np
import pytest
from records import assert_same

import gpunp

ENDS = [
    (0.5, 1.5),
    (1.5, -0.5),
    (0, 1),
    (0, 0.1),
    (2**60, 2.0),
    (2**53 + 1, 2**53 + 5),
    (0.3, 0.3),
    (-0.0, 0.0),
    (-0.0, -3.0),
    (0.0, -0.0),
    (5e-324, 1e-323),
    (0.0, float("inf")),
    (float("nan"), 1.0),
    (-1e308, 1e308),
    (np.float64(0.1), 0.7),
    (np.float32(0.1), 0.7),
    (True, 3.0),
    (1j, 2.0),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("ends", ENDS, ids=str)
@pytest.mark.parametrize("num", [0, 1, 2, 7, 50])
@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace(ends, num, endpoint, device):
    expected = np.linspace(*ends, num, endpoint=endpoint)
    assert_same(gpunp.linspace(*ends, num, endpoint=endpoint, device=device), expected)
    if all(isinstance(end, float) for end in ends):
        elements = gpunp.asarray(np.array(ends), device=device)
        found = np.linspace(elements[0], elements[1], num, endpoint=endpoint)
        assert found.device == gpunp.Device(device)
        assert_same(found, expected)


@pytest.mark.parametrize(
    "arguments",
    [
        (0.0, 1.0, 0.125),
        (0, 1, 0.1),
        (1.5,),
        (0.1, 0.7),
        (1, 0.0, -0.25),
        (-0.0, 1.0, 0.5),
        (0.0, -1.0, 0.5),
        (1e16, 1e16 + 8, 1.0),
        (1.0, 2.0, 5e-17 * 2e15),
        (2**53, 2.0**53 + 9, 3),
        (0.0, 1e-320, 3e-321),
        (0.0, 1.0, 1e308),
        (1e30, 1.7e30, 0.4e30),
        (np.float64(0.1), 1.0, 0.3),
        (0.5, np.float32(2)),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", [None, float, np.float32])
def test_arange(arguments, dtype, device):
    with np.errstate(all="ignore"):
        expected = np.arange(*arguments, dtype=dtype)
    with gpunp.Device(device):
        assert_same(gpunp.arange(*arguments, dtype=dtype), expected)


@pytest.mark.parametrize("arguments", [(0.0, 1.0, 0.0), (0.0, float("inf")), (float("nan"), 1.0)])
def test_ranges_without_a_length(arguments, device):
    with pytest.raises((ValueError, ZeroDivisionError)) as expected:
        np.arange(*arguments)
    with pytest.raises(expected.type):
        gpunp.arange(*arguments, device=device)
