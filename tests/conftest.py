"""All tests run on the device given by ``--device``: ``cpu`` (the default), ``cuda`` or ``cuda:1``.

With ``--defer-all``, small operations are deferred like large ones.
"""

import gc
import os

import call_log
import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, however long they take: a test that passed fails only after a change.
# `pytest --hypothesis-profile=default` draws new ones.
settings.register_profile(
    "gpunp", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("gpunp")


def pytest_addoption(parser):
    parser.addoption("--device", default="cpu", help="the device that arrays live on: cpu, cuda or cuda:1")
    parser.addoption("--defer-all", action="store_true", help="defer operations of any size")


def pytest_configure(config):
    # Before gpunp is imported, so that it neither searches for a default device nor warns.
    os.environ["GPUNP_DEVICE"] = config.getoption("--device")
    # SciPy reads this variable on import, from whichever test module is first; tests/ecosystem needs it.
    os.environ.setdefault("SCIPY_ARRAY_API", "1")
    if config.getoption("--defer-all"):
        import gpunp.fusion

        gpunp.fusion.set_least_elements(1)
        # Small arrays have several blocks, too.
        gpunp.fusion.set_block_elements(7)
    config.pluginmanager.register(call_log.Plugin(config), "call_log")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the objects that collecting the tests creates, more than a million, out of garbage collections."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def device(request):
    """The device under test."""
    import gpunp
    from gpunp import watching
    from gpunp.fusion import worker

    # Where pytest runs tests in several processes, a thread of each waits for the next test.
    watching.add_waiting("execnet.gateway_base", "read")
    # Tests wait for kernels. Compilers that yield to all other programs would hardly run on a busy machine.
    worker._NICENESS = 0
    return gpunp.Device(request.config.getoption("--device"))


@pytest.fixture(autouse=True)
def _current_device(device):
    if device.kind == "cuda" and device.index:
        from gpunp.cuda import driver

        # Calls that rely on the driver's current context would use the wrong GPU.
        driver.make_current(0)
    with device:
        yield


@pytest.fixture
def nvrtc():
    """The module that calls NVRTC; the test is skipped where NVRTC is missing."""
    from gpunp.compiler import nvrtc

    try:
        nvrtc.version()
    except RuntimeError as error:
        pytest.skip(str(error))
    return nvrtc


@pytest.fixture
def watched():
    """Skip where a test before this one has got a CUDA stream's handle: from then on, nothing is kept."""
    from gpunp import watching

    if not watching.is_possible():
        pytest.skip("the handle of a CUDA stream is known outside, so others may write any memory")


@pytest.fixture
def rng():
    """A random generator with a fixed seed."""
    import numpy as np

    return np.random.default_rng(20250101)
