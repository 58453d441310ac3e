"""Code that runs while deferred calls run: memory hooks, here, on the stand-in driver without a compiler."""

import numpy as np
import pytest

pytestmark = pytest.mark.fake_driver()

MESSAGE = "being computed"


@pytest.fixture
def during(cuda_device, units, monkeypatch):
    """A function that calls ``use(x, y)`` while ``y = x * 2; z = y + 1`` runs, and returns what it raised."""
    if cuda_device is None:
        return None
    import gpunp
    from gpunp import cuda
    from gpunp.fusion import generated, worker

    cuda_device.use()
    generated.forget()
    monkeypatch.setattr(worker, "request", lambda entry: None)
    names = [f"{name}_f4f4_{loop}" for name in ("add", "multiply") for loop in ("vector", "strided", "tiled")]
    units("arithmetic_f4", " ".join(names))
    units("internal_f4", " ".join(f"copy_float32_{loop}" for loop in ("vector", "strided", "tiled")))

    def run(use):
        x = gpunp.empty(1 << 16, "f4")
        y = x * 2
        z = y + 1
        results = []

        def hook(*event):
            if not results:
                results.append(None)
                try:
                    use(x, y)
                except Exception as error:
                    results[0] = error

        cuda.add_allocation_hook(hook)
        try:
            cuda_device.synchronize()
        finally:
            cuda.remove_allocation_hook(hook)
        assert results, "no memory was allocated"
        assert (y.buffer_address[0], z.buffer_address[0]) > (0, 0)
        assert cuda_device.pending_bytes == 0
        return results[0]

    return run


@pytest.mark.parametrize(
    "use",
    [
        lambda x, y: y + 1,
        lambda x, y: y[5:900].copy(),
        lambda x, y: np.add(x, 1, out=y),
        lambda x, y: np.add(x, 1, out=x),
        lambda x, y: y.item(0),
        lambda x, y: y.data.ptr,
    ],
    ids=["operand", "part", "result", "input_written", "item", "pointer"],
)
def test_what_is_being_computed_cannot_be_used(use, during):
    error = during(use)
    assert isinstance(error, RuntimeError), error
    assert MESSAGE in str(error)


def test_inputs_and_other_arrays_can_be_used(during):
    import gpunp

    def use(x, y):
        other = gpunp.empty(1 << 16, "f4")
        z = (x + 1) * other
        assert z.shape == other.shape

    assert during(use) is None
