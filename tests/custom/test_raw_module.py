"""`RawModule`: templates, global variables, files of every kind, and both compilers."""

import pickle
import shutil
import subprocess

import numpy as np
import pytest

import gpunp
from gpunp.compiler import compile_source

SOURCE = r"""
template <typename T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }
namespace shapes {
template <int N> __global__ void fill(int* x) { x[threadIdx.x] = N; }
}  // namespace shapes
extern "C" {
__constant__ float weights[4];
__device__ int counter = 5;
__global__ void weighted(float* x) { x[threadIdx.x] *= weights[threadIdx.x]; }
__global__ void count() { atomicAdd(&counter, 1); }
}
"""
NAMES = ("scale<float>", "scale<double>", "scale<long long>", "shapes::fill<7>")
ADD = 'extern "C" __global__ void add(const float* x, const float* y, float* out) {\n' + (
    "    out[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x];\n}\n"
)


@pytest.fixture
def gpu(device):
    if device.is_cpu:
        pytest.skip("raw modules are loaded on GPUs")
    return device


def check_add(module):
    x = gpunp.arange(32, dtype=np.float32)
    out = gpunp.empty(32, np.float32)
    module.get_function("add")((1,), (32,), (x, x, out))
    np.testing.assert_array_equal(gpunp.asnumpy(out), 2 * np.arange(32, dtype=np.float32))


def test_construction_needs_no_gpu(tmp_path):
    module = gpunp.RawModule(SOURCE, name_expressions=NAMES)
    assert repr(module) == "<RawModule of source>"
    assert (module.code, module.name_expressions, module.file_path) == (SOURCE, NAMES, None)
    assert (module.options, module.backend, module.enable_cooperative_groups) == ((), "nvrtc", False)
    path = tmp_path / "add.cu"
    path.write_text(ADD)
    module = gpunp.RawModule(path=path, options=("-DN=3",))
    assert (module.code, module.file_path) == (ADD, str(path))
    copy = pickle.loads(pickle.dumps(module))
    assert (copy.code, copy.options, copy.name_expressions) == (ADD, ("-DN=3",), None)


@pytest.mark.parametrize(
    ("keywords", "exception", "match"),
    [
        ({}, TypeError, "exactly one of code and path"),
        ({"code": ADD, "path": "add.cu"}, TypeError, "exactly one of code and path"),
        ({"code": ADD, "name_expressions": "f<int>"}, TypeError, "name_expressions must be a tuple"),
        ({"code": ".version 8.0\n", "name_expressions": ["f"]}, ValueError, "name_expressions need source"),
        ({"path": "no such file.cu"}, FileNotFoundError, "no such file"),
    ],
)
def test_wrong_construction(keywords, exception, match):
    with pytest.raises(exception, match=match):
        gpunp.RawModule(**keywords)


def test_the_cpu_device_runs_none(device):
    if not device.is_cpu:
        pytest.skip("a GPU")
    module = gpunp.RawModule(SOURCE)
    kernel = module.get_function("count")
    with pytest.raises(RuntimeError, match=r"count is CUDA C\+\+ for a GPU"):
        kernel((1,), (1,), ())
    with pytest.raises(RuntimeError, match="weights is on a GPU"):
        module.get_global("weights")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_templates(gpu, dtype):
    module = gpunp.RawModule(SOURCE, name_expressions=NAMES)
    name = {"float32": "scale<float>", "float64": "scale<double>", "int64": "scale<long long>"}[dtype]
    x = gpunp.arange(10, dtype=dtype)
    module.get_function(name)((1,), (10,), (x, np.dtype(dtype).type(3)))
    np.testing.assert_array_equal(gpunp.asnumpy(x), 3 * np.arange(10, dtype=dtype))
    y = gpunp.empty(10, np.int32)
    module.get_function("shapes::fill<7>")((1,), (10,), (y,))
    assert gpunp.asnumpy(y).tolist() == [7] * 10
    # A kernel of its own needs no list of names.
    gpunp.RawKernel(SOURCE, "shapes::fill<8>")((1,), (10,), (y,))
    assert gpunp.asnumpy(y).tolist() == [8] * 10


def test_global_variables(gpu):
    module = gpunp.RawModule(SOURCE)
    pointer = module.get_global("weights")
    assert (pointer.size, pointer.device) == (16, gpu)
    weights = gpunp.ndarray((4,), np.float32, pointer)
    weights[...] = gpunp.asarray([1, 2, 3, 4], dtype=np.float32)
    x = gpunp.ones(4, np.float32)
    module.get_function("weighted")((1,), (4,), (x,))
    assert gpunp.asnumpy(x).tolist() == [1, 2, 3, 4]
    counter = gpunp.ndarray((), np.int32, module.get_global("counter"))
    assert int(counter) == 5
    module.get_function("count")((3,), (4,), ())
    assert int(counter) == 17
    # The memory outlives the names of the module.
    del module
    assert int(counter) == 17


def test_missing_names(gpu):
    module = gpunp.RawModule(SOURCE, name_expressions=NAMES)
    for find in (module.get_function, module.get_global):
        with pytest.raises(ValueError, match="'other'"):
            find("other")
    with pytest.raises(ValueError, match="name_expressions"):
        module.get_function("scale<int>")


def nvcc(folder, *options):
    compiler = shutil.which("nvcc")
    if compiler is None:
        pytest.skip("no nvcc")
    (folder / "add.cu").write_text(ADD)
    subprocess.run([compiler, *options, folder / "add.cu", "-o", folder / "add.bin"], check=True)
    return folder / "add.bin"


@pytest.mark.parametrize("kind", ["source", "cubin", "ptx", "fatbin"])
def test_files(gpu, tmp_path, kind):
    # The content tells what a file is, not its name.
    path = tmp_path / "add.bin"
    if kind == "fatbin":
        path = nvcc(tmp_path, "-fatbin", f"-arch=sm_{gpu.architecture}")
    elif kind == "source":
        path.write_text(ADD)
    else:
        arch = f"{'compute' if kind == 'ptx' else 'sm'}_{gpu.architecture}"
        path.write_bytes(compile_source(ADD, gpu, options=(f"-arch={arch}",)).image)
    module = gpunp.RawModule(path=path)
    check_add(module)
    assert (module.code is None) == (kind != "source")
    assert module.get_function("add").file_path == str(path)
    check_add(pickle.loads(pickle.dumps(module)))
    if kind != "source":
        check_add(gpunp.RawModule(path.read_bytes()))


def test_includes_beside_a_file(gpu, tmp_path):
    (tmp_path / "number.h").write_text("constexpr int number = 42;\n")
    (tmp_path / "k.cu").write_text(
        '#include "number.h"\nextern "C" __global__ void f(int* x) { *x = number; }\n'
    )
    x = gpunp.empty((), np.int32)
    gpunp.RawModule(path=tmp_path / "k.cu").get_function("f")((1,), (1,), (x,))
    assert int(x) == 42


def test_files_for_other_gpus(gpu):
    image = compile_source(ADD, 75 if gpu.architecture != 75 else 80).image
    with pytest.raises(RuntimeError, match="cuModuleLoadDataEx failed"):
        gpunp.RawModule(image).get_function("add")


def test_nvcc(gpu):
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    check_add(gpunp.RawModule(ADD, backend="nvcc"))


COMPLEX = r"""
#include <cuComplex.h>
extern "C" __global__ void f(const cuDoubleComplex* x, cuDoubleComplex* out, cuFloatComplex by) {
    cuDoubleComplex z = cuCmul(x[threadIdx.x], cuComplexFloatToDouble(by));
    z = cuCadd(z, make_cuDoubleComplex(cuCreal(x[threadIdx.x]), 0.5));
    out[threadIdx.x] = MORE(z);
}
"""


@pytest.mark.parametrize("translate", [False, True])
def test_cucomplex(gpu, rng, translate):
    # Translated, the types have operators too.
    more = "-DMORE(z)=(z + cuConj(z) * 2.0)" if translate else "-DMORE(z)=cuConj(z)"
    module = gpunp.RawModule(COMPLEX, options=(more,), translate_cucomplex=translate)
    x = rng.random(8) + 1j * rng.random(8)
    out = gpunp.empty(8, np.complex128)
    module.get_function("f")((1,), (8,), (gpunp.asarray(x), out, np.complex64(2 - 1j)))
    z = x * (2 - 1j) + x.real + 0.5j
    np.testing.assert_allclose(gpunp.asnumpy(out), z + 2 * z.conj() if translate else z.conj(), rtol=1e-15)


def test_compiled_again(gpu):
    module = gpunp.RawModule(SOURCE)
    kernel = module.get_function("count")
    kernel((1,), (1,), ())
    module.compile()
    # A fresh module has fresh variables; kernels in use stay valid.
    assert int(gpunp.ndarray((), np.int32, module.get_global("counter"))) == 5
    kernel((1,), (1,), ())
    gpu.synchronize()
