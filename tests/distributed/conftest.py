"""What the tests of distributed arrays share."""

import pytest


@pytest.fixture
def on_devices(device):
    """A function that maps the numbers of an index map to the devices there are."""

    def mapped(index_map):
        if device.is_cpu:
            return index_map
        import gpunp.cuda

        found = {}
        for number, indices in index_map.items():
            indices = indices if isinstance(indices, list) else [indices]
            found.setdefault(number % gpunp.cuda.device_count(), []).extend(indices)
        return found

    return mapped


@pytest.fixture
def two_gpus(device):
    """Two CUDA devices; the test is skipped where there are fewer."""
    import gpunp

    if device.is_cpu or gpunp.cuda.device_count() < 2:
        pytest.skip("needs two CUDA devices")
    return gpunp.Device("cuda", 0), gpunp.Device("cuda", 1)
