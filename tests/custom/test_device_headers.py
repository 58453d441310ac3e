"""Headers of users' kernels: raw arrays, index spaces, atomic functions, with CUDA's own headers beside."""

import numpy as np
import pytest

import gpunp

LAYOUTS = {
    "contiguous": lambda a: a,
    "transposed": lambda a: a.T,
    "steps": lambda a: a[:, ::2, 1:],
    "backward": lambda a: a[::-1, :, ::-3],
    "broadcast": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "one axis": lambda a: a[1, ::2, 3],
    "one row": lambda a: a[1, 2],
    "one element": lambda a: a[1, 2, 3],
}


@pytest.mark.parametrize(
    ("layout", "dtype"),
    [*((layout, "float32") for layout in LAYOUTS), *(("backward", dtype) for dtype in ("?", "e", "D", "b"))],
)
def test_raw_array_by_linear_index(layout, dtype, device):
    host = np.arange(5 * 6 * 7).reshape(5, 6, 7).astype(dtype)
    expected, x = LAYOUTS[layout](host), LAYOUTS[layout](gpunp.asarray(host))
    kernel = gpunp.ElementwiseKernel("raw T x", "T y", "y = x[_ind.size() - 1 - i]", "backward")
    np.testing.assert_array_equal(kernel(x, size=expected.size).get(), expected.ravel()[::-1])


INDICES = {
    "x[{at[0], at[1], at[2]}]": "braces",
    "x[at]": "array",
    "x[at + 0]": "pointer",
    "*(&x[{(size_t)at[0], (int)at[1], (short)at[2]}])": "mixed integers",
}


@pytest.mark.parametrize("integer", ["int", "ptrdiff_t", "unsigned int", "int64_t"])
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "backward"])
def test_raw_array_by_axes(layout, integer, device):
    host = np.arange(5 * 6 * 7).reshape(5, 6, 7)
    expected, x = LAYOUTS[layout](host), LAYOUTS[layout](gpunp.asarray(host))
    kernel = gpunp.ElementwiseKernel(
        "int64 a, int64 b, int64 c, raw int64 x",
        ", ".join(f"int64 out{i}" for i in range(len(INDICES))),
        f"{integer} at[3] = {{({integer})a, ({integer})b, ({integer})c}};"
        + "".join(f"out{i} = {index};" for i, index in enumerate(INDICES)),
        "by_axes",
    )
    axes = np.indices(expected.shape).reshape(3, -1)
    for got, name in zip(kernel(*map(gpunp.asarray, axes), x), INDICES.values(), strict=True):
        np.testing.assert_array_equal(got.get(), expected[tuple(axes)], err_msg=name)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_raw_array_describes_itself(layout, device):
    x = LAYOUTS[layout](gpunp.asarray(np.zeros((5, 6, 7), "h")))
    kernel = gpunp.ElementwiseKernel(
        "raw int16 x, int64 axis",
        "int64 size, int64 ndim, int64 extent, int64 stride",
        "size = x.size(); ndim = x.ndim; extent = axis < x.ndim ? x.shape()[axis] : 0;"
        "stride = axis < x.ndim ? x.strides()[axis] : 0;",
        "describe",
    )
    size, ndim, shape, strides = (out.get() for out in kernel(x, gpunp.arange(3)))
    assert (size == x.size).all()
    assert (ndim == x.ndim).all()
    assert tuple(shape[: x.ndim]) == x.shape
    # Of an axis of one element, any stride will do.
    assert all(n == 1 or a == b for n, a, b in zip(x.shape, strides, x.strides, strict=False))


def test_index_of_each_axis(device):
    x = np.arange(4 * 5 * 6).reshape(4, 5, 6)
    kernel = gpunp.ElementwiseKernel(
        "int64 x", "int64 y", "y = x + 1000 * _ind.get()[0] + 100000 * _ind.get()[2] + _ind.size()", "axes"
    )
    i, _, k = np.indices(x.shape)
    for layout in (lambda a: a, lambda a: a[::-1, :, ::-1]):
        got = kernel(layout(gpunp.asarray(x))).get()
        np.testing.assert_array_equal(got, layout(x) + 1000 * i + 100000 * k + x.size)


ATOMICS = {
    "int32": ("Add", "Sub", "Min", "Max", "And", "Or", "Xor"),
    "uint32": ("Add", "Sub", "Min", "Max", "And", "Or", "Xor"),
    "int64": ("Add", "Sub", "Min", "Max", "And", "Or", "Xor"),
    "uint64": ("Add", "Sub", "Min", "Max", "And", "Or", "Xor"),
    "float16": ("Add",),
    "float32": ("Add", "Sub", "Min", "Max"),
    "float64": ("Add", "Sub", "Min", "Max"),
    "complex64": ("Add",),
    "complex128": ("Add",),
}
FOLDS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Min": np.minimum,
    "Max": np.maximum,
    "And": np.bitwise_and,
    "Or": np.bitwise_or,
    "Xor": np.bitwise_xor,
}


@pytest.mark.parametrize("dtype", ATOMICS)
def test_atomic(dtype, device):
    random = np.random.default_rng(8)
    bins = random.integers(0, 7, 1000)
    # Small integers: sums are exact in every type and order.
    values = random.integers(0 if dtype.startswith("u") else -3, 4, 1000).astype(dtype)
    start = np.full(7, 64).astype(dtype)
    outs = [gpunp.asarray(start) for _ in ATOMICS[dtype]]
    kernel = gpunp.ElementwiseKernel(
        "T x, int64 bin, " + ", ".join(f"raw T out{f}" for f in ATOMICS[dtype]),
        "",
        "".join(f"atomic{f}(const_cast<T*>(&out{f}[bin]), x);" for f in ATOMICS[dtype]),
        "fold",
        preamble='#include "gpunp/custom/atomic.h"',
    )
    kernel(gpunp.asarray(values), gpunp.asarray(bins), *outs)
    for function, out in zip(ATOMICS[dtype], outs, strict=True):
        expected = start.copy()
        FOLDS[function].at(expected, bins, values)
        np.testing.assert_array_equal(out.get(), expected, err_msg=function)


NUMBERS = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
]


def test_least_and_greatest_of_mixed_types(device):
    values = [0, 1, 3, 100, 7], [2, 1, 0, 5, 100]
    hosts = [np.array(values[i]).astype(dtype) for i in (0, 1) for dtype in NUMBERS]
    ends = [f"{a}{k}" for a in "ab" for k in range(len(NUMBERS))]
    pairs = [(a, b) for a in ends if a[0] == "a" for b in ends if b[0] == "b"]
    kernel = gpunp.ElementwiseKernel(
        ", ".join(f"{host.dtype} {name}" for host, name in zip(hosts, ends, strict=True)),
        "float64 least, float64 most",
        "least = 0; most = 0;" + "".join(f"least += min({a}, {b}); most += max({b}, {a});" for a, b in pairs),
        "extremes",
    )
    least, most = (out.get() for out in kernel(*map(gpunp.asarray, hosts)))
    by_name = dict(zip(ends, (host.astype("d") for host in hosts), strict=True))
    np.testing.assert_array_equal(least, sum(np.minimum(by_name[a], by_name[b]) for a, b in pairs))
    np.testing.assert_array_equal(most, sum(np.maximum(by_name[a], by_name[b]) for a, b in pairs))


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint64"])
def test_functions_of_integers(dtype, device):
    kernel = gpunp.ElementwiseKernel(
        "T x",
        "float64 a, float64 b, float64 c, bool d",
        "a = sqrt(x); b = floor(x) + exp(x - x); c = pow(x, (T)2) + fmax(x, 2.5f) + pow(x, 0.5); "
        "d = isfinite(x) && !isnan(x)",
        "integers",
    )
    x = np.array([1, 4, 9], dtype)
    root, one, square, finite = (out.get() for out in kernel(gpunp.asarray(x)))
    np.testing.assert_array_equal(root, np.sqrt(x))
    np.testing.assert_array_equal(one, x + 1.0)
    np.testing.assert_allclose(square, x**2.0 + np.maximum(x, 2.5) + np.sqrt(x))
    assert finite.all()


CUCOMPLEX = {
    "cuCadd{f}(x, y)": lambda x, y: x + y,
    "cuCsub{f}(x, y)": lambda x, y: x - y,
    "cuCmul{f}(x, y)": lambda x, y: x * y,
    "cuCdiv{f}(x, y)": lambda x, y: x / y,
    "cuCfma{f}(x, y, x)": lambda x, y: x * y + x,
    "cuConj{f}(x)": lambda x, y: x.conj(),
    "make_cu{t}Complex(cuCreal{f}(x), cuCimag{f}(y))": lambda x, y: x.real + 1j * y.imag,
    "make_cu{t}Complex(cuCabs{f}(x), x.y)": lambda x, y: abs(x) + 1j * x.imag,
    "cuComplexDoubleToFloat(cuComplexFloatToDouble(make_cuComplex(1, 2)))": lambda x, y: 0 * x + (1 + 2j),
}


@pytest.mark.parametrize("char", "FD")
def test_names_of_cucomplex(char, device):
    random = np.random.default_rng(9)
    x, y = ((random.normal(size=50) + 1j * random.normal(size=50)).astype(char) for _ in range(2))
    words = {"f": "f" if char == "F" else "", "t": "Float" if char == "F" else "Double"}
    kernel = gpunp.ElementwiseKernel(
        "T x, T y",
        ", ".join(f"T out{i}" for i in range(len(CUCOMPLEX))),
        "".join(f"out{i} = {text.format(**words)};" for i, text in enumerate(CUCOMPLEX)),
        "cucomplex",
        preamble='#include "gpunp/custom/cucomplex.h"',
    )
    for got, (text, f) in zip(kernel(gpunp.asarray(x), gpunp.asarray(y)), CUCOMPLEX.items(), strict=True):
        np.testing.assert_allclose(got.get(), f(x, y), rtol=8 * np.finfo(char).eps, err_msg=text)


@pytest.fixture
def image_of(nvrtc):
    """Compiles a source for an architecture without a GPU."""
    from gpunp.compiler import request, toolkit

    folders = [request.INCLUDE_FOLDER, *toolkit.include_folders(), request.STAND_INS]

    def compile_for(source, architecture, *more):
        program = nvrtc.Program(source.encode(), b"source")
        options = [f"-arch=sm_{architecture}", "-std=c++17", *more, *(f"-I{each}" for each in folders)]
        assert program.compile([option.encode() for option in options]), program.log
        assert program.log == "", "warnings"
        return program.image("CUBIN")

    return compile_for


# As in the documentation that programs for CuPy are written from.
PROGRAMS = {
    "complex64": """
#include <cupy/complex.cuh>
extern "C" __global__
void my_func(const complex<float>* x1, const complex<float>* x2, complex<float>* y, float a) {
    int tid = blockDim.x * blockIdx.x + threadIdx.x;
    y[tid] = x1[tid] + a * x2[tid];
}
""",
    "template": """
#include <gpunp/complex.h>
template <typename T> __device__ T square(T x) { return x * x; }
template <typename T> __global__ void apply(const T* x, T* y) {
    __shared__ T tile[64];
    tile[threadIdx.x] = square(x[threadIdx.x]);
    __syncthreads();
    y[threadIdx.x] = exp(tile[63 - threadIdx.x]) / abs(tile[0]);
}
template __global__ void apply(const complex<double>*, complex<double>*);
template __global__ void apply(const float*, float*);
""",
    "thrust": """
#include <cupy/complex.cuh>
extern "C" __global__ void f(thrust::complex<double>* z) {
    z[0] = thrust::pow(z[1], 2) + thrust::polar(1.0, 2.0);
}
""",
    "cucomplex": """
#include <cuComplex.h>
extern "C" __global__ void f(cuFloatComplex* z, cuDoubleComplex* w) {
    z[0] = cuCaddf(make_cuComplex(1, 2), cuCmulf(z[1], cuConjf(z[2])));
    w[0] = cuCdiv(w[1], make_cuDoubleComplex(cuCreal(w[2]), w[2].y));
    z[3].x = cuCabsf(z[0]);
    w[3] = cuComplexFloatToDouble(cuCfmaf(z[0], z[1], z[2]));
}
""",
    "halves": """
#include "gpunp/custom/float16.h"
#include <cuda_fp16.h>
extern "C" __global__ void f(float16* x, __half* h) {
    __half first = __half(x[0]);
    x[1] = h[0];
    x[2] = x[1] * h[1] + x[0];
    x[3] = x[1] < h[1] ? x[1] : x[2];
    h[2] = __hadd(*(__half*)&x[2], first);
    atomicAdd((__half*)&x[4], first);
}
""",
    "atomic": """
#include "gpunp/custom/complex.h"
#include "gpunp/custom/float16.h"
#include "gpunp/custom/atomic.h"
extern "C" __global__ void f(float16* h, complex<float>* c, int64_t* l, uint64_t* u, double* d) {
    h[1] = atomicAdd(h, 2.5f);
    c[1] = atomicAdd(c, complex<float>(1, 2));
    l[1] = atomicAdd(l, 1) + atomicMax(l, (int64_t)2) + atomicCAS(l, 1, 2) + atomicExch(l, 5);
    d[1] = atomicMin(d, 1.0) + atomicExch(d, 2.0) + atomicSub(d, 1.0);
    u[1] = atomicSub(u, 1);
}
""",
}


@pytest.mark.parametrize("architecture", [75, 90, 100])
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_compile(program, architecture, image_of):
    assert image_of(PROGRAMS[program], architecture)


@pytest.mark.parametrize("program", ["cucomplex", "complex64"])
def test_cucomplex_over_complex(program, image_of):
    assert image_of(PROGRAMS[program], 90, "--pre-include=gpunp/custom/cucomplex.h")


def test_complex_of_libcudacxx_beside(image_of):
    source = """
#include <cuda/std/complex>
#include <gpunp/complex.h>
__global__ void f(complex<float>* z) {
    cuda::std::complex<float> w = cuda::std::exp(cuda::std::complex<float>(z[0].real(), z[0].imag()));
    z[1] = exp(z[0]) - complex<float>(w.real(), w.imag());
}
"""
    assert image_of(source, 90)
