"""compile_source: for CUDA by NVRTC, without a GPU, and for the CPU device."""

import subprocess
import sys
import threading

import pytest
from waiting import PATIENCE

import gpunp
from gpunp.compiler import Compiled, compile_source
from gpunp.cuda.compiler import CompileException

KERNEL = """
template <class T> __global__ void scale(T* x, T factor) { x[threadIdx.x] *= factor; }
namespace room { __constant__ float table[5]; }
extern "C" __global__ void fill(int* x) { x[threadIdx.x] = FILL; }
"""
FILL = ("-DFILL=3",)


def is_cubin(image):
    return image[:4] == b"\x7fELF" and image[18:20] == b"\xbe\x00"


@pytest.mark.parametrize("architecture", [75, 80, 90, 100, 120])
def test_machine_code(nvrtc, architecture):
    compiled = compile_source(KERNEL, architecture, options=FILL)
    assert isinstance(compiled, Compiled)
    assert is_cubin(compiled.image)
    assert b".text.fill" in compiled.image
    assert compiled.names == {}
    assert not compiled.from_cache
    assert compiled.seconds > 0


def test_ptx_for_later_architectures(nvrtc):
    latest = nvrtc.supported_architectures()[-1]
    compiled = compile_source(KERNEL, latest + 50, options=FILL)
    assert f".target sm_{latest}".encode() in compiled.image
    assert compiled.image.endswith(b"\0")


def test_architecture_that_is_too_old(nvrtc):
    with pytest.raises(RuntimeError, match=r"does not compile for compute capability 3\.5"):
        compile_source(KERNEL, 35, options=FILL)


@pytest.mark.parametrize(
    ("option", "found"),
    [("-arch=compute_80", b".target sm_80"), ("--gpu-architecture=compute_90a", b".target sm_90a")],
)
def test_architecture_of_the_options(nvrtc, option, found):
    assert found in compile_source(KERNEL, 90, options=(*FILL, option)).image


def test_feature_of_one_architecture(nvrtc):
    source = 'extern "C" __global__ void f() { asm volatile("wgmma.fence.sync.aligned;"); }'
    assert is_cubin(compile_source(source, 90, options=("-arch=sm_90a",)).image)
    with pytest.raises(CompileException, match="wgmma"):
        compile_source(source, 90)


def test_name_expressions(nvrtc):
    expressions = ("scale<float>", "&scale<double>", "&room::table", "scale<float>")
    compiled = compile_source(KERNEL, 90, options=FILL, name_expressions=expressions)
    assert compiled.names == {
        "scale<float>": "_Z5scaleIfEvPT_S0_",
        "&scale<double>": "_Z5scaleIdEvPT_S0_",
        "&room::table": "_ZN4room5tableE",
    }
    for symbol in compiled.names.values():
        assert symbol.encode() in compiled.image


def test_name_expression_of_nothing(nvrtc):
    with pytest.raises(CompileException, match="absent"):
        compile_source(KERNEL, 90, options=FILL, name_expressions=("absent<float>",))


@pytest.mark.parametrize(
    ("options", "value"),
    [((), 201703), (("-std=c++20",), 202002), (("--std", "c++20"), 202002), (("--std=c++17",), 201703)],
)
def test_standard(nvrtc, options, value):
    compile_source(f"static_assert(__cplusplus == {value}L);", 90, options=options)


@pytest.mark.parametrize("options", [("-DN=2",), ("-D", "N=2"), ("--define-macro=N=2",), ("-D=N=2",)])
def test_macros(nvrtc, options):
    compile_source('static_assert(N == 2, "N");', 90, options=options)


def test_contraction_is_the_choice_of_the_caller(nvrtc):
    source = 'extern "C" __global__ void f(float* x) { x[0] = x[1] * x[2] + x[3]; }'
    options = "-arch=compute_90"
    assert b"fma.rn.f32" in compile_source(source, 90, options=(options,)).image
    assert b"fma.rn.f32" not in compile_source(source, 90, options=(options, "-fmad=false")).image


def test_includes_of_a_folder(nvrtc, tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "outer.h").write_text('#include "inner/size.h"\n')
    (tmp_path / "inner" / "size.h").write_text('#include "more.h"\n')
    (tmp_path / "inner" / "more.h").write_text("#define N 7\n")
    source = '#include "outer.h"\nstatic_assert(N == 7, "");'
    compile_source(source, 90, options=(f"-I{tmp_path}",))
    compile_source(source, 90, options=("-I", str(tmp_path)))
    compile_source('static_assert(N == 7, "");', 90, options=(f"-I{tmp_path}", "--pre-include=outer.h"))
    # A source with a folder finds what is beside it.
    compile_source(source, 90, name=str(tmp_path / "kernel.cu"))
    with pytest.raises(CompileException, match=r'"outer\.h"'):
        compile_source(source, 90)


def test_nothing_is_included_from_the_working_directory(nvrtc, tmp_path, monkeypatch):
    (tmp_path / "beside.h").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CompileException, match=r'"beside\.h"'):
        compile_source('#include "beside.h"\n', 90)
    compile_source('#include "beside.h"\n', 90, options=("-I.",))


def test_line_information(nvrtc, monkeypatch):
    def has_lines(**arguments):
        image = compile_source(KERNEL, 90, name="of_lines", options=FILL, **arguments).image
        return b".debug_line" in image and b"of_lines" in image

    assert not has_lines()
    assert has_lines(line_info=True)
    monkeypatch.setenv("GPUNP_LINE_INFO", "1")
    assert has_lines()


def test_threads(nvrtc):
    results, errors = {}, []

    def work(number):
        try:
            source = f'extern "C" __global__ void f{number}(int* x) {{ x[0] = {number}; }}'
            results[number] = compile_source(source, 90).image
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert all(b".text.f%d\0" % number in image for number, image in results.items())
    assert len(results) == 12


def test_other_threads_run_meanwhile(nvrtc):
    source = '#include "gpunp/ufunc/elementwise.h"\n'
    thread = threading.Thread(target=compile_source, args=(source, 90))
    ticks = 0
    thread.start()
    while thread.is_alive():
        ticks += 1
    assert ticks > 1000


# Compiles for a minute in a thread that does not keep the process alive, and leaves after a while.
LEAVING = """
import atexit, threading, time

@atexit.register
def report():
    worker.join({wait})
    print(time.monotonic() - end, worker.is_alive())

from gpunp.compiler import compile_source, cuda_compiler, nvrtc

nvrtc.version()
body = "".join(f"x[{{i}}] = pow(sin(x[{{i}}]), cosh(x[{{i}} + 1]));" for i in range({statements}))
source = 'extern "C" __global__ void f(double* x) {{ ' + body + " }}"
worker = threading.Thread(target=compile_source, args=(source, 90), daemon=True)
worker.start()
time.sleep({delay})
end = time.monotonic()
"""


def leave(**values):
    """The seconds until the last function at exit, and whether the compilation went on then."""
    program = LEAVING.format(**values)
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0
    assert done.stderr == ""
    seconds, going_on = done.stdout.split()
    return float(seconds), going_on == "True"


def test_exit_cancels(nvrtc):
    # NVRTC asks several times within the first second.
    seconds, going_on = leave(statements=1000, delay=0.03, wait=30)
    assert not going_on
    assert seconds < 30


def test_exit_does_not_wait_for_a_long_pass(nvrtc):
    # After half a second a pass of the optimizer begins that takes 25 seconds.
    seconds, _ = leave(statements=4000, delay=1, wait=0)
    assert seconds < 15


def test_the_cpu_device(host):
    source = """
#include <cmath>
static_assert(__cplusplus == 201703L && N == 2);
#ifdef __FAST_MATH__
#error "IEEE arithmetic is needed"
#endif
extern "C" void f(const void*) {}
"""
    compiled = compile_source(source, gpunp.Device("cpu"), options=("-DN=2",))
    assert compiled.image[:4] == b"\x7fELF"
    assert compile_source(source, gpunp.Device("cpu"), options=("-DN=2",)).from_cache


@pytest.mark.parametrize("option", ["-fmad=false", "-arch=sm_90", "--use_fast_math", "-march=x86-64", "junk"])
def test_options_that_the_cpu_device_does_not_have(host, option):
    with pytest.raises(ValueError, match="is not for the CPU device"):
        compile_source("", gpunp.Device("cpu"), options=(option,))


def test_no_host_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "absent-compiler")
    with pytest.raises(RuntimeError, match="needs a C\\+\\+ compiler: CXX is 'absent-compiler'"):
        compile_source("", gpunp.Device("cpu"))
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match=r"no g\+\+ or clang\+\+ on the PATH; .* set CXX"):
        compile_source("", gpunp.Device("cpu"))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"source": b"int x;"}, TypeError, "must be a string"),
        ({"source": "int\0x;"}, ValueError, "null character"),
        ({"backend": "clang"}, ValueError, "backend"),
        ({"options": "-DN=2"}, TypeError, "not one string"),
        ({"options": (3,)}, TypeError, "options must be strings"),
        ({"options": ("-I",)}, ValueError, "needs a value"),
        ({"name_expressions": "f<int>"}, TypeError, "name_expressions"),
        ({"link": [(b"", "object")]}, ValueError, "ltoir, ptx, cubin"),
        ({"link": [b""]}, ValueError, "items are"),
        ({"link": [(b"", "ptx")], "backend": "nvcc"}, ValueError, "nvrtc"),
    ],
)
def test_bad_arguments(arguments, error, message):
    arguments = {"source": "", **arguments}
    with pytest.raises(error, match=message):
        compile_source(arguments.pop("source"), 90, **arguments)


def test_nothing_is_linked_on_the_cpu_device():
    with pytest.raises(ValueError, match="on a CUDA device only"):
        compile_source("", gpunp.Device("cpu"), link=[(b"", "ptx")])


def test_options_that_nvrtc_does_not_know(nvrtc):
    with pytest.raises(RuntimeError, match="unrecognized option --no-such-option"):
        compile_source("", 90, options=("--no-such-option",))


def test_nvrtc_that_is_missing(monkeypatch, tmp_path):
    program = """
import sys
import gpunp.compiler.toolkit as toolkit
from gpunp.compiler import compile_source
toolkit._library = lambda name: "libnvrtc-that-is-missing.so"
try:
    compile_source("", 90)
except RuntimeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    assert "needs NVRTC, which cannot be loaded" in done.stdout
    assert "pip install gpunp[cuda13]" in done.stdout
