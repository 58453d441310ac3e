"""Fixtures of tests of sparse arrays."""

import pytest


@pytest.fixture
def direct_solver(device):
    """Skip the test where the library of direct solvers is missing: GPUs need cuDSS."""
    if not device.is_cpu:
        from gpunp.cuda import cudss

        try:
            cudss.version()
        except cudss.MissingLibrary as error:
            pytest.skip(str(error))
