"""Tests that helpers which are easily duplicated are defined in one place only."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for tree in ("gpunp", "gpunp_scipy")
    for suffix in ("py", "pyx", "pxd")
    for path in sorted((ROOT / tree).rglob(f"*.{suffix}"))
}

# For each rule: a pattern, the modules that may match it, and what other modules use instead.
RULES = {
    "private modules of NumPy": (
        r"\b(np|numpy)\._core\b|\bnumpy\.linalg\._|\bfrom numpy[\w.]*\._",
        {"gpunp/array/numpy_internals.py"},
        "the names of gpunp.array.numpy_internals",
    ),
    "the device among operands": (
        r"next\(\s*\(?\s*\w+\.device for\b|\bdef _?(device_of|on_one_device)\(\*",
        {"gpunp/array/operands.py"},
        "device_of and on_one_device of gpunp.array.operands",
    ),
    "merging axes": (
        # An axis merges with the one before it if that one's stride equals its own stride times its extent.
        r"(stride|step)[\w.\[\]]* [!=]= [\w.\[\]]*(stride|step|shape|extent)[\w.\[\]* ]* \* \w"
        r"|\bcdef [\w* ]*\b_?(coalesce|merge_axes|merge_into|sort_axes)\(",
        {
            "gpunp/array/axes.pxd",
            # These axes have rules, whose lengths and offsets are merged too.
            "gpunp/manipulation/moves.pyx",
        },
        "merge_axes and merge_into of gpunp/array/axes.pxd",
    ),
    "dense strides": (
        r"\b(def|cdef|cpdef) [\w* ]*(dense|regular|contiguous|c|f|permuted|fill)_strides\(",
        {"gpunp/array/strides.pxd"},
        "c_strides, f_strides and permuted_strides of gpunp/array/strides.pxd",
    ),
    "numbers of memory pools": (
        r"\blive_count [+-]= 1|\bcdef struct Bin\b",
        {"gpunp/pooling.pxd"},
        "count_allocation, count_free and Bin of gpunp/pooling.pxd",
    ),
    "parsing indices": (
        r"an index can only have a single ellipsis",
        # Views by basic indices are created without parsing the key first.
        {"gpunp/indexing/keys.py", "gpunp/indexing/basic.pyx"},
        "Selection of gpunp.indexing.keys",
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_once(rule):
    pattern, places, instead = RULES[rule]
    found = {path for path, text in SOURCES.items() if re.search(pattern, text)}
    assert found <= places, f"{rule}: use {instead}"
    # A rule whose pattern does not match in its own place would be ineffective.
    assert found == places
