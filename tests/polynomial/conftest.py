import pytest


@pytest.fixture
def solvers(device):
    """Skips where there are no eigenvalues and least squares."""
    from gpunp.dispatch.registry import NAMESPACE

    if not device.is_cpu and not {"linalg.eigvals", "linalg.lstsq"} <= set(NAMESPACE):
        pytest.skip(f"{device} has no eigenvalues and no least squares")
