"""The page on raw kernels: its code runs on a GPU, from top to bottom as one program."""

import re
from pathlib import Path

import pytest

from gpunp.compiler import compile_source

PAGE = Path(__file__).parents[2] / "docs" / "kernels" / "raw.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
SOURCES = [source for block in BLOCKS for source in re.findall(r'r"""\n(.*?)"""', block, re.DOTALL)]
# For machines without a GPU.
ARCHITECTURE = 90


def test_the_code_of_the_page_runs(device, tmp_path, monkeypatch):
    if device.is_cpu:
        pytest.skip("raw kernels run on GPUs")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), names)


def test_the_sources_of_the_page_compile(nvrtc):
    assert len(SOURCES) > 8
    for source in SOURCES:
        names = [f"{name}<int, 2>" for name in re.findall(r"template <.*> __global__ void (\w+)", source)]
        compile_source(source, ARCHITECTURE, name_expressions=names)
