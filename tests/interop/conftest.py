"""What tests of exchange with other libraries on GPUs share."""

import pytest


@pytest.fixture
def on_cuda(device):
    """The test is skipped on the CPU device."""
    if device.is_cpu:
        pytest.skip("needs a CUDA device")


@pytest.fixture(scope="session")
def torch():
    """PyTorch; the test is skipped where it is missing, or has no CUDA."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no CUDA")
    return torch
