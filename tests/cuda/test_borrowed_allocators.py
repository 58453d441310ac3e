"""`rmm_allocator` and `torch_allocator` on the stand-in driver, with modules in place of RMM and PyTorch.

The packages themselves are in tests/interop/test_memory_of_libraries.py.
"""

import gc
import sys
import types

import numpy as np
import pytest

pytestmark = pytest.mark.fake_driver()


class Exhausted(RuntimeError):
    """PyTorch's error."""


class Torch:
    """What gpunp calls of PyTorch."""

    def __init__(self, runtime):
        self.runtime, self.calls = runtime, []
        module = types.ModuleType("torch")
        module.cuda = types.SimpleNamespace(
            caching_allocator_alloc=self.allocate,
            caching_allocator_delete=self.delete,
            OutOfMemoryError=Exhausted,
        )
        self.modules = {"torch": module}

    def allocate(self, size, device, stream):
        if size > 1 << 20:
            raise Exhausted("no room")
        self.calls.append(("alloc", size, device, stream))
        return self.runtime.malloc(size)

    def delete(self, address):
        self.calls.append(("free",))
        self.runtime.free(address)


class Rmm:
    """What gpunp calls of RMM."""

    def __init__(self, runtime):
        self.calls = calls = []

        class Stream:
            def __init__(self, obj):
                self.handle = obj.__cuda_stream__()[1]

        class DeviceBuffer:
            def __init__(self, *, size, stream=None):
                if size > 1 << 20:
                    raise MemoryError("std::bad_alloc: no room")
                calls.append(("alloc", size, 0, stream.handle if stream else 0))
                self.ptr = runtime.malloc(size)

            def __del__(self):
                if hasattr(self, "ptr"):
                    calls.append(("free",))
                    runtime.free(self.ptr)

        names = ("rmm", "rmm.pylibrmm", "rmm.pylibrmm.stream")
        self.modules = {name: types.ModuleType(name) for name in names}
        self.modules["rmm"].DeviceBuffer = DeviceBuffer
        self.modules["rmm.pylibrmm.stream"].Stream = Stream


LIBRARIES = {"rmm_allocator": Rmm, "torch_allocator": Torch}


@pytest.fixture(params=LIBRARIES)
def library(request, cuda_device, monkeypatch):
    """The library's stand-in, with the allocator of gpunp that calls it."""
    if cuda_device is None:
        return None
    cuda_device.use()
    from gpunp import cuda

    found = LIBRARIES[request.param](cuda.runtime)
    for name, module in found.modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    found.allocator = getattr(cuda, request.param)
    return found


def test_arrays_of_libraries(library, fake):
    import gpunp
    from gpunp import cuda

    before = fake.fake_living_blocks()
    cuda.set_allocator(library.allocator)
    array = gpunp.asarray(np.arange(1000))
    assert library.calls == [("alloc", 8000, 0, 0)]
    assert array.tolist() == list(range(1000))
    stream = cuda.Stream()
    with stream:
        cuda.alloc(500)
    assert library.calls[1:] == [("alloc", 500, 0, stream.ptr), ("free",)]
    cuda.set_allocator(None)
    del array
    gc.collect()
    assert library.calls[-1] == ("free",)
    gpunp.Device("cuda", 0).synchronize()
    cuda.get_default_memory_pool().free_all_blocks()
    assert fake.fake_living_blocks() == before


def test_exhausted_libraries(library):
    import gpunp
    from gpunp import cuda

    with cuda.using_allocator(library.allocator):
        kept = gpunp.asarray(np.arange(10))
        for _ in range(2):
            with pytest.raises(MemoryError, match="no room"):
                gpunp.empty(1 << 20)
        assert kept.tolist() == list(range(10))
    with pytest.raises(ValueError, match="_allocator: the size must not be negative"):
        library.allocator(-1)
    with pytest.raises(TypeError):
        library.allocator("x")


def test_lasting_memory_comes_from_no_library(library):
    """A program may count what the library gave. Reductions keep counters as long as the process lives."""
    import gpunp
    from gpunp import cuda

    with cuda.using_allocator(library.allocator):
        kept = gpunp.Device("cuda", 0).lasting_memory(1000)
    assert library.calls == []
    assert kept.nbytes == 1000


def test_captures_take_no_memory_of_libraries(library):
    from gpunp import cuda

    stream = cuda.Stream()
    with stream:
        stream.begin_capture()
        with pytest.raises(RuntimeError, match="_allocator: this cannot be part of a graph"):
            library.allocator(100)
        with cuda.using_allocator(library.allocator):
            kept = cuda.alloc(100)
        graph = stream.end_capture()
    assert library.calls == []
    del kept, graph
