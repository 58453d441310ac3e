"""Precompiled headers: when they are used, and that they change nothing but the time."""

import os
import subprocess
import sys
import threading

import pytest

from gpunp.compiler import compile_source, precompiled
from gpunp.cuda.compiler import CompileException

HEAD = '// numbers\n#include "gpunp/types.h"\n\n#define NUMBER 3\n#include "gpunp/math.h"\n'
BODY = 'extern "C" __global__ void f(float* x) {{ x[0] = gpunp::math::exp(x[1]) * NUMBER + {number}; }}\n'


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """No precompiled header yet; a folder for new ones."""
    folder = tmp_path / "headers"
    folder.mkdir()
    monkeypatch.setenv("GPUNP_CACHE", "0")
    monkeypatch.setattr(precompiled, "_seen", {})
    monkeypatch.setattr(precompiled, "_made", set())
    monkeypatch.setattr(precompiled, "_folder", str(folder))
    return folder


def source(number):
    return HEAD + BODY.format(number=number)


def test_made_at_the_second_source(nvrtc, fresh):
    counts = []
    for number in range(4):
        compile_source(source(number), 90, name=f"kernel{number}")
        counts.append(len(list(fresh.iterdir())))
    assert counts == [0, 1, 1, 1]


def test_same_code(nvrtc, fresh, monkeypatch):
    options = {"name_expressions": ("&f",)}
    with_header = [compile_source(source(number), 90, **options) for number in (0, 1, 2)]
    assert len(list(fresh.iterdir())) == 1
    monkeypatch.setattr(precompiled, "plan", lambda request, options: None)
    for number, compiled in enumerate(with_header):
        plain = compile_source(source(number), 90, **options)
        assert compiled.image == plain.image
        assert compiled.names == plain.names
        assert compiled.log == plain.log


def test_errors_have_the_lines_of_the_source(nvrtc):
    for number in range(3):
        with pytest.raises(CompileException) as found:
            compile_source(source(number) + "int x = absent;\n", 90)
        assert "kernel(7): error" in found.value.log
        assert "> 7 | int x = absent;" in str(found.value)
        assert "/dev/null" not in str(found.value)


def test_no_more_than_a_few(nvrtc, fresh):
    for head in range(6):
        for number in range(2):
            compile_source(f"#define HEAD {head}\n" + source(number), 90)
    assert len(list(fresh.iterdir())) == precompiled._MOST


def test_folder_that_went_away(nvrtc, fresh):
    for number in range(4):
        compile_source(source(number), 90)
        for path in fresh.iterdir():
            path.unlink()
    os.rmdir(fresh)
    compile_source(source(5), 90)


def test_damaged_files(nvrtc, fresh):
    for number in range(4):
        image = compile_source(source(number), 90).image
        assert b".text.f" in image
        for path in fresh.iterdir():
            path.write_bytes(path.read_bytes()[:1000])


def test_threads(nvrtc):
    errors = []

    def work(turn):
        try:
            for number in range(4):
                compile_source(source(turn * 10 + number), 90)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(turn,)) for turn in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_removed_at_exit(nvrtc, tmp_path):
    program = f"""
from gpunp.compiler import compile_source, precompiled
for number in range(2):
    compile_source({HEAD!r} + {BODY!r}.format(number=number), 90)
print(precompiled._folder)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(tmp_path))
    assert not os.path.exists(done.stdout.strip())


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (HEAD + "int x;", 5),
        ('#include "gpunp/types.h"\nint x;\n#include "gpunp/math.h"\n', 1),
        ('#include "gpunp/types.h"\n#include <cuda_fp16.h>\n', 1),
        ("int x;\n" + HEAD, 0),
        ("#define N 1\nint x;", 0),
        ('#define A \\\n B\n#include "gpunp/types.h"\n', 0),
        ('#include "mine.h"\n', 0),
        ("", 0),
    ],
)
def test_beginnings(text, lines):
    head, rest = precompiled.split(text)
    assert head + rest == text
    assert head.count("\n") == lines


@pytest.mark.parametrize(
    "arguments",
    [{"options": ("-I.",)}, {"options": ("-include=gpunp/types.h",)}, {"line_info": True}],
    ids=["folder", "header", "lines"],
)
def test_not_with_files_that_may_change(nvrtc, fresh, arguments):
    for number in range(3):
        compile_source(source(number), 90, **arguments)
    assert list(fresh.iterdir()) == []
