"""Settings of `gpunp.fft.config` that say what to do instead."""

import pytest

import gpunp
from gpunp.fft import config


@pytest.mark.parametrize("gpus", [1, [0]])
def test_one_device_is_accepted(gpus):
    assert config.set_cufft_gpus(gpus) is None


@pytest.mark.parametrize(
    ("gpus", "error"), [(2, NotImplementedError), ([0, 1], NotImplementedError), (0, ValueError)]
)
def test_other_numbers_of_devices(gpus, error):
    with pytest.raises(error, match="set_cufft_gpus"):
        config.set_cufft_gpus(gpus)


def test_callbacks():
    with pytest.raises(NotImplementedError, match=r"gpunp\.fuse"):
        config.set_cufft_callbacks(cb_load="")


@pytest.mark.parametrize(("name", "instead"), [("prof", "time_range"), ("time", "benchmark")])
def test_retired_modules(name, instead):
    with pytest.raises(AttributeError, match=instead):
        getattr(gpunp, name)
