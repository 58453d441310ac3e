"""The key of a compilation changes with everything that the result depends on, and with nothing else."""

import os

import pytest

from gpunp.compiler import compile_source, toolkit
from gpunp.compiler.keys import Key, included
from gpunp.compiler.request import Request

BASE = {"source": "int x;", "architecture": 90, "name": "k", "options": ("-DN=1",)}


@pytest.fixture(autouse=True)
def _compilers(monkeypatch):
    """Compilers are files that need not exist."""
    monkeypatch.setattr(toolkit, "nvrtc_path", lambda: "/absent/libnvrtc.so")
    monkeypatch.setattr(toolkit, "nvjitlink_path", lambda: "/absent/libnvJitLink.so")
    monkeypatch.setattr(toolkit, "nvcc_path", lambda: "/absent/nvcc")


def key(**changes):
    arguments = {**BASE, **changes}
    return Key(Request(arguments.pop("source"), arguments.pop("architecture"), **arguments)).text


def test_the_same():
    assert key() == key()
    assert len(key()) == 40


@pytest.mark.parametrize(
    "change",
    [
        {"source": "int x; "},
        {"architecture": 80},
        {"name": "l"},
        {"options": ("-DN=2",)},
        {"options": ("-DN=1", "-DM")},
        {"options": ("-DN=1", "-std=c++20")},
        {"options": ()},
        {"name_expressions": ("x",)},
        {"name_expressions": ("x", "y")},
        {"name_expressions": ("xy",)},
        {"backend": "nvcc"},
        {"line_info": True},
        {"link": [(b"code", "ptx")]},
        {"link": [(b"code", "cubin")]},
        {"link": [(b"code", "ptx"), (b"more", "ptx")]},
        {"source": '#include "gpunp/types.h"'},
    ],
)
def test_changes(change):
    assert key(**change) != key()


def test_no_two_are_alike():
    # Parts do not run into each other.
    keys = [
        key(options=("-DA", "-DB")),
        key(options=("-DA-DB",)),
        key(options=("-DA",), name_expressions=("-DB",)),
        key(name_expressions=("a", "b"), options=()),
        key(name_expressions=("ab",), options=()),
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("file", ["nvrtc_path", "nvcc_path"])
def test_compilers(monkeypatch, tmp_path, file):
    compiler = tmp_path / "compiler"
    compiler.write_text("one")
    os.utime(compiler, (1, 1))
    monkeypatch.setattr(toolkit, file, lambda: str(compiler))
    backend = file.partition("_")[0]
    before = key(backend=backend)
    os.utime(compiler, (2, 2))
    changed = key(backend=backend)
    compiler.write_text("another")
    os.utime(compiler, (2, 2))
    assert len({before, changed, key(backend=backend)}) == 3


def test_compiler_of_the_host(host, monkeypatch, tmp_path):
    before = key(architecture=0)
    wrapper = tmp_path / "g++"
    wrapper.write_text("#!/bin/sh\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("CXX", str(wrapper))
    other = key(architecture=0)
    monkeypatch.setenv("CXX", f"{wrapper} -flag")
    assert len({before, other, key(architecture=0)}) == 3


def test_the_headers_of_gpunp(monkeypatch):
    import gpunp.compiler.header_hash

    with_header = '#include "gpunp/types.h"'
    before = key(), key(source=with_header)
    monkeypatch.setattr(gpunp.compiler.header_hash, "HASH", "other")
    assert key() == before[0]
    assert key(source=with_header) != before[1]


def test_the_headers_of_cuda(monkeypatch):
    with_header = "#include <cuda_fp16.h>"
    before = key(), key(source=with_header)
    monkeypatch.setattr(toolkit, "headers_identity", lambda: "other")
    assert key() == before[0]
    assert key(source=with_header) != before[1]


class Folders:
    """Two folders on the include path, and the key of a source that includes something."""

    def __init__(self, path, source, **arguments):
        self.first, self.second = path / "first", path / "second"
        for folder in (self.first, self.second):
            folder.mkdir()
        self.arguments = {
            "options": (f"-I{self.first}", "-I", str(self.second)),
            "source": source,
            **arguments,
        }

    def key(self):
        return key(**self.arguments)


@pytest.mark.parametrize(
    "directive",
    [
        '#include "a.h"',
        "#include <a.h>",
        '  #  include"a.h" // here',
        '# /* x */ include /* y\n */ "a.h"',
        '#inc\\\nlude "a.h"',
        '/* x\n*/ #include "a.h"',
        '%:include "a.h"',
        '#if 0\n#include "a.h"\n#endif',
        '#if __has_include("a.h")\n#endif',
        "#if __has_include ( <a.h> )\n#endif",
        "#include_next <a.h>",
    ],
)
def test_headers_of_the_user(tmp_path, directive):
    folders = Folders(tmp_path, f"int x;\n{directive}\nint y;\n")
    keys = [folders.key()]
    (folders.second / "a.h").write_text("one")
    keys += [folders.key(), folders.key()]
    (folders.second / "a.h").write_text("two")
    keys.append(folders.key())
    # A file in front of the other.
    (folders.first / "a.h").write_text("two")
    keys.append(folders.key())
    assert keys[1] == keys[2]
    assert len(set(keys)) == 4


def test_headers_of_headers(tmp_path):
    folders = Folders(tmp_path, '#include "a.h"')
    (folders.first / "a.h").write_text('#include "inner/b.h"\n')
    (folders.first / "inner").mkdir()
    (folders.first / "inner" / "b.h").write_text('#include "c.h"\n#include "../a.h"\n')
    before = folders.key()
    # Beside the file that includes it.
    (folders.first / "inner" / "c.h").write_text("one")
    after = folders.key()
    # Or in a folder of the path.
    (folders.second / "c.h").write_text("two")
    assert len({before, after, folders.key()}) == 3


def test_headers_beside_the_source(tmp_path):
    source = '#include "a.h"'
    before = key(source=source, name=str(tmp_path / "k.cu"))
    (tmp_path / "a.h").write_text("one")
    assert key(source=source, name=str(tmp_path / "k.cu")) != before


def test_headers_of_options(tmp_path):
    folders = Folders(tmp_path, "int x;")
    folders.arguments["options"] += ("--pre-include=a.h",)
    before = folders.key()
    (folders.first / "a.h").write_text("one")
    assert folders.key() != before


def test_headers_by_absolute_paths(tmp_path):
    path = tmp_path / "a.h"
    source = f'#include "{path}"'
    before = key(source=source)
    path.write_text("one")
    after = key(source=source)
    path.write_text("two")
    assert len({before, after, key(source=source)}) == 3


def test_folders_of_the_environment(host, tmp_path, monkeypatch):
    monkeypatch.setenv("CPATH", str(tmp_path))
    before = key(source="#include <a.h>", architecture=0)
    (tmp_path / "a.h").write_text("one")
    assert key(source="#include <a.h>", architecture=0) != before


@pytest.mark.parametrize(
    "directive", ["#include HEADER", "# include  _HEADER(x)", "#if __has_include(HEADER)"]
)
def test_headers_that_a_macro_names(tmp_path, directive):
    assert key(source=f"int x;\n{directive}\n") is None
    folders = Folders(tmp_path, '#include "a.h"')
    (folders.first / "a.h").write_text(f"\n{directive}\n")
    assert folders.key() is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("int include = 3; // include that", []),
        ('#include "a.h"\n#include <b/c.h>', ["a.h", "b/c.h"]),
        ('#include "a.h', []),
        ("#include", []),
        ("#include <", []),
        ("// include <a.h>", ["a.h"]),
        ("#include /* <a.h>", []),
        ("included(x)", []),
    ],
)
def test_what_looks_like_an_include(text, names):
    assert list(included(text.encode())) == names


def test_changed_headers_are_compiled(tmp_path, monkeypatch, request):
    monkeypatch.undo()
    request.getfixturevalue("nvrtc")
    monkeypatch.setenv("GPUNP_CACHE_DIR", str(tmp_path / "cache"))
    source = '#include "size.h"\n__device__ char data[N];'
    header = tmp_path / "size.h"
    found = []
    for size in (1000, 1000, 2000):
        header.write_text(f"#define N {size}\n")
        found.append(compile_source(source, 90, options=(f"-I{tmp_path}",)))
    assert [compiled.from_cache for compiled in found] == [False, True, False]
    assert found[0].image == found[1].image != found[2].image


def test_headers_that_change_meanwhile_are_not_cached(tmp_path, monkeypatch):
    from gpunp.compiler import Compiled, cache_files, compiling

    monkeypatch.setenv("GPUNP_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "a.h").write_text("one")

    def build(request):
        (tmp_path / "a.h").write_text("two")
        return Compiled(b"image", {})

    monkeypatch.setattr(compiling, "build", build)
    compile_source('#include "a.h"', 90, options=(f"-I{tmp_path}",))
    assert cache_files.entries() == []
    compile_source('#include "a.h"', 90, options=(f"-I{tmp_path}",))
    assert len(cache_files.entries()) == 1
