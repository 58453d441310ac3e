"""Constants shared by kernels and host modules are defined once and used by name."""

import re
from pathlib import Path

import numpy as np
import pytest

import gpunp
from gpunp.dtype_codes import CHARS, NAMES

ROOT = Path(__file__).parents[1]
CYTHON = [path for suffix in ("pyx", "pxd") for path in sorted((ROOT / "gpunp").rglob(f"*.{suffix}"))]
# Only dtype_codes.pxd may rely on the order of the dtype codes; other modules compare for equality.
CODES = ROOT / "gpunp" / "dtype_codes.pxd"
CODE = r"\b\w*codes?(\[[^]]*\])?"
SIZED = r"(INT|UINT|FLOAT|COMPLEX)(8|16|32|64|128)|" + "|".join(name.upper() for name in NAMES)
RULES = {
    "an enum of dtype codes": rf"^\s+(CODE_)?({SIZED})\s*=\s*\d",
    "a dtype code as a number": rf"\bnew_array(_strided)?\(\d|\b(dtype_of|_vector|_zeros)\(\d|{CODE} in \(\d"
    rf"|{CODE}\s*([=!]=|[<>]=?)\s*\d|\d\s*<=?\s*[\w.]*{CODE}|{CODE}\s*[&%]\s*\d",
    "a comparison that a predicate has a name for": rf"{CODE}\s*[<>]=?\s*[BIUFC]\d*\b",
    "a copy of a launch constant": r"^\s+(\w+_)?(?<!A_)(BLOCK|TILE|TILE_WIDTH)\s*=\s*\d+\s*$",
    "threads of a block as a number": r",\s*1,\s*(32|64|128|256|512|1024),\s*(0|\w*[Ss]hared\w*),",
}


@pytest.mark.parametrize("rule", RULES)
def test_no_module_has_its_own(rule):
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in CYTHON
        if path != CODES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(RULES[rule], line.partition("#")[0])
    ]
    assert found == []


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("an enum of dtype codes", "    INT64 = 7"),
        ("an enum of dtype codes", "    CODE_F8 = 11"),
        ("a dtype code as a number", "    refused = new_array(6, 1, &one, device)"),
        ("a dtype code as a number", "        return target.code >= 9"),
        ("a dtype code as a number", "    if loop.codes[1] in (1, 3, 5, 7):"),
        ("a dtype code as a number", "    return sign if x.code & 1 else 0"),
        ("a comparison that a predicate has a name for", "    if a.code < C8:"),
        ("a copy of a launch constant", "    BLOCK = 256         # threads"),
        ("threads of a block as a number", "    device.launch(kernel, blocks, 1, 1, 256, 0, &p, sizeof(p))"),
    ],
)
def test_the_rules_find(rule, line):
    assert re.search(RULES[rule], line.partition("#")[0])


def test_the_table_of_types_is_the_enum_of_the_kernels():
    header = (ROOT / "kernels" / "include" / "gpunp" / "dtype_codes.h").read_text()
    listed = re.search(r"enum DType : int \{([^}]*)\}", header)[1].replace(" ", "").split(",")
    assert listed == [*(name.upper() for name in NAMES), "NUM_DTYPES"]
    for char, name in zip(CHARS, NAMES, strict=True):
        dtype = np.dtype(char)
        assert name == ("bool" if char == "?" else f"{dtype.kind}{dtype.itemsize}")
        # gpunp takes the itemsize from the function that the kernels use.
        assert gpunp.empty(1, dtype).itemsize == dtype.itemsize


def test_the_table_of_types_is_the_only_one():
    tables = [
        str(path.relative_to(ROOT))
        for tree in ("gpunp", "gpunp_scipy", "kernels")
        for path in sorted((ROOT / tree).rglob("*.py*"))
        if path.suffix in (".py", ".pyx", ".pxd") and f'"{CHARS}"' in path.read_text()
    ]
    assert tables == ["gpunp/dtype_codes.py"]
