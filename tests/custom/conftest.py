"""What tests of raw kernels share."""

import pytest


@pytest.fixture
def gpu(device):
    """The device under test; the test is skipped on the CPU device."""
    if device.is_cpu:
        pytest.skip("raw kernels run on GPUs")
    return device
