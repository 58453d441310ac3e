"""Tests of the repository's layout: sizes of files and functions, and the same folder names in every tree."""

import ast
import builtins
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {
    "gpunp",
    "gpunp_scipy",
    "kernels",
    "tests",
    "docs",
    "meson.build",
    "meson.options",
    "pyproject.toml",
    "README.md",
    "LICENSE",
}
# Chapters: folders of handlers, whose tests are in folders of the same name.
CHAPTERS = (
    "creation",
    "manipulation",
    "math",
    "logic",
    "dtypes",
    "indexing",
    "sorting",
    "sets",
    "statistics",
    "linalg",
    "io",
    "functional",
    "polynomial",
    "fft",
)
LONGEST = 430
LONGEST_FUNCTION = 100
# qr_panel is one loop whose steps share nearly all of their state. svd_one needs a quarter more registers for
# complex matrices in every split that was tried.
LONG_FUNCTIONS = {"qr_panel", "svd_one"}
# Generated tables of coefficients may be long.
EXEMPT = ("polynomials",)
SOURCES = sorted(
    path
    for tree in ("gpunp", "gpunp_scipy", "kernels", "tests", "docs")
    for suffix in ("py", "pyx", "pxd", "cu", "h", "cpp")
    for path in (ROOT / tree).rglob(f"*.{suffix}")
    if "_build" not in path.parts and "build" not in path.parts
)


def python_functions(text):
    """The names and line counts of the functions in a Python module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.end_lineno - node.lineno + 1


def cython_functions(text):
    """The same for Cython: a head, and all lines indented below it."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        head = re.match(r"( *)(?:cdef|cpdef|def) (?!class|extern|struct|enum|packed)[^=:]*?(\w+)\(", line)
        if not head:
            continue
        body = start
        while not lines[body].endswith(":"):
            body += 1
            if body == len(lines) or (lines[body].strip() and not lines[body].startswith(head[1] + " ")):
                break
        else:
            end = last = body + 1
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith(head[1] + " ")):
                last = end if lines[end].strip() else last
                end += 1
            yield head[2], last - start + 1


def header_functions(text):
    """The same for C++ formatted by clang-format: from the head to a closing brace of equal indentation."""
    head = re.compile(
        r"^( *)(?!if|for|while|switch|else|do\b|namespace|struct|enum)[^\s/#}][^\n;{}]*\w\(", re.MULTILINE
    )
    for match in head.finditer(text):
        brace = re.compile(r"[^;{}]*\{\n").match(text, match.end())
        if brace and (close := re.compile(rf"^{match[1]}\}}", re.MULTILINE).search(text, brace.end())):
            yield (
                re.split(r"\W+", match[0][:-1].rstrip())[-1],
                text[match.start() : close.end()].count("\n") + 1,
            )


FUNCTIONS = {"py": python_functions, "pyx": cython_functions, "pxd": cython_functions}


def test_functions_are_short():
    lengths = {}
    for path in SOURCES:
        functions = FUNCTIONS.get(path.suffix[1:], header_functions)
        for name, count in functions(path.read_text()):
            lengths[name] = max(count, lengths.get(name, 0))
    # The patterns find functions in all languages.
    assert min(lengths[name] for name in ("call", "selection_apart", "test_functions_are_short")) > 5
    assert {name for name, count in lengths.items() if count > LONGEST_FUNCTION} == LONG_FUNCTIONS


def test_top_level():
    # Tracked files only: builds, environments and the demo's pictures may be in the checkout too.
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    visible = {name.partition("/")[0] for name in listed.stdout.splitlines() if not name.startswith(".")}
    assert visible == TOP_LEVEL


def test_sources_are_short():
    long = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for path in SOURCES
        if not any(word in path.stem for word in EXEMPT)
    }
    assert {path: count for path, count in long.items() if count > LONGEST} == {}


# Headers that all kernels include are not in a subfolder.
FLAT = {"complex.h", "config.h", "kernel.h", "levels.h", "math.h", "status.h", "types.h", "dtype_codes.h"}
# The CPU device has no tests of its own, since the whole suite runs on it.
WITHOUT_TESTS = {"cpu"}


def folders(path):
    """The names of a folder's subfolders, except private ones, which are tools of the build."""
    return {each.name for each in path.iterdir() if each.is_dir() and not each.name.startswith(("_", "."))}


def test_kernel_headers_have_rooms():
    rooms = ROOT / "kernels/include/gpunp"
    assert {path.name for path in rooms.iterdir() if path.is_file()} <= FLAT
    assert folders(rooms) - folders(ROOT / "gpunp") - folders(ROOT / "gpunp_scipy") == {"common"}
    assert [path for path in rooms.rglob("*") if path.is_dir() and path.parent != rooms] == []


HEADERS = ROOT / "kernels" / "include"
# What Cython reads: parameters, host code that plans or copies, and names that every kernel knows.
READ_BY_CYTHON = re.compile(
    r"gpunp/(?:\w+/(?:\w+_params|params|plan)|common/host_stream|dtype_codes|kernel|levels|status)\.h"
)
# What parameters may include.
READ_BY_PARAMETERS = re.compile(r"gpunp/(?:\w+/(?:\w+_params|params)|config|dtype_codes|status)\.h")
DEVICE_CODE = re.compile(
    r"\b__(?:global|device|shared)__|\b(?:thread|block)(?:Idx|Dim)\b|\b__syncthreads\b|\bGPUNP_ON_DEVICE\b"
)
INCLUDES = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def without_comments(text):
    return re.sub(r"//.*", "", text)


def test_cython_reads_parameters_and_no_kernels():
    extern = re.compile(r'^cdef extern from "(gpunp/[^"]+)"', re.MULTILINE)
    read = {
        header: path.relative_to(ROOT)
        for suffix in ("pyx", "pxd", "pxi")
        for path in (ROOT / "gpunp").rglob(f"*.{suffix}")
        for header in extern.findall(path.read_text())
    }
    assert len(read) > 20
    assert {header: path for header, path in read.items() if not READ_BY_CYTHON.fullmatch(header)} == {}
    # Nor by an include, whose own includes count as well. kernel.h and config.h know both compilers.
    waiting, found = [*read], set()
    while waiting:
        header = waiting.pop()
        if header not in found:
            found.add(header)
            waiting += INCLUDES.findall((HEADERS / header).read_text())
    both = {"gpunp/config.h", "gpunp/kernel.h"}
    assert both < found
    assert [
        header
        for header in sorted(found - both)
        if DEVICE_CODE.search(without_comments((HEADERS / header).read_text()))
    ] == []


def test_parameters_include_parameters_only():
    paths = [*HEADERS.rglob("*params.h")]
    assert len(paths) > 20
    assert {
        (str(path.relative_to(HEADERS)), name)
        for path in paths
        for name in INCLUDES.findall(path.read_text())
        if not READ_BY_PARAMETERS.fullmatch(name)
    } == set()


@pytest.mark.parametrize(
    "line",
    [
        "static __device__ __noinline__ int offset(int i);",
        "const int lane = threadIdx.x % 32;",
        "#if GPUNP_ON_DEVICE",
    ],
)
def test_device_code_is_recognized(line):
    assert DEVICE_CODE.search(line)
    assert not DEVICE_CODE.search(without_comments(f"int threads;  // {line}"))


def unreadable_calls(tree):
    """Calls with a literal True or False by position, or with two literals None."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        # Many of Python's own functions take positions only.
        if ast.unparse(call.func) in {*vars(builtins), "dict.fromkeys"}:
            continue
        values = [each.value for each in call.args if isinstance(each, ast.Constant)]
        if any(isinstance(value, bool) for value in values) or values.count(None) > 1:
            yield ast.unparse(call)


def test_flags_are_keywords():
    found = {
        f"{path.relative_to(ROOT)}: {call}"
        for path in SOURCES
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in ("gpunp", "gpunp_scipy")
        for call in unreadable_calls(ast.parse(path.read_text()))
    }
    assert found == set()


@pytest.mark.parametrize(
    ("call", "unreadable"),
    [
        ("convert(a, None, None, True, order)", True),
        ("a.reshaped(shape, False)", True),
        ("fold(name, None, dtype, None)", True),
        ("fold(name, None, dtype)", False),
        ("unique(a, return_index=True)", False),
        ("getattr(a, name, False)", False),
        ("slice(None, None, -1)", False),
    ],
)
def test_unreadable_calls_are_recognized(call, unreadable):
    assert bool([*unreadable_calls(ast.parse(call))]) == unreadable


def test_packages_have_tests():
    assert folders(ROOT / "gpunp") - folders(ROOT / "tests") == WITHOUT_TESTS


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_handler_module_has_its_test(chapter):
    folder = ROOT / "gpunp" / chapter
    modules = [path for path in folder.glob("*.py") if "@implements(" in path.read_text()]
    missing = [
        path.stem for path in modules if not (ROOT / "tests" / chapter / f"test_{path.stem}.py").exists()
    ]
    assert missing == []


def test_test_modules_have_unique_names():
    # pytest imports test modules by their bare name.
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_kernels_of_handlers_exist():
    import gpunp  # noqa: F401 - fills the registry
    from gpunp.dispatch.registry import REGISTRATIONS

    for registration in REGISTRATIONS.values():
        for path in registration.kernels:
            assert (ROOT / "kernels" / path).exists(), f"{registration.name}: kernels/{path}"


def test_public_modules_have_docstrings():
    bare = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "gpunp").rglob("*.py")
        if path.name != "__init__.py" and ast.get_docstring(ast.parse(path.read_text())) is None
    ]
    assert bare == []


# Warp intrinsics, which kernels use through common/warp.h.
WARP_PRIMITIVES = re.compile(r"\b__(?:shfl|ballot|any|all|match|reduce)\w*_sync\b|\b__activemask\b")
# Counters by which a block determines that it is the last one done: common/last_block.h.
LAST_BLOCK = re.compile(r"== \(?(?:uint32_t\))?\(?gridDim\.x - 1|\batomicInc\b")


@pytest.mark.parametrize("primitive", [WARP_PRIMITIVES, LAST_BLOCK], ids=["warp", "last_block"])
def test_device_primitives_are_said_once(primitive):
    headers = ROOT / "kernels" / "include" / "gpunp"
    found = {
        str(path.relative_to(headers)) for path in headers.rglob("*.h") if primitive.search(path.read_text())
    }
    assert found, "the pattern finds nothing"
    # custom/ gives users CUDA's functions under their own names.
    assert {name for name in found if not name.startswith(("common/", "custom/atomic"))} == set()


def test_vectors_limits_and_keys_are_said_once():
    headers = ROOT / "kernels" / "include" / "gpunp"
    names = ("Vector", "Bytes16", "WideKey", "limits")
    pattern = re.compile(rf"^\s*struct (?:alignas\(.*\) )?({'|'.join(names)})(?: \{{|;)", re.MULTILINE)
    homes = {name: set() for name in names}
    for path in headers.rglob("*.h"):
        for name in pattern.findall(path.read_text()):
            homes[name].add(str(path.relative_to(headers)))
    assert homes == {
        "Vector": {"common/vector.h"},
        "Bytes16": {"common/vector.h"},
        "WideKey": {"common/keys.h"},
        "limits": {"common/limits.h"},
    }
