"""GPUNP_DUMP_SOURCE: sources, options and logs as files."""

import pytest

import gpunp
from gpunp.compiler import compile_source
from gpunp.cuda.compiler import CompileException

SOURCE = 'extern "C" __global__ void f(int* x) { x[0] = N; }\n'


@pytest.fixture(autouse=True)
def dumps(tmp_path, monkeypatch):
    folder = tmp_path / "dumps" / "here"
    monkeypatch.setenv("GPUNP_DUMP_SOURCE", str(folder))
    return folder


def written(folder):
    return {path.suffix: path.read_text() for path in folder.iterdir()}


def test_source_and_log(nvrtc, dumps):
    options = ("-DN=1",)
    compile_source(
        SOURCE + "__device__ int g() { int unused; return 1; }", 90, name="my kernel", options=options
    )
    files = written(dumps)
    assert files[".cu"] == SOURCE + "__device__ int g() { int unused; return 1; }"
    assert (
        "name: my kernel\ncompiler: nvrtc\ntarget: compute capability 9.0\noptions: -DN=1\n" in files[".log"]
    )
    assert 'variable "unused" was declared but never referenced' in files[".log"]
    compile_source(SOURCE, 90, options=options)
    assert len(list(dumps.iterdir())) == 4


def test_source_that_does_not_compile(nvrtc, dumps):
    with pytest.raises(CompileException):
        compile_source(SOURCE, 90)
    assert 'identifier "N" is undefined' in written(dumps)[".log"]


def test_code_from_the_cache(nvrtc, dumps):
    for _ in range(2):
        compile_source(SOURCE, 90, options=("-DN=1",), name_expressions=("&f",))
    log = written(dumps)[".log"]
    assert "taken from the cache" in log
    assert "name expression: &f\n" in log


def test_the_cpu_device(host, dumps):
    compile_source('extern "C" void f(const void*) {}', gpunp.Device("cpu"))
    files = written(dumps)
    assert files[".cpp"] == 'extern "C" void f(const void*) {}'
    assert "target: CPU" in files[".log"]


def test_line_information_names_the_file(nvrtc, dumps):
    compiled = compile_source(SOURCE, 90, options=("-DN=1",), line_info=True)
    (path,) = dumps.glob("*.cu")
    assert path.name.encode() in compiled.image
    assert str(dumps).encode() in compiled.image
