"""CompileException: the log, and the numbered lines that it speaks of."""

import pickle

import pytest

import gpunp
import gpunp.cuda
from gpunp.compiler import compile_source
from gpunp.compiler.errors import CompileException, quoted_lines

BROKEN = """// line 1
// line 2
#define TWICE(x) x + x
// line 4
extern "C" {declaration} {{
    int y = 2;
    x = TWICE(y);
}}
// line 9
// line 10
// line 11
// line 12
"""
SHOWN = """\
   4 | // line 4
   5 | extern "C" {declaration} {{
   6 |     int y = 2;
>  7 |     x = TWICE(y);
   8 | }}
   9 | // line 9
  10 | // line 10"""


def caught(target, **arguments):
    on_cpu = target == "cpu"
    declaration = "void f(const void*)" if on_cpu else "__global__ void f()"
    source = BROKEN.format(declaration=declaration)
    with pytest.raises(gpunp.cuda.compiler.CompileException) as found:
        compile_source(source, gpunp.Device("cpu") if on_cpu else 90, **arguments)
    return found.value, SHOWN.format(declaration=declaration), source


@pytest.mark.parametrize("name", ["kernel", "my kernel", 'a"b', "<generated>"])
@pytest.mark.parametrize("target", ["cuda", "cpu"])
def test_lines(request, target, name):
    request.getfixturevalue("host" if target == "cpu" else "nvrtc")
    error, shown, source = caught(target, name=name, options=("-DN=2",))
    assert str(error).endswith(shown)
    assert error.source == source
    assert error.name == name
    assert error.options == ("-DN=2",)
    assert "/dev/null" not in str(error)
    assert "x" in error.log
    assert str(error).startswith(f"{name} does not compile (")
    assert isinstance(error, RuntimeError)


def test_name_with_a_folder(nvrtc, tmp_path):
    error, shown, _ = caught("cuda", name=str(tmp_path / "kernel.cu"))
    assert str(error).endswith(shown)
    assert f"{tmp_path}/kernel.cu(7)" in error.log


def test_errors_are_not_cached(nvrtc, cache_folder):
    caught("cuda")
    caught("cuda")
    assert not cache_folder.exists()


def test_pickle(nvrtc):
    error, _, _ = caught("cuda")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.log == error.log
    assert again.backend == "NVRTC"


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        ("type_traits", "#include <cuda/std/type_traits>"),
        ("cuda_that_is_missing.h", r"pip install gpunp\[cuda13\]"),
        ("curand_that_is_missing.h", r'pip install "nvidia-curand>=10\.4,<11"'),
        ("mine.h", None),
    ],
)
def test_hints_for_headers(nvrtc, header, hint):
    with pytest.raises(CompileException) as found:
        compile_source(f"#include <{header}>\n", 90)
    if hint is None:
        assert "pip install" not in str(found.value)
        assert "cuda/std" not in str(found.value)
    else:
        found.match(hint)


SOURCE = "\n".join(f"line {number}" for number in range(1, 101))


@pytest.mark.parametrize(
    ("log", "numbers"),
    [
        ("k(50): error: bad", [47, 48, 49, 50, 51, 52, 53]),
        ("k:50:7: error: bad", [47, 48, 49, 50, 51, 52, 53]),
        ("k(1): error", [1, 2, 3, 4]),
        ("k(100): error", [97, 98, 99, 100]),
        ("k(2): e\nk(5): e", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("k(2): e\nk(50): e", [1, 2, 3, 4, 5, "...", 47, 48, 49, 50, 51, 52, 53]),
        ("x.h(50): error", []),
        ("k(101): error", []),
        ("k(0): error", []),
        ("bulk(50): error", []),
        ("", []),
    ],
)
def test_which_lines(log, numbers):
    lines = quoted_lines(log, SOURCE, "k").splitlines()
    assert [line if line == "..." else int(line.lstrip("> ").split()[0]) for line in lines] == numbers


def test_many_places_are_cut():
    log = "\n".join(f"k({number}): error" for number in range(1, 101, 10))
    marked = [line for line in quoted_lines(log, SOURCE, "k").splitlines() if line.startswith(">")]
    assert len(marked) == 8
