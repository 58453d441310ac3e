"""Headers under NVRTC: gpunp's own, CUDA's, and the stand-ins for those of C; all of them together."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from gpunp.compiler.header_hash import HASH

from gpunp.compiler import compile_source, toolkit
from gpunp.compiler.request import INCLUDE_FOLDER

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "kernels"
INCLUDE = re.compile(r'#include "(gpunp/[^"{}]+\.h)"')

# The headers that units of the build include, and those for kernels of users.
TOP = sorted(
    {header for path in (KERNELS / "codegen").glob("*.py") for header in INCLUDE.findall(path.read_text())}
)
CUDA = (
    "cuda_fp16.h",
    "cuda_bf16.h",
    "cooperative_groups.h",
    "cuda/std/complex",
    "cuda/atomic",
    "cub/block/block_reduce.cuh",
    "mma.h",
)
C = ("stdint", "stddef", "math", "string", "limits", "float", "stdlib", "stdio", "assert")
STAND_INS = [*(f"{name}.h" for name in C), *(f"c{name}" for name in C)]

# Uses what the stand-ins define, and gives the same on the device and on the host.
USE = """
#include <cstring>
static_assert(sizeof(int64_t) == 8 && sizeof(uintptr_t) == sizeof(void*) && sizeof(int_fast16_t) >= 2, "");
static_assert(INT8_MIN == -128 && UINT16_MAX == 65535 && INT32_MAX == 2147483647, "");
static_assert(INT64_MAX == 9223372036854775807LL && INT64_MIN < 0 && UINT64_MAX + 1 == 0 && SIZE_MAX > 0, "");
static_assert(UINT64_C(1) << 40 == 1099511627776ULL && CHAR_BIT == 8 && LLONG_MIN < LONG_MIN + 1, "");
static_assert(FLT_EPSILON == 1.0f / 8388608 && DBL_MAX > 1e308 && FLT_MANT_DIG == 24, "");
struct Pair { char first; double second; };
static_assert(offsetof(Pair, second) == 8, "");
"""


def includes(names):
    return "".join(f"#include <{name}>\n" for name in names)


def needs_cuda_headers():
    if len(toolkit.include_folders()) < 2:
        pytest.skip("the headers of CUDA are not installed")


def test_there_are_top_headers():
    assert len(TOP) > 30
    assert {"gpunp/ufunc/elementwise.h", "gpunp/reduction/reduce_kernels.h", "gpunp/random/fill.h"} <= set(
        TOP
    )


@pytest.mark.parametrize("header", TOP)
def test_own_headers(nvrtc, header):
    compile_source(f'#include "{header}"\n', 90)


@pytest.mark.parametrize("name", STAND_INS)
def test_stand_ins_alone(nvrtc, name):
    compile_source(f"#include <{name}>\n#include <{name}>\n", 90)


def test_stand_ins(nvrtc):
    source = (
        includes(STAND_INS)
        + USE
        + """
constexpr float most = INFINITY;
static_assert(most > FLT_MAX && HUGE_VAL > DBL_MAX && NAN != NAN && HUGE_VALF == INFINITY, "");
extern "C" __global__ void f(double* x, char* s, const char* t, std::size_t n) {
    std::memcpy(s, t, n);
    memmove(s + 1, s, n);
    assert(memcmp(s, t, n) == 0 && strlen(t) == n);
    x[0] = std::sqrt(x[1]) + M_PI + std::abs(x[2]);
    if (std::isnan(x[0])) printf("%f", x[0]);
    free(malloc(3));
}
"""
    )
    assert compile_source(source, 90).log == ""


def test_the_same_on_the_host(host):
    import gpunp

    names = [name for name in STAND_INS if name.endswith(".h")]
    compile_source(includes(names) + USE, gpunp.Device("cpu"))


@pytest.mark.parametrize("header", CUDA)
def test_headers_of_cuda(nvrtc, header):
    needs_cuda_headers()
    compile_source(f"#include <{header}>\n", 90)


@pytest.mark.parametrize("first", ["cuda", "c", "gpunp"])
def test_all_together(nvrtc, first):
    needs_cuda_headers()
    parts = {
        "cuda": includes(CUDA),
        "c": includes(STAND_INS),
        "gpunp": '#include "gpunp/ufunc/elementwise.h"\n#include "gpunp/reduction/reduce_kernels.h"\n',
    }
    source = (
        parts.pop(first)
        + "".join(parts.values())
        + """
extern "C" __global__ void f(int64_t* x, cuda::std::complex<float> z, __half h, __nv_bfloat16 b) {
    typedef cub::BlockReduce<long long, 128> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    int64_t sum = Reduce(storage).Sum(x[threadIdx.x] + INT64_MAX);
    cuda::atomic_ref<int64_t, cuda::thread_scope_device> total(x[1]);
    total += sum + (int64_t)(z.real() + (float)h + (float)b + gpunp::to_float(gpunp::half{1}));
    cooperative_groups::this_thread_block().sync();
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> part;
    nvcuda::wmma::fill_fragment(part, 0.0f);
    x[2] = (int64_t)part.x[0];
}
"""
    )
    compiled = compile_source(source, 90)
    assert "redefinition" not in compiled.log


@pytest.mark.parametrize("header", ["cuda_fp16.h", "cooperative_groups.h", "cuda/atomic"])
def test_cxx20(nvrtc, header):
    needs_cuda_headers()
    own = '#include "gpunp/ufunc/elementwise.h"\n'
    compile_source(f"{own}#include <{header}>\n", 90, options=("--std=c++20",))


def test_headers_are_installed():
    if Path(INCLUDE_FOLDER) == KERNELS / "include":
        pytest.skip("an editable install has the headers of the checkout")
    source = {path.relative_to(KERNELS / "include") for path in (KERNELS / "include").rglob("*.h")}
    source |= {path.relative_to(KERNELS) for path in (KERNELS / "nvrtc").iterdir()}
    missing = [path for path in source if not (Path(INCLUDE_FOLDER) / path).exists()]
    assert missing == []


def test_the_hash_is_that_of_the_headers():
    # The hash is a part of the cache's keys: an old one would bring back code of old headers and sources.
    script = f"import sys; sys.path.insert(0, {str(KERNELS / 'codegen')!r}); import hash_headers; "
    package = KERNELS.parent / "gpunp"
    places = (
        KERNELS / "include/gpunp",
        KERNELS / "nvrtc",
        package / "ufunc/table",
        package / "fusion/source.py",
        package / "fusion/reduction_source.py",
        package / "reduction/functors.py",
        package / "reduction/records.py",
    )
    script += f"print(hash_headers.digest(*{list(map(str, places))!r}))"
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == HASH
