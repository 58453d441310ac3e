"""Copies between host and device: direct, staged and from pinned memory."""

import functools

import numpy
import pytest
from threads import run_together

MIB = 1 << 20
SIZES = [1, 64 * 1024, 64 * 1024 + 1, MIB, 4 * MIB - 1, 4 * MIB, 4 * MIB + 1, 16 * MIB + 5, 39 * MIB + 12345]
rng = numpy.random.default_rng(0)


@pytest.fixture
def malloc(cuda_device):
    if cuda_device is None:
        return None
    import gpunp.cuda

    return gpunp.cuda.get_default_memory_pool(cuda_device).malloc


@pytest.mark.fake_driver
def test_round_trip(malloc, fake):
    for nbytes in SIZES:
        data = rng.integers(0, 256, nbytes, dtype=numpy.uint8)
        buffer = malloc(nbytes)
        source = data.copy()
        buffer.copy_from(source)
        # The host memory may be reused when the call returns, even if the device has not copied yet.
        source[:] = 0
        result = numpy.zeros(nbytes, numpy.uint8)
        buffer.copy_to(result)
        numpy.testing.assert_array_equal(result, data)
    # The driver itself stages only the small ones.
    assert fake.fake_calls(b"staged_by_driver") == 4


@pytest.mark.fake_driver(GPUNP_COPY_THREADS="5", FAKE_DELAY_US="300")
def test_many_copy_threads_and_a_slow_device(malloc):
    data = rng.integers(0, 256, 50 * MIB, dtype=numpy.uint8)
    buffer = malloc(data.nbytes)
    for attempt in range(6):
        buffer.copy_from(data)
        # Alternately pages that are not mapped yet, and pages that are.
        result = numpy.zeros_like(data) if attempt % 2 else numpy.ones_like(data)
        buffer.copy_to(result)
        numpy.testing.assert_array_equal(result, data)


@pytest.mark.fake_driver
def test_large_results_from_any_byte_on(malloc):
    data = rng.integers(0, 256, 33 * MIB + 7, dtype=numpy.uint8)
    buffer = malloc(data.nbytes)
    buffer.copy_from(data)
    for start in (1, 8, 63):
        room = numpy.full(data.size + 100, 9, numpy.uint8)
        buffer.copy_to(room[start : start + data.size])
        numpy.testing.assert_array_equal(room[start : start + data.size], data)
        assert (room[:start] == 9).all()
        assert (room[start + data.size :] == 9).all()


@pytest.mark.fake_driver(GPUNP_COPY_THREADS="1")
def test_the_calling_thread_alone(malloc):
    data = rng.integers(0, 256, 21 * MIB, dtype=numpy.uint8)
    buffer = malloc(data.nbytes)
    buffer.copy_from(data)
    result = numpy.zeros_like(data)
    buffer.copy_to(result)
    numpy.testing.assert_array_equal(result, data)


@pytest.mark.fake_driver
def test_uploads_do_not_wait_for_the_device(malloc, fake):
    data = rng.integers(0, 256, 3 * MIB, dtype=numpy.uint8)
    buffer = malloc(data.nbytes)
    buffer.copy_from(data)
    fake.fake_hold(1)
    # The device is held, so this would hang if it waited.
    buffer.copy_from(data[::-1].copy())
    fake.fake_hold(0)
    result = numpy.zeros_like(data)
    buffer.copy_to(result)
    numpy.testing.assert_array_equal(result, data[::-1])


@pytest.mark.fake_driver
def test_threads_share_the_ring(malloc):
    def work(number):
        import gpunp.cuda

        data = numpy.full(7 * MIB + number, number, numpy.uint8)
        with gpunp.cuda.Stream():
            buffer = malloc(data.nbytes)
            for _ in range(4):
                buffer.copy_from(data)
                result = numpy.zeros_like(data)
                buffer.copy_to(result)
                numpy.testing.assert_array_equal(result, data)

    run_together(*(functools.partial(work, i + 1) for i in range(4)))


@pytest.mark.fake_driver
def test_pinned_memory_is_copied_directly(malloc, fake):
    import gpunp.cuda

    data = gpunp.cuda.pinned_empty((5, MIB), numpy.uint8)
    assert data.shape == (5, MIB)
    data[:] = rng.integers(0, 256, data.shape, dtype=numpy.uint8)
    expected = data.copy()
    buffer = malloc(data.nbytes)
    copies = fake.fake_calls(b"cuMemcpyHtoDAsync")
    buffer.copy_from(data)
    assert fake.fake_calls(b"cuMemcpyHtoDAsync") == copies + 1
    data[:] = 0
    buffer.copy_to(data)
    assert fake.fake_calls(b"cuMemcpyDtoHAsync") == 1
    numpy.testing.assert_array_equal(data, expected)


@pytest.mark.fake_driver
def test_small_pinned_sources_are_consumed_too(malloc, fake):
    import gpunp.cuda

    data = gpunp.cuda.pinned_empty(100, numpy.uint8)
    data[:] = 5
    buffer = malloc(100)
    buffer.copy_from(data)
    data[:] = 6
    result = numpy.zeros(100, numpy.uint8)
    buffer.copy_to(result)
    assert (result == 5).all()


@pytest.mark.fake_driver
def test_sizes_are_checked(malloc):
    buffer = malloc(10)
    with pytest.raises(ValueError, match="11 bytes were requested, and there are 10"):
        buffer.copy_from(b"x" * 11)
    with pytest.raises(ValueError, match="11 bytes were requested, and there are 10"):
        buffer.copy_to(bytearray(11))
