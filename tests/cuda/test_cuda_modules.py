"""Modules on the stand-in driver: what is called, and in which order."""

import gc

import pytest

pytestmark = pytest.mark.fake_driver()


@pytest.fixture
def load(cuda_device):
    if cuda_device is None:
        return None
    from gpunp.compiler import load_module

    return lambda image: load_module(image, cuda_device)


def test_unloaded_with_the_last_kernel(load, fake):
    module = load(b"one two")
    kernel = module.get_kernel("one")
    assert fake.fake_calls(b"cuModuleUnload") == 0
    del module
    gc.collect()
    assert fake.fake_calls(b"cuModuleUnload") == 0
    del kernel
    assert fake.fake_calls(b"cuModuleUnload") == 1


def test_captures_of_graphs_are_not_broken(load, fake):
    # Both loading and unloading enter and leave the relaxed mode.
    module = load(b"one")
    assert fake.fake_calls(b"cuThreadExchangeStreamCaptureMode") == 2
    del module
    assert fake.fake_calls(b"cuThreadExchangeStreamCaptureMode") == 4


def test_functions_are_looked_up_once(load, fake):
    module = load(b"one")
    assert module.get_kernel("one") is module.get_kernel("one")
    assert fake.fake_calls(b"cuModuleGetFunction") == 1
    with pytest.raises(ValueError, match="no kernel 'absent'"):
        module.get_kernel("absent")


def test_shared_memory_limit_is_of_the_function(load, fake, cuda_device):
    kernel = load(b"one").get_kernel("one")
    for shared_bytes in (100_000, 90_000, 120_000):
        cuda_device.launch_kernel(kernel, (1, 1, 1), 32, b"1234", shared_bytes)
    assert fake.fake_calls(b"cuFuncSetAttribute") == 2


def test_code_for_another_gpu(load):
    with pytest.raises(RuntimeError) as found:
        load(b"other arch")
    assert "not compiled for Fake GPU 0 (compute capability 9.0)" in found.value.__notes__[0]


def test_real_code(cuda_device, load, nvrtc):
    from gpunp.compiler import compile_source

    source = """
    extern "C" { __device__ int table[5]; }
    template <class T> __global__ void f(T* x) { x[0] = table[1]; }
    """
    compiled = compile_source(source, cuda_device, name_expressions=("f<float>",))
    module = load(compiled)
    assert module.get_kernel("f<float>").name == "_Z1fIfEvPT_"
    assert module.global_address("table")[1] == 20


def test_context_of_the_device(load, fake):
    # Another library may have made another context current.
    module = load(b"one two")
    module.get_kernel("one")
    fake.fake_drop_context()
    module.get_kernel("two")
    fake.fake_drop_context()
    del module
    assert fake.fake_calls(b"cuModuleUnload") == 1
