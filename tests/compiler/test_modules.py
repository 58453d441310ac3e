"""Modules on the device under test: kernels, global variables, and how long code stays loaded."""

import gc
import os
import struct
import threading

import numpy as np
import pytest

import gpunp
from gpunp.compiler import compile_source, load_module

HOST = """
#include <stdint.h>
struct Params { int32_t* x; int32_t count, value; };
extern "C" { int32_t table[6] = {1, 2, 3}; }
template <int FACTOR> void scaled(const void* params) {
    Params p = *(const Params*)params;
    for (int i = 0; i < p.count; i++) p.x[i] = FACTOR * p.value + table[i % 6];
}
extern "C" void fill(const void* params) { scaled<1>(params); }
"""
CUDA = """
#include <stdint.h>
struct Params { int32_t* x; int32_t count, value; };
extern "C" { __device__ int32_t table[6] = {1, 2, 3}; }
template <int FACTOR> __global__ void scaled(const __grid_constant__ Params p) {
    for (int i = threadIdx.x; i < p.count; i += blockDim.x) p.x[i] = FACTOR * p.value + table[i % 6];
}
extern "C" __global__ void fill(const __grid_constant__ Params p) {
    for (int i = threadIdx.x; i < p.count; i += blockDim.x) p.x[i] = p.value + table[i % 6];
}
"""
TABLE = np.array([1, 2, 3, 0, 0, 0], np.int32)


@pytest.fixture
def code(request, device):
    request.getfixturevalue("host" if device.is_cpu else "nvrtc")
    return compile_source(HOST if device.is_cpu else CUDA, device, name_expressions=("scaled<3>",))


@pytest.fixture
def module(code, device):
    return load_module(code, device)


def run(device, kernel, value, count=10):
    x = gpunp.zeros(count, np.int32)
    device.launch_kernel(kernel, (1, 1, 1), 32, struct.pack("Pii", x.data.ptr, count, value))
    return gpunp.asnumpy(x)


def test_kernel(module, device):
    np.testing.assert_array_equal(run(device, module.get_kernel("fill"), 7), np.resize(TABLE, 10) + 7)
    np.testing.assert_array_equal(run(device, module.get_kernel("scaled<3>"), 7), np.resize(TABLE, 10) + 21)
    assert module.device is device
    assert repr(module) == f"<Module on {device}>"


def test_one_object_a_kernel(module):
    assert module.get_kernel("fill") is module.get_kernel("fill")
    assert module.get_kernel("scaled<3>") is module.get_kernel(module.names["scaled<3>"])


def test_global_variable(module, device):
    address, nbytes = module.global_address("table")
    assert nbytes == 24
    # The kernel writes to the variable that it reads.
    kernel = module.get_kernel("fill")
    device.launch_kernel(kernel, (1, 1, 1), 32, struct.pack("Pii", address, 6, 5))
    np.testing.assert_array_equal(run(device, kernel, 0, 6), TABLE + 5)


@pytest.mark.parametrize("find", ["get_kernel", "global_address"])
def test_names_that_the_module_does_not_have(module, find):
    with pytest.raises(ValueError, match=r"the module has no \w+ 'absent': declare it extern"):
        getattr(module, find)("absent")


def test_two_modules_of_one_source(code, device):
    one, two = load_module(code, device), load_module(code, device)
    assert one.global_address("table")[0] != two.global_address("table")[0]
    address, _ = one.global_address("table")
    device.launch_kernel(one.get_kernel("fill"), (1, 1, 1), 1, struct.pack("Pii", address, 1, 99))
    np.testing.assert_array_equal(run(device, one.get_kernel("fill"), 0, 1), [100])
    np.testing.assert_array_equal(run(device, two.get_kernel("fill"), 0, 1), [1])


def test_image_of_bytes(code, device):
    module = load_module(bytearray(code.image), device)
    np.testing.assert_array_equal(run(device, module.get_kernel("fill"), 1, 2), [2, 3])
    assert module.names == {}


def test_kernels_keep_the_code(code, device):
    kernel = load_module(code, device).get_kernel("fill")
    gc.collect()
    np.testing.assert_array_equal(run(device, kernel, 1, 2), [2, 3])


def test_many_modules(code, device):
    for _ in range(40):
        kernels = [load_module(code, device).get_kernel("fill") for _ in range(5)]
        assert len({run(device, kernel, 1, 2).tobytes() for kernel in kernels}) == 1


def test_threads(code, device):
    results = []

    def work():
        with device:
            for _ in range(5):
                kernel = load_module(code, device).get_kernel("fill")
                results.append(run(device, kernel, 4, 3).tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[5, 6, 7]] * 20


@pytest.mark.parametrize("image", [b"", b"junk" * 100])
def test_images_that_cannot_be_loaded(device, image):
    with pytest.raises(RuntimeError):
        load_module(image, device)


def test_code_of_the_other_kind(request, device):
    request.getfixturevalue("nvrtc" if device.is_cpu else "host")
    other = compile_source(CUDA, 90) if device.is_cpu else compile_source(HOST, gpunp.Device("cpu"))
    with pytest.raises(RuntimeError):
        load_module(other, device)


def test_without_memory_files(host, monkeypatch):
    # As where the system runs no code from memory.
    device = gpunp.Device("cpu")

    def refuse(*arguments):
        raise PermissionError

    code = compile_source(HOST, device)
    monkeypatch.setattr(os, "memfd_create", refuse, raising=False)
    one, two = (load_module(code, device).get_kernel("fill") for _ in range(2))
    with device:
        np.testing.assert_array_equal(run(device, one, 1, 2), [2, 3])
        np.testing.assert_array_equal(run(device, two, 1, 2), [2, 3])


def test_variables_by_name_expressions(host):
    with pytest.raises(ValueError, match='declare table extern "C"'):
        compile_source(HOST, gpunp.Device("cpu"), name_expressions=("&table",))
