"""Sources linked with other code, and sources compiled by nvcc."""

import pytest

from gpunp.compiler import compile_source, toolkit
from gpunp.cuda.compiler import CompileException

HELPER = 'extern "C" __device__ float helper(float x, float y, float z) { return x * y + z; }'
KERNEL = """
extern "C" __device__ float helper(float x, float y, float z);
template <class T> __global__ void f(T* x) { x[0] = helper(x[1], x[2], x[3]); }
extern "C" __global__ void g(float* x) { x[0] = helper(x[1], x[2], x[3]); }
"""


@pytest.fixture
def nvjitlink(nvrtc):
    from gpunp.compiler.nvjitlink import Link

    try:
        Link([b"-arch=sm_90"])
    except RuntimeError as error:
        pytest.skip(str(error))


@pytest.fixture
def nvcc():
    try:
        return toolkit.nvcc_path()
    except RuntimeError as error:
        pytest.skip(str(error))


def helper(kind):
    options = {
        "ltoir": ("-dlto",),
        "ptx": ("-rdc=true", "-arch=compute_90"),
        "cubin": ("-rdc=true",),
    }[kind]
    return compile_source(HELPER, 90, options=options).image, kind


@pytest.mark.parametrize("kinds", [["ltoir"], ["ptx"], ["cubin"]])
def test_kinds(nvjitlink, kinds):
    link = [helper(kind) for kind in kinds]
    compiled = compile_source(KERNEL, 90, link=link, name_expressions=("f<float>",))
    assert compiled.image[:4] == b"\x7fELF"
    assert compiled.names == {"f<float>": "_Z1fIfEvPT_"}
    assert b".text._Z1fIfEvPT_" in compiled.image
    assert b".text.g" in compiled.image
    # Link-time optimization leaves no call.
    assert (b".text.helper" in compiled.image) == (kinds != ["ltoir"])
    assert compile_source(KERNEL, 90, link=link, name_expressions=("f<float>",)).from_cache


def test_lto_with_other_kinds(nvjitlink):
    other = compile_source('extern "C" __device__ int other() { return 1; }', 90, options=("-rdc=true",))
    compiled = compile_source(KERNEL, 90, link=[helper("ltoir"), (other.image, "cubin")])
    assert b".text.g" in compiled.image


def test_arithmetic_of_the_linker(nvjitlink):
    def image(*options):
        return compile_source(KERNEL, 90, link=[helper("ltoir")], options=options).image

    assert image() == image("-fmad=true")
    assert image() != image("-fmad=false")
    assert image("--fmad=false") == image("-fmad=false")


def test_line_information(nvjitlink):
    compiled = compile_source(KERNEL, 90, name="of_lines", link=[helper("ltoir")], line_info=True)
    assert b".debug_line" in compiled.image


@pytest.mark.parametrize("kind", ["ltoir", "ptx", "cubin"])
def test_code_that_does_not_link(nvjitlink, kind):
    with pytest.raises(CompileException, match="nvJitLink"):
        compile_source(KERNEL, 90, link=[(b"junk", kind)])


@pytest.mark.parametrize("kind", ["ltoir", "ptx"])
def test_functions_that_are_missing(nvjitlink, kind):
    source = KERNEL.replace("helper", "absent")
    with pytest.raises(CompileException, match="absent"):
        compile_source(source, 90, link=[helper(kind)])


def test_source_that_does_not_compile(nvjitlink):
    with pytest.raises(CompileException, match=r"> 1 \| int x = y;"):
        compile_source("int x = y;", 90, link=[helper("ltoir")])


SOURCE = """
template <class T> __global__ void scale(T* x, T factor) { x[threadIdx.x] *= factor; }
template <int N> __device__ int twice(int x) { return N * x; }
namespace room { __constant__ float table[5]; }
extern "C" __global__ void fill(int* x) { x[threadIdx.x] = FILL; }
"""


def test_nvcc(nvcc, nvrtc):
    arguments = {
        "options": ("-DFILL=3",),
        "name_expressions": ("scale<float>", "&scale<double>", "&room::table", "(void(*)(int*, int))scale"),
    }
    compiled = compile_source(SOURCE, 90, backend="nvcc", **arguments)
    assert compiled.image[:4] == b"\x7fELF"
    assert compiled.names == {
        **compile_source(SOURCE, 90, **arguments).names,
        "(void(*)(int*, int))scale": "_Z5scaleIiEvPT_S0_",
    }
    for symbol in (*compiled.names.values(), "fill"):
        assert symbol.encode() in compiled.image
    assert b"gpunp_expression" not in compiled.image
    assert compile_source(SOURCE, 90, backend="nvcc", **arguments).from_cache


def test_nvcc_without_name_expressions(nvcc):
    assert b".text.fill" in compile_source(SOURCE, 90, backend="nvcc", options=("-DFILL=3",)).image


def test_nvcc_to_ptx(nvcc):
    image = compile_source(SOURCE, 90, backend="nvcc", options=("-DFILL=3", "-arch=compute_80")).image
    assert b".target sm_80" in image
    assert image.endswith(b"\0")


def test_nvcc_includes(nvcc, tmp_path):
    (tmp_path / "fill.h").write_text("#define FILL 3\n")
    source = '#include "fill.h"\n#include "gpunp/types.h"\n#include <vector>\n' + SOURCE
    compile_source(source, 90, backend="nvcc", options=(f"-I{tmp_path}",))
    compile_source(source, 90, backend="nvcc", name=str(tmp_path / "kernel.cu"))


@pytest.mark.parametrize("expressions", [(), ("scale<float>",)])
def test_errors_of_nvcc(nvcc, expressions):
    source = SOURCE + "\n__device__ int f() { return y; }\n"
    with pytest.raises(CompileException) as found:
        compile_source(source, 90, backend="nvcc", options=("-DFILL=3",), name_expressions=expressions)
    assert found.value.backend == "nvcc"
    assert "> 7 | __device__ int f() { return y; }" in str(found.value)
    assert "/tmp" not in str(found.value)


def test_name_expression_that_nvcc_does_not_compile(nvcc):
    with pytest.raises(CompileException, match="absent"):
        compile_source(SOURCE, 90, backend="nvcc", options=("-DFILL=3",), name_expressions=("absent<int>",))


def test_line_information_of_nvcc(nvcc):
    for expressions in ((), ("scale<float>",)):
        compiled = compile_source(
            SOURCE,
            90,
            backend="nvcc",
            name="of_lines",
            options=("-DFILL=3",),
            name_expressions=expressions,
            line_info=True,
        )
        assert b".debug_line" in compiled.image
        assert b"of_lines" in compiled.image


def test_no_nvcc(monkeypatch):
    monkeypatch.setattr(toolkit, "find_program", lambda name: None)
    with pytest.raises(RuntimeError, match="needs nvcc, which was not found"):
        compile_source(SOURCE, 90, backend="nvcc")
