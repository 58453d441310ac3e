"""The page on raw kernels: its code runs on a GPU, from top to bottom as one program."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "kernels" / "raw.md"


def test_the_code_of_the_page_runs(device, tmp_path, monkeypatch):
    if device.is_cpu:
        pytest.skip("raw kernels run on GPUs")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 10
    names = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
