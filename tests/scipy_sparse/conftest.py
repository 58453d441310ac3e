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


@pytest.fixture(params=["SciPy's functions", "functions for GPUs"])
def functions(request, device, monkeypatch):
    """On the CPU device, SciPy's compiled functions run; those for GPUs run there, too."""
    from gpunp_scipy.sparse import sharing

    if request.param == "functions for GPUs":
        monkeypatch.setattr(sharing, "uses_scipy", lambda device: False)
    elif not device.is_cpu:
        pytest.skip("they are on the CPU device")
