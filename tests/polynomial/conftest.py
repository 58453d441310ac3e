import pytest


@pytest.fixture
def solvers(device):
    """Skip the test if the device has no eigenvalues and least squares."""
    from gpunp.dispatch.registry import NAMESPACE

    if not device.is_cpu and not {"linalg.eigvals", "linalg.lstsq"} <= set(NAMESPACE):
        pytest.skip(f"{device} has no eigenvalues and no least squares")
