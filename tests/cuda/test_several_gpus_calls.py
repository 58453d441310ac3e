"""Calls of every engine on arrays of a device that is not the current one: results and temporaries are there.

Without two GPUs, the arrays are on the CPU device, and the current device is a GPU without memory.
"""

import warnings

import calls_by_engine
import numpy as np
import pytest

CHAPTERS = sorted({name.partition(":")[0] for name in calls_by_engine.CALLS})


@pytest.fixture(autouse=True)
def _without_warnings():
    # NumPy's and SciPy's, of the same calls on the host.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def check(name, x, current):
    """Compare a call with NumPy's, and the devices of its results with that of the array."""
    import gpunp

    found, expected = calls_by_engine.results(name, x), calls_by_engine.results(name, calls_by_engine.X)
    for number, (result, wanted) in enumerate(zip(found, expected, strict=True)):
        where = f"{name}, result {number}"
        assert type(result) is gpunp.ndarray, where
        assert result.device is x.device, where
        # Minima end where a change of rounding errors decides.
        rtol = 1e-5 if name == "scipy: minima" else 1e-7
        np.testing.assert_allclose(gpunp.asnumpy(result), wanted, rtol=rtol, atol=1e-9, err_msg=where)
    assert gpunp.get_device() is current


@pytest.mark.fake_driver(GPUNP_MEMORY_LIMIT="1")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_is_made_on_the_current_device(chapter, cuda_device):
    import gpunp

    x = gpunp.asarray(calls_by_engine.X, device="cpu")
    with cuda_device:
        with pytest.raises(MemoryError, match="out of memory on cuda:0"):
            gpunp.zeros(3)
        for name in calls_by_engine.CALLS:
            if name.startswith(chapter + ":"):
                check(name, x, cuda_device)


@pytest.fixture
def others(device):
    """The first two GPUs."""
    import gpunp

    if device.is_cpu or gpunp.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    return gpunp.Device("cuda", 0), gpunp.Device("cuda", 1)


@pytest.mark.parametrize("name", calls_by_engine.CALLS)
def test_calls_on_another_gpu(name, others):
    import gpunp
    from gpunp.cuda import driver

    if name == "sparse: solvers":
        from gpunp.cuda import cudss

        try:
            cudss.version()
        except cudss.MissingLibrary as error:
            pytest.skip(str(error))
    for here, there in (others, others[::-1]):
        with here:
            x = gpunp.asarray(calls_by_engine.X, device=there)
            # Code that relies on the driver's current device would use the wrong one, too.
            driver.make_current(here)
            before = gpunp.cuda.get_default_memory_pool(here).allocations()
            check(name, x, here)
            made = gpunp.cuda.get_default_memory_pool(here).allocations() - before
            assert made == 0, f"{name}: {made} allocations on the current device"
