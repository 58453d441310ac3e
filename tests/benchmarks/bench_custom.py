"""Kernels of users: a line of C++ on large arrays, reductions, and the host cost of a call."""

import importlib

import numpy as np
from rows import Above, Share, row

CHAPTER = "Kernels of your own, float32"


def saxpy_of(lib):
    """A function of a number, two arrays and the output; an expression in libraries without such kernels."""
    if lib.dialect == "torch":
        return lambda a, x, y, z: lib.xp.add(y, x, alpha=a, out=z)
    module = getattr(lib, "module", lib.xp)
    if module.__name__ == "numpy":
        return lambda a, x, y, z: module.add(module.multiply(a, x, out=z), y, out=z)
    return module.ElementwiseKernel("T a, T x, T y", "T z", "z = a * x + y", "saxpy")


@row(
    "kernel_saxpy",
    '`ElementwiseKernel(..., "z = a * x + y")(a, x, y, z)`',
    CHAPTER,
    Share(0.92, "copy"),
    "device",
    lambda size: 12 * size.elements,
)
def kernel_saxpy(lib, size):
    x, y, z = (lib.values(size.elements) for _ in range(3))
    saxpy = saxpy_of(lib)
    return lambda: saxpy(2.5, x, y, z)


@row(
    "kernel_reversed",
    '`ElementwiseKernel(..., "z = x + y[n - 1 - i]")(x, y, z)`',
    CHAPTER,
    Share(0.85, "copy"),
    "device",
    lambda size: 12 * size.elements,
)
def kernel_reversed(lib, size):
    x, y, z = (lib.values(size.elements) for _ in range(3))
    if lib.dialect == "torch":
        return lambda: lib.xp.add(x, y.flip(0), out=z)
    module = getattr(lib, "module", lib.xp)
    if module.__name__ == "numpy":
        return lambda: module.add(x, y[::-1], out=z)
    text = "z = x + y[_ind.size() - 1 - i]"
    kernel = module.ElementwiseKernel("T x, raw T y", "T z", text, "add_reversed")
    return lambda: kernel(x, y, z)


def leaky(x):
    """A function of a number, with a branch."""
    if x < 1:
        return x * x
    return x


@row(
    "vectorize_branch",
    "`np.vectorize(f)(x)`, a function with a branch",
    CHAPTER,
    Share(0.85, "copy"),
    "device",
    lambda size: 8 * (size.elements // 4),
)
def vectorize_branch(lib, size):
    x = lib.values(size.elements // 4)
    if lib.dialect == "torch":
        return lambda: lib.xp.where(x < 1, x * x, x)
    function = lib.xp.vectorize(leaky)
    return lambda: function(x)


@row(
    "call_elementwise_kernel",
    "an `ElementwiseKernel` of two arrays",
    "Host cost of a call, 8 elements",
    Above(2.5e-6, "launch"),
    "host",
)
def call_elementwise_kernel(lib, size):
    x, y, z = (lib.values(8) for _ in range(3))
    return "saxpy(2.5, x, y, z)", {"saxpy": saxpy_of(lib), "x": x, "y": y, "z": z}


def squared_of(lib):
    """A function of an array and axes: the sum of squares, or `vector_norm` in other libraries."""
    if lib.dialect == "torch":
        return lambda x, axis=None: lib.xp.linalg.vector_norm(x, dim=axis)
    module = getattr(lib, "module", lib.xp)
    if module.__name__ == "numpy":
        return lambda x, axis=None: module.linalg.vector_norm(x, axis=axis)
    return module.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squared")


def register_squared(label, arguments, axis):
    @row(
        f"kernel_squared_{label}",
        f'`ReductionKernel(..., "x * x", "a + b", ...)({arguments})`',
        CHAPTER,
        Share(0.90, "read"),
        "device",
        lambda size: 4 * (size.elements if axis is None else size.side * size.side),
    )
    def build(lib, size):
        x = lib.values(size.elements) if axis is None else lib.values(size.side, size.side)
        squared = squared_of(lib)
        return lambda: squared(x, axis=axis)


register_squared("all", "x", None)
register_squared("axis0", "A, axis=0", 0)
register_squared("axis1", "A, axis=1", 1)


@row(
    "call_reduction_kernel",
    "a `ReductionKernel` of one array",
    "Host cost of a call, 8 elements",
    Above(3e-6, "launch"),
    "host",
)
def call_reduction_kernel(lib, size):
    return "squared(x)", {"squared": squared_of(lib), "x": lib.values(8)}


def python_axpy(jit):
    """A kernel in Python, written with the names of a module."""

    @jit.rawkernel()
    def axpy(x, y, a, n):
        i = jit.grid(1)
        if i < n:
            y[i] += a * x[i]

    return axpy


@row(
    "call_python_kernel",
    "a kernel by `jit.rawkernel`, 4 arguments",
    "Host cost of a call, 8 elements",
    Above(2.5e-6, "launch"),
    "host",
    needs_gpu=True,
)
def call_python_kernel(lib, size):
    home = "cupyx" if lib.name == "CuPy" else getattr(lib, "module", lib.xp).__name__
    kernel = python_axpy(importlib.import_module(f"{home}.jit"))
    names = {"x": lib.values(8), "y": lib.values(8), "a": np.float32(2), "n": np.int32(8)}
    return "kernel((1,), (8,), (x, y, a, n))", {**names, "kernel": kernel}
