"""Two devices of the stand-in driver: kernels, contexts and memory of calls on another device."""

import contextlib
import ctypes
import gc

import numpy as np
import pytest
from threads import often_switched, run_together

pytestmark = pytest.mark.fake_driver()


@pytest.fixture
def adding(units, pair):
    """Arrays on both devices, and the kernels of their sum."""
    if pair is None:
        return None
    units("arithmetic_f8", "add_f8f8_vector add_f8f8_strided add_f8f8_tiled")
    import gpunp

    return [gpunp.empty(100, device=device) for device in pair]


def launched_on(fake):
    """The index of the device of the last launch."""
    values = (ctypes.c_long * 9)()
    fake.fake_last_launch(values)
    return values[8]


def current(fake):
    context = ctypes.c_void_p()
    fake.cuCtxGetCurrent(ctypes.byref(context))
    return context.value


def test_launches_are_where_the_operands_are(pair, adding, fake):
    for device in pair:
        with device:
            for index in (0, 1, 1, 0):
                total = adding[index] + adding[index]
                assert total.device is pair[index]
                assert launched_on(fake) == index


def test_kernels_are_kept_for_each_device(pair, adding, fake):
    for x in adding:
        x + x
    before = fake.fake_calls(b"cuModuleGetFunction")
    for _ in range(5):
        for x in adding:
            x + x
    assert fake.fake_calls(b"cuModuleGetFunction") == before


def test_two_threads_at_first_use(adding):
    """A launch of another device's function would fail."""

    def work(x):
        def add():
            for _ in range(200):
                result = x + x
                result += x
            return result.device

        return add

    with often_switched():
        assert run_together(work(adding[0]), work(adding[1]), work(adding[0])) == [
            adding[0].device,
            adding[1].device,
            adding[0].device,
        ]


def test_operands_of_two_devices(adding):
    for call in (np.add, np.maximum):
        with pytest.raises(ValueError, match=r"operands are on cuda:0 and cuda:1; .*to_device"):
            call(*adding)
    with pytest.raises(ValueError, match=r"cuda:0.*cuda:1|cuda:1.*cuda:0"):
        np.add(adding[0], 1, out=adding[1])
    with pytest.raises(ValueError, match="to_device"):
        np.concatenate(adding)


ALLOCATORS = ("malloc_managed", "malloc_async", "MemoryAsyncPool", "MemoryPool")


@pytest.mark.parametrize("name", ALLOCATORS)
def test_allocators_of_the_user_follow_the_array(name, pair):
    import gpunp
    from gpunp import cuda

    if name == "MemoryPool":
        allocator = cuda.MemoryPool(device=0)
    elif name == "MemoryAsyncPool":
        allocator = cuda.MemoryAsyncPool().malloc
    else:
        allocator = getattr(cuda, name)
    with cuda.using_allocator(allocator):
        for here in pair:
            with here:
                for there in pair:
                    array = gpunp.empty(1000, device=there)
                    assert array.device is there
                    assert cuda.runtime.pointerGetAttributes(array.data.ptr).device in (there.index, -2)
                assert gpunp.get_device() is here


def test_pools_with_an_allocator_follow_their_device(pair):
    import gpunp
    from gpunp import cuda

    seen = []

    def allocator(nbytes):
        seen.append(gpunp.get_device())
        return cuda.malloc_managed(nbytes)

    pool = cuda.MemoryPool(allocator, device=1)
    with pair[0]:
        pool.malloc(4096)
        assert gpunp.get_device() is pair[0]
    assert seen == [pair[1]]


def test_events_of_another_device(pair):
    from gpunp import cuda

    events = [cuda.Event(timing=True, device=device) for device in pair]
    streams = [cuda.Stream(device=device) for device in pair]
    with pytest.raises(ValueError, match="the event is on cuda:0 and the stream on cuda:1"):
        streams[1].record(events[0])
    for stream, event in zip(streams, events, strict=True):
        stream.record(event)
    streams[1].wait_event(events[0])
    streams[0].wait_stream(streams[1])
    with pytest.raises(ValueError, match="the events are on cuda:0 and cuda:1"):
        cuda.elapsed_time(*events)


def test_memory_of_no_pool_is_copied_directly(pair, fake):
    import gpunp
    from gpunp import cuda

    def array(device):
        with device:
            memory = cuda.Memory(4096)
        return gpunp.ndarray(512, "f8", memptr=cuda.MemoryPointer(memory, 0))

    first = array(pair[0])
    before = fake.fake_calls(b"cuCtxEnablePeerAccess")
    for _ in range(2):
        # The stand-in driver copies memory of pools only.
        with contextlib.suppress(RuntimeError):
            first.to_device(pair[1])
    # Once for each direction of a pair: the target is of a pool.
    assert fake.fake_calls(b"cuCtxEnablePeerAccess") - before == 1


def test_freeing_a_module_leaves_the_context(pair, fake, raw_image):
    import gpunp

    with pair[1]:
        module = gpunp.RawModule(raw_image)
        module.get_function("none").compile()
    gpunp.empty(10, device=pair[0])
    before = current(fake)
    unloaded = fake.fake_calls(b"cuModuleUnload")
    del module
    gc.collect()
    assert fake.fake_calls(b"cuModuleUnload") > unloaded
    assert current(fake) == before


def test_generators_draw_where_parameters_are(cuda_device):
    import gpunp

    rng = gpunp.random.default_rng(5)
    loc = gpunp.asarray(np.arange(4.0), device="cpu")
    with cuda_device:
        draws = {
            "normal": rng.normal(loc),
            "gamma": rng.gamma(loc + 1),
            "poisson": rng.poisson(loc),
            "integers": rng.integers(loc.astype("i8") + 1),
            "permutation": rng.permutation(loc),
            "permuted": rng.permuted(loc),
            "choice": rng.choice(loc, 2),
            "multinomial": rng.multinomial(9, loc / 6),
            "multivariate_normal": rng.multivariate_normal(loc, np.eye(4)),
            "older": gpunp.random.RandomState(3).normal(loc),
        }
        assert {name: str(draw.device) for name, draw in draws.items()} == dict.fromkeys(draws, "cpu")
    with gpunp.Device("cpu"):
        again = gpunp.random.default_rng(5).normal(loc)
    np.testing.assert_array_equal(gpunp.asnumpy(draws["normal"]), gpunp.asnumpy(again))


def test_namespaces_create_where_their_array_is(cuda_device):
    import pickle

    import gpunp

    x = gpunp.asarray(np.arange(4.0), device="cpu")
    with gpunp.Device("cpu"):
        assert x.__array_namespace__() is gpunp
    with cuda_device:
        xp = x.__array_namespace__(api_version="2024.12")
        assert xp is x.__array_namespace__()
        assert xp.__name__ == "gpunp"
        made = xp.asarray(1.0), xp.zeros(3), xp.arange(2), xp.eye(2), xp.linspace(0, 1, 3), xp.ones_like(x)
        assert {str(each.device) for each in made} == {"cpu"}
        assert xp.sum is gpunp.sum
        assert xp.linalg is gpunp.linalg
        assert pickle.loads(pickle.dumps(xp)) is xp
        assert "arange" in dir(xp)
        with pytest.raises(AttributeError):
            getattr(xp, "no_such_function")  # noqa: B009
        assert gpunp.get_device() is cuda_device
