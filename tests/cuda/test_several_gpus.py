"""Two GPUs in one process: copies, streams, errors, exchange, kernels of the user, threads at first use."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from threads import run_together

import gpunp


@pytest.fixture
def pair(device):
    """Two GPUs, the first of which is the current device."""
    if device.is_cpu or gpunp.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    first = gpunp.Device("cuda", 0)
    with first:
        yield first, gpunp.Device("cuda", 1)


@pytest.fixture
def both(pair):
    """Pairs of a current device and another one."""
    return pair, pair[::-1]


HOST = np.arange(24.0).reshape(4, 6)
LAYOUTS = {
    "C": lambda a: a,
    "F": lambda a: a.copy("F"),
    "strides": lambda a: a[::2, ::-3],
    "offset": lambda a: a.reshape(-1)[5:],
    "one element": lambda a: a[1, 2],
    "no elements": lambda a: a[:0],
    "repeated": lambda a: (np.broadcast_to if isinstance(a, np.ndarray) else gpunp.broadcast_to)(
        a[1], (5, 6)
    ),
    "complex": lambda a: a.astype("c16") * 1j,
    "bytes": lambda a: a.astype("i1"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_copies_of_views(name, both):
    expected = np.asarray(LAYOUTS[name](HOST))
    for here, there in both:
        for current in (here, there):
            with current:
                array = LAYOUTS[name](gpunp.asarray(HOST, device=here))
                moved = array.to_device(there)
                assert moved.device is there
                assert gpunp.get_device() is current
                np.testing.assert_array_equal(gpunp.asnumpy(moved), expected, strict=True)
                # The copy has memory of its own.
                if array.flags.writeable and array.ndim:
                    array[...] = 0
                np.testing.assert_array_equal(gpunp.asnumpy(moved), expected)


def test_large_copies(both):
    for here, there in both:
        with here:
            x = gpunp.arange(1 << 24, dtype="f4")
            y = (x * 2).to_device(there)
            z = (y + 1).to_device(here)
            # Freed memory of both devices must not be used again before the copies have run.
            del x, y
            junk = [gpunp.zeros(1 << 24, "f4", device=device) for device in (here, there)]
            assert float(abs(z - (2 * gpunp.arange(1 << 24, dtype="f4") + 1)).max()) == 0
            del junk


def test_copies_of_memory_without_a_pool(both):
    from gpunp import cuda

    for here, there in both:
        with here:
            memory = cuda.Memory(1 << 20)
            source = gpunp.ndarray(1 << 17, "f8", memptr=cuda.MemoryPointer(memory, 0))
            source[...] = gpunp.arange(1 << 17)
            np.testing.assert_array_equal(gpunp.asnumpy(source.to_device(there)), np.arange(1 << 17))


def test_copies_in_streams(both):
    from gpunp.cuda import Stream

    for here, there in both:
        with here, Stream(non_blocking=True, device=here), Stream(non_blocking=True, device=there):
            x = gpunp.zeros(1 << 22, device=here)
            for _ in range(20):
                x += 1
            y = x.to_device(there) * 2
            assert float(y.sum()) == 2 * 20 * (1 << 22)


def test_events_of_another_device(both):
    from gpunp.cuda import Event, Stream

    for here, there in both:
        first, second = Stream(non_blocking=True, device=here), Stream(non_blocking=True, device=there)
        x = gpunp.zeros(1 << 22, device=here)
        here.synchronize()
        with first:
            for _ in range(30):
                x += 1
            event = first.record(Event(device=here))
        with second:
            second.wait_event(event)
            ready = second.record(Event(device=there))
        ready.synchronize()
        # The event of the other device has happened, too.
        assert event.done
        second.wait_stream(first)
        assert float(x[0]) == 30


def test_errors_of_each_device_and_thread(pair):
    bad = [gpunp.asarray(np.array([0, 99]), device=device) for device in pair]
    good = [gpunp.arange(4.0, device=device) for device in pair]
    np.take(good[1], bad[1])
    # The other device has reported nothing.
    pair[0].synchronize()
    assert float(good[0].sum()) == 6

    def in_thread():
        good[1].sum()
        pair[1].synchronize()

    run_together(in_thread)
    with pytest.raises(IndexError, match="take"):
        pair[1].synchronize()
    pair[1].synchronize()


def test_copies_of_python(both):
    for here, there in both:
        with here:
            x = gpunp.asarray(HOST, device=there)
            for clone in (copy.copy(x), copy.deepcopy(x), copy.deepcopy([x])[0]):
                assert clone.device is there
                assert clone.data_address != x.data_address
            text = pickle.dumps(x)
            assert pickle.loads(text).device is here
            with there:
                found = pickle.loads(text)
            assert found.device is there
            np.testing.assert_array_equal(gpunp.asnumpy(found), HOST)
            assert gpunp.asnumpy(x).tolist() == x.tolist() == HOST.tolist()


def test_dlpack(both):
    for here, there in both:
        with here:
            x = gpunp.asarray(HOST, device=there)
            assert x.__dlpack_device__() == (2, there.index)
            same = gpunp.from_dlpack(x)
            assert same.device is there
            assert same.data_address == x.data_address
            moved = gpunp.from_dlpack(x, device=here)
            assert moved.device is here
            capsule = x.__dlpack__(dl_device=(2, here.index), max_version=(1, 0))
            for found in (moved, gpunp.from_dlpack(capsule)):
                assert found.device is here
                np.testing.assert_array_equal(gpunp.asnumpy(found), HOST)
            np.testing.assert_array_equal(np.from_dlpack(x, device="cpu", copy=True), HOST)


def test_creation_on_a_device(pair):
    with pair[1]:
        made = [
            gpunp.zeros(3),
            gpunp.arange(3),
            gpunp.asarray([1, 2]),
            gpunp.random.default_rng(1).normal(size=3),
            gpunp.eye(2),
        ]
    made += [gpunp.zeros(3, device="cuda:1"), np.arange(3, like=made[0]), np.ones_like(made[0])]
    assert {str(each.device) for each in made} == {"cuda:1"}
    assert gpunp.get_device() is pair[0]
    with gpunp.cuda.Device(1):
        assert gpunp.empty(2).device is pair[1]


def test_random_numbers_are_the_same(pair):
    for draw in (
        lambda rng: rng.normal(size=1000),
        lambda rng: rng.gamma(2.0, size=100),
        lambda rng: rng.permutation(100),
        lambda rng: rng.integers(0, 50, 100),
    ):
        first, second = (draw(gpunp.random.default_rng(3, device=device)) for device in pair)
        assert (first.device, second.device) == pair
        np.testing.assert_array_equal(gpunp.asnumpy(first), gpunp.asnumpy(second))
    for bits in (gpunp.random.MRG32k3a, gpunp.random.XORWOW):
        one, other = (gpunp.random.Generator(bits(4), device=device).random(50) for device in pair)
        np.testing.assert_array_equal(gpunp.asnumpy(one), gpunp.asnumpy(other))
    rng = gpunp.random.default_rng(5)
    assert rng.normal(gpunp.zeros(4, device=pair[1])).device is pair[1]


def test_kernels_of_the_user(both):
    square = gpunp.ElementwiseKernel("T x", "T y", "y = x * x", "square")
    total = gpunp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    raw = gpunp.RawKernel(
        'extern "C" __global__ void twice(double* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }',
        "twice",
    )

    @gpunp.jit.rawkernel()
    def thrice(x):
        i = gpunp.jit.grid(1)
        x[i] = x[i] * 3

    @gpunp.fuse()
    def chain(x):
        return np.sqrt(x * x + 1) - 1

    for here, there in both:
        with here:
            x = gpunp.asarray(np.arange(64.0), device=there)
            assert square(x).device is there
            np.testing.assert_array_equal(gpunp.asnumpy(square(x)), np.arange(64.0) ** 2)
            assert float(total(x)) == 2016
            y = x.copy()
            raw((1,), (64,), (y,))
            thrice((1,), (64,), (y,))
            np.testing.assert_array_equal(gpunp.asnumpy(y), 6 * np.arange(64.0))
            assert chain(x).device is there
            np.testing.assert_allclose(gpunp.asnumpy(chain(x)), np.sqrt(np.arange(64.0) ** 2 + 1) - 1)


def test_deferred_calls_of_two_devices(pair):
    x, y = (gpunp.full(1 << 20, 2.0, device=device) for device in pair)
    first, second = x, y
    for _ in range(4):
        first, second = np.sqrt(first * 3 + 1), np.exp(-second) + 1
    expected = np.full(2, 2.0)
    for _ in range(4):
        expected = np.array([np.sqrt(expected[0] * 3 + 1), np.exp(-expected[1]) + 1])
    # The copy runs what is deferred on both devices.
    total = first + second.to_device(pair[0])
    np.testing.assert_allclose(float(total.mean()), expected.sum())


PROGRAM = """
import threading
import numpy as np
import gpunp

def work(index, results):
    start.wait()
    with gpunp.Device("cuda", index):
        x = gpunp.asarray(np.arange(3000.0).reshape(60, 50) + index)
        results[index] = [gpunp.asnumpy(each) for each in (
            x.sum(), x.mean(0), x.var(1), x.max(), np.sort(x, 0)[:2], np.cumsum(x)[-3:], np.argmax(x, 1),
            np.exp(-x / 3000) + x * 2, x @ x.T, np.fft.rfft(x)[:2], np.linalg.svd(x[:5, :5])[1],
            np.median(x, 0), np.unique(x)[:4], x[x > 2990], np.histogram(x, 5)[0],
        )]
        assert x.sum().device.index == index

def host(index):
    x = np.arange(3000.0).reshape(60, 50) + index
    return [
        x.sum(), x.mean(0), x.var(1), x.max(), np.sort(x, 0)[:2], np.cumsum(x)[-3:], np.argmax(x, 1),
        np.exp(-x / 3000) + x * 2, x @ x.T, np.fft.rfft(x)[:2], np.linalg.svd(x[:5, :5])[1],
        np.median(x, 0), np.unique(x)[:4], x[x > 2990], np.histogram(x, 5)[0],
    ]

start = threading.Barrier(2)
results = {}
threads = [threading.Thread(target=work, args=(index, results)) for index in (0, 1)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for index in (0, 1):
    for found, expected in zip(results[index], host(index), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-6)
print("right")
"""


@pytest.mark.parametrize("attempt", range(3))
def test_two_threads_at_first_use(attempt, pair):
    """In a new process, where no kernel is loaded yet."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "right"


def test_threads_in_turn(pair):
    """Kernels that are kept for the device used last change hands at each call."""

    def work(device):
        def run():
            with device:
                x = gpunp.arange(1000.0)
                total = [float((x * i + 1).sum()) for i in range(100)]
            return total

        return run

    results = run_together(*(work(device) for device in pair * 2))
    assert all(result == [499500.0 * i + 1000 for i in range(100)] for result in results)


def test_memory_goes_back_from_another_thread(pair):
    pool = gpunp.cuda.get_default_memory_pool(pair[1])
    pair[1].synchronize()
    before = pool.used_bytes()
    arrays = [gpunp.zeros(1 << 20, device=pair[1])]
    thread = threading.Thread(target=arrays.clear)
    thread.start()
    thread.join()
    assert pool.used_bytes() == before
