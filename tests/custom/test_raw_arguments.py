"""Arguments of raw kernels on a GPU: what a kernel receives of every kind of argument.

How arguments are packed, and which are refused, is tested on the stand-in driver:
tests/cuda/test_raw_packing.py.
"""

import numpy as np
import pytest

import gpunp

ECHO = r"""
#include <cuda_fp16.h>
#include <gpunp/complex.h>
template <typename T> __global__ void echo(T value, T* out) { *out = value; }
"""
# dtypes, and the C++ types that they are passed as.
TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float16": "__half",
    "float32": "float",
    "float64": "double",
    "complex64": "complex<float>",
    "complex128": "complex<double>",
}


@pytest.fixture(scope="module")
def echo():
    names = [f"echo<{name}>" for name in TYPES.values()]
    return gpunp.RawModule(ECHO, name_expressions=[*names, "echo<float*>"])


@pytest.mark.parametrize("dtype", TYPES)
def test_scalars_of_numpy(gpu, echo, dtype):
    kernel = echo.get_function(f"echo<{TYPES[dtype]}>")
    dtype = np.dtype(dtype)
    for number in (0, 1, 100, 1.5 - 2j) if dtype.kind == "c" else (0, 1, 100):
        value = dtype.type(number)
        for argument in (value, np.array(value), np.array([value])):
            out = gpunp.empty((), dtype)
            kernel((1,), (1,), (argument, out))
            assert gpunp.asnumpy(out) == value


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (True, "bool"),
        (-3, "int64"),
        (2**64 - 1, "uint64"),
        (-3, "int32"),
        (200, "uint8"),
        (-3, "int16"),
        (0.1, "float64"),
        (0.1, "float32"),
        (1 - 2j, "complex128"),
        (1 - 2j, "complex64"),
    ],
)
def test_numbers_of_python(gpu, echo, value, dtype):
    out = gpunp.empty((), dtype)
    echo.get_function(f"echo<{TYPES[dtype]}>")((1,), (1,), (value, out))
    assert gpunp.asnumpy(out) == np.dtype(dtype).type(value)


def test_pointers(gpu, echo):
    kernel = echo.get_function("echo<float*>")
    a, out = gpunp.empty(8, np.float32), gpunp.empty((), np.uint64)
    for argument in (a, a.data, a.data.ptr):
        kernel((1,), (1,), (argument, out))
        assert int(out) == a.data.ptr
    kernel((1,), (1,), (None, out))
    assert int(out) == 0
    # A scalar is on the device as well.
    total = a.sum()
    kernel((1,), (1,), (total, out))
    assert int(out) == total.data.ptr


STRUCTS = r"""
struct Inner { signed char tag; double weight; };
struct Outer { float3 at; Inner inner[2]; unsigned short count; };
extern "C" __global__ void unpack(Outer s, double* out) {
    out[0] = s.at.x; out[1] = s.at.y; out[2] = s.at.z;
    out[3] = s.inner[0].tag; out[4] = s.inner[0].weight; out[5] = s.inner[1].tag; out[6] = s.inner[1].weight;
    out[7] = s.count;
}
#pragma pack(push, 1)
struct Packed { char a; double b; int c; };
#pragma pack(pop)
extern "C" __global__ void packed(char before, Packed s, double* out) {
    out[0] = before; out[1] = s.a; out[2] = s.b; out[3] = s.c;
}
"""


def test_structures(gpu):
    inner = np.dtype([("tag", "i1"), ("weight", "f8")], align=True)
    outer = np.dtype([("at", "f4", 3), ("inner", inner, 2), ("count", "u2")], align=True)
    value = np.zeros((), outer)
    value[()] = ((1, 2, 3), [(4, 5.5), (-6, 7.5)], 60000)
    module = gpunp.RawModule(STRUCTS)
    out = gpunp.zeros(8)
    for argument in (value, value[()]):
        out[...] = 0
        module.get_function("unpack")((1,), (1,), (argument, out))
        assert gpunp.asnumpy(out).tolist() == [1, 2, 3, 4, 5.5, -6, 7.5, 60000]
    plain = np.array((1, 2.5, -3), [("a", "i1"), ("b", "f8"), ("c", "i4")])
    module.get_function("packed")((1,), (1,), (9, plain, out))
    assert gpunp.asnumpy(out)[:4].tolist() == [9, 1, 2.5, -3]
    loose = np.zeros((), [("at", "f4", 3), ("inner", inner, 2), ("count", "u2")])
    with pytest.raises(TypeError, match="align=True"):
        module.get_function("unpack")((1,), (1,), (loose, out))


@pytest.mark.parametrize("header", ["gpunp/complex.h", "cupy/complex.cuh"])
def test_complex_arrays(gpu, rng, header):
    source = r"""
        using single = complex<float>;
        extern "C" __global__ void f(const single* x, single* out, complex<double> by, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = x[i] * single(by) + conj(x[i]) * 2.0f;
        }"""
    kernel = gpunp.RawKernel(f"#include <{header}>{source}", "f")
    x = (rng.random(1000) + 1j * rng.random(1000)).astype(np.complex64)
    out = gpunp.empty(1000, np.complex64)
    kernel((4,), (256,), (gpunp.asarray(x), out, 1.5 - 0.5j, 1000))
    np.testing.assert_allclose(gpunp.asnumpy(out), x * (1.5 - 0.5j) + 2 * x.conj(), rtol=1e-5)


@pytest.mark.parametrize("library", ["torch", "cupy", "numba.cuda"])
def test_arrays_of_other_libraries(gpu, library):
    module = pytest.importorskip(library)
    if library == "torch" and not module.cuda.is_available():
        pytest.skip("PyTorch has no CUDA")
    host = np.arange(100, dtype=np.float32)
    # The libraries allocate on the driver's current device.
    gpunp.cuda.driver.make_current(gpu)
    make = {"torch": lambda: module.from_numpy(host).to(str(gpu)), "cupy": lambda: module.asarray(host)}
    theirs = make.get(library, lambda: module.to_device(host))()
    out = gpunp.zeros(100, np.float32)
    source = 'extern "C" __global__ void f(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }'
    gpunp.RawKernel(source, "f")((1,), (100,), (theirs, out))
    np.testing.assert_array_equal(gpunp.asnumpy(out), 2 * host)


def test_large_structures(gpu):
    # More than the parameters of CUDA before 12.1 could hold.
    count = 3000
    source = f"""struct Table {{ int values[{count}]; }};
    extern "C" __global__ void f(const __grid_constant__ Table t, int* out) {{
        for (int i = threadIdx.x; i < {count}; i += blockDim.x) out[i] = t.values[i];
    }}"""
    value = np.zeros((), [("values", "i4", count)])
    value["values"] = np.arange(count)
    out = gpunp.empty(count, np.int32)
    gpunp.RawKernel(source, "f")((1,), (256,), (value, out))
    np.testing.assert_array_equal(gpunp.asnumpy(out), np.arange(count))
