"""Objects shared by all threads are created only once, even if several threads request them at once."""

import functools

import numpy as np
import pytest
from threads import often_switched, run_together

pytestmark = pytest.mark.fake_driver()


def together(work, count=8):
    """The results of ``work(number)`` in threads started together."""
    with often_switched():
        return run_together(*(functools.partial(work, number) for number in range(count)))


def test_devices_pools_and_streams_are_one(fake):
    def work(number):
        from gpunp.device import Device

        import gpunp.cuda as cuda

        device = Device("cuda", number % 2)
        with device:
            return (
                number % 2,
                device,
                cuda.get_default_memory_pool(),
                cuda.get_default_pinned_memory_pool(),
                cuda.Stream.legacy_default(),
            )

    results = together(work)
    for parity in (0, 1):
        mine = [result for result in results if result[0] == parity]
        assert all(a is b for result in mine[1:] for a, b in zip(mine[0], result, strict=True))
    assert len({id(result[3]) for result in results}) == 1
    assert fake.fake_calls(b"cuMemPoolCreate") == 2


def test_kernels_are_loaded_once(cuda_device, fake, units):
    units("shared", "first second")
    before = fake.fake_calls(b"cuModuleLoadData")
    kernels = together(lambda number: cuda_device.get_kernel("shared", "first" if number % 2 else "second"))
    assert fake.fake_calls(b"cuModuleLoadData") - before == 1
    assert len({id(kernel) for kernel in kernels}) == 2


@pytest.mark.fake_driver(GPUNP_COPY_THREADS="3")
def test_copies_of_many_threads(cuda_device, fake):
    """Concurrent large copies share a ring of pinned chunks and a team of threads without mixing bytes."""
    import gpunp.cuda

    pool = gpunp.cuda.get_default_memory_pool()
    size = 3 << 20

    def work(number):
        source = np.full(size, number + 1, np.uint8)
        source[::97] = 100 + number
        target = np.zeros(size, np.uint8)
        buffer = pool.malloc(size)
        for _ in range(3):
            buffer.copy_from(source)
            buffer.copy_to(target)
        return np.array_equal(source, target)

    pinned = fake.fake_calls(b"cuMemHostAlloc")
    assert all(together(work))
    # All copies used one ring of chunks.
    assert fake.fake_calls(b"cuMemHostAlloc") - pinned == 1
