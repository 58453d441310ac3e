"""Accumulators of `ReductionKernel` of any type, what users name, and the sources that NVRTC compiles."""

import numpy as np
import pytest
from exact import check, values

import gpunp
from gpunp.array.dtype import dtype_code
from gpunp.compiler import compile_source
from gpunp.custom.reduction_source import VARIANTS, reduction_source

kernel = gpunp.ReductionKernel
l2norm = kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
total = kernel("T x", "T y", "x", "a + b", "y = a", "0", "total")

# Accumulators of other sizes than words, with constructors, and larger than registers hold well.
ACCUMULATORS = {
    "bool": ("bool", "x > 0", "a || b", "y = a", "false", lambda x, axis: (x > 0).any(axis)),
    "int8": ("signed char", "x", "a > b ? a : b", "y = a", None, lambda x, axis: x.max(axis)),
    "three bytes": (
        "Three",
        "Three(x)",
        "Three(a.part[0] + b.part[0], max(a.part[1], b.part[1]), a.part[2] & b.part[2])",
        "y = a.part[0] + 1000 * a.part[1] + a.part[2]",
        None,
        lambda x, axis: x.sum(axis, dtype="u1") + 1000.0 * x.max(axis) + 1,
    ),
    "large": (
        "Large",
        "Large(x)",
        "a + b",
        "y = a.part[0] + a.part[39]",
        "Large(0)",
        lambda x, axis: 2.0 * x.sum(axis),
    ),
}
STRUCTS = """
struct Three {
    unsigned char part[3];
    __device__ Three(int x) : part{(unsigned char)x, (unsigned char)x, 1} {}
    __device__ Three(int x, int y, int z) : part{(unsigned char)x, (unsigned char)y, (unsigned char)z} {}
};
struct Large {
    float part[40];
    __device__ Large(float x) {
        for (int k = 0; k < 40; k++) part[k] = x;
    }
};
__device__ Large operator+(Large a, const Large& b) {
    for (int k = 0; k < 40; k++) a.part[k] += b.part[k];
    return a;
}
"""


@pytest.mark.parametrize("name", ACCUMULATORS)
def test_accumulators(name):
    kind, mapped, fold, post, identity, expected = ACCUMULATORS[name]
    reduction = kernel("T x", "float64 y", mapped, fold, post, identity, "fold", kind, preamble=STRUCTS)
    for shape in ((3, 1000), (1000, 3), (40, 33), (2, 20_000)):
        x = np.abs(values("f4", *shape))
        for a, y in ((gpunp.asarray(x), x), (gpunp.asarray(x)[:, ::-2], x[:, ::-2])):
            for axis in (None, 0, 1):
                check(reduction(a, axis=axis), np.asarray(expected(y, axis), "f8"))


def test_user_names():
    """Names of the user's own functions do not meet those of the generated source."""
    preamble = "\n".join(
        f"template <class T> __device__ T {name}(T x) {{ return x; }}"
        for name in ("map", "combine", "finish", "fold")
    )
    odd = kernel("T Acc, T b", "T Inputs", "map(Acc) * b", "combine(a) + fold(b)", "Inputs = finish(a)", "0",
                 "identity", preamble=preamble)  # fmt: skip
    x = values("f4", 50)
    check(odd(gpunp.asarray(x), 2), (2 * x).sum(dtype="f4"))


def test_options():
    power = kernel("T x", "T y", "POWER(x)", "a + b", "y = a", "0", "power", options=("-DPOWER(x)=x*x*x",))
    x = values("f8", 100)
    check(power(gpunp.asarray(x)), (x**3).sum())


# Kernels, the dtypes of a call and its forms: numbers, raw arrays (axes, contiguous, wide), and arrays.
COMPILED = {
    "l2norm": (l2norm, "f4 f4", [("array",), ("array",)]),
    "half": (total, "f2 f2", [("array",), ("array",)]),
    "struct": (
        kernel(
            "T x",
            "T y",
            "Three(x)",
            "a.part[0] > b.part[0] ? a : b",
            "y = a.part[0]",
            None,
            "struct",
            "Three",
            preamble=STRUCTS,
        ),
        "f8 f8",
        [("array",), ("array",)],
    ),
    "two outputs": (
        kernel("T x", "T y, T z", "x", "a + b", "y = a; z = -a", "0", "twice"),
        "i1 i1 i1",
        [("array",)] * 3,
    ),
    "mixed": (
        kernel("X x, Y y, raw X w, Y s", "Z z", "x * y * s + w[i]", "a + b", "z = a", "0", "mixed"),
        "f4 c16 f4 c16 c16",
        [("array",), ("array",), ("raw", 2, False, False), ("number",), ("array",)],
    ),
    "large": (
        kernel(
            "T x", "T y", "Large(x)", "a + b", "y = a.part[0]", "Large(0)", "large", "Large", preamble=STRUCTS
        ),
        "f4 f4",
        [("array",), ("array",)],
    ),
}


@pytest.mark.parametrize("variant", range(len(VARIANTS)), ids=VARIANTS)
@pytest.mark.parametrize(
    ("name", "architecture"), [*((name, 90) for name in COMPILED), ("l2norm", 75), ("struct", 100)]
)
def test_compiles_for_gpus(name, variant, architecture, nvrtc):
    reduction, dtypes, forms = COMPILED[name]
    codes = [dtype_code(np.dtype(dtype)) for dtype in dtypes.split()]
    for repeated in (0, 1) if name == "mixed" else (0,):
        source = reduction_source(reduction, codes, forms, (variant, repeated, 4))
        compiled = compile_source(str(source), architecture, name=reduction.name)
        assert reduction.name.encode() in compiled.image
