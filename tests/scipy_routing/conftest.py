"""SciPy's functions are hooked again after each test, whatever it did."""

import pytest

import gpunp_scipy


@pytest.fixture(autouse=True)
def _enabled():
    yield
    gpunp_scipy.enable()
