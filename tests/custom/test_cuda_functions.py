"""CUDA's functions and intrinsics in users' kernels, which the CPU device has too."""

import numpy as np
import pytest

import gpunp

special = pytest.importorskip("scipy.special")

REALS = {
    "rsqrt({x})": lambda x: 1 / np.sqrt(x),
    "rcbrt({x})": lambda x: 1 / np.cbrt(x),
    "normcdf({x})": special.ndtr,
    "normcdfinv({x})": special.ndtri,
    "erfinv({x})": special.erfinv,
    "erfcinv({x})": special.erfcinv,
    "erfcx(-{x})": lambda x: special.erfcx(-x),
    "erfcx({x})": special.erfcx,
    "sinpi({x})": lambda x: np.sin(np.pi * x),
    "cospi({x})": lambda x: np.cos(np.pi * x),
    "exp10({x})": lambda x: 10**x,
    "rhypot({x}, 2.0)": lambda x: 1 / np.hypot(x, 2),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_reals(dtype, device):
    # Away from the zeros of the functions, where relative errors say nothing.
    x = np.concatenate([np.linspace(0.05, 0.4, 20), np.linspace(0.6, 0.95, 20)]).astype(dtype)
    kernel = gpunp.ElementwiseKernel(
        "T x",
        ", ".join(f"float64 out{i}" for i in range(len(REALS))),
        "".join(f"out{i} = {text.format(x='x')};" for i, text in enumerate(REALS)),
        "reals",
    )
    for got, (text, f) in zip(kernel(gpunp.asarray(x)), REALS.items(), strict=True):
        np.testing.assert_allclose(
            got.get(), f(x.astype("d")), rtol=32 * np.finfo(dtype).eps, err_msg=text.format(x="x")
        )


FLOATS = {
    "__expf(x)": np.exp,
    "__logf(x)": np.log,
    "__sinf(x)": np.sin,
    "__powf(x, 1.5f)": lambda x: x**1.5,
    "__fdividef(x, 3.0f)": lambda x: x / 3,
    "__saturatef(x - 0.5f)": lambda x: np.clip(x - 0.5, 0, 1),
    "__frsqrt_rn(x)": lambda x: 1 / np.sqrt(x),
    "__fmaf_rn(x, x, x)": lambda x: x * x + x,
    "rsqrtf(x) + sinpif(x)": lambda x: 1 / np.sqrt(x) + np.sin(np.pi * x),
}


def test_intrinsics_of_floats(device):
    x = np.linspace(0.1, 3, 50).astype("f")
    kernel = gpunp.ElementwiseKernel(
        "float32 x",
        ", ".join(f"float32 out{i}" for i in range(len(FLOATS))),
        "".join(f"out{i} = {text};" for i, text in enumerate(FLOATS)),
        "floats",
    )
    for got, (text, f) in zip(kernel(gpunp.asarray(x)), FLOATS.items(), strict=True):
        # The device's fast functions have absolute errors of this size.
        np.testing.assert_allclose(got.get(), f(x.astype("d")), rtol=2e-6, atol=2e-6, err_msg=text)


WORDS = {
    "__popc(x)": lambda x: bin(x).count("1"),
    "__popcll((unsigned long long)x << 20)": lambda x: bin(x).count("1"),
    "__clz(x)": lambda x: 32 - x.bit_length(),
    "__clzll(x)": lambda x: 64 - x.bit_length(),
    "__ffs(x)": lambda x: (x & -x).bit_length(),
    "__brev(x)": lambda x: int(f"{x:032b}"[::-1], 2),
    "(long long)(__brevll(x) >> 1)": lambda x: int(f"{x:064b}"[::-1], 2) >> 1,
    "__umulhi(x, 0x90000000u)": lambda x: x * 0x90000000 >> 32,
    "__mulhi(x, 1 << 30)": lambda x: x * 2**30 >> 32,
    "(long long)__umul64hi((unsigned long long)x << 40, 1ull << 40)": lambda x: x << 16,
    "__float_as_int(__int_as_float(x))": lambda x: x,
    "__double_as_longlong(__longlong_as_double(x))": lambda x: x,
    "__float2int_rn(x / 8.0f)": lambda x: round(x / 8),
    "__float2int_rd(x / 8.0f)": lambda x: x // 8,
    "__float2int_ru(x / 8.0f)": lambda x: -(-x // 8),
    "__double2int_rz(-x / 8.0)": lambda x: -(x // 8),
}


def test_intrinsics_of_integers(device):
    values = [0, 1, 2, 3, 12, 100, 2**16 + 4, 2**22 - 1]
    kernel = gpunp.ElementwiseKernel(
        "int32 x",
        ", ".join(f"int64 out{i}" for i in range(len(WORDS))),
        "".join(f"out{i} = {text};" for i, text in enumerate(WORDS)),
        "words",
    )
    outs = kernel(gpunp.asarray(np.array(values, "i")))
    for got, (text, f) in zip(outs, WORDS.items(), strict=True):
        assert got.get().tolist() == [f(x) for x in values], text
